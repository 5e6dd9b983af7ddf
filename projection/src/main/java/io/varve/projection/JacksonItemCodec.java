package io.varve.projection;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.POJONode;
import io.varve.store.VarveException;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Makes attributes of what Jackson makes of a state: an attribute of each property, with DynamoDB's own types, so that others can read
 * and query them. Your project must have {@code jackson-databind}.
 */
public final class JacksonItemCodec<State> implements ItemCodec<State> {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final Class<State> type;
    private final ObjectMapper mapper;
    private final ObjectReader reader;

    private JacksonItemCodec(Class<State> type, ObjectMapper mapper) {
        this.type = type;
        this.mapper = mapper;
        this.reader = mapper.readerFor(type).without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    }

    /** A codec with Jackson's defaults. */
    public static <State> JacksonItemCodec<State> of(Class<State> type) {
        return of(type, new ObjectMapper());
    }

    /** A codec with a mapper of yours. */
    public static <State> JacksonItemCodec<State> of(Class<State> type, ObjectMapper mapper) {
        return new JacksonItemCodec<>(type, mapper);
    }

    @Override
    public Map<String, AttributeValue> encode(State state) {
        JsonNode tree = mapper.valueToTree(state);
        if (!tree.isObject()) {
            throw new VarveException("Jackson makes " + tree.getNodeType() + " of a " + type.getName()
                    + ", but an item needs an object with properties.");
        }
        return attributes(tree);
    }

    private static Map<String, AttributeValue> attributes(JsonNode object) {
        Map<String, AttributeValue> attributes = new HashMap<>();
        object.properties().forEach(property -> attributes.put(property.getKey(), attribute(property.getValue())));
        return attributes;
    }

    private static AttributeValue attribute(JsonNode node) {
        return switch (node.getNodeType()) {
            case OBJECT -> AttributeValue.fromM(attributes(node));
            case ARRAY -> {
                List<AttributeValue> elements = new ArrayList<>();
                node.forEach(element -> elements.add(attribute(element)));
                yield AttributeValue.fromL(elements);
            }
            case STRING -> AttributeValue.fromS(node.textValue());
            case NUMBER -> AttributeValue.fromN(number(node));
            case BOOLEAN -> AttributeValue.fromBool(node.booleanValue());
            case BINARY -> AttributeValue.fromB(binary(node));
            case NULL, MISSING -> AttributeValue.fromNul(true);
            case POJO ->
                throw new VarveException("Jackson leaves a "
                        + ((POJONode) node).getPojo().getClass().getName()
                        + " as it is, such as raw JSON, so that it cannot become an attribute: use another type.");
        };
    }

    private static String number(JsonNode node) {
        if (node.isFloatingPointNumber() && !Double.isFinite(node.doubleValue()) && !node.isBigDecimal()) {
            throw new VarveException("DynamoDB has no number for " + node + ".");
        }
        return node.decimalValue().toString();
    }

    private static SdkBytes binary(JsonNode node) {
        try {
            return SdkBytes.fromByteArray(node.binaryValue());
        } catch (IOException e) {
            throw new VarveException("A binary value could not be read.", e);
        }
    }

    @Override
    public State decode(Map<String, AttributeValue> attributes) {
        try {
            return reader.readValue(reader.treeAsTokens(object(attributes)));
        } catch (IOException e) {
            throw new VarveException("The item cannot be read as a " + type.getName() + ": " + e.getMessage(), e);
        }
    }

    private static ObjectNode object(Map<String, AttributeValue> attributes) {
        ObjectNode object = NODES.objectNode();
        attributes.forEach((name, value) -> object.set(name, node(value)));
        return object;
    }

    private static JsonNode node(AttributeValue value) {
        return switch (value.type()) {
            case S -> NODES.textNode(value.s());
            case N -> NODES.numberNode(new BigDecimal(value.n()));
            case BOOL -> NODES.booleanNode(value.bool());
            case B -> NODES.binaryNode(value.b().asByteArray());
            case M -> object(value.m());
            case L -> array(value.l().stream().map(JacksonItemCodec::node));
            case SS -> array(value.ss().stream().map(NODES::textNode));
            case NS -> array(value.ns().stream().map(number -> NODES.numberNode(new BigDecimal(number))));
            case BS -> array(value.bs().stream().map(bytes -> NODES.binaryNode(bytes.asByteArray())));
            default -> NODES.nullNode();
        };
    }

    private static ArrayNode array(Stream<? extends JsonNode> elements) {
        ArrayNode array = NODES.arrayNode();
        elements.forEach(array::add);
        return array;
    }
}
