package io.varve.projection.internal.pekko;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What this package uses of Pekko's internals is there: without it a projection would fail while it runs. */
class PekkoInternalsTest {

    /** A type of Pekko's with the members that are used: {@code name(parameters) result}, by simple names. */
    record Used(String type, List<String> members) {
        static Used of(String type, String... members) {
            return new Used(type, List.of(members));
        }
    }

    static Stream<Used> internals() {
        return Stream.of(
                Used.of("internal.ActorHandlerInit"),
                Used.of(
                        "internal.HandlerRecoveryImpl",
                        "apply(ProjectionId, HandlerRecoveryStrategy, LoggingAdapter, StatusObserver, Telemetry)"
                                + " HandlerRecoveryImpl",
                        "applyRecovery(Object, Object, Object, Future, Function0, Function0, ActorSystem) Future"),
                Used.of("internal.ManagementState", "new(boolean)"),
                Used.of("internal.NoopStatusObserver", "getInstance() StatusObserver"),
                Used.of(
                        "internal.ProjectionSettings",
                        "apply(ActorSystem) ProjectionSettings",
                        "new(RestartSettings, int, FiniteDuration, int, FiniteDuration, HandlerRecoveryStrategy)",
                        "restartBackoff() RestartSettings",
                        "recoveryStrategy() HandlerRecoveryStrategy",
                        "saveOffsetAfterEnvelopes() int",
                        "saveOffsetAfterDuration() FiniteDuration",
                        "groupAfterEnvelopes() int",
                        "groupAfterDuration() FiniteDuration"),
                Used.of(
                        "internal.Telemetry",
                        "stopped() void",
                        "failed(Throwable) void",
                        "beforeProcess(Object, long) Object",
                        "afterProcess(Object) void",
                        "onOffsetStored(int) void",
                        "error(Throwable) void"),
                Used.of("internal.TelemetryProvider", "start(ProjectionId, ActorSystem) Telemetry"),
                Used.of("RunningProjection", "withBackoff(Function0, ProjectionSettings) Source"),
                Used.of("RunningProjection$AbortProjectionException$", "MODULE$ AbortProjectionException$"));
    }

    @ParameterizedTest
    @MethodSource("internals")
    void whatIsUsed_exists(Used used) {
        check(used);
    }

    @Test
    void whatIsMissing_isNamed() {
        assertThatThrownBy(() -> check(Used.of("internal.Gone")))
                .hasMessageContaining("org.apache.pekko.projection.internal.Gone")
                .hasMessageContaining("package-info");
        assertThatThrownBy(() -> check(Used.of("internal.Telemetry", "paused() void")))
                .hasMessageContaining("Telemetry")
                .hasMessageContaining("paused() void");
    }

    private static void check(Used used) {
        String name = "org.apache.pekko.projection." + used.type();
        String why =
                "This version of Pekko's projections lacks %s, or parts of it, which io.varve.projection.internal.pekko"
                        + " uses; its package-info says what for";
        List<String> members;
        try {
            members = members(Class.forName(name));
        } catch (ClassNotFoundException e) {
            throw new AssertionError(why.formatted(name), e);
        }
        assertThat(members).as(why, name).containsAll(used.members());
    }

    private static List<String> members(Class<?> type) {
        Stream<String> constructors =
                Arrays.stream(type.getConstructors()).map(made -> "new(" + names(made.getParameterTypes()) + ")");
        Stream<String> methods = Arrays.stream(type.getMethods())
                .map(method -> method.getName() + "(" + names(method.getParameterTypes()) + ") "
                        + method.getReturnType().getSimpleName());
        Stream<String> fields = Arrays.stream(type.getFields())
                .map(field -> field.getName() + " " + field.getType().getSimpleName());
        return Stream.of(constructors, methods, fields).flatMap(each -> each).toList();
    }

    private static String names(Class<?>... types) {
        return Arrays.stream(types).map(Class::getSimpleName).collect(Collectors.joining(", "));
    }
}
