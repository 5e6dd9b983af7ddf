package io.varve.store.internal.journal;

import io.varve.testkit.internal.engine.DynamoDBEngine;
import org.junit.jupiter.api.Nested;

/** A journal's life on each engine. */
class EngineStoreTest {
    @Nested
    class OnDynamoDBLocal extends EngineStoreContract {
        OnDynamoDBLocal() {
            super(DynamoDBEngine.LOCAL);
        }
    }

    @Nested
    class OnDynoxide extends EngineStoreContract {
        OnDynoxide() {
            super(DynamoDBEngine.DYNOXIDE);
        }
    }
}
