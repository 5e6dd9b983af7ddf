package io.varve.simulation;

import io.varve.store.SliceRange;
import io.varve.store.Slices;
import io.varve.store.internal.layout.Event;
import io.varve.store.table.TableDefinition;
import io.varve.store.table.TableDefinition.PrimaryKey;
import io.varve.store.table.Tables;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndex;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.LocalSecondaryIndex;

/** One world from one seed: entities that live on nodes, move, and meet what the world has in store for them. */
final class Simulation {
    /** When all faults have ended, what is still on its way arrives within this time. */
    private static final Duration ARRIVAL = Duration.ofSeconds(60);
    /** And then everything must go on within this time. */
    private static final Duration PATIENCE = Duration.ofSeconds(35);

    private static final Duration LONGEST_STILL = Duration.ofSeconds(30);
    private static final List<QueryConsumer.Kind> KINDS = List.copyOf(EnumSet.allOf(QueryConsumer.Kind.class));
    private static final List<String> TYPES = List.of("cart", "order", "note");

    private final World world;
    private final Shape shape;
    private final Network network;
    private final List<QueryConsumer> consumers = new ArrayList<>();
    private final List<SimulatedProjection> projections = new ArrayList<>();
    private final List<ServiceNode> processes = new ArrayList<>();
    private final Map<EntityTruth, List<Owner>> owners = new LinkedHashMap<>();
    private int nodes;
    private int lives;
    private boolean calm;

    Simulation(long seed, boolean keepsLog) {
        this.world = new World(seed, keepsLog);
        this.shape = Shape.drawn(world.random());
        world.note(() -> "A world of " + shape);
        this.network = new Network(world, Faults.drawn(world.random()), shape.writeUnits());
        network.engine().createTable(request(Tables.journal(ServiceNode.JOURNAL)));
        network.engine().createTable(request(Tables.snapshots(ServiceNode.SNAPSHOTS)));
        network.engine().createTable(request(Tables.offsets(SimulatedProjection.OFFSETS)));
        network.engine().createTable(request(Tables.offsets(Effects.TABLE)));
        int count = 2 + world.random().nextInt(2);
        for (int i = 0; i < count; i++) {
            processes.add(newProcess());
        }
        Map<String, Long> taggedFrom = Map.of(
                "cart",
                0L,
                "order",
                shape.length().toNanos() / 1_000 * world.random().nextInt(1_000),
                "note",
                Long.MAX_VALUE);
        int slice = world.random().nextInt(Slices.NUMBER);
        for (int i = 0; i < shape.entities(); i++) {
            String type = TYPES.get(i == 0 ? 0 : world.random().nextInt(TYPES.size()));
            owners.put(
                    new EntityTruth(Names.near(type, slice, world.random()), taggedFrom.getOrDefault(type, 0L)),
                    new ArrayList<>());
        }
        for (int i = 0; i < shape.consumers(); i++) {
            consumers.add(newConsumer(i));
        }
        for (int i = 0; i < shape.projections(); i++) {
            projections.add(newProjection(slice / Names.NEAR * Names.NEAR));
        }
    }

    private QueryConsumer newConsumer(int number) {
        QueryConsumer.Kind kind = KINDS.get(world.random().nextInt(KINDS.size()));
        ConsumerTruth truth = new ConsumerTruth(
                kind + "/" + number,
                owners.keySet().stream()
                        .filter(entity -> kind.byTag() || entity.entityType().equals(TYPES.get(0)))
                        .toList(),
                text -> !kind.byTag() || text.endsWith(EntityTruth.TAGGED),
                network.visibility());
        return new QueryConsumer(world, kind + "/" + number, kind, TYPES.get(0), shape, truth, this::anyProcess);
    }

    private SimulatedProjection newProjection(int firstSlice) {
        String type = TYPES.get(0);
        SliceRange range = new SliceRange(type, firstSlice, firstSlice + Names.NEAR - 1);
        EffectTruth truth = new EffectTruth(
                "projection",
                owners.keySet().stream()
                        .filter(entity -> range.contains(entity.entity()))
                        .toList(),
                network.visibility());
        network.engine().listen((table, item) -> {
            if (table.equals(Effects.TABLE)) {
                world.keep(() -> Effects.applied(item, truth, world.now()));
            }
        });
        return new SimulatedProjection(world, "projection", range, shape, truth, this::anyProcess);
    }

    World world() {
        return world;
    }

    /** Lives through it; a broken promise is thrown. */
    void run() {
        owners.keySet().forEach(entity -> start(entity, anyProcess()));
        consumers.forEach(QueryConsumer::restart);
        projections.forEach(SimulatedProjection::restart);
        trouble();
        world.run(shape.length());
        calm();
    }

    private ServiceNode newProcess() {
        return new ServiceNode(world, network, new Node(world, "node" + nodes++, anySkew()), shape);
    }

    private Duration anySkew() {
        return Duration.ofMillis(world.random().nextInt(4_000) - 2_000);
    }

    private ServiceNode anyProcess() {
        return processes.get(world.random().nextInt(processes.size()));
    }

    private void start(EntityTruth entity, ServiceNode process) {
        Owner owner = new Owner(
                world,
                process.node(),
                process.events(),
                process.snapshots(),
                entity,
                lives++,
                this::published,
                () -> startBeside(entity),
                () -> !calm && world.happens(0.15));
        owners.computeIfAbsent(entity, none -> new ArrayList<>()).add(owner);
        owner.start();
    }

    /** Sometimes another instance starts, while one deletes or has much to write. */
    private void startBeside(EntityTruth entity) {
        if (world.happens(0.3)) {
            world.after(world.about(Duration.ofMillis(50)), () -> {
                if (!calm) {
                    start(entity, anyProcess());
                }
            });
        }
    }

    private void published(List<Event> events) {
        consumers.forEach(consumer -> consumer.published(events));
        projections.forEach(projection -> projection.published(events));
    }

    /** Again and again something happens to a node or an entity. */
    private void trouble() {
        world.after(world.about(Duration.ofSeconds(3)), () -> {
            if (calm) {
                return;
            }
            switch (world.random().nextInt(12)) {
                case 0 -> kill();
                case 1 -> anyProcess().node().standStill(stillness());
                case 2 -> network.faults(world.happens(0.3) ? Faults.none() : Faults.drawn(world.random()));
                case 3 -> start(anyEntity(), anyProcess()); // an entity that lives twice
                case 4 -> {
                    world.met(Rare.CLOCK_SET);
                    anyProcess().node().setClock(anySkew());
                }
                case 5 -> anyConsumer().ifPresent(QueryConsumer::restart);
                case 6 -> projections.forEach(SimulatedProjection::restart);
                case 7 -> {
                    if (world.happens(0.3)) {
                        projections.forEach(SimulatedProjection::setOffset);
                    }
                }
                default -> revive();
            }
            trouble();
        });
    }

    /** Shorter than the window of queries: longer pauses have a limit of their own. */
    private Duration stillness() {
        Duration time = world.about(Duration.ofSeconds(10));
        return time.compareTo(LONGEST_STILL) < 0 ? time : LONGEST_STILL;
    }

    private void kill() {
        ServiceNode old = anyProcess();
        old.node().die();
        processes.remove(old);
        processes.add(newProcess());
    }

    private EntityTruth anyEntity() {
        return new ArrayList<>(owners.keySet()).get(world.random().nextInt(owners.size()));
    }

    private Optional<QueryConsumer> anyConsumer() {
        return consumers.isEmpty()
                ? Optional.empty()
                : Optional.of(consumers.get(world.random().nextInt(consumers.size())));
    }

    /** Each entity lives somewhere again; some are stopped first, so that they move. */
    private void revive() {
        consumers.forEach(QueryConsumer::revive);
        projections.forEach(SimulatedProjection::revive);
        owners.forEach((entity, lives) -> {
            lives.removeIf(Owner::isStopped);
            if (lives.size() > 1) {
                world.met(Rare.ENTITY_LIVED_TWICE);
            }
            if (!lives.isEmpty() && world.happens(0.1)) {
                lives.get(0).stop();
            } else if (lives.isEmpty()) {
                start(entity, anyProcess());
            }
        });
    }

    /** All faults end, the nodes are new ones, and each entity must recover and write. */
    private void calm() {
        world.note(() -> "-- from now on there are no faults");
        calm = true;
        consumers.forEach(QueryConsumer::hurry);
        projections.forEach(SimulatedProjection::hurry);
        network.faults(Faults.none());
        List.copyOf(processes).forEach(process -> process.node().die());
        processes.clear();
        processes.add(newProcess());
        world.run(ARRIVAL);
        Map<EntityTruth, Owner> last = new LinkedHashMap<>();
        owners.forEach((entity, lives) -> {
            start(entity, processes.get(0));
            last.put(entity, lives.get(lives.size() - 1));
        });
        consumers.forEach(QueryConsumer::restart);
        projections.forEach(SimulatedProjection::restart);
        world.run(PATIENCE);
        if (last.values().stream().anyMatch(owner -> owner.written() == 0)) {
            world.run(PATIENCE.multipliedBy(3)); // one that just makes a long pause
        }
        last.forEach((entity, owner) -> {
            if (owner.isStopped() || owner.written() == 0) {
                throw new BrokenPromise("Entity " + entity.entity() + " does not come forward, though all is well.");
            }
        });
        last.values().forEach(Owner::stop);
        world.run(PATIENCE);
        consumers.forEach(consumer -> consumer.truth().check());
        projections.forEach(projection -> projection.truth().check());
    }

    private static CreateTableRequest request(TableDefinition table) {
        return CreateTableRequest.builder()
                .tableName(table.name())
                .attributeDefinitions(Stream.concat(
                                Stream.of(table.key()), table.indexes().stream().map(TableDefinition.Index::key))
                        .flatMap(key -> Stream.of(key.hash(), key.sort()))
                        .distinct()
                        .map(attribute -> AttributeDefinition.builder()
                                .attributeName(attribute.name())
                                .attributeType(attribute.type())
                                .build())
                        .toList())
                .keySchema(schema(table.key()))
                .globalSecondaryIndexes(table.indexes().stream()
                        .filter(TableDefinition.Index::global)
                        .map(index -> GlobalSecondaryIndex.builder()
                                .indexName(index.name())
                                .keySchema(schema(index.key()))
                                .projection(p -> p.projectionType(index.projection()))
                                .build())
                        .toList())
                .localSecondaryIndexes(table.indexes().stream()
                        .filter(index -> !index.global())
                        .map(index -> LocalSecondaryIndex.builder()
                                .indexName(index.name())
                                .keySchema(schema(index.key()))
                                .projection(p -> p.projectionType(index.projection()))
                                .build())
                        .toList())
                .build();
    }

    private static List<KeySchemaElement> schema(PrimaryKey key) {
        return List.of(
                KeySchemaElement.builder()
                        .attributeName(key.hash().name())
                        .keyType(KeyType.HASH)
                        .build(),
                KeySchemaElement.builder()
                        .attributeName(key.sort().name())
                        .keyType(KeyType.RANGE)
                        .build());
    }
}
