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
package io.stateaccel.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.DirectoryStateHandle;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalLocalKeyedStateHandle;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Checkpoint;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

class ManifestCheckTest {

    /** Enough for the MANIFEST to have more than one block. */
    private static final int FLUSHES = 400;

    private static final int BLOCK_BYTES = 32 << 10;

    private Path snapshot;
    private byte[] manifest;

    @BeforeEach
    void takeSnapshot(@TempDir Path folder) throws Exception {
        snapshot = folder.resolve("snapshot");
        try (Options options = new Options().setCreateIfMissing(true).setNumLevels(2);
                WriteOptions noLog = new WriteOptions().setDisableWAL(true);
                FlushOptions wait = new FlushOptions();
                RocksDB db =
                        RocksDB.open(
                                options.setDisableAutoCompactions(true)
                                        .setLevel0SlowdownWritesTrigger(10 * FLUSHES)
                                        .setLevel0StopWritesTrigger(10 * FLUSHES),
                                folder.resolve("db").toString());
                Checkpoint checkpoint = Checkpoint.create(db)) {
            for (int i = 0; i < FLUSHES; i++) {
                db.put(noLog, key(i), new byte[10]);
                db.flush(wait);
            }
            checkpoint.createCheckpoint(snapshot.toString());
        }
        manifest = Files.readAllBytes(manifestFile());
        assertThat(manifest.length).isGreaterThan(BLOCK_BYTES);
    }

    @Test
    void anIntactOneIsWhole() throws IOException {
        assertThat(isWhole(manifest)).isTrue();
    }

    @Test
    void anyChangedBitIsFound() throws IOException {
        for (int i = 0; i < manifest.length; i++) {
            byte[] changed = manifest.clone();
            changed[i] ^= (byte) (1 << i % Byte.SIZE);
            assertThat(isWhole(changed)).as("bit %d of byte %d changed", i % 8, i).isFalse();
        }
    }

    @Test
    void anyCutIsFound() throws IOException {
        for (int length = 0; length < manifest.length; length++) {
            assertThat(isWhole(Arrays.copyOf(manifest, length))).as("cut at %d", length).isFalse();
        }
    }

    /** Why there is a check: this is what a job would go on from. */
    @Test
    void rocksDBTakesADamagedOneForAnOlderDatabase() throws Exception {
        assertThat(keysInSnapshot()).isEqualTo(FLUSHES);
        byte[] changed = manifest.clone();
        // The highest bit of the length of the first record in the second block.
        changed[BLOCK_BYTES + Integer.BYTES + 1] ^= (byte) 0x80;
        Files.write(manifestFile(), changed);
        assertThat(keysInSnapshot()).isPositive().isLessThan(FLUSHES);
    }

    @Test
    void theRefusalNamesOperatorAndFile() {
        byte[] cut = Arrays.copyOf(manifest, BLOCK_BYTES);
        assertThatCode(() -> refuseDamaged(manifest, manifest)).doesNotThrowAnyException();
        assertThatThrownBy(() -> refuseDamaged(cut, manifest))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("The snapshot of 'join' is damaged: MANIFEST-000005")
                .hasMessageContaining("Restore another checkpoint");
    }

    /** Flink goes on with the snapshot that it is a copy of. */
    @Test
    void aDamagedLocalCopyIsRefused() throws IOException {
        DirectoryStateHandle copy = DirectoryStateHandle.forPathWithSize(snapshot);
        assertThatCode(() -> refuseDamaged(copy)).doesNotThrowAnyException();

        byte[] changed = manifest.clone();
        changed[BLOCK_BYTES + Integer.BYTES + 1] ^= (byte) 0x80;
        Files.write(manifestFile(), changed);
        assertThatThrownBy(() -> refuseDamaged(copy))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("The local copy of the snapshot of 'join' is damaged")
                .hasMessageContaining(snapshot.toString());

        // At the end of a record, which only the length tells.
        Files.write(manifestFile(), Arrays.copyOf(manifest, endOfFirstRecord()));
        assertThatThrownBy(() -> refuseDamaged(copy)).isInstanceOf(IOException.class);
        DirectoryStateHandle ofUnknownSize = new DirectoryStateHandle(snapshot, 0);
        assertThatCode(() -> refuseDamaged(ofUnknownSize)).doesNotThrowAnyException();
    }

    private int endOfFirstRecord() {
        ByteBuffer header = ByteBuffer.wrap(manifest).order(ByteOrder.LITTLE_ENDIAN);
        return 7 + Short.toUnsignedInt(header.getShort(Integer.BYTES));
    }

    private static void refuseDamaged(DirectoryStateHandle copy) throws IOException {
        KeyedStateHandle part =
                new IncrementalLocalKeyedStateHandle(
                        UUID.randomUUID(),
                        1,
                        copy,
                        KeyGroupRange.of(0, 1),
                        new ByteStreamStateHandle("metadata", new byte[1]),
                        List.of());
        ManifestCheck.check("join", List.of(part), true, new CloseableRegistry());
    }

    private static void refuseDamaged(byte[] found, byte[] written) throws IOException {
        KeyedStateHandle part =
                new IncrementalRemoteKeyedStateHandle(
                        UUID.randomUUID(),
                        KeyGroupRange.of(0, 1),
                        1,
                        List.of(),
                        List.of(
                                HandleAndLocalPath.of(
                                        new ByteStreamStateHandle("current", new byte[1]),
                                        "CURRENT"),
                                HandleAndLocalPath.of(
                                        new ByteStreamStateHandle("manifest", found) {
                                            @Override
                                            public long getStateSize() {
                                                return written.length;
                                            }
                                        },
                                        "MANIFEST-000005")),
                        new ByteStreamStateHandle("metadata", new byte[1]));
        ManifestCheck.check("join", List.of(part), true, new CloseableRegistry());
    }

    private boolean isWhole(byte[] found) throws IOException {
        return ManifestCheck.isWhole(new ByteArrayInputStream(found), manifest.length);
    }

    private int keysInSnapshot() throws RocksDBException {
        int found = 0;
        try (Options options = new Options().setNumLevels(2);
                RocksDB db = RocksDB.openReadOnly(options, snapshot.toString())) {
            for (int i = 0; i < FLUSHES; i++) {
                if (db.get(key(i)) != null) {
                    found++;
                }
            }
        }
        return found;
    }

    private static byte[] key(int i) {
        return String.valueOf(i).getBytes(UTF_8);
    }

    private Path manifestFile() throws IOException {
        try (Stream<Path> files = Files.list(snapshot)) {
            return files.filter(file -> file.getFileName().toString().startsWith("MANIFEST"))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
