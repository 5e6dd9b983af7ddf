package io.varve.store.internal.offset;

import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * The item of an entity in a read model, as it was read or written.
 *
 * @param attributes all but the fence; none if there is no item
 * @param fence what it reflects; absent if the projection has not written it
 */
public record FencedItem(Map<String, AttributeValue> attributes, Optional<Fence> fence) {}
