/**
 * An HTTP client for the AWS SDK: whole requests and whole answers over kept connections of HTTP/1.1.
 *
 * <p>{@link io.varve.http.VarveAsyncHttpClient#builder} is for {@code httpClientBuilder} of a client of the SDK; all else that users
 * need are {@link io.varve.http.HttpSettings} and {@link io.varve.http.NotSentException}.
 *
 * <p>The client takes a request of the SDK and makes an {@code OngoingRequest} of it.
 * {@code Connections} has the connections to one server and gives each request one, makes one ({@code Opening}), or lets it wait.
 * A {@code Connection} sends it and gathers the {@code Answer}. Requests and answers fit into memory, so there are no streams in
 * between.
 */
@NullMarked
package io.varve.http;

import org.jspecify.annotations.NullMarked;
