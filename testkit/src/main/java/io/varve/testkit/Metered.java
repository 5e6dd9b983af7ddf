package io.varve.testkit;

/** An answer, the items in it or of its request, and the capacity they took. */
record Metered(HttpAnswer answer, int items, Capacity capacity) {}
