package io.varve.persistence.internal.publish;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The topic of one entity type's events in one of {@code journal.numberOfTopics()} equal ranges of slices. */
public record EventTopic(JournalTopics journal, String entityType, int index) {
    private static final int LONGEST_PART = 80;
    private static final int KEPT_OF_A_LONGER_ONE = 40;

    /**
     * Its name in the cluster, which is an actor's name, too. Nodes with another number of topics have other names: they hear
     * nothing of these, rather than a part.
     */
    public String name() {
        return "varve-events:" + safe(journal.table()) + ":" + safe(journal.journalName()) + ":" + safe(entityType)
                + ":" + index + "-of-" + journal.numberOfTopics();
    }

    /** Of the characters that an actor's name can have, without a colon; a long text becomes its beginning and a hash. */
    private static String safe(String text) {
        String encoded = URLEncoder.encode(text, StandardCharsets.UTF_8);
        return encoded.length() <= LONGEST_PART
                ? encoded
                : encoded.substring(0, KEPT_OF_A_LONGER_ONE).replaceFirst("%.?$", "") + "~" + hash(text);
    }

    private static String hash(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java has SHA-256.", e);
        }
    }
}
