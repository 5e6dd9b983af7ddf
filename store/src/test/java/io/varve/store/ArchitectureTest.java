package io.varve.store;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

class ArchitectureTest {
    private static final JavaClasses STORE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.varve.store");

    @Test
    void theStore_knowsNoPekko() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.pekko..", "scala..")
                .check(STORE);
    }

    @Test
    void onlyTheClientPackage_holdsAnSdkClient() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.varve.store.client..")
                .should()
                .dependOnClassesThat()
                .areAssignableTo(DynamoDbAsyncClient.class)
                .check(STORE);
    }

    @Test
    void theLayout_callsNothingAboveIt() {
        classes()
                .that()
                .resideInAPackage("io.varve.store.layout..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "io.varve.store.layout..",
                        "io.varve.store",
                        "software.amazon.awssdk..",
                        "org.jspecify..")
                .check(STORE);
    }

    @Test
    void nothing_usesTheCommonPool() {
        noClasses().should().callMethod(ForkJoinPool.class, "commonPool").check(STORE);
    }
}
