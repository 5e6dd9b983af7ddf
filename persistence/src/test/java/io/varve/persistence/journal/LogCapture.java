package io.varve.persistence.journal;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What is logged under a name while this is open; the console does not show it. */
public final class LogCapture implements AutoCloseable {
    private final Logger logger;
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    private LogCapture(Logger logger, Level level) {
        this.logger = logger;
        appender.start();
        logger.addAppender(appender);
        logger.setAdditive(false);
        logger.setLevel(level);
    }

    /** Captures from this level up. */
    public static LogCapture of(String name, Level level) {
        return new LogCapture((Logger) LoggerFactory.getLogger(name), level);
    }

    /** Captures from this level up. */
    public static LogCapture of(Class<?> type, Level level) {
        return of(type.getName(), level);
    }

    /** What was logged so far. */
    public List<ILoggingEvent> events() {
        synchronized (appender) { // as the appender does when it adds
            return List.copyOf(appender.list);
        }
    }

    /** The messages that were logged so far, from a level up. */
    public List<String> messages(Level level) {
        return events().stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(level))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
        logger.setAdditive(true);
        logger.setLevel(null);
    }
}
