package io.varve.store.internal.snapshot;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** How a snapshot's bytes are compressed; the item says it, so that reading needs no setting. */
public enum Compression {
    /** Not at all, as nodes of the predecessors expect it. */
    NONE,
    /** With gzip. */
    GZIP;

    byte[] compress(byte[] bytes) {
        if (this == NONE) {
            return bytes;
        }
        try (ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length / 2 + 64)) {
            try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
                gzip.write(bytes);
            }
            return out.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The bytes before they were compressed, but no more of them than so many. */
    byte[] decompress(byte[] bytes, int most) throws IOException {
        if (this == NONE) {
            return bytes;
        }
        try (GZIPInputStream gzip = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            return gzip.readNBytes(most);
        }
    }

    /** The name in the item. */
    String stored() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Optional<Compression> ofStored(String name) {
        return Arrays.stream(values())
                .filter(compression -> compression.stored().equals(name))
                .findFirst();
    }
}
