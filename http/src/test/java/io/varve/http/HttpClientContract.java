package io.varve.http;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.http.TlsTrustManagersProvider;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;

/** What the SDK and the gateway rely on in an HTTP client: each test runs with ours and with the SDK's own. */
@ParameterizedClass(name = "{0}")
@EnumSource(ClientUnderTest.class)
abstract class HttpClientContract extends HttpClientFixture {
    @Parameter
    @Nullable
    ClientUnderTest underTest;

    @Override
    SdkAsyncHttpClient client(HttpSettings settings, Optional<TlsTrustManagersProvider> trust) {
        return requireNonNull(underTest).client(settings, trust);
    }
}
