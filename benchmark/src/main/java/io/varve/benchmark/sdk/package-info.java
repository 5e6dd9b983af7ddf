/** The limit of what a client can do: a loop over the SDK's client, without actors and without a plugin. */
@NullMarked
package io.varve.benchmark.sdk;

import org.jspecify.annotations.NullMarked;
