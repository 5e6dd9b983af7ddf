/**
 * How events go.
 *
 * <p>The low mark comes first: from then on nobody replays the events, whatever becomes of the rest. Then they are deleted in
 * batches. The mark also says where the deletion began, so that one which stopped half-way is finished by the next.
 */
@NullMarked
package io.varve.store.internal.delete;

import org.jspecify.annotations.NullMarked;
