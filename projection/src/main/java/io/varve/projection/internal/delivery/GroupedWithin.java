package io.varve.projection.internal.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.FlowShape;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.stage.AbstractInHandler;
import org.apache.pekko.stream.stage.AbstractOutHandler;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.stream.stage.TimerGraphStageLogic;

/**
 * Puts elements into groups of a size, or of what has come within a time.
 *
 * <p>As Pekko's {@code groupedWithin}, but the time begins with the first element of a group, and a group that became full while
 * nobody wanted it is emitted as soon as it is wanted: Pekko's waits for its timer then.
 */
final class GroupedWithin<T> extends GraphStage<FlowShape<T, List<T>>> {
    private static final String DUE = "due";

    private final Inlet<T> in = Inlet.create("GroupedWithin.in");
    private final Outlet<List<T>> out = Outlet.create("GroupedWithin.out");
    private final int size;
    private final Duration time;

    private GroupedWithin(int size, Duration time) {
        this.size = size;
        this.time = time;
    }

    static <T> Flow<T, List<T>, NotUsed> of(int size, Duration time) {
        return Flow.fromGraph(new GroupedWithin<>(size, time));
    }

    @Override
    public FlowShape<T, List<T>> shape() {
        return FlowShape.of(in, out);
    }

    @Override
    public GraphStageLogic createLogic(Attributes inherited) {
        return new Logic();
    }

    private final class Logic extends TimerGraphStageLogic {
        private List<T> group = new ArrayList<>();
        private boolean due;

        Logic() {
            super(GroupedWithin.this.shape());
            setHandler(in, new AbstractInHandler() {
                @Override
                public void onPush() {
                    add(grab(in));
                }

                @Override
                public void onUpstreamFinish() {
                    due = true;
                    emit();
                }
            });
            setHandler(out, new AbstractOutHandler() {
                @Override
                public void onPull() {
                    emit();
                }
            });
        }

        @Override
        public void preStart() {
            pull(in);
        }

        @Override
        public void onTimer(Object key) {
            due = true;
            emit();
        }

        private void add(T element) {
            group.add(element);
            if (group.size() == size) {
                due = true;
            } else if (group.size() == 1) {
                scheduleOnce(DUE, time);
            }
            emit();
        }

        /** Emits a group that is due and wanted; takes in another element if there is room. */
        private void emit() {
            if (due && !group.isEmpty() && isAvailable(out)) {
                cancelTimer(DUE);
                push(out, List.copyOf(group));
                group = new ArrayList<>();
                due = isClosed(in);
            }
            if (isClosed(in)) {
                if (group.isEmpty()) {
                    completeStage();
                }
            } else if (group.size() < size && !hasBeenPulled(in)) {
                pull(in);
            }
        }
    }
}
