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
package io.stateaccel.rocksdb.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStreamFactory;
import org.apache.flink.util.InstantiationUtil;

/**
 * Checkpoints of one backend in a directory, kept as a coordinator keeps them that retains one:
 * each completed checkpoint subsumes the one before.
 */
public final class CheckpointDirectory {

    private final Path directory;
    private final org.apache.flink.core.fs.Path path;
    private final SharedStateRegistry registry = new SharedStateRegistryImpl();
    private long checkpointId;

    @Nullable private IncrementalRemoteKeyedStateHandle last;
    @Nullable private KeyedStateHandle lastLocal;

    public CheckpointDirectory(Path directory) throws IOException {
        this.directory = directory;
        this.path = new org.apache.flink.core.fs.Path(Files.createDirectories(directory).toUri());
    }

    /** Takes and completes a snapshot; returns the bytes that it uploaded. */
    public long complete(AbstractKeyedStateBackend<?> backend, SnapshotType type) throws Exception {
        long bytes = register(snapshot(backend, type), type, checkpointId);
        backend.notifyCheckpointComplete(checkpointId);
        return bytes;
    }

    /**
     * Takes and completes two checkpoints, the second before the backend knows of the first, of
     * which alone it is told. The files of the first that the second uploaded again are gone.
     */
    public void completeTwo(AbstractKeyedStateBackend<?> backend, SnapshotType type)
            throws Exception {
        SnapshotResult<KeyedStateHandle> first = snapshot(backend, type);
        SnapshotResult<KeyedStateHandle> second = snapshot(backend, type);
        register(first, type, checkpointId - 1);
        register(second, type, checkpointId);
        backend.notifyCheckpointComplete(checkpointId - 1);
    }

    /** Returns the bytes that the snapshot uploaded. */
    private long register(SnapshotResult<KeyedStateHandle> result, SnapshotType type, long id)
            throws Exception {
        // A coordinator gets a copy: registering files changes the handle.
        IncrementalRemoteKeyedStateHandle handle =
                (IncrementalRemoteKeyedStateHandle)
                        InstantiationUtil.clone(result.getJobManagerOwnedSnapshot());
        if (!type.isSavepoint()) {
            handle.registerSharedStates(registry, id);
            registry.unregisterUnusedState(id);
            if (last != null) {
                last.discardState();
            }
            last = handle;
            lastLocal = result.getTaskLocalSnapshot();
        }
        return handle.getCheckpointedSize();
    }

    /** Takes a checkpoint that another task fails; returns the bytes that it uploaded. */
    public long abort(AbstractKeyedStateBackend<?> backend, SnapshotType type) throws Exception {
        KeyedStateHandle handle = snapshot(backend, type).getJobManagerOwnedSnapshot();
        backend.notifyCheckpointAborted(checkpointId);
        long bytes = handle.getCheckpointedSize();
        handle.discardState();
        return bytes;
    }

    /**
     * Takes a checkpoint that cannot open more than some streams.
     *
     * @throws Exception always
     */
    public void fail(AbstractKeyedStateBackend<?> backend, int streamsToOpen) throws Exception {
        AtomicInteger left = new AtomicInteger(streamsToOpen);
        try {
            snapshot(
                    backend,
                    CheckpointType.CHECKPOINT,
                    new FsCheckpointStreamFactory(
                            LocalFileSystem.getSharedInstance(), path, path, 0, 4096) {
                        @Override
                        public FsCheckpointStateOutputStream createCheckpointStateOutputStream(
                                CheckpointedStateScope scope) throws IOException {
                            if (left.getAndDecrement() == 0) {
                                throw new IOException("no more streams");
                            }
                            return super.createCheckpointStateOutputStream(scope);
                        }
                    });
        } finally {
            backend.notifyCheckpointAborted(checkpointId);
        }
    }

    private SnapshotResult<KeyedStateHandle> snapshot(
            AbstractKeyedStateBackend<?> backend, SnapshotType type) throws Exception {
        return snapshot(
                backend,
                type,
                new FsCheckpointStreamFactory(
                        LocalFileSystem.getSharedInstance(), path, path, 0, 4096));
    }

    private SnapshotResult<KeyedStateHandle> snapshot(
            AbstractKeyedStateBackend<?> backend,
            SnapshotType type,
            CheckpointStreamFactory streams)
            throws Exception {
        checkpointId++;
        RunnableFuture<SnapshotResult<KeyedStateHandle>> future =
                backend.snapshot(
                        checkpointId,
                        checkpointId,
                        streams,
                        CheckpointOptions.alignedNoTimeout(
                                type, CheckpointStorageLocationReference.getDefault()));
        future.run();
        return future.get();
    }

    /** The last completed checkpoint. */
    public IncrementalRemoteKeyedStateHandle last() {
        return Objects.requireNonNull(last);
    }

    /** The last completed checkpoint as local recovery keeps it. */
    public KeyedStateHandle lastLocal() {
        return Objects.requireNonNull(lastLocal);
    }

    /** The names of all files that were uploaded and not deleted. */
    public Set<String> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        }
    }

    /** The names of the files that the last completed checkpoint refers to. */
    public Set<String> filesOfLast() {
        return last().streamSubHandles()
                .map(CheckpointDirectory::fileName)
                .collect(Collectors.toSet());
    }

    /** The names of the blob files, as uploaded, that the last completed checkpoint shares. */
    public Set<String> sharedBlobFilesOfLast() {
        return last().getSharedState().stream()
                .filter(file -> file.getLocalPath().endsWith(".blob"))
                .map(file -> fileName(file.getHandle()))
                .collect(Collectors.toSet());
    }

    private static String fileName(StreamStateHandle handle) {
        return ((FileStateHandle) handle).getFilePath().getName();
    }
}
