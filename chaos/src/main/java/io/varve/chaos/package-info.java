/**
 * The command {@code ./varve chaos}: a bank on a cluster of real processes that is killed, paused and cut off, and a check of what is left.
 *
 * <p>{@code cluster} has the processes, {@code node} is what runs in them, {@code load} are the clients, {@code nemesis} makes the faults,
 * {@code check} compares what is stored with what the clients were told. {@code soak} runs long instead of rough.
 */
@NullMarked
package io.varve.chaos;

import org.jspecify.annotations.NullMarked;
