/** What was measured: tables for people, figures in JSON for programs, and plots. */
@NullMarked
package io.varve.benchmark.report;

import org.jspecify.annotations.NullMarked;
