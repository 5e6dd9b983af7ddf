package io.varve.chaos.node;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.actor.typed.ActorRefResolver;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.serialization.SerializerWithStringManifest;

/** Commands between nodes: operation, amounts and who gets the answer, a line each. */
public final class AccountCommandSerializer extends SerializerWithStringManifest {
    private final ExtendedActorSystem system;

    /** Called by Pekko. */
    public AccountCommandSerializer(ExtendedActorSystem system) {
        this.system = system;
    }

    @Override
    public int identifier() {
        return 770_001;
    }

    @Override
    public String manifest(Object message) {
        return "";
    }

    @Override
    public byte[] toBinary(Object message) {
        AccountCommand.Move move = (AccountCommand.Move) message;
        String amounts = move.amounts().stream().map(Object::toString).collect(Collectors.joining(","));
        return String.join("\n", move.operation(), amounts, resolver().toSerializationFormat(move.replyTo()))
                .getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Object fromBinary(byte[] bytes, String manifest) {
        List<String> lines = new String(bytes, StandardCharsets.UTF_8).lines().toList();
        List<Long> amounts =
                Stream.of(lines.get(1).split(",", -1)).map(Long::valueOf).toList();
        return new AccountCommand.Move(lines.get(0), amounts, resolver().resolveActorRef(lines.get(2)));
    }

    private ActorRefResolver resolver() {
        return ActorRefResolver.get(Adapter.toTyped(system));
    }
}
