package io.varve.benchmark.server;

import io.varve.benchmark.responder.ResponderMain;
import io.varve.benchmark.responder.ServerKeys;
import io.varve.benchmark.side.ChildJvm;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/** A responder in a JVM of its own. */
public final class ResponderProcess implements AutoCloseable {
    private final ChildJvm jvm;
    private final URI endpoint;

    /** Starts one that answers after that time. */
    public ResponderProcess(Duration latency) {
        this(new String[] {Long.toString(latency.toMillis())});
    }

    /** Starts one that speaks TLS. */
    ResponderProcess(Duration latency, ServerKeys keys) {
        this(new String[] {Long.toString(latency.toMillis()), keys.file().toString(), keys.password()});
    }

    private ResponderProcess(String[] arguments) {
        this.jvm = ChildJvm.start(
                "the responder",
                List.of("-Xmx128m", "-XX:+UseSerialGC"),
                ChildJvm.ownClassPath(),
                ResponderMain.class,
                arguments);
        this.endpoint = URI.create(jvm.readLine());
    }

    /** Where clients connect to. */
    public URI endpoint() {
        return endpoint;
    }

    @Override
    public void close() throws Exception {
        jvm.close();
    }
}
