package io.varve.simulation.failsonce;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbRequest;

/**
 * Runs use cases with all their faults, and tells how many that were.
 *
 * @param <P> the kind of process
 */
public final class Report<P extends RunningService> {
    /** Of one use case: more of them say the same. */
    private static final int MOST_BROKEN = 3;

    private record Line(String area, String name, int requests, int faults) {}

    private final Processes.Kind<P> kind;
    private final Set<Way> ways;
    private final Executor runs;
    private final List<Line> lines = new ArrayList<>();

    /**
     * A report of use cases of one kind of process.
     *
     * @param ways in which each request fails
     * @param runs where runs take place, several at the same time if it likes
     */
    public Report(Processes.Kind<P> kind, Set<Way> ways, Executor runs) {
        this.kind = kind;
        this.ways = ways;
        this.runs = runs;
    }

    /** The first invariant that does not hold in the use cases whose name contains something; null if all do. */
    public @Nullable String firstBroken(Stream<UseCase<P>> useCases, String name) {
        return useCases.filter(useCase -> useCase.toString().contains(name))
                .flatMap(useCase -> run(useCase).stream())
                .findFirst()
                .orElse(null);
    }

    /** Runs a use case; what did not hold, the first of it. */
    public synchronized List<String> run(UseCase<P> useCase) {
        Outcome undisturbed = attempt(useCase, Fault.NONE);
        List<DynamoDbRequest> requests =
                undisturbed.requests.stream().limit(useCase.counting().first()).toList();
        List<Fault> faults = Fault.of(requests, ways);
        List<String> found = new ArrayList<>(undisturbed.broken);
        faults.stream()
                .map(fault -> CompletableFuture.supplyAsync(() -> attempt(useCase, fault), runs))
                .toList()
                .forEach(outcome -> found.addAll(outcome.join().broken));
        lines.add(new Line(useCase.area(), useCase.name(), requests.size(), faults.size()));
        return found.subList(0, Math.min(found.size(), MOST_BROKEN));
    }

    private record Outcome(List<DynamoDbRequest> requests, List<String> broken) {}

    private Outcome attempt(UseCase<P> useCase, Fault fault) {
        return attempt(useCase, fault, 0);
    }

    private Outcome attempt(UseCase<P> useCase, Fault fault, int disturbed) {
        try {
            return new Outcome(new Trial<>(useCase, fault, scene -> kind.on(scene, disturbed)).run(), List.of());
        } catch (MachineTooSlow e) {
            return attempt(useCase, fault, disturbed + 1);
        } catch (Broken e) {
            return new Outcome(List.of(), List.of(String.valueOf(e.getMessage())));
        }
    }

    @Override
    public synchronized String toString() {
        StringBuilder text = new StringBuilder("| area | use case | requests | runs |\n|---|---|---|---|\n");
        lines.forEach(line ->
                text.append("| %s | %s | %d | %d |%n".formatted(line.area, line.name, line.requests, line.faults)));
        return text.append("Every request fails once: %d use cases, %d requests, %d runs (use case, n, way)."
                        .formatted(
                                lines.size(),
                                lines.stream().mapToInt(Line::requests).sum(),
                                lines.stream().mapToInt(Line::faults).sum()))
                .toString();
    }
}
