/**
 * The use cases of what runs on Pekko: journal and snapshot plugin, read journal, projections and their management. A process is an
 * actor system whose client leads to the modelled DynamoDB.
 *
 * <p>These run on real threads and in real time. What was there before, and what is there after it, is written and read by the stores
 * alone ({@link io.varve.simulation.failsonce.store.WithoutPekko}), so that a run needs one actor system, or two if one is gone.
 */
@NullMarked
package io.varve.simulation.failsonce.pekko;

import org.jspecify.annotations.NullMarked;
