package io.varve.store.internal.layout;

import software.amazon.awssdk.core.SdkBytes;

/** Serialized data with what is needed to read it: the serializer's identifier and its manifest, which may be empty. */
public record Payload(SdkBytes bytes, int serializerId, String manifest) {
    @Override
    public String toString() {
        return "Payload[" + bytes.asByteArrayUnsafe().length + " bytes, serializer " + serializerId + "]";
    }
}
