/** What a request asks for: its operation, its items, and with the keys of its tables, its partition keys. */
@NullMarked
package io.varve.testkit.internal.request;

import org.jspecify.annotations.NullMarked;
