package io.varve.store.internal.client;

import io.varve.store.internal.async.Backoff;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.async.Surroundings;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.identity.spi.IdentityProvider;
import software.amazon.awssdk.identity.spi.ResolveIdentityRequest;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.utils.SdkAutoCloseable;

/**
 * The credentials of a client, which are known before a request is signed.
 *
 * <p>The SDK asks a provider on the thread that sends a request, and most providers block: for files, for the metadata of an
 * instance, for STS. Here a thread of its own asks, one question at a time for all requests of the client, and what it hears is
 * kept. While it is valid nobody waits: it is asked for again in the background. Once it has expired it is never used, and
 * requests wait for the answer within their budget.
 *
 * <p>A question that fails fails those who wait for it, and the next one who needs credentials asks again. A question without an
 * answer is asked again after a time, a bounded number of times, and the first answer counts.
 */
final class KnownCredentials implements IdentityProvider<AwsCredentialsIdentity>, SdkAutoCloseable {
    static final Duration KEPT = Duration.ofSeconds(10);
    static final int MOST_UNANSWERED = 10;
    /** How long an answer is waited for before the question is put again. */
    static final Backoff PATIENCE = Backoff.doubled(Duration.ofSeconds(5), MOST_UNANSWERED);
    /** Who finds credentials valid shall still find them so when the SDK signs. */
    static final Duration MARGIN = Duration.ofSeconds(1);

    private static final Instant NEVER = Instant.parse("9999-12-31T00:00:00Z");
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Logger LOG = LoggerFactory.getLogger(KnownCredentials.class);
    private static final Executor THREADS = Executors.newCachedThreadPool(KnownCredentials::thread);
    private static final Map<DynamoDbAsyncClient, KnownCredentials> OF_USERS_CLIENTS =
            Collections.synchronizedMap(new WeakHashMap<>());

    private final IdentityProvider<? extends AwsCredentialsIdentity> provider;
    private final boolean closesProvider;
    private final InstantSource clock;
    private final Surroundings surroundings;
    private final Executor threads;

    private volatile @Nullable Known known;
    private @Nullable Question question;
    private int unanswered;
    private boolean toldOfFailure;

    /** What the provider said, until when it is fresh and until when it is valid, in milliseconds of the clock. */
    private record Known(
            CompletableFuture<AwsCredentialsIdentity> identity, long heardAt, long freshUntil, long validUntil) {
        Known freshUntil(long millis) {
            return new Known(identity, heardAt, millis, validUntil);
        }
    }

    /** What is asked until it is answered, by one asker after another. */
    private static final class Question {
        private final CompletableFuture<AwsCredentialsIdentity> answer = new CompletableFuture<>();
        private int askers;
    }

    KnownCredentials(
            IdentityProvider<? extends AwsCredentialsIdentity> provider,
            boolean closesProvider,
            InstantSource clock,
            Surroundings surroundings,
            Executor threads) {
        this.provider = provider;
        this.closesProvider = closesProvider;
        this.clock = clock;
        this.surroundings = surroundings;
        this.threads = threads;
    }

    /** Those of a provider; itself if it has them in memory anyway. */
    static IdentityProvider<? extends AwsCredentialsIdentity> of(
            IdentityProvider<? extends AwsCredentialsIdentity> provider, boolean closesProvider) {
        return provider instanceof StaticCredentialsProvider || provider instanceof AnonymousCredentialsProvider
                ? provider
                : new KnownCredentials(
                        provider, closesProvider, InstantSource.system(), Surroundings.OF_THIS_MACHINE, THREADS);
    }

    /** Those of a client, the same for all who use it; absent if its provider has them in memory anyway. */
    static Optional<KnownCredentials> of(DynamoDbAsyncClient client) {
        var provider = client.serviceClientConfiguration().credentialsProvider();
        if (provider instanceof KnownCredentials ours) {
            return Optional.of(ours);
        }
        return provider != null && of(provider, false) instanceof KnownCredentials made
                ? Optional.of(OF_USERS_CLIENTS.computeIfAbsent(client, first -> made))
                : Optional.empty();
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "varve-dynamodb-credentials");
        thread.setDaemon(true);
        thread.setContextClassLoader(KnownCredentials.class.getClassLoader());
        return thread;
    }

    /** Whether a request can be signed now; if so without any wait. */
    boolean areValid() {
        return valid(MARGIN) != null;
    }

    /** Completes as soon as a request can be signed; fails if the provider does. */
    CompletableFuture<AwsCredentialsIdentity> valid() {
        Known found = valid(MARGIN);
        return found == null ? ask().copy() : found.identity();
    }

    /** For the SDK. */
    @Override
    public CompletableFuture<? extends AwsCredentialsIdentity> resolveIdentity(ResolveIdentityRequest request) {
        Known found = valid(Duration.ZERO);
        return found == null ? ask().copy() : found.identity();
    }

    @Override
    public Class<AwsCredentialsIdentity> identityType() {
        return AwsCredentialsIdentity.class;
    }

    /** Does not use any longer what was known then: DynamoDB does not accept it. */
    synchronized void distrust(long nanoTime) {
        Known found = known;
        if (found != null && found.heardAt() - nanoTime <= 0) {
            known = null;
        }
    }

    private @Nullable Known valid(Duration margin) {
        Known found = known;
        if (found == null) {
            return null;
        }
        long now = clock.millis();
        if (now >= found.validUntil() - margin.toMillis()) {
            return null;
        }
        if (now >= found.freshUntil()) {
            ask(); // for those who come later
        }
        return found;
    }

    private CompletableFuture<AwsCredentialsIdentity> ask() {
        Question asked;
        synchronized (this) {
            if (question != null) {
                return question.answer;
            }
            if (unanswered >= MOST_UNANSWERED) {
                return CompletableFuture.failedFuture(new CredentialsException(
                        name() + " has not answered " + unanswered + " questions for credentials", null));
            }
            asked = new Question();
            question = asked;
        }
        put(asked);
        return asked.answer;
    }

    private void put(Question asked) {
        int asker;
        synchronized (this) {
            unanswered++;
            asker = ++asked.askers;
        }
        surroundings.after(PATIENCE.delay(asker), () -> noAnswerYet(asked, asker));
        try {
            threads.execute(() -> putNow(asked, asker));
        } catch (RuntimeException | Error e) {
            failed(asked, asker, e);
        }
    }

    private void putNow(Question asked, int asker) {
        try {
            provider.resolveIdentity().whenComplete((identity, thrown) -> heard(asked, asker, identity, thrown));
        } catch (Throwable e) { // a user's provider may throw anything
            failed(asked, asker, e);
        }
    }

    private void heard(
            Question asked, int asker, @Nullable AwsCredentialsIdentity identity, @Nullable Throwable thrown) {
        Known heard;
        try {
            if (thrown != null) {
                failed(asked, asker, Causes.unwrap(thrown));
                return;
            }
            heard = known(identity);
        } catch (RuntimeException | Error e) {
            failed(asked, asker, e);
            return;
        }
        synchronized (this) {
            unanswered--;
            if (question != asked) {
                return; // another asker was faster
            }
            question = null;
            toldOfFailure = false;
            known = heard;
        }
        asked.answer.complete(identity);
    }

    private Known known(@Nullable AwsCredentialsIdentity identity) {
        if (identity == null) {
            throw new IllegalStateException("it answered null");
        }
        long now = clock.millis();
        Instant expiry = identity.expirationTime().orElse(NEVER);
        if (expiry.isBefore(Instant.EPOCH) || (expiry.isBefore(NEVER) && expiry.toEpochMilli() <= now)) {
            throw new IllegalStateException("it gave some that expired at " + expiry);
        }
        return new Known(
                CompletableFuture.completedFuture(identity),
                surroundings.nanoTime(),
                now + KEPT.toMillis(),
                expiry.isBefore(NEVER) ? expiry.toEpochMilli() : Long.MAX_VALUE);
    }

    private void failed(Question asked, int asker, Throwable cause) {
        boolean nobodyHears;
        synchronized (this) {
            unanswered--;
            if (question != asked || asker < asked.askers) {
                return; // another asker will tell
            }
            question = null;
            Known still = known;
            nobodyHears = still != null && clock.millis() < still.validUntil() && !toldOfFailure;
            toldOfFailure |= nobodyHears;
            known = still == null ? null : still.freshUntil(clock.millis() + PAUSE.toMillis());
        }
        if (nobodyHears) {
            LOG.warn("{} gave no new credentials; those that are known are used while they are valid.", name(), cause);
        }
        String why = cause.getMessage() == null ? cause.getClass().getName() : cause.getMessage();
        asked.answer.completeExceptionally(new CredentialsException(name() + " gave no credentials: " + why, cause));
    }

    private void noAnswerYet(Question asked, int asker) {
        boolean enough;
        synchronized (this) {
            if (question != asked || asker < asked.askers) {
                return;
            }
            enough = unanswered >= MOST_UNANSWERED;
            if (enough) {
                question = null;
            }
        }
        Duration time = PATIENCE.delay(asker);
        LOG.warn(
                "{} has not given any credentials for {} s. {}",
                name(),
                time.toSeconds(),
                enough ? "It is not asked again before it answers." : "It is asked again.");
        if (enough) {
            asked.answer.completeExceptionally(
                    new CredentialsException(name() + " has not answered " + MOST_UNANSWERED + " questions", null));
        } else {
            put(asked);
        }
    }

    private String name() {
        return provider.getClass().getName();
    }

    @Override
    public void close() {
        if (closesProvider && provider instanceof SdkAutoCloseable closeable) {
            closeable.close();
        }
    }

    @Override
    public String toString() {
        return "KnownCredentials[" + name() + "]";
    }
}
