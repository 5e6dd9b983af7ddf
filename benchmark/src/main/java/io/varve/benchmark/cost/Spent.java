package io.varve.benchmark.cost;

import io.varve.testkit.Capacity;
import io.varve.testkit.RequestLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What an operation spends: requests, write units with those of indexes, and read units. */
record Spent(double requests, double writeUnits, double readUnits) {

    static Spent of(RequestLog log) {
        Capacity capacity = log.capacity();
        return new Spent(log.size(), capacity.allWriteUnits(), capacity.readUnits());
    }

    static Spent writing(double requests, double units) {
        return new Spent(requests, units, 0);
    }

    static Spent reading(double requests, double units) {
        return new Spent(requests, 0, units);
    }

    /** All units: operations that both write and read are compared by their sum. */
    double units() {
        return writeUnits + readUnits;
    }

    Map<String, Object> figures() {
        return Map.of("requests", requests, "writeUnits", writeUnits, "readUnits", readUnits);
    }

    @Override
    public String toString() {
        List<String> parts = new ArrayList<>(List.of(number(requests) + " req"));
        if (writeUnits > 0) {
            parts.add(number(writeUnits) + " W");
        }
        if (readUnits > 0) {
            parts.add(number(readUnits) + " R");
        }
        return String.join(", ", parts);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value == Math.rint(value) ? "%.0f" : "%.1f", value);
    }
}
