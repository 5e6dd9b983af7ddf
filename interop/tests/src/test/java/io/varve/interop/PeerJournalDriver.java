package io.varve.interop;

import io.varve.interop.peer.Command;
import io.varve.interop.peer.JournalDriver;
import io.varve.interop.peer.Recovered;
import io.varve.interop.peer.StoredSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A node in the predecessor's JVM. */
final class PeerJournalDriver implements JournalDriver {

    private final PeerProcess process;
    private final String node = UUID.randomUUID().toString();

    private PeerJournalDriver(PeerProcess process) {
        this.process = process;
    }

    static PeerJournalDriver open(PeerProcess process, String config) {
        PeerJournalDriver driver = new PeerJournalDriver(process);
        driver.call(Command.OPEN, config);
        return driver;
    }

    @Override
    public Recovered recoverTo(String persistenceId, long toSequenceNumber, long max) {
        List<String> answer = call(Command.RECOVER, persistenceId, Long.toString(toSequenceNumber), Long.toString(max));
        List<Recovered.Event> events = new ArrayList<>();
        for (int i = 1; i < answer.size(); i += 2) {
            events.add(new Recovered.Event(Long.parseLong(answer.get(i)), answer.get(i + 1)));
        }
        return new Recovered(events, Long.parseLong(answer.get(0)));
    }

    @Override
    public long persist(String persistenceId, String payload) {
        return sequenceNumber(call(Command.PERSIST, persistenceId, payload));
    }

    @Override
    public long persistAll(String persistenceId, List<String> payloads) {
        return sequenceNumber(call(Command.PERSIST_ALL, List.of(persistenceId), payloads));
    }

    @Override
    public long persistAllRejected(String persistenceId, List<String> payloads, int rejectedIndex) {
        return sequenceNumber(
                call(Command.PERSIST_ALL_REJECTED, List.of(persistenceId, Integer.toString(rejectedIndex)), payloads));
    }

    @Override
    public void delete(String persistenceId, long toSequenceNumber) {
        call(Command.DELETE, persistenceId, Long.toString(toSequenceNumber));
    }

    @Override
    public void saveSnapshot(String persistenceId, long sequenceNumber, String payload) {
        call(Command.SAVE_SNAPSHOT, persistenceId, Long.toString(sequenceNumber), payload);
    }

    @Override
    public Optional<StoredSnapshot> loadSnapshot(String persistenceId, long maxSequenceNumber, long maxTimestamp) {
        List<String> answer = call(
                Command.LOAD_SNAPSHOT, persistenceId, Long.toString(maxSequenceNumber), Long.toString(maxTimestamp));
        return answer.isEmpty()
                ? Optional.empty()
                : Optional.of(new StoredSnapshot(
                        Long.parseLong(answer.get(0)), Long.parseLong(answer.get(1)), answer.get(2)));
    }

    @Override
    public void deleteSnapshot(String persistenceId, long sequenceNumber) {
        call(Command.DELETE_SNAPSHOT, persistenceId, Long.toString(sequenceNumber));
    }

    @Override
    public void deleteSnapshots(String persistenceId, long maxSequenceNumber, long maxTimestamp) {
        call(Command.DELETE_SNAPSHOTS, persistenceId, Long.toString(maxSequenceNumber), Long.toString(maxTimestamp));
    }

    @Override
    public void stop(String persistenceId) {
        call(Command.STOP, persistenceId);
    }

    @Override
    public void close() {
        call(Command.CLOSE);
    }

    private List<String> call(Command command, String... arguments) {
        return call(command, List.of(arguments), List.of());
    }

    private List<String> call(Command command, List<String> arguments, List<String> payloads) {
        List<String> fields = new ArrayList<>(List.of(node));
        fields.addAll(arguments);
        fields.addAll(payloads);
        return process.call(command, fields);
    }

    private static long sequenceNumber(List<String> answer) {
        return Long.parseLong(answer.get(0));
    }
}
