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
package io.stateaccel.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.configuration.MemorySize;

/**
 * The row-time interval join of two streams with rows of 1 to 4 KiB ({@link WideJoinStream}), as
 * Flink does it, with a {@code MapState<Long, List<row>>} per side on its RocksDB backend, and as
 * we do. Each {@link WideJoinVariant} in turn gets the same rows in an operator harness of its own:
 * first as many as the state is to hold, then several times as many again, while old rows go as new
 * ones come. The variants must emit the same rows, which is checked by their number and a digest of
 * all they hold.
 *
 * <p>Arguments: MiB of state, MiB of RocksDB's memory (block cache and write buffers), how often
 * the state turns over once it is full, then the variants; by default {@code 1024 256 3 stock
 * backend accelerated automatic separated}. The state's size is that of the payloads within the
 * interval, uncompressed: what the join needs. Flink's operator keeps little more; ours drops rows
 * by buckets as wide as the interval either way and keeps about twice as many. It settles at that
 * in the second turnover. The files are in {@code java.io.tmpdir}.
 *
 * <pre>{@code
 * mvn -q -pl benchmarks -am test-compile -Pwide-join -Dwide-join.args="8192 512 3 stock separated" \
 *     -Dwide-join.jvm="-Xmx2g -Djava.io.tmpdir=/data"
 * }</pre>
 *
 * <p>What is measured, and how:
 *
 * <ul>
 *   <li><em>CPU time</em>: of the task thread by the JVM's clock of threads, around feeding the
 *       operator and checkpoints, not around making rows and reading from outside; of RocksDB's
 *       flushes and compactions by the kernel's clock of the threads {@code rocksdb:high} and
 *       {@code rocksdb:low}. A part of a run ends when RocksDB has nothing left to do, so that each
 *       pays for what it has put off. What reading from outside makes RocksDB do is little, and
 *       counts.
 *   <li><em>Bytes</em>: RocksDB's own statistics of all column families, blob files included.
 *   <li><em>Files per level</em>: RocksDB's, at watermarks that come 5 seconds or more after the
 *       last sample.
 *   <li><em>Latencies</em>: by reads from outside the operator ({@link WideJoinProbe}) between two
 *       bundles, thus while flushes and compactions go on, spread over the time in which the state
 *       is full. All go through Flink's state API on the state that the operator keeps, at the same
 *       keys, in the same thread: {@code get}, {@code absent get}, {@code seek}, {@code absent
 *       seek} and {@code next} are single accesses, {@code matches}, {@code absent matches} and
 *       {@code busy matches} all that an operator reads for one row. Lists have no iterators: our
 *       operator neither seeks nor steps, and a map on our backend is what {@code backend} shows.
 *       State that fits into the page cache is read from there; {@code read from the device} tells.
 *       Our backend has its state cache for maps and single values as by default, in a tenth of the
 *       heap, beside RocksDB's memory; lists are not cached.
 *   <li>A watermark every 1,000 rows, which ends a bundle; 16 checkpoints while rows of the state's
 *       size arrive, without uploads.
 * </ul>
 *
 * <p>Needs Linux. The first variant in a JVM pays for most of the JIT, on threads of its own; one
 * variant a call is fairest, and their digests can be compared all the same.
 */
public final class WideJoinBenchmark {

    private static final int STATE_MIB = 1024;
    private static final int MEMORY_MIB = 256;
    private static final int TURNOVERS = 3;
    private static final List<WideJoinVariant> VARIANTS =
            List.of(
                    WideJoinVariant.STOCK,
                    WideJoinVariant.BACKEND,
                    WideJoinVariant.ACCELERATED,
                    WideJoinVariant.AUTOMATIC,
                    WideJoinVariant.SEPARATED);

    private WideJoinBenchmark() {}

    public static void main(String[] args) throws Exception {
        int stateMiB = argument(args, 0, STATE_MIB);
        int memoryMiB = argument(args, 1, MEMORY_MIB);
        int turnovers = argument(args, 2, TURNOVERS);
        List<WideJoinVariant> variants =
                args.length > 3
                        ? Stream.of(args).skip(3).map(WideJoinVariant::named).toList()
                        : VARIANTS;
        long interval = interval(stateMiB);
        System.out.printf(
                "%d MiB of state: an interval of %,d rows; %d MiB of memory, %d turnovers%n",
                stateMiB, interval, memoryMiB, turnovers);
        List<WideJoinResult> results = new ArrayList<>();
        try {
            for (WideJoinVariant variant : variants) {
                WideJoinResult result = run(variant, stateMiB, memoryMiB, turnovers);
                System.out.printf(
                        "%s: joined %,d rows, digest %016x%n",
                        variant, result.joined(), result.digest());
                results.add(result);
            }
        } finally {
            // Hours may have gone into those before the one that failed.
            System.out.print(WideJoinReport.of(results));
        }
        checkEqual(results);
    }

    private static int argument(String[] args, int index, int otherwise) {
        return args.length > index ? Integer.parseInt(args[index]) : otherwise;
    }

    private static long interval(int stateMiB) {
        return ((long) stateMiB << 20) / WideJoinStream.averageBytes();
    }

    static WideJoinResult run(WideJoinVariant variant, int stateMiB, int memoryMiB, int turnovers)
            throws Exception {
        try (WideJoinRun run =
                new WideJoinRun(
                        variant,
                        interval(stateMiB),
                        turnovers,
                        MemorySize.ofMebiBytes(memoryMiB))) {
            return run.run();
        }
    }

    /**
     * @throws IllegalStateException when not all have emitted the same rows
     */
    static void checkEqual(List<WideJoinResult> results) {
        WideJoinResult first = results.get(0);
        for (WideJoinResult result : results) {
            if (result.joined() != first.joined() || result.digest() != first.digest()) {
                throw new IllegalStateException(
                        result.variant() + " joined other rows than " + first.variant());
            }
        }
    }
}
