package io.varve.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import org.junit.jupiter.api.Test;

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
