package io.varve.persistence.journal;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.serialization.AsyncSerializerWithStringManifestCS;

/** An asynchronous serializer of strings, whose results come from another thread; it fails for those that begin with "bad". */
public final class SlowStringSerializer extends AsyncSerializerWithStringManifestCS {
    /** Called by Pekko. */
    public SlowStringSerializer(ExtendedActorSystem system) {
        super(system);
    }

    @Override
    public int identifier() {
        return 424_242;
    }

    @Override
    public String manifest(Object object) {
        return "text";
    }

    @Override
    public CompletionStage<byte[]> toBinaryAsyncCS(Object object) {
        String text = (String) object;
        return CompletableFuture.supplyAsync(() -> {
            if (text.startsWith("bad")) {
                throw new IllegalArgumentException(text + " refused");
            }
            return text.getBytes(StandardCharsets.UTF_8);
        });
    }

    @Override
    public CompletionStage<Object> fromBinaryAsyncCS(byte[] bytes, String manifest) {
        return CompletableFuture.supplyAsync(() -> new String(bytes, StandardCharsets.UTF_8));
    }
}
