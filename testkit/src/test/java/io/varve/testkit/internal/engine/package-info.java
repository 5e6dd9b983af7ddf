/** Tests of the testkit against a real DynamoDB Local. */
@NullMarked
package io.varve.testkit.internal.engine;

import org.jspecify.annotations.NullMarked;
