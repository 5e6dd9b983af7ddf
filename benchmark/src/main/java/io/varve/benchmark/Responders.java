package io.varve.benchmark;

import io.varve.benchmark.responder.Certificate;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The responders of a measurement: all of them speak TLS, or none. */
final class Responders {
    private final @Nullable Certificate certificate;

    private Responders(@Nullable Certificate certificate) {
        this.certificate = certificate;
    }

    static Responders of(boolean tls) throws IOException, InterruptedException {
        return new Responders(tls ? Certificate.make() : null);
    }

    /** What the JVMs of the clients need to connect. */
    List<String> clientOptions() {
        return certificate == null ? List.of() : certificate.clientOptions();
    }

    /** Starts one that answers after that time. */
    ResponderProcess start(Duration latency) {
        return certificate == null
                ? new ResponderProcess(latency)
                : new ResponderProcess(latency, certificate.serverKeys());
    }

    /** The title of a measurement against one. */
    String title(int latency) {
        return "Responder%s, answers after %d ms".formatted(certificate == null ? "" : " over TLS", latency);
    }
}
