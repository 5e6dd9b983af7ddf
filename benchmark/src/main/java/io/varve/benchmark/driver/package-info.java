/**
 * The program of a measured JVM. It is compiled once and runs with the class path of Varve or with that of the predecessor, so
 * that both do the same work and are measured in the same way. It may use only what both class paths have: the JDK, Pekko's
 * classic persistence and queries, and Typesafe Config. A query that only Varve offers may be of a newer Pekko: its class is not
 * loaded before the query is asked for.
 */
@NullMarked
package io.varve.benchmark.driver;

import org.jspecify.annotations.NullMarked;
