/**
 * The HTTP client under the SDK's DynamoDB client: whole requests and whole answers over kept connections of HTTP/1.1.
 *
 * <p>{@link io.varve.store.http.HttpTransport} takes a request of the SDK and makes an {@code Exchange} of it. {@code Connections}
 * has the connections to one server and gives each exchange one, makes one ({@code Opening}), or lets it wait. A
 * {@code Connection} sends it and gathers the
 * {@code Answer}. DynamoDB has no streams, so there is nothing in between.
 */
@NullMarked
package io.varve.store.http;

import org.jspecify.annotations.NullMarked;
