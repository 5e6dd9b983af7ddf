package io.varve.persistence.internal.serialization;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;

/** Reads what {@link BinaryWriter} has written. */
public final class BinaryReader {
    /** What the bytes before the last one of a number of 64 bits leave for it: one bit. */
    private static final int LAST_SHIFT = 63;

    private final ByteBuffer in;

    public BinaryReader(byte[] bytes) {
        this.in = ByteBuffer.wrap(bytes);
    }

    /** Whether not everything has been read. */
    public boolean hasMore() {
        return in.hasRemaining();
    }

    public int oneByte() {
        return in.get();
    }

    public long number() {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            byte next = in.get();
            if (shift == LAST_SHIFT && next > 1) {
                break;
            }
            value |= (long) (next & 0x7F) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new IllegalArgumentException("A number has more than 64 bits.");
    }

    public long signed() {
        long value = number();
        return value >>> 1 ^ -(value & 1);
    }

    /** A number that fits into 32 bits, as {@link #number} writes it. */
    public int integer() {
        return fitting(number());
    }

    public int signedInteger() {
        return fitting(signed());
    }

    private static int fitting(long value) {
        if (value != (int) value) {
            throw new IllegalArgumentException("A number has more than 32 bits.");
        }
        return (int) value;
    }

    /** How many of something follow, each of at least one byte. */
    public int count() {
        long count = number();
        if (count < 0 || count > in.remaining()) {
            throw new BufferUnderflowException();
        }
        return (int) count;
    }

    public byte[] bytes() {
        byte[] value = new byte[count()];
        in.get(value);
        return value;
    }

    public String text() {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    public Instant instant() {
        try {
            return Instant.ofEpochSecond(signed(), number());
        } catch (DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException("A time is beyond all bounds.", e);
        }
    }
}
