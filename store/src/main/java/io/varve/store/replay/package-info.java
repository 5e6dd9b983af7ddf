/**
 * How events come out.
 *
 * <p>A recovery asks two questions, and one round trip answers both: {@link io.varve.store.replay.TailReader} reads the group
 * that the hint names together with the marks, finds the highest sequence number from them, and keeps what it has read for
 * {@link io.varve.store.replay.Replayer}, which follows. {@link io.varve.store.replay.BatchFilter} drops atomic writes that are
 * not complete.
 */
@NullMarked
package io.varve.store.replay;

import org.jspecify.annotations.NullMarked;
