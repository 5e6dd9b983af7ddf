package io.varve.store.internal.client;

import io.varve.store.internal.settings.Secret;
import io.varve.store.internal.settings.SettingsReader;
import java.util.Optional;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/** Where a client's credentials come from. */
public sealed interface Credentials {

    /** The SDK's default chain: environment, system properties, profile, container, instance. */
    record DefaultChain() implements Credentials {
        @Override
        public AwsCredentialsProvider provider() {
            return DefaultCredentialsProvider.builder().build();
        }
    }

    /** A named profile of the shared AWS configuration files. */
    record Profile(String name) implements Credentials {
        @Override
        public AwsCredentialsProvider provider() {
            return ProfileCredentialsProvider.create(name);
        }
    }

    /** A fixed key, with a session token if it is a temporary one. */
    record Fixed(String accessKeyId, Secret secretAccessKey, Optional<Secret> sessionToken) implements Credentials {
        @Override
        public AwsCredentialsProvider provider() {
            return StaticCredentialsProvider.create(
                    sessionToken.isPresent()
                            ? AwsSessionCredentials.create(
                                    accessKeyId,
                                    secretAccessKey.value(),
                                    sessionToken.get().value())
                            : AwsBasicCredentials.create(accessKeyId, secretAccessKey.value()));
        }
    }

    /** The user's own provider; it is never closed here. */
    record Own(AwsCredentialsProvider provider) implements Credentials {
        @Override
        public String toString() {
            return "Own[" + provider.getClass().getName() + "]";
        }
    }

    /** The SDK's provider of these credentials. */
    AwsCredentialsProvider provider();

    /** Reads the section {@code credentials}. */
    static Credentials from(SettingsReader section) {
        Optional<String> id = section.optional("access-key-id");
        Optional<Secret> secret = section.optional("secret-access-key").map(Secret::new);
        Optional<Secret> token = section.optional("session-token").map(Secret::new);
        Optional<String> profile = section.optional("profile");
        section.rejectUnknown();
        if (id.isPresent() != secret.isPresent()) {
            String missing = id.isPresent() ? "secret-access-key" : "access-key-id";
            throw section.invalid(
                    missing,
                    "is empty although its other half is set; set both, or neither for the SDK's default chain");
        }
        if (id.isEmpty() && token.isPresent()) {
            throw section.invalid("session-token", "needs access-key-id and secret-access-key as well");
        }
        if (id.isPresent() && profile.isPresent()) {
            throw section.invalid("profile", "is set together with access-key-id; use one of the two");
        }
        if (id.isPresent()) {
            return new Fixed(id.get(), secret.orElseThrow(), token);
        }
        return profile.<Credentials>map(Profile::new).orElseGet(DefaultChain::new);
    }
}
