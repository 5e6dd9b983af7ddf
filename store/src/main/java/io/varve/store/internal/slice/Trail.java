package io.varve.store.internal.slice;

/** A pass that reads again what the plain one has read, some time behind it: where it stands, and when it goes on. */
final class Trail {
    private static final long NEVER = Long.MAX_VALUE;

    private final long behind;
    private final long interval;
    private IndexCursor cursor;
    private long due = NEVER;

    /** A pass that reads what is older than {@code behind}, once in an {@code interval}, and has nothing to read yet. */
    Trail(long behind, long interval, IndexCursor plain) {
        this.behind = behind;
        this.interval = interval;
        this.cursor = plain;
    }

    IndexCursor cursor() {
        return cursor;
    }

    long due() {
        return due;
    }

    /** Whether it has nothing to read. */
    boolean isDone(IndexCursor plain) {
        return cursor.equals(plain);
    }

    /** Up to which timestamp it reads. */
    long until(IndexCursor plain, long now) {
        return Math.min(plain.timestamp(), now - behind);
    }

    void setBack(long by) {
        due -= due == NEVER ? 0 : by;
    }

    /** The plain pass goes from one place to another; a trail that is done follows it through what is old and need not be read again. */
    void follow(IndexCursor from, IndexCursor to, long old, long now) {
        if (!isDone(from)) {
            return;
        }
        if (to.timestamp() <= old) {
            cursor = to;
        } else {
            cursor = cursor.timestamp() <= old ? IndexCursor.at(old + 1) : cursor;
            due = now + behind;
        }
    }

    /** There was nothing to read yet. */
    void waitOn(long now) {
        due = now + interval;
    }

    /** A page was read, up to a timestamp. */
    void read(IndexPage page, long until, IndexCursor plain, long now) {
        cursor = page.more() || until < plain.timestamp() ? page.end() : plain;
        if (!page.more()) {
            due = isDone(plain) ? NEVER : now + interval;
        }
    }
}
