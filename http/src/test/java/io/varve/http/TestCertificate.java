package io.varve.http;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import software.amazon.awssdk.http.TlsTrustManagersProvider;

/** A certificate that signs itself, made by the JDK's keytool. */
final class TestCertificate {
    private static final String PASSWORD = "password";
    private static final Map<String, TestCertificate> MADE = new ConcurrentHashMap<>();

    private final KeyStore store;

    private TestCertificate(KeyStore store) {
        this.store = store;
    }

    /** The certificate of this host; made once, as that takes a second. */
    static TestCertificate of(String host) {
        return MADE.computeIfAbsent(host, TestCertificate::make);
    }

    private static TestCertificate make(String host) {
        try {
            Path directory = Files.createTempDirectory("certificate");
            Path file = directory.resolve("server.p12");
            try {
                generate(host, file);
                KeyStore store = KeyStore.getInstance("PKCS12");
                try (InputStream in = Files.newInputStream(file)) {
                    store.load(in, PASSWORD.toCharArray());
                }
                return new TestCertificate(store);
            } finally {
                Files.deleteIfExists(file);
                Files.delete(directory);
            }
        } catch (Exception e) {
            throw new IllegalStateException("no certificate for " + host, e);
        }
    }

    private static void generate(String host, Path file) throws Exception {
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=test",
                        "-ext",
                        "san=dns:" + host,
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (keytool.waitFor() != 0) {
            throw new IllegalStateException("keytool ended with " + keytool.exitValue());
        }
    }

    /** For the server that has the certificate. */
    SSLContext server() throws Exception {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), new TrustManager[0], null);
        return context;
    }

    /** For clients which trust this certificate and no other. */
    TlsTrustManagersProvider trust() {
        return () -> {
            try {
                KeyStore trusted = KeyStore.getInstance("PKCS12");
                trusted.load(null, null);
                trusted.setCertificateEntry("server", store.getCertificate("server"));
                TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
                trust.init(trusted);
                return trust.getTrustManagers();
            } catch (GeneralSecurityException | IOException e) {
                throw new IllegalStateException("the certificate cannot be trusted", e);
            }
        };
    }
}
