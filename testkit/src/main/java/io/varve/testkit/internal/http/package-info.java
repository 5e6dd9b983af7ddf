/** Requests, responses, and the connection from the proxy to the server behind it. */
@NullMarked
package io.varve.testkit.internal.http;

import org.jspecify.annotations.NullMarked;
