package io.varve.store;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.entity.Listing;
import io.varve.store.internal.journal.EventReader;
import io.varve.store.internal.journal.EventStore;
import io.varve.store.internal.layout.Item;
import io.varve.store.internal.layout.ItemSize;
import io.varve.store.internal.offset.FencedItems;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.ParkedRows;
import io.varve.store.internal.slice.SliceIndex;
import io.varve.store.internal.snapshot.SnapshotStore;
import io.varve.store.internal.table.JournalMetaLoader;
import io.varve.store.internal.table.TableCreator;
import io.varve.store.internal.table.TaggedTypesReader;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

class ArchitectureTest {
    private static final JavaClasses STORE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.varve.store");

    /** What an application or a plugin calls; and the first use of a journal, for which several operations wait. */
    private static final Class<?>[] ENTRANCES = {
        EventStore.class,
        EventReader.class,
        SnapshotStore.class,
        OffsetTable.class,
        FencedItems.class,
        ParkedRows.class,
        SliceIndex.class,
        JournalMetaLoader.class,
        TaggedTypesReader.class,
        TableCreator.class,
        Gateway.class
    };

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
                .resideOutsideOfPackage("io.varve.store.internal.client..")
                .should()
                .dependOnClassesThat()
                .areAssignableTo(DynamoDbAsyncClient.class)
                .check(STORE);
    }

    @Test
    void theLayout_callsNothingAboveIt() {
        classes()
                .that()
                .resideInAPackage("io.varve.store.internal.layout..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "io.varve.store.internal.layout..",
                        "io.varve.store",
                        "software.amazon.awssdk..",
                        "org.jspecify..")
                .check(STORE);
    }

    /** One budget for an operation, from end to end: below its entrance nobody begins to count anew. */
    @Test
    void anOperationsBudget_isMadeOnlyWhereOperationsBegin() {
        noClasses()
                .that()
                .doNotBelongToAnyOf(ENTRANCES)
                .and()
                .areNotAssignableTo(Listing.class)
                .and()
                .haveNameNotMatching(
                        ".*\\.offset\\.(ByHand|ProgressDeletion)") // what OffsetTable leaves to them as a whole
                .should()
                .callMethodWhere(target(owner(assignableTo(Gateway.class))).and(target(name("budget"))))
                .check(STORE);
    }

    @Test
    void nothing_usesTheCommonPool() {
        noClasses().should().callMethod(ForkJoinPool.class, "commonPool").check(STORE);
    }

    /** Sizes are counted of items that are about to be written. */
    @Test
    void attributes_areReadByTheItemOnly() {
        noClasses()
                .that()
                .areNotAssignableTo(Item.class)
                .and()
                .areNotAssignableTo(ItemSize.class)
                .should()
                .accessTargetWhere(target(owner(assignableTo(AttributeValue.class)))
                        .and(target(nameMatching("(s|n|b|ss|ns|bs|m|l|bool|nul|type|getValueForField)"))))
                .check(STORE);
    }
}
