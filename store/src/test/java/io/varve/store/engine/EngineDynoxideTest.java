package io.varve.store.engine;

import io.varve.testkit.internal.engine.DynamoDBEngine;
import org.junit.jupiter.api.Nested;

/** What Varve needs of DynamoDB, on Dynoxide; skipped where that is not to be had. */
class EngineDynoxideTest {
    @Nested
    class Writes extends EngineWritesContract {
        Writes() {
            super(DynamoDBEngine.DYNOXIDE);
        }
    }

    @Nested
    class Limits extends EngineLimitsContract {
        Limits() {
            super(DynamoDBEngine.DYNOXIDE);
        }
    }

    @Nested
    class Pages extends EnginePagesContract {
        Pages() {
            super(DynamoDBEngine.DYNOXIDE);
        }
    }

    @Nested
    class Capacity extends EngineCapacityContract {
        Capacity() {
            super(DynamoDBEngine.DYNOXIDE);
        }
    }
}
