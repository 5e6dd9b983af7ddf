package io.varve.benchmark.driver;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** What this process has used up to a moment: time, CPU of all threads, and for each Java thread its CPU and allocation. */
record Usage(long nanoTime, long cpuNanos, Map<Long, ThreadUsage> threads) {

    /** What one thread has used. */
    record ThreadUsage(String group, long cpuNanos, long bytes) {}

    static Usage now() {
        ThreadMXBean beans = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long[] ids = beans.getAllThreadIds();
        long[] cpu = beans.getThreadCpuTime(ids);
        long[] bytes = beans.getThreadAllocatedBytes(ids);
        ThreadInfo[] infos = beans.getThreadInfo(ids);
        Map<Long, ThreadUsage> threads = new HashMap<>();
        for (int i = 0; i < ids.length; i++) {
            if (infos[i] != null) {
                threads.put(ids[i], new ThreadUsage(group(infos[i].getThreadName()), cpu[i], bytes[i]));
            }
        }
        return new Usage(System.nanoTime(), cpuNow(), threads);
    }

    /** The CPU time of all threads of this process. */
    static long cpuNow() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    /** The figures of what was used since then, by event. Threads that ended meanwhile are missing from the allocation. */
    Map<String, Object> since(Usage before, long events) {
        Map<String, Object> figures = new TreeMap<>();
        double seconds = (nanoTime - before.nanoTime) / 1e9;
        figures.put("events", events);
        figures.put("seconds", seconds);
        figures.put("eventsPerSecond", events / seconds);
        figures.put("cpuMicros", (cpuNanos - before.cpuNanos) / 1e3 / events);
        long bytes = 0;
        long javaNanos = 0;
        Map<String, Double> groups = new TreeMap<>();
        for (Map.Entry<Long, ThreadUsage> entry : threads.entrySet()) {
            ThreadUsage now = entry.getValue();
            ThreadUsage then = before.threads.getOrDefault(entry.getKey(), new ThreadUsage(now.group(), 0, 0));
            bytes += now.bytes() - then.bytes();
            javaNanos += now.cpuNanos() - then.cpuNanos();
            groups.merge(now.group(), (now.cpuNanos() - then.cpuNanos()) / 1e3 / events, Double::sum);
        }
        groups.put("JVM (compiler, collector)", (cpuNanos - before.cpuNanos - javaNanos) / 1e3 / events);
        figures.put("javaCpuMicros", javaNanos / 1e3 / events);
        figures.put("bytes", (double) bytes / events);
        figures.put("cpuMicrosByThread", groups);
        return figures;
    }

    /** Threads of one pool differ only by their numbers. */
    static String group(String threadName) {
        return threadName.replaceAll("[-_ ]?\\d+$", "");
    }
}
