package io.varve.chaos.check;

import java.util.ArrayList;
import java.util.List;

/** What a client has asked for once or several times under one name, and what it was told. */
public final class Operation {
    private final String name;
    private final String account;
    private final List<Long> amounts;
    private final List<Long> acknowledged = new ArrayList<>();
    private int attempts;
    private int refused;

    Operation(String name, String account, List<Long> amounts) {
        this.name = name;
        this.account = account;
        this.amounts = List.copyOf(amounts);
    }

    void attempted() {
        attempts++;
    }

    void acknowledged(long number) {
        acknowledged.add(number);
    }

    void refused() {
        refused++;
    }

    String name() {
        return name;
    }

    String account() {
        return account;
    }

    /** The numbers that were acknowledged as the first event's: of each attempt the same one, if all is well. */
    List<Long> acknowledgedNumbers() {
        return acknowledged;
    }

    boolean isAcknowledged() {
        return !acknowledged.isEmpty();
    }

    /** Whether each attempt was refused, so that nothing of it may be stored. */
    boolean isRefused() {
        return refused == attempts;
    }

    /** The lines of its events. */
    List<String> lines() {
        if (amounts.size() == 1) {
            return List.of(name + "/" + amounts.get(0));
        }
        List<String> lines = new ArrayList<>();
        for (int part = 0; part < amounts.size(); part++) {
            lines.add(name + "." + part + "." + amounts.size() + "/" + amounts.get(part));
        }
        return lines;
    }

    /** The operation that a line belongs to. */
    static String nameIn(String line) {
        String whole = line.substring(0, line.indexOf('/'));
        int part = whole.indexOf('.');
        return part < 0 ? whole : whole.substring(0, part);
    }

    static long amountIn(String line) {
        return Long.parseLong(line.substring(line.indexOf('/') + 1));
    }
}
