package io.varve.http;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** Lets Netty watch every buffer while a test runs, and collects what it says of those that nobody released. */
final class BufferLeaks implements BeforeEachCallback, AfterEachCallback {
    private static final int PROBES = 100;

    private final Logger logger = (Logger) LoggerFactory.getLogger(ResourceLeakDetector.class);
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();
    private final ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();

    @Override
    public void beforeEach(ExtensionContext context) {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        appender.start();
        logger.addAppender(appender);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        logger.detachAppender(appender);
        ResourceLeakDetector.setLevel(before);
    }

    /** What was reported so far. Netty notices a lost buffer when it was collected as garbage and another one is made. */
    List<String> reported() {
        System.gc();
        for (int i = 0; i < PROBES; i++) {
            PooledByteBufAllocator.DEFAULT.directBuffer(1).release();
        }
        return appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }
}
