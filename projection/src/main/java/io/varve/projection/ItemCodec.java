package io.varve.projection;

import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Turns the state of a view into attributes of an item, and back. */
public interface ItemCodec<State> {

    /** The attributes of a state, at most 300 of them. Those of the key can be left out. */
    Map<String, AttributeValue> encode(State state);

    /** The state that was encoded. The attributes of the key, and others that are not the view's, may be among these. */
    State decode(Map<String, AttributeValue> attributes);
}
