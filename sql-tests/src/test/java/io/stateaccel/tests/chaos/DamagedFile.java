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
package io.stateaccel.tests.chaos;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * A file of a database in a checkpoint, changed on disk as storage that fails would change it, by
 * one bit or by a missing end.
 *
 * <p>Only RocksDB's files are changed: SST files, blob files, MANIFEST and CURRENT. Its OPTIONS
 * file nobody reads. What Flink writes in formats of its own (metadata, operator state, snapshots
 * in the canonical format) has no checksums, so a changed bit in there may go unnoticed, with
 * acceleration and without.
 */
final class DamagedFile {

    private final String name;
    private final Path path;
    private final byte[] whole;
    private final String damage;

    private DamagedFile(String name, Path path, byte[] whole, String damage) {
        this.name = name;
        this.path = path;
        this.whole = whole;
        this.damage = damage;
    }

    /** Chooses a kind of file among those in a checkpoint, a file of that kind and damages it. */
    static DamagedFile in(Path checkpoint, Random random) throws IOException {
        Map<String, List<HandleAndLocalPath>> kinds = filesByKind(checkpoint);
        List<HandleAndLocalPath> files =
                new ArrayList<>(kinds.values()).get(random.nextInt(kinds.size()));
        HandleAndLocalPath file = files.get(random.nextInt(files.size()));
        Path path = Path.of(((FileStateHandle) file.getHandle()).getFilePath().toUri().getPath());
        byte[] whole = Files.readAllBytes(path);
        byte[] damaged;
        String damage;
        if (random.nextBoolean()) {
            int bit = random.nextInt(whole.length * Byte.SIZE);
            damaged = whole.clone();
            damaged[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            damage = "bit " + bit % Byte.SIZE + " of byte " + bit / Byte.SIZE + " changed";
        } else {
            damaged = Arrays.copyOf(whole, random.nextInt(whole.length));
            damage = "cut to " + damaged.length;
        }
        Files.write(path, damaged);
        return new DamagedFile(file.getLocalPath(), path, whole, damage);
    }

    /** Makes it what it was. */
    void repair() throws IOException {
        Files.write(path, whole);
    }

    private static Map<String, List<HandleAndLocalPath>> filesByKind(Path checkpoint)
            throws IOException {
        Map<String, List<HandleAndLocalPath>> kinds = new TreeMap<>();
        for (HandleAndLocalPath file : files(checkpoint)) {
            String kind = file.getLocalPath().replaceAll("[-0-9]", "");
            if (!kind.equals("OPTIONS")) {
                kinds.computeIfAbsent(kind, ignored -> new ArrayList<>()).add(file);
            }
        }
        return kinds;
    }

    private static List<HandleAndLocalPath> files(Path checkpoint) throws IOException {
        List<HandleAndLocalPath> files = new ArrayList<>();
        try (DataInputStream in =
                new DataInputStream(Files.newInputStream(checkpoint.resolve("_metadata")))) {
            CheckpointMetadata metadata =
                    Checkpoints.loadCheckpointMetadata(
                            in, DamagedFile.class.getClassLoader(), checkpoint.toUri().toString());
            for (OperatorState operator : metadata.getOperatorStates()) {
                for (OperatorSubtaskState subtask : operator.getStates()) {
                    for (KeyedStateHandle state : subtask.getManagedKeyedState()) {
                        if (state instanceof IncrementalRemoteKeyedStateHandle database) {
                            Stream.of(database.getSharedState(), database.getPrivateState())
                                    .forEach(files::addAll);
                        }
                    }
                }
            }
        }
        return files;
    }

    @Override
    public String toString() {
        return "%s of %d bytes, %s".formatted(name, whole.length, damage);
    }
}
