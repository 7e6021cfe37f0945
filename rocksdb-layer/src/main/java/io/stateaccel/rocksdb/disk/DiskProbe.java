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
package io.stateaccel.rocksdb.disk;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/**
 * Measures what RocksDB asks of a disk: random reads of one block, and syncs.
 *
 * <p>It writes a file of random bytes and reads blocks of it with {@code O_DIRECT}, so that they
 * come from the device and not from the page cache. Where the file system does not allow that, it
 * reads through the page cache and says so; what it then measures is memory.
 *
 * <p>The file has no name from the moment it is open ({@link StandardOpenOption#DELETE_ON_CLOSE} on
 * Unix), so it is gone however the process ends. Not thread-safe.
 */
public final class DiskProbe implements AutoCloseable {

    /** RocksDB's default block, and the least that most devices read. */
    public static final int BLOCK = 4096;

    private static final int CHUNK = 256 << 10;
    private static final Set<OpenOption> OPTIONS =
            Set.of(
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.DELETE_ON_CLOSE);
    private static final long LONGEST_NANOS = Duration.ofMinutes(1).toNanos();
    private static final int HISTOGRAM_DIGITS = 3;

    private final FileChannel file;
    private final Optional<String> inTheWay;
    private final long bytes;

    private DiskProbe(FileChannel file, Optional<String> inTheWay, long bytes) {
        this.file = file;
        this.inTheWay = inTheWay;
        this.bytes = bytes;
    }

    /**
     * Writes the file.
     *
     * @param directory where to write it
     * @param most size of the file, in bytes; at least one chunk of 256 KiB is written
     * @param longest time after which it stays as long as it has become
     * @throws IOException when the directory cannot be written to
     */
    public static DiskProbe create(Path directory, long most, Duration longest) throws IOException {
        Path path = directory.resolve(".state-accel-probe-" + UUID.randomUUID());
        Optional<String> inTheWay = Optional.empty();
        FileChannel file;
        try {
            file = openDirect(path);
        } catch (UnsupportedOperationException | IOException e) {
            // Some file systems create the file and then refuse.
            Files.deleteIfExists(path);
            file = FileChannel.open(path, OPTIONS);
            inTheWay = Optional.of("the file system does not read 4 KiB with O_DIRECT");
        }
        try {
            return new DiskProbe(file, inTheWay, fill(file, most, longest));
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    private static FileChannel openDirect(Path path) throws IOException {
        // Java reads whole blocks of the file system then, which on some are very large.
        if (Files.getFileStore(path.getParent()).getBlockSize() > BLOCK) {
            throw new UnsupportedOperationException();
        }
        Set<OpenOption> options = new HashSet<>(OPTIONS);
        options.add(ExtendedOpenOption.DIRECT);
        return FileChannel.open(path, options);
    }

    /**
     * Random bytes, and other ones in each block: some devices compress, some share equal blocks.
     */
    private static long fill(FileChannel file, long most, Duration longest) throws IOException {
        long end = System.nanoTime() + longest.toNanos();
        byte[] random = new byte[CHUNK];
        new Random().nextBytes(random);
        ByteBuffer chunk = aligned(CHUNK).put(random);
        long written = 0;
        do {
            for (int at = 0; at < CHUNK; at += BLOCK) {
                chunk.putLong(at, chunk.getLong(at) + 1);
            }
            chunk.clear();
            while (chunk.hasRemaining()) {
                written += file.write(chunk, written);
            }
        } while (written + CHUNK <= most && System.nanoTime() < end);
        return written;
    }

    private static ByteBuffer aligned(int size) {
        return ByteBuffer.allocateDirect(size + BLOCK).alignedSlice(BLOCK).slice(0, size);
    }

    /** Why the page cache is in the way of what is measured; empty when it is not. */
    public Optional<String> pageCacheInTheWay() {
        return inTheWay;
    }

    /** Size of the file. */
    public long fileBytes() {
        return bytes;
    }

    /**
     * Reads random blocks.
     *
     * @param readers threads that read at the same time
     * @param duration how long; each thread reads at least once
     */
    public Latencies randomReads(int readers, Duration duration) throws IOException {
        if (readers == 1) {
            long start = System.nanoTime();
            Histogram latencies = readUntil(start + duration.toNanos());
            return Latencies.of(latencies, System.nanoTime() - start);
        }
        ExecutorService threads = Executors.newFixedThreadPool(readers);
        try {
            long start = System.nanoTime();
            List<Future<Histogram>> running = new ArrayList<>();
            for (int i = 0; i < readers; i++) {
                running.add(threads.submit(() -> readUntil(start + duration.toNanos())));
            }
            Histogram all = histogram();
            for (Future<Histogram> one : running) {
                all.add(one.get());
            }
            return Latencies.of(all, System.nanoTime() - start);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Interrupted while reading", e);
        } catch (ExecutionException e) {
            throw new IOException("Could not read: " + e.getCause().getMessage(), e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private Histogram readUntil(long end) throws IOException {
        Histogram latencies = histogram();
        ByteBuffer buffer = aligned(BLOCK);
        SplittableRandom random = new SplittableRandom();
        long blocks = bytes / BLOCK;
        long now = System.nanoTime();
        do {
            long begin = now;
            file.read(buffer.clear(), random.nextLong(blocks) * BLOCK);
            now = System.nanoTime();
            latencies.recordValue(Math.min(LONGEST_NANOS, now - begin));
        } while (now < end);
        return latencies;
    }

    /**
     * Writes one block and syncs it, again and again.
     *
     * @param duration how long; at least once
     */
    public Latencies syncs(Duration duration) throws IOException {
        Histogram latencies = histogram();
        ByteBuffer buffer = aligned(BLOCK);
        SplittableRandom random = new SplittableRandom();
        long start = System.nanoTime();
        long now = start;
        do {
            long begin = now;
            buffer.clear().putLong(0, begin);
            file.write(buffer, random.nextLong(bytes / BLOCK) * BLOCK);
            file.force(false);
            now = System.nanoTime();
            latencies.recordValue(Math.min(LONGEST_NANOS, now - begin));
        } while (now < start + duration.toNanos());
        return Latencies.of(latencies, now - start);
    }

    private static Histogram histogram() {
        return new Histogram(LONGEST_NANOS, HISTOGRAM_DIGITS);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
