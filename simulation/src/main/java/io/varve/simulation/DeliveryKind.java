package io.varve.simulation;

/** How a projection processes events, and when it stores that. */
enum DeliveryKind {
    EXACTLY_ONCE,
    EXACTLY_ONCE_BY_GROUP_COMMIT,
    EXACTLY_ONCE_IN_GROUPS,
    AT_LEAST_ONCE,
    AT_LEAST_ONCE_IN_GROUPS;

    /** What a world has. */
    static DeliveryKind drawn(World world) {
        boolean groups = world.happens(Feature.GROUPS);
        return world.happens(Feature.AT_LEAST_ONCE)
                ? groups ? AT_LEAST_ONCE_IN_GROUPS : AT_LEAST_ONCE
                : groups ? EXACTLY_ONCE_IN_GROUPS : singly(world);
    }

    private static DeliveryKind singly(World world) {
        return world.happens(Feature.GROUP_COMMIT) ? EXACTLY_ONCE_BY_GROUP_COMMIT : EXACTLY_ONCE;
    }

    boolean isExactlyOnce() {
        return this == EXACTLY_ONCE || this == EXACTLY_ONCE_BY_GROUP_COMMIT || this == EXACTLY_ONCE_IN_GROUPS;
    }
}
