/** What the sides send their requests to: a DynamoDB Local of their own, or responders. */
@NullMarked
package io.varve.benchmark.server;

import org.jspecify.annotations.NullMarked;
