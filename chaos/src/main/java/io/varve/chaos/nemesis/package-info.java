/** What goes wrong, from a seed: one fault after another, some with a database that is not at its best, and all mended before the next. */
@NullMarked
package io.varve.chaos.nemesis;

import org.jspecify.annotations.NullMarked;
