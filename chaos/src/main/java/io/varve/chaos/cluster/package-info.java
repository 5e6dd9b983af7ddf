/**
 * The processes: three nodes and a DynamoDB, and all connections between them, which lead through this JVM, so that each can be cut. Nodes
 * listen and call from loopback addresses of their own (127.0.2.x and 127.0.1.x), which tells them apart and needs Linux.
 */
@NullMarked
package io.varve.chaos.cluster;

import org.jspecify.annotations.NullMarked;
