package io.varve.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import org.reactivestreams.Subscriber;
import software.amazon.awssdk.http.async.SdkHttpContentPublisher;
import software.amazon.awssdk.utils.async.SimplePublisher;

/** Bodies of requests; texts stand for bytes, one for each character. */
final class TestBodies {
    private TestBodies() {}

    /** Any bytes, the same for the same seed. */
    static String random(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    static SdkHttpContentPublisher of(String... pieces) {
        return publisher(length(pieces), source -> {
            sendAll(source, pieces);
            source.complete();
        });
    }

    /** A thread that is not the client's publishes. */
    static SdkHttpContentPublisher fromAnotherThread(String... pieces) {
        return publisher(length(pieces), source -> {
            Thread thread = new Thread(() -> {
                sendAll(source, pieces);
                source.complete();
            });
            thread.setDaemon(true);
            thread.start();
        });
    }

    /** Announces a length, publishes less, and fails. */
    static SdkHttpContentPublisher failing(long length, Throwable failure, String... pieces) {
        return publisher(length, source -> {
            sendAll(source, pieces);
            source.error(failure);
        });
    }

    private static void sendAll(SimplePublisher<ByteBuffer> source, String... pieces) {
        for (String piece : pieces) {
            source.send(ByteBuffer.wrap(piece.getBytes(StandardCharsets.ISO_8859_1)));
        }
    }

    private static long length(String... pieces) {
        return List.of(pieces).stream().mapToLong(String::length).sum();
    }

    private static SdkHttpContentPublisher publisher(long length, Consumer<SimplePublisher<ByteBuffer>> script) {
        return new SdkHttpContentPublisher() {
            @Override
            public Optional<Long> contentLength() {
                return Optional.of(length);
            }

            @Override
            public void subscribe(Subscriber<? super ByteBuffer> subscriber) {
                SimplePublisher<ByteBuffer> source = new SimplePublisher<>();
                source.subscribe(subscriber);
                script.accept(source);
            }
        };
    }
}
