package io.varve.simulation;

import io.varve.store.internal.layout.Payload;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import software.amazon.awssdk.core.SdkBytes;

/** What snapshots hold: which history it is, up to which number, and as many bytes as wanted. */
final class SavedStates {
    private static final int HEADER = 2 * Integer.BYTES;
    private static final byte FILL = 'x';

    private record State(History history, long at) {}

    private final List<State> states = new ArrayList<>();

    Payload encode(History history, long at, int bytes) {
        states.add(new State(history, at));
        byte[] all = new byte[HEADER + bytes];
        Arrays.fill(all, FILL);
        ByteBuffer.wrap(all).putInt(states.size() - 1).putInt(bytes);
        return Instance.payload(SdkBytes.fromByteArrayUnsafe(all));
    }

    /** The history that was saved, if all of it is there. */
    History decode(Payload payload) {
        byte[] all = payload.bytes().asByteArrayUnsafe();
        ByteBuffer header = ByteBuffer.wrap(all);
        if (all.length < HEADER || !isWhole(all, header.getInt(Integer.BYTES))) {
            throw new BrokenPromise("A snapshot was loaded that is not as it was saved: " + all.length + " bytes.");
        }
        State state = states.get(header.getInt(0));
        return History.upTo(state.history, state.at);
    }

    private static boolean isWhole(byte[] all, int bytes) {
        for (int i = HEADER; i < all.length; i++) {
            if (all[i] != FILL) {
                return false;
            }
        }
        return all.length == HEADER + bytes;
    }
}
