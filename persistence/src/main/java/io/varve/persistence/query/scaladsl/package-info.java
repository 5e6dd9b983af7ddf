/** The read journal for Scala. */
@NullMarked
package io.varve.persistence.query.scaladsl;

import org.jspecify.annotations.NullMarked;
