package io.varve.benchmark.driver;

import com.typesafe.config.Config;
import java.util.Map;

/** What a measured JVM works on: a client or an actor system that has an endpoint. */
public interface MeasuredNode extends AutoCloseable {

    /** Carries out a command and returns its figures. */
    Map<String, ?> run(String command, Config arguments) throws Exception;

    @Override
    void close() throws Exception;

    /** Opens a node. */
    interface Factory {
        /** The text is what the parent has configured. */
        MeasuredNode open(String config) throws Exception;
    }
}
