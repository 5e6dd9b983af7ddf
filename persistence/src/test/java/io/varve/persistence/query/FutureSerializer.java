package io.varve.persistence.query;

import io.varve.persistence.internal.wire.VarveSerializer;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.serialization.SerializerWithStringManifest;

/** The serializer of a version of Varve that does not exist yet. */
public final class FutureSerializer extends SerializerWithStringManifest {
    private static final int IDENTIFIER = 847_331;

    private final VarveSerializer today;

    /** Called by Pekko. */
    public FutureSerializer(ExtendedActorSystem system) {
        this.today = new VarveSerializer(system);
    }

    @Override
    public int identifier() {
        return IDENTIFIER;
    }

    @Override
    public String manifest(Object object) {
        return today.manifest(object);
    }

    @Override
    public byte[] toBinary(Object object) {
        byte[] bytes = today.toBinary(object);
        bytes[0] = 99;
        return bytes;
    }

    @Override
    public Object fromBinary(byte[] bytes, String manifest) {
        throw new UnsupportedOperationException("This node only writes.");
    }
}
