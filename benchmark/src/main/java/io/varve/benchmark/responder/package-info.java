/**
 * A server that answers every DynamoDB request at once, or after a fixed time, and stores nothing. It runs in a process of its own
 * and does so little that what a client can do is limited by the client.
 */
@NullMarked
package io.varve.benchmark.responder;

import org.jspecify.annotations.NullMarked;
