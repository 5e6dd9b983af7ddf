/**
 * How events come out.
 *
 * <p>A recovery asks two questions, and one round trip answers both: {@link io.varve.store.internal.replay.TailReader} reads the
 * group that the hint names together with the marks, finds the highest sequence number from them (how, tells {@link
 * io.varve.store.internal.replay.TailSearch}), and keeps what it has read for {@link io.varve.store.internal.replay.Replayer},
 * which follows. A chain that was not finished is given up on the way: {@link io.varve.store.internal.replay.ChainRemover}.
 * {@link io.varve.store.internal.replay.BatchFilter} drops atomic writes that are not complete.
 *
 * <p>A query pulls the same pages from an {@link io.varve.store.internal.replay.EventCursor} and asks {@link
 * io.varve.store.internal.replay.EventLookup} for single events; neither changes anything. {@link
 * io.varve.store.internal.replay.EntityScan} is what replay and cursor share.
 */
@NullMarked
package io.varve.store.internal.replay;

import org.jspecify.annotations.NullMarked;
