package io.varve.store;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

@AnalyzeClasses(packages = "io.varve.store", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule the_store_knows_no_pekko =
            noClasses().should().dependOnClassesThat().resideInAnyPackage("org.apache.pekko..", "scala..");

    @ArchTest
    static final ArchRule only_the_client_package_holds_an_sdk_client = noClasses()
            .that()
            .resideOutsideOfPackage("io.varve.store.client..")
            .should()
            .dependOnClassesThat()
            .areAssignableTo(DynamoDbAsyncClient.class);

    @ArchTest
    static final ArchRule the_layout_calls_nothing_above_it = classes()
            .that()
            .resideInAPackage("io.varve.store.layout..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "io.varve.store.layout..",
                    "io.varve.store",
                    "software.amazon.awssdk..",
                    "org.jspecify..");

    @ArchTest
    static final ArchRule nothing_uses_the_common_pool =
            noClasses().should().callMethod(java.util.concurrent.ForkJoinPool.class, "commonPool");
}
