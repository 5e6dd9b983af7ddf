package io.varve.benchmark.server;

import io.varve.benchmark.responder.Certificate;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The responders of a measurement: all of them speak TLS, or none. */
public final class Responders {
    private final @Nullable Certificate certificate;

    private Responders(@Nullable Certificate certificate) {
        this.certificate = certificate;
    }

    /** Responders with TLS or without. */
    public static Responders of(boolean tls) throws IOException, InterruptedException {
        return new Responders(tls ? Certificate.make() : null);
    }

    /** What the JVMs of the clients need to connect. */
    public List<String> clientOptions() {
        return certificate == null ? List.of() : certificate.clientOptions();
    }

    /** Starts one that answers after that time. */
    public ResponderProcess start(Duration latency) {
        return certificate == null
                ? new ResponderProcess(latency)
                : new ResponderProcess(latency, certificate.serverKeys());
    }

    /** The title of a measurement against one. */
    public String title(int latency) {
        return "Responder%s, answers after %d ms".formatted(certificate == null ? "" : " over TLS", latency);
    }
}
