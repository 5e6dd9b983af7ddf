package io.varve.store.engine;

import io.varve.testkit.internal.engine.DynamoDBEngine;
import org.junit.jupiter.api.Nested;

/** What Varve needs of DynamoDB, on DynamoDB Local. */
class EngineDynamoDBLocalTest {
    @Nested
    class Writes extends EngineWritesContract {
        Writes() {
            super(DynamoDBEngine.LOCAL);
        }
    }

    @Nested
    class Limits extends EngineLimitsContract {
        Limits() {
            super(DynamoDBEngine.LOCAL);
        }
    }

    @Nested
    class Pages extends EnginePagesContract {
        Pages() {
            super(DynamoDBEngine.LOCAL);
        }
    }

    @Nested
    class Capacity extends EngineCapacityContract {
        Capacity() {
            super(DynamoDBEngine.LOCAL);
        }
    }
}
