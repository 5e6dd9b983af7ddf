/** The read journal for Java. */
@NullMarked
package io.varve.persistence.query.javadsl;

import org.jspecify.annotations.NullMarked;
