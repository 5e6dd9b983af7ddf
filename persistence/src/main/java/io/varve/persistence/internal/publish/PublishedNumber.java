package io.varve.persistence.internal.publish;

/**
 * What number a message has among those of its topic and node, so that it shows when one is missing.
 *
 * @param publisher the topic's actor on the node that has stored the events; another one each time that it starts
 * @param number from 1 on
 */
public record PublishedNumber(long publisher, long number) {}
