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
package io.stateaccel.views.list;

import static io.stateaccel.views.join.records.ViewRows.row;
import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.views.join.records.RowLogStub;
import java.util.ArrayDeque;
import java.util.Random;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A queue of one key, with how much is stored and read. */
class RowQueueTest {

    private final RowLogStub log = new RowLogStub();
    private final RowQueue queue = new RowQueue(log);

    static long[] seeds() {
        Long replay = Long.getLong("stateaccel.seed");
        return replay != null
                ? new long[] {replay}
                : new Random(System.nanoTime())
                        .longs(Integer.getInteger("stateaccel.cases", 12))
                        .toArray();
    }

    /** Random bundles, small and large, against a plain queue. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void sameRowsAsAPlainQueue(long seed) throws Exception {
        Random random = new Random(seed);
        ArrayDeque<RowData> model = new ArrayDeque<>();
        RowQueue.Ends ends = RowQueue.Ends.EMPTY;
        for (int bundle = 0; bundle < 300; bundle++) {
            queue.begin(ends);
            assertThat(queue.size()).isEqualTo(model.size());
            int additions = random.nextInt(random.nextInt(10) == 0 ? 1_000 : 10);
            int removals = random.nextInt(random.nextInt(10) == 0 ? 1_000 : 10);
            while (additions + removals > 0) {
                if (random.nextInt(additions + removals) < additions) {
                    BinaryRowData row = row(RowKind.INSERT, random.nextInt(), 0);
                    queue.add(row);
                    model.add(row.copy());
                    additions--;
                } else {
                    if (!model.isEmpty()) {
                        assertThat(queue.first()).isEqualTo(model.peek());
                        assertThat(queue.removeFirst()).isEqualTo(model.remove());
                    }
                    removals--;
                }
            }
            if (random.nextInt(50) == 0) {
                queue.clear();
                model.clear();
            }
            ends = queue.store();
            assertThat(queue.size()).isEqualTo(model.size());
            assertThat(ends.rows()).isEqualTo(model.size());
            if (model.isEmpty()) {
                assertThat(log.bytes()).isZero();
            }
        }
        assertThat(log.largestBytes).isLessThan(2 * RowQueue.CHUNK_BYTES);
    }

    @Test
    void nothingIsReadAsLongAsNoRowGoes() throws Exception {
        RowQueue.Ends ends = RowQueue.Ends.EMPTY;
        for (int i = 0; i < 1_000; i++) {
            queue.begin(ends);
            queue.add(row(RowKind.INSERT, i, 0));
            ends = queue.store();
        }
        assertThat(log.reads).isZero();

        queue.begin(ends);
        assertThat(queue.removeFirst()).isEqualTo(row(RowKind.INSERT, 0, 0));
        assertThat(log.reads).isOne();
    }
}
