/**
 * The queries behind the read journals of both languages.
 */
@NullMarked
package io.varve.persistence.internal.query;

import org.jspecify.annotations.NullMarked;
