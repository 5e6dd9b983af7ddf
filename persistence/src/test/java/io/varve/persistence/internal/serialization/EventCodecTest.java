package io.varve.persistence.internal.serialization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import io.varve.store.VarveException;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.Payload;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.SdkBytes;

/** Whatever the bytes of an event are, they are an event or refused by its name. */
class EventCodecTest {
    private static final int TEXT = 20;
    private static final int REPRESENTATION = 7;
    private static final byte[] OLDEST = HexFormat.of().parseHex("0a08081412046f6c643110011a036c65676a06772d75756964");

    private static ActorSystem system;
    private static EventCodec codec;

    @BeforeAll
    static void startSystem() {
        system = ActorSystem.create("codec", ConfigFactory.load(ConfigFactory.parseString("pekko.loglevel = OFF")));
        codec = new EventCodec(system);
    }

    @AfterAll
    static void stopSystem() {
        TestKit.shutdownActorSystem(system);
    }

    private static Object decode(byte[] bytes, int serializer, boolean legacy) {
        Payload payload = new Payload(SdkBytes.fromByteArray(bytes), serializer, "");
        Event event = new Event(
                "leg",
                205,
                payload,
                "writer",
                "",
                Optional.empty(),
                Set.of(),
                0,
                Optional.empty(),
                Optional.empty(),
                legacy);
        return codec.decode(event).toCompletableFuture().join().payload();
    }

    @Test
    void nothing_isNoEvent() {
        assertThat(decode(new byte[] {'a'}, TEXT, false)).isEqualTo("a");
        assertThatThrownBy(() -> decode(new byte[0], 0, false))
                .hasCauseInstanceOf(VarveException.class)
                .hasMessageContaining("Event 205 of 'leg' cannot be deserialized (serializer 0, manifest ''");
    }

    @Test
    void somethingElseInTheOldestFormat_isRefused() {
        assertThat(decode(OLDEST, REPRESENTATION, true)).isEqualTo("old1");
        assertThatThrownBy(() -> decode(new byte[] {'a'}, TEXT, true))
                .hasCauseInstanceOf(VarveException.class)
                .hasMessageContaining("Event 205 of 'leg' cannot be deserialized (serializer 20, manifest ''");
    }

    @Test
    void foreignBytesInTheOldestFormat_areAnEventOrRefused() {
        for (long seed = 0; seed < 5_000; seed++) {
            Random random = new Random(seed);
            byte[] bytes = OLDEST.clone();
            for (int i = random.nextInt(3); i >= 0; i--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                assertThat(decode(bytes, REPRESENTATION, true))
                        .as("seed %s", seed)
                        .isNotNull();
            } catch (CompletionException e) {
                assertThat(e.getCause())
                        .as("seed %s", seed)
                        .isInstanceOf(VarveException.class)
                        .hasMessageContaining("Event 205 of 'leg' cannot be deserialized");
            }
        }
    }
}
