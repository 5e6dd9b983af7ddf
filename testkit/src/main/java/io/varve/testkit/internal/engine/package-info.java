/** DynamoDB Local as a process: its jars, its main class, its output, and a client. */
@NullMarked
package io.varve.testkit.internal.engine;

import org.jspecify.annotations.NullMarked;
