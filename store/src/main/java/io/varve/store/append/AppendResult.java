package io.varve.store.append;

import io.varve.store.layout.Head;

/** What came of an atomic write. */
public sealed interface AppendResult {

    /** It is stored, all of it. */
    record Stored(Head head) implements AppendResult {}

    /** It cannot be stored, and nothing of it was; the entity may go on. */
    record Rejected(EventRejectedException reason) implements AppendResult {}

    /** Another writer's event is in the way; nothing was overwritten, and this writer must stop. */
    record Fenced(WriterConflictException reason) implements AppendResult {}
}
