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
package io.stateaccel.rocksdb.benchmark;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.rocksdb.compaction.SmallFiles;
import io.stateaccel.rocksdb.testing.BackendHarness;
import io.stateaccel.rocksdb.testing.BackendHarness.Make;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend.RocksDbKvStateInfo;
import org.apache.flink.state.rocksdb.StateAccelRocksDBAccess;
import org.apache.flink.util.FileUtils;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

/**
 * How long the synchronous part of an incremental checkpoint of many SST files takes, in which the
 * task does nothing else: value states of some hundred small files together, some keys of each
 * written between checkpoints. First {@link SmallFiles} by itself, then all of it with Flink's
 * RocksDB backend and ours in turn; per round the median in milliseconds, the SST files at the end
 * and the OPTIONS files that were written meanwhile. The state cache is off.
 *
 * <p>Arguments: rounds, states, SST files of all of them; by default {@code 5 1 500}. With 0 states
 * {@link SmallFiles} only.
 */
public final class CheckpointBenchmark {

    private static final int CHECKPOINTS = 150;
    private static final int NOT_COUNTED = 30;
    private static final int GATHERS = 120;
    private static final int UPDATES = 50;
    private static final int VALUE_BYTES = 1_000;
    private static final int FILE_BYTES = 32 << 10;
    private static final int LARGEST_STREAM = 64 << 20;

    private CheckpointBenchmark() {}

    public static void main(String[] args) throws Exception {
        int rounds = argument(args, 0, 5);
        int states = argument(args, 1, 1);
        int files = argument(args, 2, 500);
        for (int round = 0; round < rounds; round++) {
            Path directory = Files.createTempDirectory("checkpoint-benchmark");
            try {
                System.out.printf(
                        "%s alone: %.0f us%n",
                        SmallFiles.class.getSimpleName(), gatherMicroseconds(files, directory));
            } finally {
                FileUtils.deleteDirectory(directory.toFile());
            }
        }
        if (states == 0) {
            return;
        }
        System.out.printf("%-12s %8s %10s %14s%n", "backend", "ms", "SST files", "OPTIONS files");
        for (int round = 0; round < rounds; round++) {
            for (Make make : List.of(Make.STOCK, Make.ACCELERATED)) {
                Path directory = Files.createTempDirectory("checkpoint-benchmark");
                try {
                    run(make, states, files, directory);
                } finally {
                    FileUtils.deleteDirectory(directory.toFile());
                }
            }
        }
    }

    private static int argument(String[] args, int index, int otherwise) {
        return args.length > index ? Integer.parseInt(args[index]) : otherwise;
    }

    private static void run(Make make, int states, int files, Path directory) throws Exception {
        Configuration config = new Configuration();
        config.setString("state.backend.rocksdb.localdir", directory.toString());
        config.setString(
                "state.backend.rocksdb.compaction.level.target-file-size-base", FILE_BYTES + "b");
        config.setString("state.backend.rocksdb.compaction.level.max-size-level-base", "1gb");
        config.setString(StateAccelOptions.CACHE_SIZE.key(), "0");
        config.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
        AbstractKeyedStateBackend<Long> backend =
                BackendHarness.open(
                        make.create(config),
                        LongSerializer.INSTANCE,
                        128,
                        KeyGroupRange.of(0, 127),
                        List.of(),
                        TtlTimeProvider.DEFAULT,
                        new UnregisteredMetricsGroup(),
                        128L << 20);
        try {
            int keys = (int) ((long) files * FILE_BYTES / VALUE_BYTES / states);
            Random random = new Random(42);
            for (int state = 0; state < states; state++) {
                for (int key = 0; key < keys; key++) {
                    write(backend, state, key, random);
                }
            }
            double[] milliseconds = new double[CHECKPOINTS];
            long firstOptions = 0;
            for (int i = 0; i < CHECKPOINTS; i++) {
                if (i == NOT_COUNTED) {
                    firstOptions = newestOptions(directory);
                }
                for (int update = 0; update < UPDATES; update++) {
                    for (int state = 0; state < states; state++) {
                        write(backend, state, random.nextInt(keys), random);
                    }
                }
                milliseconds[i] = checkpoint(backend, i + 1);
            }
            double[] counted = Arrays.copyOfRange(milliseconds, NOT_COUNTED, CHECKPOINTS);
            Arrays.sort(counted);
            System.out.printf(
                    "%-12s %8.2f %10d %14s%n",
                    make,
                    counted[counted.length / 2],
                    BackendHarness.databaseFiles(directory).size(),
                    newestOptions(directory) == firstOptions ? "none" : "some");
        } finally {
            backend.dispose();
        }
    }

    private static void write(
            AbstractKeyedStateBackend<Long> backend, int state, long key, Random random)
            throws Exception {
        byte[] value = new byte[VALUE_BYTES];
        random.nextBytes(value);
        backend.setCurrentKey(key);
        ValueState<byte[]> values =
                backend.getPartitionedState(
                        VoidNamespace.INSTANCE,
                        VoidNamespaceSerializer.INSTANCE,
                        new ValueStateDescriptor<>(
                                "value " + state, BytePrimitiveArraySerializer.INSTANCE));
        values.update(value);
    }

    /** Returns the milliseconds of the synchronous part. */
    private static double checkpoint(AbstractKeyedStateBackend<Long> backend, long id)
            throws Exception {
        var streams = new MemCheckpointStreamFactory(LARGEST_STREAM);
        long begun = System.nanoTime();
        RunnableFuture<SnapshotResult<KeyedStateHandle>> rest =
                backend.snapshot(
                        id, id, streams, CheckpointOptions.forCheckpointWithDefaultLocation());
        double milliseconds = (System.nanoTime() - begun) / 1e6;
        rest.run();
        rest.get();
        backend.notifyCheckpointComplete(id);
        return milliseconds;
    }

    /** The number of the newest one; RocksDB deletes old ones meanwhile. */
    private static long newestOptions(Path directory) {
        return filesOf(directory)
                .flatMap(backend -> filesOf(backend.resolve("db")))
                .map(file -> file.getFileName().toString())
                .filter(name -> name.matches("OPTIONS-\\d+"))
                .mapToLong(name -> Long.parseLong(name.substring("OPTIONS-".length())))
                .max()
                .orElse(0);
    }

    private static Stream<Path> filesOf(Path directory) {
        File[] files = directory.toFile().listFiles();
        return files == null ? Stream.empty() : Arrays.stream(files).map(File::toPath);
    }

    /**
     * What {@link SmallFiles} alone takes of it: a state of many files of level 1 and up to six of
     * level 0, one of them new each time.
     *
     * @return the median in microseconds
     */
    private static double gatherMicroseconds(int files, Path directory) throws Exception {
        StateAccelRocksDBAccess.ensureRocksDBIsLoaded(directory.toString());
        try (Options options =
                        new Options()
                                .setCreateIfMissing(true)
                                .setTargetFileSizeBase(FILE_BYTES)
                                .setMaxBytesForLevelBase(1L << 30)
                                .setLevelCompactionDynamicLevelBytes(false);
                FlushOptions wait = new FlushOptions();
                RocksDB db = RocksDB.open(options, directory.resolve("db").toString())) {
            Random random = new Random(42);
            byte[] value = new byte[VALUE_BYTES];
            int keys = files * FILE_BYTES / VALUE_BYTES;
            for (int key = 0; key < keys; key++) {
                random.nextBytes(value);
                db.put(key(key), value);
            }
            db.compactRange();
            SmallFiles smallFiles = new SmallFiles(db, 100, state -> false);
            Map<String, RocksDbKvStateInfo> states =
                    Map.of("state", new RocksDbKvStateInfo(db.getDefaultColumnFamily(), null));
            double[] microseconds = new double[GATHERS];
            for (int i = 0; i < GATHERS; i++) {
                if (i % 6 == 0) {
                    db.compactRange();
                }
                db.put(key(random.nextInt(keys)), value);
                db.flush(wait);
                long begun = System.nanoTime();
                smallFiles.gather(states);
                microseconds[i] = (System.nanoTime() - begun) / 1e3;
            }
            double[] counted = Arrays.copyOfRange(microseconds, GATHERS / 4, GATHERS);
            Arrays.sort(counted);
            return counted[counted.length / 2];
        }
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }
}
