/** What the person at the command line gives and sees: options and progress. */
@NullMarked
package io.varve.benchmark.command;

import org.jspecify.annotations.NullMarked;
