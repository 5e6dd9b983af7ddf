package io.varve.benchmark.responder;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;

/** The key store of a server that speaks TLS. */
public record ServerKeys(Path file, String password) {

    /** TLS by the JDK, with its defaults. */
    SslContext context() {
        char[] secret = password.toCharArray();
        try {
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(KeyStore.getInstance(file.toFile(), secret), secret);
            return SslContextBuilder.forServer(keys)
                    .sslProvider(SslProvider.JDK)
                    .build();
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("The key store " + file + " cannot be used", e);
        }
    }
}
