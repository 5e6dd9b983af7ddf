package io.varve.testkit.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the jars of DynamoDB Local are looked for, and what is said when they are not there. */
final class DynamoDBLocalJarsTest {

    private static final String NO_MAVEN = "no-such-command";

    @TempDir
    Path repository;

    @Test
    void lock_holdsTheVersionOfTheBuild() {
        assertThat(DynamoDBLocalJars.locked().get(0).coordinates())
                .isEqualTo("software.amazon.dynamodb:DynamoDBLocal:" + System.getProperty("dynamodb-local.version"));
    }

    @Test
    void classPath_whenGivenByProperty_isTaken() {
        Properties properties = new Properties();
        properties.setProperty(DynamoDBLocalJars.CLASS_PATH_PROPERTY, "one.jar" + File.pathSeparator + "two.jar");

        assertThat(new DynamoDBLocalJars(properties, NO_MAVEN).classPath())
                .isEqualTo("one.jar" + File.pathSeparator + "two.jar");
    }

    @Test
    void classPath_ofThisBuild_holdsEveryLockedJar() {
        assertThat(new DynamoDBLocalJars(System.getProperties(), NO_MAVEN)
                        .classPath()
                        .split(File.pathSeparator))
                .hasSameSizeAs(DynamoDBLocalJars.locked());
    }

    @Test
    void classPath_whenJarsAreMissingAndMavenToo_saysWhatToDo() {
        assertThatThrownBy(() -> new DynamoDBLocalJars(emptyRepository(), NO_MAVEN).classPath())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("jars of DynamoDB Local are missing from the Maven repository " + repository)
                .hasMessageContaining("org.antlr:antlr4-runtime:")
                .hasMessageContaining("'no-such-command -q -B org.apache.maven.plugins:maven-dependency-plugin:")
                .hasMessageContaining("could not be run")
                .hasMessageContaining(DynamoDBLocalJars.CLASS_PATH_PROPERTY);
    }

    @Test
    void classPath_whenAJarIsNotTheLockedOne_refusesIt() throws IOException {
        for (DynamoDBLocalJars.LockedJar jar : DynamoDBLocalJars.locked()) {
            Path file = jar.in(repository);
            Files.createDirectories(file.getParent());
            Files.writeString(file, "something else");
        }

        assertThatThrownBy(() -> new DynamoDBLocalJars(emptyRepository(), NO_MAVEN).classPath())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is not the jar that the testkit was built with")
                .hasMessageContaining(DynamoDBLocalJars.locked().get(0).sha256());
    }

    private Properties emptyRepository() {
        Properties properties = new Properties();
        properties.setProperty("maven.repo.local", repository.toString());
        return properties;
    }
}
