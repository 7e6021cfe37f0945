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

import java.nio.ByteBuffer;
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
 * Plays a fixed changelog in order from its only reader, remembers its position in checkpoints, and
 * stops at the holds of a {@link Playback}.
 *
 * <p>The reader starts with its split instead of asking the enumerator for it. A split on its way
 * from the enumerator to the reader when the first checkpoint was taken was in neither's snapshot,
 * in about one of a hundred jobs on a busy machine, and after the restore the table was empty.
 */
final class ChangelogSource implements Source<Row, ChangelogSource.Position, Void> {

    private static final long serialVersionUID = 1L;

    private static final CompletableFuture<Void> AVAILABLE =
            CompletableFuture.completedFuture(null);

    private final String name;
    private final ArrayList<Row> changelog;
    private final int burst;
    private final Playback playback;
    private final int[] holds;

    /**
     * @param name of the source among all of the job
     * @param holds positions to stop at, in ascending order
     */
    ChangelogSource(String name, TestTable table, Playback playback, int[] holds) {
        this.name = name;
        this.changelog = new ArrayList<>(table.changelog());
        this.burst = table.burst();
        this.playback = playback;
        this.holds = holds;
    }

    /** The whole changelog is one split whose state is the number of rows already emitted. */
    record Position(int value) implements SourceSplit {
        @Override
        public String splitId() {
            return "changelog";
        }
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.BOUNDED;
    }

    @Override
    public SourceReader<Row, Position> createReader(SourceReaderContext context) {
        return new Reader();
    }

    @Override
    public SplitEnumerator<Position, Void> createEnumerator(
            SplitEnumeratorContext<Position> context) {
        return new IdleEnumerator();
    }

    @Override
    public SplitEnumerator<Position, Void> restoreEnumerator(
            SplitEnumeratorContext<Position> context, Void checkpoint) {
        return new IdleEnumerator();
    }

    @Override
    public SimpleVersionedSerializer<Position> getSplitSerializer() {
        return new PositionSerializer();
    }

    @Override
    public SimpleVersionedSerializer<Void> getEnumeratorCheckpointSerializer() {
        return new NothingSerializer();
    }

    private final class Reader implements SourceReader<Row, Position> {

        private final int attempt = playback.attempt();

        private int position;
        private CompletableFuture<Void> available = AVAILABLE;

        @Override
        public void start() {}

        @Override
        public InputStatus pollNext(ReaderOutput<Row> output) throws InterruptedException {
            available = playback.mayEmit(name, attempt, position, holds);
            if (!available.isDone()) {
                return InputStatus.NOTHING_AVAILABLE;
            }
            if (position == changelog.size()) {
                return InputStatus.END_OF_INPUT;
            }
            output.collect(changelog.get(position));
            position++;
            playback.emitted(attempt);
            if (position % burst == 0) {
                Thread.sleep(1);
            }
            return InputStatus.MORE_AVAILABLE;
        }

        @Override
        public CompletableFuture<Void> isAvailable() {
            return available;
        }

        @Override
        public List<Position> snapshotState(long checkpointId) {
            return List.of(new Position(position));
        }

        /** Called before {@link #start} when there is a checkpoint to go back to, else never. */
        @Override
        public void addSplits(List<Position> splits) {
            for (Position split : splits) {
                position = split.value();
                if (position > 0) {
                    playback.readerRestored();
                }
            }
        }

        @Override
        public void notifyNoMoreSplits() {}

        @Override
        public void close() {}
    }

    private static final class IdleEnumerator implements SplitEnumerator<Position, Void> {

        @Override
        public void start() {}

        @Override
        public void handleSplitRequest(int subtask, String host) {}

        @Override
        public void addSplitsBack(List<Position> splits, int subtask) {}

        @Override
        public void addReader(int subtask) {}

        @Override
        public Void snapshotState(long checkpointId) {
            return null;
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
        public byte[] serialize(Position position) {
            return ByteBuffer.allocate(Integer.BYTES).putInt(position.value()).array();
        }

        @Override
        public Position deserialize(int version, byte[] bytes) {
            return new Position(ByteBuffer.wrap(bytes).getInt());
        }
    }

    private static final class NothingSerializer implements SimpleVersionedSerializer<Void> {

        @Override
        public int getVersion() {
            return 1;
        }

        @Override
        public byte[] serialize(Void nothing) {
            return new byte[0];
        }

        @Override
        public Void deserialize(int version, byte[] bytes) {
            return null;
        }
    }
}
