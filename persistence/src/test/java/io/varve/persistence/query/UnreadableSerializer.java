package io.varve.persistence.query;

import org.apache.pekko.serialization.SerializerWithStringManifest;

/** A serializer of events that it cannot read again. */
public final class UnreadableSerializer extends SerializerWithStringManifest {
    static final int IDENTIFIER = 515_151;

    /** What it writes. */
    public record Unreadable(String text) {}

    @Override
    public int identifier() {
        return IDENTIFIER;
    }

    @Override
    public String manifest(Object object) {
        return "unreadable";
    }

    @Override
    public byte[] toBinary(Object object) {
        return new byte[] {1};
    }

    @Override
    public Object fromBinary(byte[] bytes, String manifest) {
        throw new IllegalStateException("the bytes are strange");
    }
}
