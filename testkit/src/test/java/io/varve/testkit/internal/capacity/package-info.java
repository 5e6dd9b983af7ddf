/** Tests of the testkit against a real DynamoDB Local. */
@NullMarked
package io.varve.testkit.internal.capacity;

import org.jspecify.annotations.NullMarked;
