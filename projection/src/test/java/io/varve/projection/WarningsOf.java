package io.varve.projection;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** What a class logs at WARN and above, which does not reach the console meanwhile. */
final class WarningsOf implements AutoCloseable {
    private final Logger logger;
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();
    private final @Nullable Level level;

    WarningsOf(Class<?> type) {
        this(type.getName());
    }

    WarningsOf(String type) {
        logger = (Logger) LoggerFactory.getLogger(type);
        level = logger.getLevel();
        appender.start();
        logger.setLevel(Level.WARN);
        logger.setAdditive(false);
        logger.addAppender(appender);
    }

    List<String> messages() {
        return List.copyOf(appender.list).stream()
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
        logger.setLevel(level);
        logger.setAdditive(true);
    }
}
