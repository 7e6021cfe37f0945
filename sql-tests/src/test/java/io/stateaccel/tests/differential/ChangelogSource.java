/*
 * Copyright the flink-state-accel authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.stateaccel.tests.differential;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.types.Row;

/**
 * Plays a fixed changelog in order from one reader, remembers its position in checkpoints, and
 * takes part in a {@link Restart}: it waits at a position until a checkpoint has completed there,
 * and may fail some rows later.
 */
final class ChangelogSource
        implements Source<Row, ChangelogSource.Position, ChangelogSource.Unassigned> {

    private static final long serialVersionUID = 1L;

    private final ArrayList<Row> changelog;
    private final Restart restart;
    private final int pauseAt;
    private final int failAt;

    /**
     * @param restart the failure to take part in, or null to play the changelog straight through
     * @param pauseAt where to wait for a checkpoint
     * @param failAt where to fail, or a negative number when another source does
     */
    ChangelogSource(List<Row> changelog, Restart restart, int pauseAt, int failAt) {
        this.changelog = new ArrayList<>(changelog);
        this.restart = restart;
        this.pauseAt = pauseAt;
        this.failAt = failAt;
    }

    /** The whole changelog is one split whose state is the number of rows already emitted. */
    record Position(int value) implements SourceSplit {
        @Override
        public String splitId() {
            return "changelog";
        }
    }

    /** Enumerator state: whether the only split still waits for its reader. */
    record Unassigned(List<Position> splits) {}

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.BOUNDED;
    }

    @Override
    public SourceReader<Row, Position> createReader(SourceReaderContext context) {
        return new Reader();
    }

    @Override
    public SplitEnumerator<Position, Unassigned> createEnumerator(
            SplitEnumeratorContext<Position> context) {
        return new Enumerator(context, List.of(new Position(0)));
    }

    @Override
    public SplitEnumerator<Position, Unassigned> restoreEnumerator(
            SplitEnumeratorContext<Position> context, Unassigned checkpoint) {
        return new Enumerator(context, checkpoint.splits());
    }

    @Override
    public SimpleVersionedSerializer<Position> getSplitSerializer() {
        return new PositionSerializer();
    }

    @Override
    public SimpleVersionedSerializer<Unassigned> getEnumeratorCheckpointSerializer() {
        return new UnassignedSerializer();
    }

    private final class Reader implements SourceReader<Row, Position> {

        private boolean assigned;
        private boolean noMoreSplits;
        private int position;
        private long checkpointAtPause = -1;
        private boolean pauseCovered;
        private CompletableFuture<Void> available = new CompletableFuture<>();

        @Override
        public void start() {}

        @Override
        public InputStatus pollNext(ReaderOutput<Row> output) {
            if (!assigned) {
                return noMoreSplits ? InputStatus.END_OF_INPUT : nothingAvailable();
            }
            if (restart != null && restart.isPending()) {
                if (position == pauseAt && !pauseCovered) {
                    return nothingAvailable();
                }
                if (position == failAt) {
                    restart.failOnce();
                }
            }
            if (position == changelog.size()) {
                return InputStatus.END_OF_INPUT;
            }
            output.collect(changelog.get(position));
            position++;
            return InputStatus.MORE_AVAILABLE;
        }

        private InputStatus nothingAvailable() {
            if (available.isDone()) {
                available = new CompletableFuture<>();
            }
            return InputStatus.NOTHING_AVAILABLE;
        }

        @Override
        public CompletableFuture<Void> isAvailable() {
            return available;
        }

        @Override
        public List<Position> snapshotState(long checkpointId) {
            if (assigned && position == pauseAt && checkpointAtPause < 0) {
                checkpointAtPause = checkpointId;
            }
            return assigned ? List.of(new Position(position)) : List.of();
        }

        @Override
        public void notifyCheckpointComplete(long checkpointId) {
            if (checkpointAtPause >= 0 && checkpointId >= checkpointAtPause) {
                pauseCovered = true;
                available.complete(null);
            }
        }

        @Override
        public void addSplits(List<Position> splits) {
            for (Position split : splits) {
                assigned = true;
                position = split.value();
                if (restart != null && position > 0) {
                    restart.readerRestored();
                }
            }
            available.complete(null);
        }

        @Override
        public void notifyNoMoreSplits() {
            noMoreSplits = true;
            available.complete(null);
        }

        @Override
        public void close() {}
    }

    private static final class Enumerator implements SplitEnumerator<Position, Unassigned> {

        private final SplitEnumeratorContext<Position> context;
        private final List<Position> unassigned;

        Enumerator(SplitEnumeratorContext<Position> context, List<Position> unassigned) {
            this.context = context;
            this.unassigned = new ArrayList<>(unassigned);
        }

        @Override
        public void start() {}

        @Override
        public void addReader(int subtask) {
            assignTo(subtask);
        }

        private void assignTo(int subtask) {
            unassigned.forEach(split -> context.assignSplit(split, subtask));
            unassigned.clear();
            context.signalNoMoreSplits(subtask);
        }

        @Override
        public void handleSplitRequest(int subtask, String host) {}

        @Override
        public void addSplitsBack(List<Position> splits, int subtask) {
            unassigned.addAll(splits);
            if (context.registeredReaders().containsKey(subtask)) {
                assignTo(subtask);
            }
        }

        @Override
        public Unassigned snapshotState(long checkpointId) {
            return new Unassigned(List.copyOf(unassigned));
        }

        @Override
        public void close() {}
    }

    private static final class PositionSerializer implements SimpleVersionedSerializer<Position> {

        @Override
        public int getVersion() {
            return 1;
        }

        @Override
        public byte[] serialize(Position position) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            new DataOutputStream(bytes).writeInt(position.value());
            return bytes.toByteArray();
        }

        @Override
        public Position deserialize(int version, byte[] bytes) throws IOException {
            return new Position(new DataInputStream(new ByteArrayInputStream(bytes)).readInt());
        }
    }

    private static final class UnassignedSerializer
            implements SimpleVersionedSerializer<Unassigned> {

        @Override
        public int getVersion() {
            return 1;
        }

        @Override
        public byte[] serialize(Unassigned unassigned) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            out.writeInt(unassigned.splits().size());
            for (Position position : unassigned.splits()) {
                out.writeInt(position.value());
            }
            return bytes.toByteArray();
        }

        @Override
        public Unassigned deserialize(int version, byte[] bytes) throws IOException {
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
            List<Position> splits = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
                splits.add(new Position(in.readInt()));
            }
            return new Unassigned(splits);
        }
    }
}
