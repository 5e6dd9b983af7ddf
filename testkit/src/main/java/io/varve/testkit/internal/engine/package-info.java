/** The engines as processes: which one, its command, its output, and a client. */
@NullMarked
package io.varve.testkit.internal.engine;

import org.jspecify.annotations.NullMarked;
