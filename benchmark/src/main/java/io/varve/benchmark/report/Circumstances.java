package io.varve.benchmark.report;

import java.lang.management.ManagementFactory;
import java.util.Locale;

/** What is needed to repeat a measurement. */
public record Circumstances(String command, String commit) {

    /** Cores, their load of the last minute, Java and operating system. */
    String machine() {
        return String.format(
                Locale.ROOT,
                "%d cores, load average %.1f, Java %s, %s %s",
                Runtime.getRuntime().availableProcessors(),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(),
                System.getProperty("java.version"),
                System.getProperty("os.name"),
                System.getProperty("os.arch"));
    }

    @Override
    public String toString() {
        return "`./varve bench " + command + "`, commit " + commit + ", " + machine();
    }
}
