package io.varve.benchmark.command;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells who waits how far a measurement is. */
public final class ProgressLog {
    private static final Logger LOG = LoggerFactory.getLogger(ProgressLog.class);

    private ProgressLog() {}

    /** Logs a line; the format is that of SLF4J. */
    public static void tell(String format, Object... arguments) {
        LOG.info(format, arguments);
    }
}
