/**
 * One journal, driven from outside: the same few operations whether it runs in this JVM or, with the predecessor, in its own.
 *
 * <p>{@link io.varve.interop.peer.JournalDriver} is what tests use. {@link io.varve.interop.peer.LocalJournalDriver} runs an
 * ordinary classic persistent actor on whatever journal the class path holds. {@link io.varve.interop.peer.PeerMain} is the
 * program of the predecessor's JVM: it reads commands as lines from its standard input and answers on its standard output.
 * All of it is compiled against the predecessor's Pekko, the older one.
 */
@NullMarked
package io.varve.interop.peer;

import org.jspecify.annotations.NullMarked;
