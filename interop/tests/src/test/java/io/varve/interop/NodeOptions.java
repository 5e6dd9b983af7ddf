package io.varve.interop;

/** What nodes can be told about their journal beside its table. */
record NodeOptions(String journalName, boolean highDistrust) {

    static final NodeOptions DEFAULT = new NodeOptions("journal", false);
    static final NodeOptions HIGH_DISTRUST = new NodeOptions("journal", true);
}
