/**
 * Which events are let in, and which come before them: {@code Admission} decides, with what {@code StreamProgress} knows and the
 * journal answers. No streams here: what is missing is named, and read by whoever processes it.
 */
@NullMarked
package io.varve.projection.internal.admission;

import org.jspecify.annotations.NullMarked;
