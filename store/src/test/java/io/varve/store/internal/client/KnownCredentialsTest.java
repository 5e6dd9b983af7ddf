package io.varve.store.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.internal.async.Surroundings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.identity.spi.IdentityProvider;
import software.amazon.awssdk.identity.spi.ResolveIdentityRequest;
import software.amazon.awssdk.utils.SdkAutoCloseable;

/** What is known, asked and waited for, with time, threads and provider in the test's hands. */
class KnownCredentialsTest {
    private final Time time = new Time();
    private final Deque<Runnable> threads = new ArrayDeque<>();
    private final Provider provider = new Provider();
    private final KnownCredentials credentials =
            new KnownCredentials(provider, false, () -> time.now, time, threads::add);

    /** A clock that stands still, and its timers. */
    private static final class Time implements Surroundings {
        private Instant now = Instant.parse("2026-01-01T00:00:00Z");
        private final TreeMap<Instant, List<Runnable>> timers = new TreeMap<>();

        void pass(Duration duration) {
            now = now.plus(duration);
            while (!timers.isEmpty() && !timers.firstKey().isAfter(now)) {
                timers.pollFirstEntry().getValue().forEach(Runnable::run);
            }
        }

        @Override
        public long nanoTime() {
            return Duration.between(Instant.EPOCH, now).toNanos();
        }

        @Override
        public Runnable after(Duration delay, Runnable action) {
            timers.computeIfAbsent(now.plus(delay), first -> new ArrayList<>()).add(action);
            return () -> {};
        }

        @Override
        public double chance() {
            return 0;
        }

        @Override
        public String uniqueName() {
            return "name";
        }
    }

    /** Leaves its questions open until the test answers them. */
    private static final class Provider implements IdentityProvider<AwsCredentialsIdentity> {
        private final Deque<CompletableFuture<AwsCredentialsIdentity>> questions = new ArrayDeque<>();
        private int asked;

        @Override
        public Class<AwsCredentialsIdentity> identityType() {
            return AwsCredentialsIdentity.class;
        }

        @Override
        public CompletableFuture<AwsCredentialsIdentity> resolveIdentity(ResolveIdentityRequest request) {
            asked++;
            CompletableFuture<AwsCredentialsIdentity> question = new CompletableFuture<>();
            questions.add(question);
            return question;
        }

        CompletableFuture<AwsCredentialsIdentity> next() {
            return questions.remove();
        }
    }

    private static AwsSessionCredentials key(String id, @Nullable Instant expiry) {
        AwsSessionCredentials.Builder builder = AwsSessionCredentials.builder()
                .accessKeyId(id)
                .secretAccessKey("s")
                .sessionToken("t");
        return expiry == null ? builder.build() : builder.expirationTime(expiry).build();
    }

    /** Lets the threads that are waiting run. */
    private void run() {
        while (!threads.isEmpty()) {
            threads.remove().run();
        }
    }

    private void know(String id, @Nullable Instant expiry) {
        credentials.valid();
        run();
        provider.next().complete(key(id, expiry));
    }

    private static String id(CompletableFuture<? extends AwsCredentialsIdentity> identity) {
        assertThat(identity).isDone();
        return identity.join().accessKeyId();
    }

    private void fails(CompletableFuture<? extends AwsCredentialsIdentity> waiting, String message) {
        assertThat(waiting).isDone();
        assertThatThrownBy(waiting::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(CredentialsException.class)
                .hasMessageContaining(message);
    }

    @Test
    void asking_isDoneByAThreadOfItsOwn_onceForAll() {
        CompletableFuture<AwsCredentialsIdentity> one = credentials.valid();
        var two = credentials.resolveIdentity();
        assertThat(provider.asked).isZero();
        run();
        assertThat(provider.asked).isEqualTo(1);
        assertThat(one).isNotDone();
        assertThat(credentials.areValid()).isFalse();
        provider.next().complete(key("a", null));
        assertThat(id(one)).isEqualTo("a");
        assertThat(id(two)).isEqualTo("a");
        assertThat(credentials.areValid()).isTrue();
        assertThat(provider.asked).isEqualTo(1);
    }

    @Test
    void whatIsKnown_isAskedForInTheBackgroundAfterAWhile() {
        know("a", null);
        time.pass(KnownCredentials.KEPT.minusMillis(1));
        assertThat(id(credentials.valid())).isEqualTo("a");
        assertThat(threads).isEmpty();
        time.pass(Duration.ofMillis(1));
        assertThat(id(credentials.valid())).isEqualTo("a");
        assertThat(id(credentials.resolveIdentity())).isEqualTo("a");
        run();
        assertThat(provider.asked).isEqualTo(2);
        provider.next().complete(key("b", null));
        assertThat(id(credentials.valid())).isEqualTo("b");
    }

    @Test
    void whatHasExpired_isNeverUsed() {
        know("a", time.now.plusSeconds(5));
        time.pass(Duration.ofMillis(3999));
        assertThat(credentials.areValid()).isTrue();
        time.pass(Duration.ofMillis(1)); // a second is left, for who is about to sign
        assertThat(credentials.areValid()).isFalse();
        assertThat(id(credentials.resolveIdentity())).isEqualTo("a");
        time.pass(Duration.ofSeconds(1));
        var waiting = credentials.resolveIdentity();
        assertThat(waiting).isNotDone();
        run();
        provider.next().complete(key("b", null));
        assertThat(id(waiting)).isEqualTo("b");
    }

    @Test
    void whatTheProviderGivesExpired_isNoAnswer() {
        for (Instant past : List.of(time.now, time.now.minusSeconds(1), Instant.MIN)) {
            CompletableFuture<AwsCredentialsIdentity> waiting = credentials.valid();
            run();
            provider.next().complete(key("a", past));
            fails(waiting, "expired at");
            assertThat(credentials.areValid()).isFalse();
        }
    }

    @Test
    void expiryFarAway_isNone() {
        know("a", Instant.MAX);
        assertThat(credentials.areValid()).isTrue();
    }

    @Test
    void providerThatFails_failsThoseWhoWait_andIsAskedAgain() {
        for (Throwable failure : List.of(
                new IllegalStateException("broken"),
                new java.util.concurrent.TimeoutException("broken"),
                new LinkageError("broken"),
                new java.io.IOException("broken"))) {
            CompletableFuture<AwsCredentialsIdentity> waiting = credentials.valid();
            run();
            provider.next().completeExceptionally(failure);
            fails(waiting, "gave no credentials: broken");
        }
        know("a", null);
        assertThat(credentials.areValid()).isTrue();
    }

    @Test
    void providerThatThrowsAnything_failsThoseWhoWait_andIsAskedAgain() {
        List<Throwable> failures =
                List.of(new Exception("thrown"), new Error("thrown"), new RuntimeException("thrown"));
        for (Throwable failure : failures) {
            AwsCredentialsProvider throwing = () -> {
                KnownCredentialsTest.<RuntimeException>sneak(failure);
                return key("never", null);
            };
            KnownCredentials of = new KnownCredentials(throwing, false, () -> time.now, time, Runnable::run);
            for (int i = 0; i <= KnownCredentials.MOST_UNANSWERED; i++) {
                fails(of.valid(), "thrown");
            }
        }
    }

    @SuppressWarnings("unchecked") // that is the point
    private static <E extends Throwable> void sneak(Throwable any) throws E {
        throw (E) any;
    }

    @Test
    void providerThatAnswersNull_failsThoseWhoWait_andIsAskedAgain() {
        CompletableFuture<AwsCredentialsIdentity> waiting = credentials.valid();
        run();
        provider.next().complete(null);
        fails(waiting, "null");
        know("a", null);
        assertThat(credentials.areValid()).isTrue();
    }

    @Test
    void threadThatCannotBeHad_failsThoseWhoWait_andIsTriedAgain() {
        KnownCredentials of = new KnownCredentials(provider, false, () -> time.now, time, task -> {
            throw new OutOfMemoryError("no threads, in a test");
        });
        for (int i = 0; i <= KnownCredentials.MOST_UNANSWERED; i++) {
            fails(of.valid(), "no threads");
        }
    }

    @Test
    void questionWithoutAnswer_isAskedAgainByTime_andAnyAnswerCounts() {
        CompletableFuture<AwsCredentialsIdentity> waiting = credentials.valid();
        run();
        var lost = provider.next();
        time.pass(KnownCredentials.PATIENCE.delay(1));
        run();
        assertThat(provider.asked).isEqualTo(2);
        provider.next().complete(key("b", null));
        assertThat(id(waiting)).isEqualTo("b");
        lost.complete(key("a", null));
        assertThat(id(credentials.valid())).isEqualTo("b");
    }

    @Test
    void slowAnswer_countsThoughItWasAskedForAgain() {
        CompletableFuture<AwsCredentialsIdentity> waiting = credentials.valid();
        run();
        time.pass(KnownCredentials.PATIENCE.delay(1));
        run();
        provider.next().complete(key("a", null));
        assertThat(id(waiting)).isEqualTo("a");
    }

    @Test
    void slowFailure_doesNotFailTheQuestionThatWasAskedAgain() {
        CompletableFuture<AwsCredentialsIdentity> waiting = credentials.valid();
        run();
        time.pass(KnownCredentials.PATIENCE.delay(1));
        run();
        provider.next().completeExceptionally(new IllegalStateException("the first"));
        assertThat(waiting).isNotDone();
        provider.next().completeExceptionally(new IllegalStateException("the second"));
        fails(waiting, "the second");
    }

    @Test
    void providerThatNeverAnswers_isAskedABoundedNumberOfTimes_andAgainOnceItAnswers() {
        CompletableFuture<AwsCredentialsIdentity> waiting = credentials.valid();
        run();
        for (int i = 0; i < 2 * KnownCredentials.MOST_UNANSWERED; i++) {
            time.pass(Duration.ofDays(1));
            run();
        }
        assertThat(provider.asked).isEqualTo(KnownCredentials.MOST_UNANSWERED);
        fails(waiting, "has not answered");
        fails(credentials.valid(), "has not answered");
        provider.next().completeExceptionally(new IllegalStateException("at last"));
        waiting = credentials.valid();
        run();
        provider.questions.removeLast().complete(key("a", null));
        assertThat(id(waiting)).isEqualTo("a");
    }

    @Test
    void renewalThatFails_isTriedAgainAfterAPause_notWithEachRequest() {
        know("a", null);
        time.pass(KnownCredentials.KEPT);
        assertThat(credentials.areValid()).isTrue();
        run();
        provider.next().completeExceptionally(new IllegalStateException("not now, in a test"));
        assertThat(credentials.areValid()).isTrue();
        assertThat(threads).isEmpty();
        time.pass(Duration.ofSeconds(1));
        assertThat(credentials.areValid()).isTrue();
        run();
        assertThat(provider.asked).isEqualTo(3);
    }

    @Test
    void distrusted_isAskedForAgain_butNotIfItIsNewer() {
        know("a", null);
        long sent = time.nanoTime();
        time.pass(Duration.ofSeconds(1));
        credentials.distrust(sent);
        assertThat(credentials.areValid()).isFalse();
        know("b", null);
        credentials.distrust(sent);
        assertThat(id(credentials.valid())).isEqualTo("b");
    }

    private static final class Closeable implements AwsCredentialsProvider, SdkAutoCloseable {
        private boolean closed;

        @Override
        public AwsCredentials resolveCredentials() {
            return key("a", null);
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    @Test
    void providerOfTheUsers_isNeverClosed() {
        Closeable users = new Closeable();
        Closeable ours = new Closeable();
        new KnownCredentials(users, false, () -> time.now, time, threads::add).close();
        new KnownCredentials(ours, true, () -> time.now, time, threads::add).close();
        assertThat(users.closed).isFalse();
        assertThat(ours.closed).isTrue();
    }
}
