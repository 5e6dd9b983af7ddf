package io.varve.chaos.load;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/** What a client writes down, line by line: before it asks, and when it knows more. */
final class ClientLog implements AutoCloseable {
    private final BufferedWriter file;

    ClientLog(Path path) {
        try {
            file = Files.newBufferedWriter(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void write(String kind, String operation, String... more) {
        try {
            file.write(Instant.now() + "\t" + kind + "\t" + operation + "\t" + String.join("\t", more) + "\n");
            file.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
