package io.varve.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who may use what, beyond the order of the packages. */
class RulesTest {

    @Test
    void theExample_usesNothingInternal() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.varve..internal..")
                .check(Module.SHOPPING_CART.imported());
    }

    @ParameterizedTest
    @EnumSource
    void nothing_isSerializedByJava(Module module) {
        noClasses()
                .should()
                .dependOnClassesThat()
                .haveNameMatching("java\\.io\\.(ObjectInput|ObjectOutput|Externalizable).*"
                        + "|org\\.apache\\.pekko\\.serialization\\.(Disabled)?JavaSerializer.*")
                .check(module.imported());
    }

    /** The text of a configuration has all of its values, secrets too. */
    @ParameterizedTest
    @EnumSource
    void recordsWithAConfiguration_doNotPrintIt(Module module) {
        assertThat(module.imported().stream()
                        .filter(JavaClass::isRecord)
                        .filter(type -> type.getFields().stream()
                                .anyMatch(field -> field.getRawType().isAssignableTo("com.typesafe.config.Config")))
                        .filter(type -> !printsItself(type))
                        .map(JavaClass::getName))
                .isEmpty();
    }

    /** Whether its text is its own, and not the one that the compiler makes of all parts. */
    private static boolean printsItself(JavaClass type) {
        return type.tryGetMethod("toString")
                .filter(method -> method.getAccessesFromSelf().size() > 0)
                .isPresent();
    }

    @Test
    void theHttpClient_knowsNeitherDynamoDBNorPekko() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.varve.store..", "software.amazon.awssdk.services..", "org.apache.pekko..", "scala..")
                .check(Module.HTTP.imported());
    }
}
