package io.varve.persistence.internal.serialization;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/** Writes values compactly: numbers in groups of seven bits, the lowest first, and texts with their length. */
public final class BinaryWriter {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream(512);

    public void oneByte(int value) {
        out.write(value);
    }

    /** A number that is seldom negative. */
    public void number(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            out.write((int) ((rest & 0x7F) | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
    }

    /** A number of either sign, short if it is near 0. */
    public void signed(long value) {
        number(value << 1 ^ value >> 63);
    }

    public void bytes(byte[] value) {
        number(value.length);
        out.writeBytes(value);
    }

    public void text(String value) {
        bytes(value.getBytes(StandardCharsets.UTF_8));
    }

    public void instant(Instant value) {
        signed(value.getEpochSecond());
        number(value.getNano());
    }

    public byte[] toByteArray() {
        return out.toByteArray();
    }
}
