package io.varve.simulation;

import io.varve.simulation.model.Engine;
import io.varve.simulation.model.Partitions;
import io.varve.store.table.Tables;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbServiceClientConfiguration;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbRequest;

/** The way between nodes and the modelled DynamoDB: requests and answers take time, change their order, or are lost. */
final class Network {
    private final World world;
    private final Engine engine;
    private final Map<Object, Long> indexed = new HashMap<>();
    private final Visibility visibility = new Visibility();
    private final Service service;
    private final Faults faults;
    private long sent;

    /** With partitions that take three times as many read units as write units. */
    Network(World world, Shape shape) {
        this.world = world;
        this.faults = new Faults(world, shape.queries().backtrackingWindow(), shape.longestIndexLag());
        this.engine = new Engine(this::index);
        this.service = new Service(world, engine, faults, new Partitions(shape.writeUnits(), 3 * shape.writeUnits()));
    }

    /** What goes wrong on the way. */
    Faults faults() {
        return faults;
    }

    Engine engine() {
        return engine;
    }

    /** An index learns of a change later, and of the changes of one item in their order. */
    private void index(String index, Object key, @Nullable Map<String, AttributeValue> stored, Runnable change) {
        Map.Entry<String, Object> item = Map.entry(index, key);
        long due = Math.max(world.now() + faults.indexLag().toNanos(), indexed.getOrDefault(item, 0L) + 1);
        indexed.put(item, due);
        if (due - world.now() > Duration.ofSeconds(2).toNanos()) {
            world.met(Rare.INDEX_BEHIND_BY_SECONDS);
        }
        world.after(Duration.ofNanos(due - world.now()), () -> {
            change.run();
            if (index.equals(Tables.SLICE_INDEX) && stored != null) {
                visibility.appeared(stored, world.now());
            }
        });
    }

    /** When events have become visible in the index. */
    Visibility visibility() {
        return visibility;
    }

    /** A client as a node has it. */
    DynamoDbAsyncClient client(Node node) {
        return (DynamoDbAsyncClient) Proxy.newProxyInstance(
                Network.class.getClassLoader(), new Class<?>[] {DynamoDbAsyncClient.class}, (proxy, method, args) -> {
                    if (args != null && args.length == 1 && args[0] instanceof DynamoDbRequest request) {
                        String name = node.name() + "#" + sent++ + " " + method.getName();
                        return new RequestOnTheWay(world, faults, service, node, name, request).send();
                    }
                    return switch (method.getName()) {
                        case "serviceClientConfiguration" ->
                            DynamoDbServiceClientConfiguration.builder().build();
                        case "serviceName" -> "dynamodb";
                        case "toString" -> "client of " + node.name();
                        case "hashCode" -> System.identityHashCode(proxy);
                        case "equals" -> proxy == args[0];
                        case "close" -> null;
                        default -> throw new UnsupportedOperationException(method.getName());
                    };
                });
    }
}
