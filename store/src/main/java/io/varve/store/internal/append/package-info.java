/**
 * How events get in: {@link io.varve.store.internal.append.AppendRequest} → {@link io.varve.store.internal.append.AppendResult}.
 *
 * <p>Each event is written only if its key is free. When it is not, the item in the way decides: if it is this very write, come
 * back through a retry, all is well; anything else is another writer's, and the append is fenced off with nothing overwritten.
 * Several events at once are stored in one transaction; too many for one, in a chain of transactions that a recovery elsewhere
 * can break but never outlive (see {@link io.varve.store.internal.append.WriteQueue}).
 */
@NullMarked
package io.varve.store.internal.append;

import org.jspecify.annotations.NullMarked;
