package io.varve.simulation;

import io.varve.store.Slices;
import io.varve.store.internal.layout.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** The entities: they are born, live here and there, sometimes twice, are visited, and some fall silent for good. */
final class Population {
    /** All that readers by slice read is of this type. */
    static final String MAIN_TYPE = "cart";

    private static final List<String> TYPES = List.of(MAIN_TYPE, MAIN_TYPE, "order", "note");
    private static final Duration SOON = Duration.ofMillis(50);

    private final World world;
    private final Cluster cluster;
    private final Consumer<List<Event>> published;
    private final List<Entity> entities = new ArrayList<>();
    private final int slice;
    private int lives;
    private boolean calm;

    /** An entity with those who live as it. */
    private static final class Entity {
        private final EntityTruth truth;
        private final List<Owner> owners = new ArrayList<>();
        /** After so many writes it falls silent. */
        private final int writes;

        private int written;
        private boolean born;

        Entity(EntityTruth truth, int writes) {
            this.truth = truth;
            this.writes = writes;
        }

        boolean isSilent() {
            return written >= writes;
        }
    }

    /** @param published hears of all that is stored */
    Population(World world, Cluster cluster, Shape shape, Consumer<List<Event>> published) {
        this.world = world;
        this.cluster = cluster;
        this.published = published;
        this.slice = world.random().nextInt(Slices.NUMBER);
        long sometime = world.within(shape.length()).toNanos();
        Map<String, Long> taggedFrom = Map.of(MAIN_TYPE, 0L, "order", sometime, "note", Long.MAX_VALUE);
        Set<String> names = new HashSet<>();
        for (int i = 0; i < shape.entities(); i++) {
            String type = TYPES.get(i == 0 ? 0 : world.random().nextInt(TYPES.size()));
            boolean same = world.random().nextBoolean() || world.happens(Feature.ONE_SLICE);
            boolean far = i > 0 && world.happens(Feature.FAR_SLICES);
            String name = Names.near(type, slice, same, far, names, world.random());
            names.add(name);
            entities.add(new Entity(
                    new EntityTruth(name, taggedFrom.getOrDefault(type, 0L)),
                    world.happens(Feature.SILENCE) ? 1 + world.random().nextInt(5) : Integer.MAX_VALUE));
        }
    }

    /** The slice that many of them are in. */
    int slice() {
        return slice;
    }

    List<EntityTruth> truths() {
        return entities.stream().map(entity -> entity.truth).toList();
    }

    /** They are born, at once or some time within this. */
    void begin(Duration within) {
        for (Entity entity : entities) {
            Duration birth = world.happens(Feature.BIRTHS) ? world.within(within) : Duration.ZERO;
            world.after(birth, () -> {
                entity.born = true;
                if (!calm) {
                    start(entity);
                }
            });
        }
    }

    private Instance newInstance(Entity entity) {
        return newInstance(entity, cluster.any());
    }

    private Instance newInstance(Entity entity, ServiceNode where) {
        return new Instance(world, where, entity.truth, entity.truth.entity() + "/" + lives++);
    }

    private void start(Entity entity) {
        start(entity, cluster.any());
    }

    private void start(Entity entity, ServiceNode where) {
        Owner owner = new Owner(newInstance(entity, where), new Around(entity));
        entity.owners.add(owner);
        owner.start();
    }

    /** What happens around the instances of an entity. */
    private final class Around implements Neighbours {
        private final Entity entity;

        Around(Entity entity) {
            this.entity = entity;
        }

        @Override
        public void stored(List<Event> events) {
            published.accept(events);
            entity.written++;
            if (entity.written == entity.writes) {
                world.met(Rare.ENTITY_FELL_SILENT);
                world.note(() -> entity.truth.entity() + " falls silent");
                entity.owners.forEach(Owner::stop);
            }
        }

        @Override
        public void company(ServiceNode process) {
            if (!calm && world.happens(Feature.COMPANY)) {
                world.after(world.about(SOON), () -> {
                    if (calm) {
                        return;
                    }
                    ServiceNode where = world.happens(0.3) ? cluster.any() : cluster.other(process);
                    if (!entity.isSilent() && world.happens(Feature.TAKEOVERS)) {
                        start(entity, where);
                    } else {
                        Visit.of(newInstance(entity, where));
                    }
                });
            }
        }

        @Override
        public boolean visit() {
            boolean visited = !calm && world.happens(Feature.RECOVERIES_BESIDE_DELETES);
            if (visited) {
                Visit.of(newInstance(entity));
            }
            return visited;
        }

        @Override
        public void trouble(ServiceNode process) {
            if (!calm) {
                switch (world.random().nextInt(3)) {
                    case 0 -> cluster.kill(process);
                    case 1 -> cluster.standStill(process);
                    default -> cluster.cutOff(process);
                }
            }
        }
    }

    private Entity any() {
        return entities.get(world.random().nextInt(entities.size()));
    }

    /** An entity that lives already gets one more instance. */
    void startAnother() {
        Entity entity = any();
        if (entity.born && !entity.isSilent()) {
            start(entity);
        }
    }

    void visit() {
        Visit.of(newInstance(any()));
    }

    /** One that lives is stopped, so that it will live elsewhere. */
    void move() {
        any().owners.stream().filter(owner -> !owner.isStopped()).findFirst().ifPresent(Owner::stop);
    }

    /** Each entity that has been born and is not silent lives somewhere again. */
    void revive() {
        for (Entity entity : entities) {
            entity.owners.removeIf(Owner::isStopped);
            if (entity.owners.size() > 1) {
                world.met(Rare.ENTITY_LIVED_TWICE);
            }
            if (entity.born && entity.owners.isEmpty() && !entity.isSilent()) {
                start(entity);
            }
        }
    }

    /** From now on nobody starts, moves or deletes by chance. */
    void calm() {
        calm = true;
        truths().forEach(EntityTruth::calm);
    }

    /** No faults any more: each entity must recover, and each that is not silent must write, within this time. */
    void comeForward(Duration patience) {
        List<Visit> visits = new ArrayList<>();
        for (Entity entity : entities) {
            entity.owners.clear();
            if (entity.isSilent()) {
                visits.add(Visit.of(newInstance(entity)));
            } else {
                start(entity);
            }
        }
        Duration step = Duration.ofSeconds(1);
        for (Duration waited = Duration.ZERO;
                waited.compareTo(patience) < 0 && !haveComeForward(visits);
                waited = waited.plus(step)) {
            world.run(step);
        }
        if (!haveComeForward(visits)) {
            throw new BrokenPromise("An entity of "
                    + entities.stream().map(entity -> entity.truth.entity()).toList()
                    + " does not come forward, though all is well.");
        }
        entities.forEach(entity -> entity.owners.forEach(Owner::stop));
    }

    private boolean haveComeForward(List<Visit> visits) {
        return visits.stream().allMatch(Visit::hasRecovered)
                && entities.stream().flatMap(entity -> entity.owners.stream()).allMatch(owner -> owner.written() > 0);
    }
}
