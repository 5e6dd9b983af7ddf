package io.varve.benchmark;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells who waits how far a measurement is. */
final class Progress {
    private static final Logger LOG = LoggerFactory.getLogger(Progress.class);

    private Progress() {}

    static void tell(String format, Object... arguments) {
        LOG.info(format, arguments);
    }
}
