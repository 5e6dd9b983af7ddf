package io.varve.benchmark.responder;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;

/** A certificate of localhost that signs itself, in temporary files that end with this JVM. */
public final class Certificate {
    private static final String ALIAS = "responder";
    private static final String PASSWORD = "responder"; // guards nothing: the key is of no use after the run

    private final Path keys;
    private final Path trust;

    private Certificate(Path keys, Path trust) {
        this.keys = keys;
        this.trust = trust;
    }

    /** Makes one with the JDK's keytool, which takes a second. */
    public static Certificate make() throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("varve-bench");
        folder.toFile().deleteOnExit(); // after its files: the last one registered goes first
        Certificate certificate = new Certificate(folder.resolve("keys.p12"), folder.resolve("trust.p12"));
        certificate.keys.toFile().deleteOnExit();
        certificate.trust.toFile().deleteOnExit();
        certificate.generate();
        certificate.export();
        return certificate;
    }

    /** For the server. */
    public ServerKeys serverKeys() {
        return new ServerKeys(keys, PASSWORD);
    }

    /** The options of a client's JVM, with which it trusts this certificate and no other. */
    public List<String> clientOptions() {
        return List.of(
                "-Djavax.net.ssl.trustStore=" + trust,
                "-Djavax.net.ssl.trustStorePassword=" + PASSWORD,
                "-Djavax.net.ssl.trustStoreType=PKCS12");
    }

    /** What a client trusts. */
    KeyStore trusted() throws GeneralSecurityException, IOException {
        return KeyStore.getInstance(trust.toFile(), PASSWORD.toCharArray());
    }

    private void generate() throws IOException, InterruptedException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                ALIAS,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=dns:localhost,ip:127.0.0.1",
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-keystore",
                keys.toString(),
                "-storepass",
                PASSWORD);
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (keytool.waitFor() != 0) {
            throw new IllegalStateException("keytool could not make a certificate: " + said.strip());
        }
    }

    /** Writes the certificate without its key as one that is trusted, which in the key store it is not. */
    private void export() throws IOException {
        char[] secret = PASSWORD.toCharArray();
        try (OutputStream out = Files.newOutputStream(trust)) {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry(
                    ALIAS, KeyStore.getInstance(keys.toFile(), secret).getCertificate(ALIAS));
            trusted.store(out, secret);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("The certificate cannot be exported", e);
        }
    }
}
