/** What Varve needs of DynamoDB, as AWS documents it, on each engine that the tests run on; their differences are named. */
@NullMarked
package io.varve.store.engine;

import org.jspecify.annotations.NullMarked;
