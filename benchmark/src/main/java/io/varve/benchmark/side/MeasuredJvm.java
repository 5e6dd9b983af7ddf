package io.varve.benchmark.side;

import com.typesafe.config.Config;
import io.varve.benchmark.driver.DriverLine;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The JVM of one side, driven by commands. */
public final class MeasuredJvm implements AutoCloseable {
    /** The same for all sides. */
    public static final List<String> OPTIONS =
            List.of("-Xms512m", "-Xmx512m", "-XX:+UseParallelGC", "-Daws.java.v1.disableDeprecationAnnouncement=true");

    private final Side side;
    private final ChildJvm jvm;
    private final String settings;

    private MeasuredJvm(Side side, ChildJvm jvm, String settings) {
        this.side = side;
        this.jvm = jvm;
        this.settings = settings;
    }

    /** Starts the JVM of a side. */
    public static MeasuredJvm start(Side side) {
        return start(side, OPTIONS, "", "");
    }

    /** Starts a JVM with these options; the settings are for Varve only, the other checkout for {@link Side#OTHER}. */
    public static MeasuredJvm start(Side side, List<String> options, String settings, String other) {
        ChildJvm jvm = ChildJvm.start(side.title(), options, side.classPath(other), side.main());
        return new MeasuredJvm(side, jvm, side == Side.PEER ? "" : "\n" + settings);
    }

    /** Which side it runs. */
    public Side side() {
        return side;
    }

    /** Starts a node on these tables. */
    public void open(Side.Tables tables) {
        call("open", Map.of("config", side.config(tables) + settings));
    }

    /** Ends the node; the JVM stays. */
    public void closeNode() {
        call("close", Map.of());
    }

    /** Starts entities and waits until they have recovered: the time in nanoseconds, and the number of events. */
    public Config recover(List<String> ids) {
        return call("recover", Map.of("ids", ids, "snapshots", false));
    }

    /** Starts an entity, from its snapshot if it has one. */
    public Config recoverWithSnapshots(String id) {
        return call("recover", Map.of("ids", List.of(id), "snapshots", true));
    }

    /** Stops entities. */
    public void stop(List<String> ids) {
        call("stop", Map.of("ids", ids));
    }

    /** Each entity persists so many atomic writes of so many events. */
    public void persist(List<String> ids, int writes, int batch) {
        call("persist", Map.of("ids", ids, "writes", writes, "batch", batch, "tagged", false));
    }

    /** Lets an entity persist an event with a tag. */
    public void persistTagged(String id) {
        call("persist", Map.of("ids", List.of(id), "writes", 1, "batch", 1, "tagged", true));
    }

    /** All entities persist events without a pause, so many at once. */
    public Config loop(List<String> ids, long warmUp, long millis, int burst) {
        return call("loop", Map.of("ids", ids, "warmUp", warmUp, "millis", millis, "burst", burst));
    }

    /** Deletes events up to a number. */
    public void delete(String id, long to) {
        call("delete", Map.of("id", id, "to", to));
    }

    /** Queries the events of an entity from a sequence number on, and returns how many there are. */
    public long read(String id, long from) {
        return call("read", Map.of("id", id, "from", from)).getLong("events");
    }

    /** Asks the read journal for the last sequence number. */
    public long lastNumber(String id) {
        return call("lastNumber", Map.of("id", id)).getLong("number");
    }

    /** Asks the read journal for an event. */
    public void loadEvent(String id, long number) {
        call("loadEvent", Map.of("id", id, "number", number));
    }

    /** Returns the timestamp that the snapshot was saved with. */
    public long saveSnapshot(String id, long number, int bytes) {
        return call("saveSnapshot", Map.of("id", id, "number", number, "bytes", bytes))
                .getLong("timestamp");
    }

    /** Loads the newest snapshot up to a timestamp, and returns its number. */
    public long loadSnapshot(String id, long maxTimestamp) {
        return call("loadSnapshot", Map.of("id", id, "number", Long.MAX_VALUE, "maxTimestamp", maxTimestamp))
                .getLong("number");
    }

    /** Deletes one snapshot. */
    public void deleteSnapshot(String id, long number) {
        call("deleteSnapshot", Map.of("id", id, "number", number));
    }

    /** Deletes all snapshots up to a number. */
    public void deleteSnapshots(String id, long number) {
        call("deleteSnapshots", Map.of("id", id, "number", number));
    }

    private Config call(String command, Map<String, ?> arguments) {
        Map<String, Object> line = new LinkedHashMap<>(arguments);
        line.put("command", command);
        jvm.writeLine(DriverLine.of(line));
        Config answer = DriverLine.parse(jvm.readLine());
        if (answer.hasPath("failure")) {
            throw new CommandException(side, command + ": " + answer.getString("failure"));
        }
        return answer;
    }

    @Override
    public void close() throws Exception {
        jvm.close();
    }

    /** A command that a side could not carry out. */
    public static final class CommandException extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final Side side;

        /** What a side could not do. */
        public CommandException(Side side, String message) {
            super(side.title() + ", " + message);
            this.side = side;
        }

        public Side side() {
            return side;
        }
    }
}
