package io.varve.simulation.failsonce;

/** A way in which a request can fail. */
public enum Way {
    /** DynamoDB has a fault of its own; nothing has happened. */
    SERVER_ERROR(Meaning.PASSES),
    /** DynamoDB refuses it for good, for lack of permission; nothing has happened. */
    DENIED(Meaning.MAY_FAIL),
    /** It takes effect, and the connection breaks before the answer. */
    ANSWER_LOST(Meaning.PASSES),
    /** It takes effect, and the answer never comes. */
    NO_ANSWER(Meaning.PASSES),
    /** The connection breaks before it is there. */
    CONNECTION_CUT(Meaning.PASSES),
    /** It is throttled once. */
    THROTTLED_ONCE(Meaning.PASSES),
    /** It is throttled as often as it is sent. */
    THROTTLED(Meaning.MAY_FAIL),
    /** From it on nothing reaches DynamoDB any more. */
    OUTAGE(Meaning.MAY_FAIL),
    /** It takes effect, and from then on no answer and no request gets through. */
    OUTAGE_AFTER_IT(Meaning.MAY_FAIL),
    /** One half of a batch is left unprocessed; other requests have no halves. */
    HALF_OF_THE_BATCH(Meaning.PASSES),
    /** The other half is. */
    OTHER_HALF_OF_THE_BATCH(Meaning.PASSES),
    /** The process is gone before the request is. */
    PROCESS_GONE_BEFORE_IT(Meaning.GONE),
    /** It takes effect, and the process is gone before the answer. */
    PROCESS_GONE_AFTER_IT(Meaning.GONE);

    /** What a way leads to. */
    public enum Meaning {
        /** A request that is sent again succeeds, and so must the operation. */
        PASSES,
        /** The operation fails, or does without the request. */
        MAY_FAIL,
        /** Nobody hears what came of it. */
        GONE
    }

    private final Meaning meaning;

    Way(Meaning meaning) {
        this.meaning = meaning;
    }

    public Meaning meaning() {
        return meaning;
    }
}
