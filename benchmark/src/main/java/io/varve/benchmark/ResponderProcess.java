package io.varve.benchmark;

import io.varve.benchmark.responder.ResponderMain;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/** A responder in a JVM of its own. */
final class ResponderProcess implements AutoCloseable {
    private final ChildJvm jvm;
    private final URI endpoint;

    ResponderProcess(Duration latency) {
        this.jvm = ChildJvm.start(
                "the responder",
                List.of("-Xmx128m", "-XX:+UseSerialGC"),
                ChildJvm.ownClassPath(),
                ResponderMain.class,
                Long.toString(latency.toMillis()));
        this.endpoint = URI.create(jvm.readLine());
    }

    URI endpoint() {
        return endpoint;
    }

    @Override
    public void close() throws Exception {
        jvm.close();
    }
}
