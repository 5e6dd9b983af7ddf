package io.varve.store.internal.snapshot;

import static io.varve.store.internal.snapshot.TestSnapshotStore.LARGE;
import static io.varve.store.internal.snapshot.TestSnapshotStore.snapshot;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.SnapshotException;
import io.varve.store.SnapshotTooLargeException;
import io.varve.store.internal.layout.Payload;
import io.varve.testkit.FaultProxy;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** What a table can do to who reads it: items that are not as they should be, and more bytes than there is memory for. */
@ExtendWith(SnapshotFixture.Extension.class)
class SnapshotBoundsTest {
    private static final String ID = "cart|1";
    private static final int MEGABYTE = 1024 * 1024;

    private final FaultProxy proxy;
    private final DynamoDbAsyncClient client;
    private final String table;

    SnapshotBoundsTest(SnapshotFixture snapshots) {
        this.proxy = snapshots.proxy();
        this.client = snapshots.client();
        this.table = snapshots.table();
    }

    private TestSnapshotStore.Builder on() {
        return TestSnapshotStore.on(client, table).smallItems();
    }

    private static Optional<Long> older(TestSnapshotStore store) {
        return TestSnapshotStore.await(store.store()
                .load(
                        ID,
                        TestSnapshotStore.ALL,
                        true,
                        snapshot -> CompletableFuture.completedFuture(snapshot.sequenceNumber())));
    }

    private void change(long sequenceNumber, Map<String, AttributeValue> attributes) {
        Map<String, AttributeValue> key = TestSnapshotStore.KEYS.key(ID, sequenceNumber);
        Map<String, AttributeValue> item =
                new HashMap<>(client.getItem(r -> r.tableName(table).key(key).consistentRead(true))
                        .join()
                        .item());
        item.putAll(attributes);
        client.putItem(r -> r.tableName(table).item(item)).join();
    }

    private static AttributeValue text(String value) {
        return AttributeValue.fromS(value);
    }

    private static AttributeValue number(String value) {
        return AttributeValue.fromN(value);
    }

    static Stream<Arguments> attributes() {
        return Stream.of(
                Arguments.of(Map.of("ts", number("1.5")), "'ts' is 1.5"),
                Arguments.of(Map.of("ts", number("1E30")), "'ts' is 1"),
                Arguments.of(Map.of("expiry", text("soon")), "'expiry' is a string"),
                Arguments.of(Map.of("expiry", number("1E30")), "'expiry' is 1"),
                Arguments.of(Map.of("expiry", number("9223372036854775807")), "'expiry' is 9223372036854775807"),
                Arguments.of(Map.of("expiry", number("0.5")), "'expiry' is 0.5"),
                Arguments.of(Map.of("ser_id", number("4294967296")), "'ser_id' is 4294967296"),
                Arguments.of(Map.of("ser_id", text("20")), "'ser_id' is a string"),
                Arguments.of(Map.of("ser_manifest", number("1")), "'ser_manifest' is a number"),
                Arguments.of(Map.of("comp", number("1")), "'comp' is a number"),
                Arguments.of(Map.of("meta", text("about")), "'meta' is a string"),
                Arguments.of(
                        Map.of(
                                "meta",
                                AttributeValue.fromB(SdkBytes.fromUtf8String("about")),
                                "meta_ser_id",
                                number("1E20")),
                        "'meta_ser_id' is 1"),
                Arguments.of(Map.of("part_key", number("1")), "'part_key' is a number"),
                Arguments.of(Map.of("part_key", text("x".repeat(2_049)), "parts", number("1")), "'part_key' cannot be"),
                Arguments.of(Map.of("part_key", text("x".repeat(2_043)), "parts", number("1")), "'part_key' cannot be"),
                Arguments.of(Map.of("part_key", text("x")), "'parts' is missing"),
                Arguments.of(Map.of("part_key", text("x"), "parts", number("0")), "'parts' is 0"),
                Arguments.of(Map.of("part_key", text("x"), "parts", number("4294967297")), "'parts' is 4294967297"),
                Arguments.of(Map.of("part_key", text("x"), "parts", number("1000000")), "'parts' is 1000000"),
                Arguments.of(
                        Map.of("part_key", text("x"), "parts", number("1"), "part_form", number("2")),
                        "'part_bytes' is missing"),
                Arguments.of(
                        Map.of(
                                "part_key",
                                text("x"),
                                "parts",
                                number("9"),
                                "part_form",
                                number("2"),
                                "part_bytes",
                                number("8")),
                        "'part_bytes' is 8"),
                Arguments.of(
                        Map.of(
                                "part_key",
                                text("x"),
                                "parts",
                                number("1"),
                                "part_form",
                                number("2"),
                                "part_bytes",
                                number("1E18")),
                        "are allowed"),
                Arguments.of(Map.of("part_key", text("x"), "parts", number("3")), "lacks 3 of its 3 parts"));
    }

    @ParameterizedTest
    @MethodSource("attributes")
    void load_ofAnItemThatIsNotAsItShouldBe_saysWhich_andGoesBackIfAskedTo(
            Map<String, AttributeValue> attributes, String said) {
        TestSnapshotStore store = on().build();
        store.save(snapshot(ID, 1, 10));
        store.save(snapshot(ID, 2, 10));
        change(2, attributes);
        assertThatThrownBy(() -> store.load(ID))
                .isInstanceOf(SnapshotException.class)
                .hasMessageContaining("The snapshot 2 of 'cart|1'")
                .hasMessageContaining(said);
        assertThat(older(store)).contains(1L);
        store.delete(ID, 2);
        assertThat(store.load(ID)).contains(snapshot(ID, 1, 10));
    }

    @Test
    void load_ofANumberThatIsAFraction_saysSo_andGoesBackIfAskedTo() {
        TestSnapshotStore store = on().build();
        store.save(snapshot(ID, 1, 10));
        Map<String, AttributeValue> item = new HashMap<>(TestSnapshotStore.KEYS.key(ID, 1));
        item.putAll(Map.of("seq", number("1.5"), "ts", number("1"), "ser_id", number("20")));
        item.put("pay_data", AttributeValue.fromB(SdkBytes.fromUtf8String("foreign")));
        client.putItem(r -> r.tableName(table).item(item)).join();
        assertThatThrownBy(() -> store.load(ID))
                .isInstanceOf(SnapshotException.class)
                .hasMessageContaining("The snapshot 1.5 of 'cart|1'");
        assertThat(older(store)).contains(1L);
        store.delete(ID, TestSnapshotStore.upTo(2));
        assertThat(TestSnapshotStore.scan(client, table)).isEmpty();
    }

    private static Snapshot zeros(int size) {
        return new Snapshot(
                ID,
                2,
                snapshot(ID, 2, 0).timestamp(),
                new Payload(SdkBytes.fromByteArray(new byte[size]), 20, ""),
                Optional.empty(),
                false);
    }

    @Test
    void load_ofBytesThatExpandBeyondTheLimit_saysSo_andGoesBackIfAskedTo() {
        on().build().save(snapshot(ID, 1, 10));
        on().gzip().build().save(zeros(3 * MEGABYTE));
        TestSnapshotStore exact = on().maxLoadedSize(3 * MEGABYTE).build();
        assertThat(exact.load(ID)).contains(zeros(3 * MEGABYTE));
        TestSnapshotStore limited = on().maxLoadedSize(3 * MEGABYTE - 1).build();
        assertThatThrownBy(() -> limited.load(ID))
                .isInstanceOf(SnapshotException.class)
                .hasMessageContaining("The snapshot 2 of 'cart|1' is not loaded: it has more than 3145727 bytes")
                .hasMessageContaining("Raise max-loaded-size");
        assertThat(older(limited)).contains(1L);
    }

    @Test
    void save_ofBytesThatCouldNotBeLoadedAgain_isRefused() {
        TestSnapshotStore limited =
                on().gzip().maxSnapshotSize(1000).maxLoadedSize(20_000).build();
        limited.save(zeros(20_000));
        proxy.requests().clear();
        assertThatThrownBy(() -> limited.save(zeros(20_001)))
                .isInstanceOf(SnapshotTooLargeException.class)
                .hasMessageContaining("has 20001 bytes before it is compressed, and max-loaded-size is 20000");
        assertThat(proxy.requests().size()).as("nothing is sent").isZero();
    }

    @Test
    void load_ofPartsBeyondTheLimit_fetchesNone() {
        on().build().save(snapshot(ID, 1, 10));
        on().build().save(snapshot(ID, 2, LARGE));
        proxy.requests().clear();
        TestSnapshotStore limited = on().maxLoadedSize(LARGE - 1).build();
        assertThatThrownBy(() -> limited.load(ID))
                .isInstanceOf(SnapshotException.class)
                .hasMessageContaining("its parts have 22000 bytes, and 21999 are allowed");
        assertThat(proxy.requests().operations()).containsExactly("Query");
        assertThat(older(limited)).contains(1L);
    }

    @Test
    void load_ofPartsThatAreMoreThanTheHeadSays_stopsAtTheLimit() {
        on().build().save(snapshot(ID, 1, 10));
        on().build().save(snapshot(ID, 2, 100_000));
        change(2, Map.of("part_bytes", number("5000")));
        proxy.requests().clear();
        TestSnapshotStore store = on().oneAfterAnother().build();
        assertThatThrownBy(() -> store.load(ID))
                .isInstanceOf(SnapshotException.class)
                .hasMessageContaining("its parts have more than 5000 bytes");
        assertThat(proxy.requests().operations()).containsExactly("Query", "BatchGetItem(12)");
        assertThat(older(store)).contains(1L);
    }
}
