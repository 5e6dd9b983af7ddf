package io.varve.example.shoppingcart.demo;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** The folder of the tables, which one demo at a time may use. */
final class DataFolder implements AutoCloseable {
    private final Path path;
    private final FileChannel lock;

    private DataFolder(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /** Creates the folder if it is missing, and holds it until it is closed. */
    static DataFolder open(Path path) {
        try {
            Files.createDirectories(path);
            FileChannel channel =
                    FileChannel.open(path.resolve("demo.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (tryLock(channel) == null) {
                channel.close();
                throw new DemoOptions.InvalidException("another demo is using the folder '" + path
                        + "'; wait for it, or choose another folder with --data");
            }
            return new DataFolder(path, channel);
        } catch (IOException e) {
            throw new DemoOptions.InvalidException("the folder '" + path + "' cannot be used: " + e);
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
