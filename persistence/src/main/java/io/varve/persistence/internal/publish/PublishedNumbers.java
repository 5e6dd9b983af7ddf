package io.varve.persistence.internal.publish;

import java.util.LinkedHashMap;
import java.util.Map;

/** The last numbers that were heard, by publisher. Not safe for use by several threads. */
public final class PublishedNumbers {
    /** Those that were heard longest ago are forgotten; what they send next counts as their first. */
    private static final int MOST_PUBLISHERS = 10_000;

    private final Map<Long, Long> last = new LinkedHashMap<>();

    /** Takes note of a number; whether it is the next one, or the first that was heard of its publisher. */
    public boolean isNext(PublishedNumber heard) {
        Long before = last.remove(heard.publisher());
        long highest = before == null ? heard.number() : Math.max(before, heard.number());
        last.put(heard.publisher(), highest);
        if (last.size() > MOST_PUBLISHERS) {
            last.remove(last.keySet().iterator().next());
        }
        return before == null || heard.number() <= before + 1;
    }
}
