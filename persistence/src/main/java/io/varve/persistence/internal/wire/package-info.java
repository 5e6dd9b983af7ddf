/**
 * The serializer of what travels between nodes and into offset stores, and its formats.
 */
@NullMarked
package io.varve.persistence.internal.wire;

import org.jspecify.annotations.NullMarked;
