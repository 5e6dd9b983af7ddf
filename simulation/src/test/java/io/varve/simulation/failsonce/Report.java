package io.varve.simulation.failsonce;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbRequest;

/** Runs use cases with all their faults, and tells how many that were. */
public final class Report {
    /** Of one use case: more of them say the same. */
    private static final int MOST_BROKEN = 3;

    private record Line(UseCase useCase, int requests, int faults) {}

    private final List<Line> lines = new ArrayList<>();

    /** The first invariant that does not hold in the use cases whose name contains something; null if all do. */
    public static @Nullable String firstBroken(String name) {
        return UseCases.all()
                .filter(useCase -> useCase.toString().contains(name))
                .flatMap(useCase -> new Report().run(useCase).stream())
                .findFirst()
                .orElse(null);
    }

    /** Runs a use case; what did not hold, the first of it. */
    synchronized List<String> run(UseCase useCase) {
        List<String> found = new ArrayList<>();
        List<DynamoDbRequest> requests = attempt(useCase, Fault.NONE, found);
        List<Fault> faults = Fault.of(requests);
        faults.forEach(fault -> attempt(useCase, fault, found));
        lines.add(new Line(useCase, requests.size(), faults.size()));
        return found.subList(0, Math.min(found.size(), MOST_BROKEN));
    }

    private static List<DynamoDbRequest> attempt(UseCase useCase, Fault fault, List<String> found) {
        try {
            return new Trial(useCase, fault).run();
        } catch (Broken e) {
            found.add(e.getMessage());
            return List.of();
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("| area | use case | requests | runs |\n|---|---|---|---|\n");
        lines.forEach(line -> text.append("| %s | %s | %d | %d |%n"
                .formatted(line.useCase.area(), line.useCase.name(), line.requests, line.faults)));
        return text.append("Every request fails once: %d use cases, %d requests, %d runs (use case, n, way)."
                        .formatted(
                                lines.size(),
                                lines.stream().mapToInt(Line::requests).sum(),
                                lines.stream().mapToInt(Line::faults).sum()))
                .toString();
    }
}
