package io.varve.testkit.internal.capacity;

import io.varve.testkit.internal.http.HttpAnswer;

/** An answer, the items in it or of its request, and the capacity they took. */
public record Metered(HttpAnswer answer, int items, CapacityUnits capacity) {}
