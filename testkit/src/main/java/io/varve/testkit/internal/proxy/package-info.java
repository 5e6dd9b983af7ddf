/**
 * The server in front of DynamoDB Local. A {@code ClientConnection} reads requests, the {@link
 * io.varve.testkit.internal.proxy.RequestPolicy} decides what becomes of each, and drives its {@link
 * io.varve.testkit.internal.proxy.Exchange}, whose {@code Route} leads to the backend, past a meter while recording is on. All of
 * them live on the event loop of their connection.
 */
@NullMarked
package io.varve.testkit.internal.proxy;

import org.jspecify.annotations.NullMarked;
