/** Tests of the testkit against a real DynamoDB Local. */
@NullMarked
package io.varve.testkit;

import org.jspecify.annotations.NullMarked;
