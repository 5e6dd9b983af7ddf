package io.varve.persistence.internal.wire;

import io.varve.persistence.internal.publish.PublishedEvents;
import io.varve.persistence.internal.publish.PublishedEventsFormat;
import io.varve.persistence.internal.serialization.BinaryReader;
import io.varve.persistence.internal.serialization.BinaryWriter;
import io.varve.persistence.internal.serialization.Payloads;
import io.varve.persistence.query.EventMetadata;
import io.varve.persistence.query.SliceOffsets;
import java.io.NotSerializableException;
import java.nio.BufferUnderflowException;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.serialization.BaseSerializer$;
import org.apache.pekko.serialization.SerializerWithStringManifest;

/**
 * The serializer of what travels between nodes and into offset stores. The first byte is the version of the format. Whoever
 * changes a format gives it a new version and goes on reading the old ones. It is written one release later than it is read,
 * for nodes of two releases run side by side in an update, and Pekko drops a message that it cannot read with an ERROR.
 */
public final class VarveSerializer extends SerializerWithStringManifest {
    private static final String EVENTS = "E";
    private static final String OFFSETS = "O";
    private static final String METADATA = "M";
    private static final int FIRST_VERSION = 1;
    private static final int VERSION_OF_OFFSETS = 2;

    private final ExtendedActorSystem system;
    private final int identifier;

    /** Called by Pekko. */
    public VarveSerializer(ExtendedActorSystem system) {
        this.system = system;
        this.identifier = BaseSerializer$.MODULE$.identifierFromConfig(getClass(), system);
    }

    @Override
    public int identifier() {
        return identifier;
    }

    @Override
    public String manifest(Object object) {
        if (object instanceof PublishedEvents) {
            return EVENTS;
        }
        if (object instanceof SliceOffsets) {
            return OFFSETS;
        }
        if (object instanceof EventMetadata) {
            return METADATA;
        }
        throw unknown(object);
    }

    @Override
    public byte[] toBinary(Object object) {
        BinaryWriter writer = new BinaryWriter();
        writer.oneByte(object instanceof SliceOffsets ? VERSION_OF_OFFSETS : FIRST_VERSION);
        if (object instanceof PublishedEvents events) {
            PublishedEventsFormat.write(events, writer);
        } else if (object instanceof SliceOffsets offsets) {
            SliceOffsetsFormat.write(offsets, writer);
        } else if (object instanceof EventMetadata metadata) {
            EventMetadataFormat.write(metadata, payloads(), writer);
        } else {
            throw unknown(object);
        }
        return writer.toByteArray();
    }

    @Override
    public Object fromBinary(byte[] bytes, String manifest) throws NotSerializableException {
        BinaryReader reader = new BinaryReader(bytes);
        try {
            int version = reader.oneByte();
            int newest = manifest.equals(OFFSETS) ? VERSION_OF_OFFSETS : FIRST_VERSION;
            if (version < FIRST_VERSION || version > newest) {
                throw new NotSerializableException("Version " + version + " of the format '" + manifest
                        + "' is not known here: it was written by a newer version of Varve, or by something else.");
            }
            return switch (manifest) {
                case EVENTS -> PublishedEventsFormat.read(reader);
                case OFFSETS ->
                    version == FIRST_VERSION
                            ? SliceOffsetsFormat.readVersion1(reader)
                            : SliceOffsetsFormat.read(reader);
                case METADATA -> EventMetadataFormat.read(reader, payloads());
                default ->
                    throw new NotSerializableException("The manifest '" + manifest
                            + "' is not known here: it was written by a newer version of Varve, or by something else.");
            };
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            NotSerializableException unreadable = new NotSerializableException(
                    "These " + bytes.length + " bytes with the manifest '" + manifest + "' are damaged.");
            unreadable.initCause(e);
            throw unreadable;
        }
    }

    /** The serializers are not there yet when this one is made. */
    private Payloads payloads() {
        return new Payloads(system);
    }

    private static IllegalArgumentException unknown(Object object) {
        return new IllegalArgumentException(
                object.getClass().getName() + " is bound to " + VarveSerializer.class.getName() + ", which serializes "
                        + PublishedEvents.class.getSimpleName() + ", " + SliceOffsets.class.getSimpleName() + " and "
                        + EventMetadata.class.getSimpleName() + ".");
    }
}
