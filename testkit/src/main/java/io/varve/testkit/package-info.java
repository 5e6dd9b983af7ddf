/**
 * Tests on a real DynamoDB Local, under faults, with every request counted.
 *
 * <p><b>The server.</b> {@link io.varve.testkit.DynamoDBLocal} runs DynamoDB Local in a child JVM: its libraries never meet those of the
 * test, it can be killed and paused, and it ends with its parent. {@code DynamoDBLocal.shared()} is one server for all tests of a JVM;
 * tests keep apart by fresh {@link io.varve.testkit.TableNames}. {@link io.varve.testkit.DynamoDBTest} injects these into JUnit tests;
 * everything also works without JUnit.
 *
 * <p><b>Faults.</b> {@link io.varve.testkit.FaultProxy} stands between client and server. It needs nothing of the client but its
 * endpoint setting, so it serves a Pekko plugin, another SDK and another process alike. A rule is a
 * {@link io.varve.testkit.RequestMatch} (which requests, how often, with what chance) and a {@link io.varve.testkit.Fault} (what
 * becomes of them). A {@link io.varve.testkit.Gate} holds requests until the test lets them go, which makes races repeatable:
 *
 * <pre>{@code
 * Gate gate = proxy.hold(RequestMatch.operation("PutItem").key("journal-P-a-0").times(1));
 * var first = write();
 * gate.awaitArrival();
 * overtake();
 * gate.release();
 * }</pre>
 *
 * <p><b>Requests and capacity.</b> The proxy's {@link io.varve.testkit.RequestLog} lists what came, so that a test can assert the exact
 * requests of an operation, and what AWS would charge. The {@link io.varve.testkit.Capacity} is computed from item sizes, because
 * DynamoDB Local does not charge as AWS does: its transactions cost the same for any number of items, and its empty queries and missing
 * keys cost nothing. PartiQL statements are forwarded and listed, but not charged.
 *
 * <p>Inside, each layer on those before it: {@code internal.engine} runs DynamoDB Local; {@code internal.json}, {@code internal.http}
 * and {@code internal.request} know what a request asks for, {@code internal.capacity} what it costs, and {@code internal.proxy} takes
 * it from the client to the backend.
 */
@NullMarked
package io.varve.testkit;

import org.jspecify.annotations.NullMarked;
