package io.varve.persistence.internal.serialization;

import io.varve.persistence.internal.plugin.Futures;
import io.varve.store.internal.layout.Payload;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.serialization.AsyncSerializer;
import org.apache.pekko.serialization.Serialization;
import org.apache.pekko.serialization.Serialization$;
import org.apache.pekko.serialization.SerializationExtension;
import org.apache.pekko.serialization.Serializer;
import org.apache.pekko.serialization.Serializers;
import software.amazon.awssdk.core.SdkBytes;

/** Turns objects into payloads and back with the actor system's serializers, asynchronous ones included. */
public final class Payloads {
    private final ExtendedActorSystem system;
    private final Serialization serialization;

    /** The payloads of an actor system. */
    public Payloads(ActorSystem system) {
        this.system = (ExtendedActorSystem) system;
        this.serialization = SerializationExtension.get(system);
    }

    /** Serializes an object; a failure of its serializer fails the stage. */
    public CompletionStage<Payload> serialize(Object object) {
        try {
            Serializer serializer = serialization.findSerializerFor(object);
            String manifest = Serializers.manifestFor(serializer, object);
            if (serializer instanceof AsyncSerializer asynchronous) {
                return Futures.toJava(Serialization$.MODULE$.withTransportInformation(
                                system, () -> asynchronous.toBinaryAsync(object)))
                        .thenApply(bytes -> payload(serializer, manifest, bytes));
            }
            byte[] bytes = serialization.serialize(object).get();
            return CompletableFuture.completedFuture(payload(serializer, manifest, bytes));
        } catch (Exception | LinkageError e) {
            return Futures.failed(e);
        }
    }

    /** Deserializes a payload; a failure of its serializer fails the stage. */
    public CompletionStage<Object> deserialize(Payload payload) {
        try {
            byte[] bytes = payload.bytes().asByteArrayUnsafe();
            Serializer serializer = serialization
                    .serializerByIdentity()
                    .get(payload.serializerId())
                    .getOrElse(() -> null);
            if (serializer instanceof AsyncSerializer asynchronous) {
                return Futures.toJava(Serialization$.MODULE$.withTransportInformation(
                        system, () -> asynchronous.fromBinaryAsync(bytes, payload.manifest())));
            }
            return CompletableFuture.completedFuture(serialization
                    .deserialize(bytes, payload.serializerId(), payload.manifest())
                    .get());
        } catch (Exception | LinkageError e) {
            return Futures.failed(e);
        }
    }

    private static Payload payload(Serializer serializer, String manifest, byte[] bytes) {
        return new Payload(SdkBytes.fromByteArrayUnsafe(bytes), serializer.identifier(), manifest);
    }
}
