package io.varve.simulation;

import io.varve.store.SliceRange;
import io.varve.store.Slices;
import io.varve.store.table.Tables;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One world from one seed: entities and their readers live on nodes, and meet what the world has in store for them. */
final class Simulation {
    /** When all faults have ended, what is still on its way arrives within this time, and index entries appear. */
    private static final Duration ARRIVAL = Duration.ofSeconds(70);
    /** And then everything must go on within this time. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Duration TICK = Duration.ofSeconds(2);
    private static final Duration QUIET = Duration.ofSeconds(6);

    private final World world;
    private final Shape shape;
    private final Network network;
    private final Cluster cluster;
    private final Population population;
    private final List<Reader> readers = new ArrayList<>();
    private final List<Reader> begun = new ArrayList<>();
    private boolean calm;

    Simulation(long seed, Choice choice, boolean keepsLog) {
        this.world = new World(seed, choice, keepsLog);
        this.shape = Shape.drawn(world.random(), world.mix());
        world.note(() -> "A world of " + shape + " with " + world.mix());
        this.network = new Network(world, shape);
        network.engine().createTable(TableCreation.of(Tables.journal(ServiceNode.JOURNAL)));
        network.engine().createTable(TableCreation.of(Tables.snapshots(ServiceNode.SNAPSHOTS)));
        network.engine().createTable(TableCreation.of(Tables.offsets(SimulatedProjection.OFFSETS)));
        network.engine().createTable(TableCreation.of(Tables.offsets(Effects.TABLE)));
        this.cluster = new Cluster(world, network, shape);
        this.population =
                new Population(world, cluster, shape, events -> readers.forEach(reader -> reader.published(events)));
        network.engine().listen(new LowMarks(population.truths(), shape.sequenceShards())::stored);
        for (int i = 0; i < shape.consumers(); i++) {
            readers.add(newConsumer(i));
        }
        for (int i = 0; i < shape.projections(); i++) {
            readers.add(newProjection());
        }
    }

    private QueryConsumer newConsumer(int number) {
        QueryConsumer.Kind kind = QueryConsumer.Kind.of(
                world.happens(Feature.TAG_QUERIES), world.random().nextBoolean());
        ConsumerTruth truth = new ConsumerTruth(
                kind + "/" + number,
                population.truths().stream()
                        .filter(entity -> kind.byTag() || entity.entityType().equals(Population.MAIN_TYPE))
                        .toList(),
                text -> !kind.byTag() || text.endsWith(EntityTruth.TAGGED),
                network.visibility(),
                shape);
        return new QueryConsumer(world, kind + "/" + number, kind, Population.MAIN_TYPE, shape, truth, cluster::any);
    }

    private SimulatedProjection newProjection() {
        // Where somebody sets offsets there are few slices, because each has a row.
        boolean all = world.mix().level(Feature.OFFSETS_SET) == Feature.Level.OFF
                && world.random().nextBoolean();
        int first = population.slice() / Names.NEAR * Names.NEAR;
        SliceRange range = all
                ? new SliceRange(Population.MAIN_TYPE, 0, Slices.NUMBER - 1)
                : new SliceRange(Population.MAIN_TYPE, first, first + Names.NEAR - 1);
        DeliveryKind kind = DeliveryKind.drawn(world);
        DroppingAdapter adapter = new DroppingAdapter(world.mix().chance(Feature.EVENTS_DROPPED));
        EffectTruth truth = new EffectTruth(
                "projection",
                population.truths().stream()
                        .filter(entity -> range.contains(entity.entity()))
                        .toList(),
                network.visibility(),
                shape,
                adapter,
                SimulatedProjection.timeToLive(world));
        network.engine().listen((table, item) -> {
            if (table.equals(Effects.TABLE)) {
                world.keep(() -> Effects.applied(item, truth, world.now()));
            }
        });
        return new SimulatedProjection(world, "projection", range, shape, kind, adapter, truth, cluster);
    }

    World world() {
        return world;
    }

    /** Lives through it; a broken promise is thrown. */
    void run() {
        population.begin(shape.length());
        for (Reader reader : readers) {
            Duration start = world.happens(Feature.LATE_STARTS)
                    ? shape.length()
                            .multipliedBy(2)
                            .dividedBy(3)
                            .plus(world.within(shape.length().dividedBy(4)))
                    : Duration.ZERO;
            world.after(start, () -> {
                if (!calm) {
                    begun.add(reader);
                    reader.restart();
                }
            });
        }
        tick();
        world.run(shape.length());
        calm();
    }

    /** Again and again something happens to a node, an entity or a reader. */
    private void tick() {
        world.after(world.about(TICK), () -> {
            if (calm) {
                return;
            }
            if (world.happens(Feature.NODES_DIE)) {
                cluster.kill();
            }
            if (world.happens(Feature.NODES_STAND_STILL)) {
                cluster.standStill();
            }
            if (world.happens(Feature.NODES_CUT_OFF)) {
                cluster.cutOff();
            }
            if (world.happens(Feature.CLOCKS_SET)) {
                cluster.setClock();
            }
            if (world.happens(Feature.QUIET_TIMES)) {
                quiet();
            }
            if (world.happens(Feature.SECOND_INSTANCES)) {
                population.startAnother();
            }
            if (world.happens(Feature.VISITS)) {
                population.visit();
            }
            if (world.happens(Feature.MOVES)) {
                population.move();
            }
            if (world.happens(0.5)) {
                population.revive();
            }
            readers();
            tick();
        });
    }

    private void readers() {
        for (Reader reader : begun) {
            if (world.happens(Feature.CONSUMERS_RESTART)) {
                reader.restart();
            }
            if (world.happens(Feature.OFFSETS_SET)) {
                reader.setOffset();
            }
            if (world.happens(0.3)) {
                reader.revive();
            }
        }
        removeExpired(world.mix().chance(Feature.TIME_TO_LIVE));
    }

    /** Time to live: some of the rows that have expired are removed. */
    private void removeExpired(double chance) {
        long now = Node.BEGINNING.plusNanos(world.now()).getEpochSecond();
        int removed = chance == 0
                ? 0
                : network.engine()
                        .removeExpired(
                                SimulatedProjection.OFFSETS, Tables.TIME_TO_LIVE, now, item -> world.happens(chance));
        if (removed > 0) {
            world.met(Rare.EXPIRED_ROW_REMOVED);
        }
    }

    private void quiet() {
        network.faults().quiet(true);
        world.after(world.about(QUIET), () -> network.faults().quiet(false));
    }

    /** All faults end, the nodes are new ones, each entity must recover and write, and the readers must get all of it. */
    private void calm() {
        world.note(() -> "-- from now on there are no faults");
        calm = true;
        population.calm();
        readers.forEach(Reader::hurry);
        network.faults().end();
        cluster.renew();
        world.run(ARRIVAL);
        removeExpired(world.mix().chance(Feature.TIME_TO_LIVE));
        readers.forEach(Reader::restart);
        population.comeForward(PATIENCE);
        long before = -1;
        while (!readers.isEmpty() && world.deliveries() > before) {
            before = world.deliveries();
            // All late entries that are to be found have been met twice by then.
            world.run(shape.queries().backtrackingBehind().multipliedBy(2).plusSeconds(12));
        }
        population.truths().forEach(EntityTruth::check);
        readers.forEach(Reader::check);
    }
}
