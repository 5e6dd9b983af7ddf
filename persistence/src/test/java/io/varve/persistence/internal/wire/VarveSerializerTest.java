package io.varve.persistence.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import com.typesafe.config.ConfigFactory;
import io.varve.persistence.internal.publish.PublishedEvents;
import io.varve.persistence.internal.publish.PublishedEventsFormat;
import io.varve.persistence.internal.publish.PublishedNumber;
import io.varve.persistence.query.EventMetadata;
import io.varve.persistence.query.RandomValues;
import io.varve.persistence.query.SliceOffsets;
import io.varve.store.SliceRange;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.Payload;
import java.io.NotSerializableException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.persistence.query.NoOffset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.serialization.Serialization;
import org.apache.pekko.serialization.SerializationExtension;
import org.apache.pekko.serialization.Serializer;
import org.apache.pekko.serialization.Serializers;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Option;
import software.amazon.awssdk.core.SdkBytes;

/** What travels between nodes keeps its form, comes back equal, and is refused in words where it cannot be read. */
class VarveSerializerTest {
    private static ActorSystem system;
    private static VarveSerializer serializer;

    @BeforeAll
    static void startSystem() {
        system = ActorSystem.create(
                "serializer", ConfigFactory.load(ConfigFactory.parseString("pekko.loglevel = ERROR")));
        serializer = new VarveSerializer((ExtendedActorSystem) system);
    }

    @AfterAll
    static void stopSystem() {
        TestKit.shutdownActorSystem(system);
    }

    private static final PublishedEvents EVENTS = new PublishedEvents(List.of(
            new Event(
                    "cart|ä;1",
                    299,
                    new Payload(SdkBytes.fromUtf8String("added"), 20, "A"),
                    "writer",
                    "",
                    Optional.empty(),
                    Set.of(),
                    1_767_225_600_000_001L,
                    Optional.empty(),
                    Optional.empty(),
                    false),
            new Event(
                    "cart|ä;1",
                    300,
                    new Payload(SdkBytes.fromUtf8String("gone"), -1, ""),
                    "writer",
                    "adapter",
                    Optional.of(new Payload(SdkBytes.fromUtf8String("who"), 33, "M")),
                    Set.of("red", "green"),
                    1_767_225_600_000_002L,
                    Optional.of(new Event.Batch(1, 130, Optional.of("batch"))),
                    Optional.of(Instant.ofEpochSecond(1_800_000_000)),
                    true)));

    private static final SliceOffsets OFFSETS = SliceOffsets.of(Map.of(
            1023,
            SliceOffsets.timestampOffset(
                    Instant.parse("2026-01-01T00:00:00.000001Z"),
                    Instant.parse("2026-01-01T00:00:01Z"),
                    Map.of("cart|ä;1", 300L, "a", 1L)),
            5,
            SliceOffsets.timestampOffset(Instant.EPOCH, Instant.EPOCH, Map.of())));

    private static final SliceOffsets OFFSETS_WITH_FLOORS = OFFSETS.plus(
                    "cart", 5, SliceOffsets.timestampOffset(Instant.EPOCH, Instant.EPOCH, Map.of("cart|1", 1L)))
            .withFloor(new SliceRange("cart", 0, 15), Instant.parse("2026-01-01T00:00:00.000001Z"))
            .withFloor(new SliceRange("ä", 16, 1023), Instant.EPOCH);

    private static final EventMetadata METADATA =
            new EventMetadata(Optional.of("who it was"), Set.of("red", "grün;"), 2, 3);
    private static final EventMetadata TAGS_ONLY = new EventMetadata(Optional.empty(), Set.of("red"));

    private static final String METADATA_BYTES = "01020302066772c3bc6e3b037265640128000a77686f20697420776173";
    private static final String TAGS_ONLY_BYTES = "010101010372656400";

    private static final String EVENTS_BYTES =
            "0109636172747cc3a43b310200ab02828082e288d2a306280141056164646564067772697465720000"
                    + "1fac02848082e288d2a306010004676f6e650677726974657207616461707465720205677265656e03726564"
                    + "42014d0377686f01820105626174636880c8ceb40d00";
    private static final String OFFSETS_WITH_FLOORS_BYTES =
            "0203050463617274000000000106636172747c310105017c0000000000ff07017c80e4ad950de80782e4ad950d0002016101"
                    + "09636172747cc3a43b31ac02020463617274000f80e4ad950de80702c3a410ff070000";
    private static final String OFFSETS_BYTES_OF_VERSION_1 =
            "0102050000000000ff0780e4ad950de80782e4ad950d000201610109636172747cc3a43b31ac02";

    @Test
    void bytes_areThoseOfTheNewestVersion() throws NotSerializableException {
        assertThat(HexFormat.of().formatHex(serializer.toBinary(EVENTS))).isEqualTo(EVENTS_BYTES);
        assertThat(HexFormat.of().formatHex(serializer.toBinary(OFFSETS_WITH_FLOORS)))
                .isEqualTo(OFFSETS_WITH_FLOORS_BYTES);
        assertThat(HexFormat.of().formatHex(serializer.toBinary(METADATA))).isEqualTo(METADATA_BYTES);
        assertThat(HexFormat.of().formatHex(serializer.toBinary(TAGS_ONLY))).isEqualTo(TAGS_ONLY_BYTES);
        assertThat(serializer.fromBinary(HexFormat.of().parseHex(METADATA_BYTES), "M"))
                .isEqualTo(METADATA);
        assertThat(serializer.fromBinary(HexFormat.of().parseHex(TAGS_ONLY_BYTES), "M"))
                .isEqualTo(TAGS_ONLY);
        assertThat(serializer.fromBinary(HexFormat.of().parseHex(EVENTS_BYTES), "E"))
                .isEqualTo(EVENTS);
        assertThat(serializer.fromBinary(HexFormat.of().parseHex(OFFSETS_WITH_FLOORS_BYTES), "O"))
                .isEqualTo(OFFSETS_WITH_FLOORS);
    }

    @Test
    void numberOfAMessage_followsWhatTheVersionBeforeReads_whichIgnoresTheRest() throws NotSerializableException {
        PublishedEvents numbered = new PublishedEvents(EVENTS.events(), Optional.of(new PublishedNumber(-2, 300)));
        assertThat(HexFormat.of().formatHex(serializer.toBinary(numbered))).isEqualTo(EVENTS_BYTES + "03ac02");
        assertThat(serializer.fromBinary(serializer.toBinary(numbered), "E")).isEqualTo(numbered);
        assertThat(numbered.events()).isEqualTo(EVENTS.events());
    }

    @Test
    void offsetsOfVersion1_areRead_withoutFloors() throws NotSerializableException {
        assertThat(serializer.fromBinary(HexFormat.of().parseHex(OFFSETS_BYTES_OF_VERSION_1), "O"))
                .isEqualTo(OFFSETS);
    }

    @Test
    void pekko_findsThisSerializerUnderItsIdentifier() throws Exception {
        Serialization serialization = SerializationExtension.get(system);
        for (Object value : List.of(EVENTS, OFFSETS, OFFSETS_WITH_FLOORS, SliceOffsets.EMPTY, METADATA, TAGS_ONLY)) {
            Serializer found = serialization.findSerializerFor(value);
            assertThat(found).isInstanceOf(VarveSerializer.class);
            assertThat(found.identifier()).isEqualTo(847_331);
            byte[] bytes = serialization.serialize(value).get();
            assertThat(serialization
                            .deserialize(bytes, found.identifier(), Serializers.manifestFor(found, value))
                            .get())
                    .isEqualTo(value);
        }
    }

    @Test
    void anyValue_comesBackEqual() throws NotSerializableException {
        for (long seed = 0; seed < 1_000; seed++) {
            RandomValues random = new RandomValues(seed);
            for (Object value : List.of(random.publishedEvents(), random.sliceOffsets(), random.eventMetadata())) {
                assertThat(serializer.fromBinary(serializer.toBinary(value), serializer.manifest(value)))
                        .as("seed %d", seed)
                        .isEqualTo(value);
            }
        }
    }

    @Test
    void sizeThatIsEstimated_isNotExceeded() {
        for (long seed = 0; seed < 1_000; seed++) {
            PublishedEvents events = new RandomValues(seed).publishedEvents();
            assertThat(PublishedEventsFormat.sizeAtMost(events))
                    .as("seed %d", seed)
                    .isGreaterThanOrEqualTo(serializer.toBinary(events).length);
        }
    }

    @Test
    void equalOffsets_haveEqualBytes() {
        for (long seed = 0; seed < 100; seed++) {
            SliceOffsets offsets = new RandomValues(seed).sliceOffsets();
            SliceOffsets backwards = SliceOffsets.EMPTY;
            for (Map.Entry<SliceRange, Instant> floor : offsets.floors().entrySet()) {
                backwards = SliceOffsets.EMPTY
                        .withFloor(floor.getKey(), floor.getValue())
                        .plus(backwards);
            }
            backwards = backwards.plus(offsets);
            assertThat(backwards).isEqualTo(offsets);
            assertThat(serializer.toBinary(backwards)).isEqualTo(serializer.toBinary(offsets));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"E", "O", "M"})
    void unknownVersion_isRefusedInWords(String manifest) {
        assertThatThrownBy(() -> serializer.fromBinary(new byte[] {3, 0, 0}, manifest))
                .isInstanceOf(NotSerializableException.class)
                .hasMessageStartingWith("Version 3 of the format '" + manifest + "' is not known here");
    }

    @Test
    void unknownManifest_isRefusedInWords() {
        assertThatThrownBy(() -> serializer.fromBinary(new byte[] {1}, "X"))
                .isInstanceOf(NotSerializableException.class)
                .hasMessageStartingWith("The manifest 'X' is not known here");
    }

    @Test
    void damagedBytes_areRefusedInWords() {
        for (Object value : List.of(EVENTS, OFFSETS_WITH_FLOORS, METADATA, TAGS_ONLY)) {
            byte[] whole = serializer.toBinary(value);
            for (int length = 0; length < whole.length; length++) {
                byte[] part = Arrays.copyOf(whole, length);
                assertThatThrownBy(() -> serializer.fromBinary(part, serializer.manifest(value)))
                        .isInstanceOf(NotSerializableException.class)
                        .hasMessage("These " + length + " bytes with the manifest '" + serializer.manifest(value)
                                + "' are damaged.");
            }
        }
    }

    @Test
    void foreignBytes_areAValueOrRefusedInWords() {
        int refused = 0;
        for (long seed = 0; seed < 10_000; seed++) {
            RandomValues values = new RandomValues(seed);
            Random random = new Random(~seed);
            for (Object value : List.of(values.publishedEvents(), values.sliceOffsets(), values.eventMetadata())) {
                byte[] bytes = mutated(serializer.toBinary(value), random);
                try {
                    assertThat(serializer.fromBinary(bytes, serializer.manifest(value)))
                            .isNotNull();
                } catch (NotSerializableException e) {
                    assertThat(e.getMessage()).as("seed %s", seed).isNotBlank();
                    refused++;
                } catch (RuntimeException e) {
                    fail("seed %s: %s".formatted(seed, e), e);
                }
            }
        }
        assertThat(refused).isPositive();
    }

    private static byte[] mutated(byte[] bytes, Random random) {
        byte[] mutant = random.nextInt(4) == 0 ? Arrays.copyOf(bytes, random.nextInt(2 * bytes.length)) : bytes;
        for (int i = random.nextInt(3); i >= 0 && mutant.length > 1; i--) {
            int at = 1 + random.nextInt(mutant.length - 1);
            mutant[at] = (byte) (random.nextBoolean() ? mutant[at] ^ (1 << random.nextInt(8)) : random.nextInt(256));
        }
        return mutant;
    }

    /** 2^32 + 1 as a number and as a signed one, and 2^64. */
    @ParameterizedTest
    @CsvSource({
        "O, 01 01 8180808010 0000 0000 00", // a slice
        "M, 01 8180808010 8180808010 00 00", // a part and the number of parts
        "M, 01 01 01 00 01 8280808020 01 58 01 79", // a serializer
        "E, 01 01 61 01 02 01 02 28 00 00 00 00 00 8180808010 8180808010", // a place in an atomic write
        "E, 01 01 61 01 00 80808080808080808002 02 28 00 00 00 00 00", // a sequence number
        "E, 01 01 61 01 02 01 02 28 00 00 00 00 00 02 01", // the third event of an atomic write of two
    })
    void numbersThatDoNotFit_doNotWrap(String manifest, String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
        assertThatThrownBy(() -> serializer.fromBinary(bytes, manifest))
                .isInstanceOf(NotSerializableException.class)
                .hasMessage("These " + bytes.length + " bytes with the manifest '" + manifest + "' are damaged.");
    }

    @Test
    void otherTypes_areRefused() {
        assertThatThrownBy(() -> serializer.toBinary("text"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("serializes PublishedEvents, SliceOffsets and EventMetadata");
        assertThatThrownBy(() -> serializer.manifest("text")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void metadata_travelsInPekkosEnvelope() throws Exception {
        EventEnvelope<String> envelope = new EventEnvelope<>(
                NoOffset.getInstance(), "cart|1", 1, Option.apply("added"), 1_000, Option.apply(METADATA), "cart", 5);
        Serialization serialization = SerializationExtension.get(system);
        Serializer found = serialization.findSerializerFor(envelope);
        byte[] bytes = serialization.serialize(envelope).get();
        Object back = serialization
                .deserialize(bytes, found.identifier(), Serializers.manifestFor(found, envelope))
                .get();
        assertThat(back).isEqualTo(envelope);
        assertThat(EventMetadata.of((EventEnvelope<?>) back)).isEqualTo(METADATA);
    }

    @Test
    void metadataWithoutASerializer_isRefusedInWords() {
        assertThatThrownBy(() -> serializer.toBinary(new EventMetadata(Optional.of(new Object()), Set.of())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("The metadata of an event, a java.lang.Object, cannot be serialized.");
        byte[] ofAnUnknownSerializer = {1, 1, 1, 0, 1, (byte) 0xD2, (byte) 0x09, 1, 'X', 1, 'y'};
        assertThatThrownBy(() -> serializer.fromBinary(ofAnUnknownSerializer, "M"))
                .isInstanceOf(NotSerializableException.class)
                .hasMessageStartingWith(
                        "The metadata of an event cannot be deserialized (serializer 617, manifest 'X')");
    }
}
