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
package io.stateaccel.rocksdb.blob;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import javax.annotation.Nonnull;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.SnapshotType.SharingFilesStrategy;
import org.apache.flink.runtime.checkpoint.filemerging.FileMergingSnapshotManager;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.PlaceholderStreamStateHandle;
import org.apache.flink.runtime.state.SnapshotDirectory;
import org.apache.flink.runtime.state.SnapshotResources;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend.RocksDbKvStateInfo;
import org.apache.flink.state.rocksdb.RocksDBStateUploader;
import org.apache.flink.state.rocksdb.snapshot.RocksDBSnapshotStrategyBase;
import org.apache.flink.util.ResourceGuard;
import org.rocksdb.Checkpoint;
import org.rocksdb.RocksDB;

/**
 * Incremental checkpoints that upload each blob file once, as Flink's {@code
 * RocksIncrementalSnapshotStrategy} does each SST file.
 *
 * <p>Flink's strategy takes every file but those named {@code *.sst} for one that may change, so it
 * uploads all blob files, which hold most of the data, with every checkpoint. Which files it shares
 * is decided in a private method, and so is what it remembers of earlier checkpoints; hence a
 * strategy of its own, on the same base class. What is written and how it is accounted for is as
 * there: a checkpoint is an {@link IncrementalRemoteKeyedStateHandle} whose shared files, SST and
 * blob, are registered with the job manager and deleted there when no checkpoint refers to them any
 * more. Stock Flink restores it without knowing about blob files.
 *
 * <p>The part of a snapshot before {@link #asyncSnapshot}'s result is used runs in the task thread,
 * as do the notifications; the result's {@code get} runs in a thread of its own, possibly several
 * of them at a time.
 *
 * @param <K> the type of the keys
 */
public final class BlobSharingSnapshotStrategy<K>
        extends RocksDBSnapshotStrategyBase<K, SnapshotResources> {

    private final RocksDBStateUploader uploader;

    /** Per checkpoint its shared files, for those from the last completed one on. Guards itself. */
    private final SortedMap<Long, Collection<HandleAndLocalPath>> sharedFiles;

    /** Guarded by {@link #sharedFiles}. */
    private long lastCompletedCheckpointId;

    /**
     * @param sharedFiles by checkpoint, what the restored checkpoint shares
     * @param lastCompletedCheckpointId the restored checkpoint, -1 without one
     */
    public BlobSharingSnapshotStrategy(
            RocksDB db,
            ResourceGuard resourceGuard,
            TypeSerializer<K> keySerializer,
            LinkedHashMap<String, RocksDbKvStateInfo> states,
            KeyGroupRange keyGroupRange,
            int keyGroupPrefixBytes,
            LocalRecoveryConfig localRecoveryConfig,
            File instanceBasePath,
            UUID backendId,
            SortedMap<Long, Collection<HandleAndLocalPath>> sharedFiles,
            RocksDBStateUploader uploader,
            long lastCompletedCheckpointId) {
        super(
                "Asynchronous incremental RocksDB snapshot with shared blob files",
                db,
                resourceGuard,
                keySerializer,
                states,
                keyGroupRange,
                keyGroupPrefixBytes,
                localRecoveryConfig,
                instanceBasePath,
                backendId);
        this.sharedFiles = new TreeMap<>(sharedFiles);
        this.uploader = uploader;
        this.lastCompletedCheckpointId = lastCompletedCheckpointId;
    }

    /**
     * Links the files of the database into the snapshot's directory. The base class does the same,
     * but its result can be read in its own package only.
     */
    @Override
    public NativeRocksDBSnapshotResources syncPrepareResources(long checkpointId) throws Exception {
        SnapshotDirectory directory = prepareLocalSnapshotDirectory(checkpointId);
        List<StateMetaInfoSnapshot> metadata = new ArrayList<>(kvStateInformation.size());
        ConfirmedFiles confirmed = confirmed();
        snapshotMetaData(checkpointId, metadata);
        try (ResourceGuard.Lease lease = rocksDBResourceGuard.acquireResource();
                Checkpoint checkpoint = Checkpoint.create(db)) {
            checkpoint.createCheckpoint(directory.getDirectory().toString());
        } catch (Exception failure) {
            try {
                directory.cleanup();
            } catch (IOException e) {
                failure.addSuppressed(e);
            }
            throw failure;
        }
        return new LinkedFiles(directory, confirmed, metadata);
    }

    @Override
    protected PreviousSnapshot snapshotMetaData(
            long checkpointId, @Nonnull List<StateMetaInfoSnapshot> metadata) {
        kvStateInformation.values().forEach(state -> metadata.add(state.metaInfo.snapshot()));
        return EMPTY_PREVIOUS_SNAPSHOT;
    }

    private ConfirmedFiles confirmed() {
        synchronized (sharedFiles) {
            return ConfirmedFiles.of(lastCompletedCheckpointId, sharedFiles);
        }
    }

    @Override
    public SnapshotResultSupplier<KeyedStateHandle> asyncSnapshot(
            NativeRocksDBSnapshotResources resources,
            long checkpointId,
            long timestamp,
            @Nonnull CheckpointStreamFactory streams,
            @Nonnull CheckpointOptions options) {
        LinkedFiles files = (LinkedFiles) resources;
        if (files.metadata.isEmpty()) {
            return cancellation -> SnapshotResult.empty();
        }
        return new Upload(
                checkpointId,
                streams,
                files,
                options.getCheckpointType().getSharingFilesStrategy());
    }

    /** Savepoints, which share nothing, are notified too: they must not become the base. */
    @Override
    public void notifyCheckpointComplete(long checkpointId) {
        synchronized (sharedFiles) {
            if (checkpointId > lastCompletedCheckpointId && sharedFiles.containsKey(checkpointId)) {
                sharedFiles.headMap(checkpointId).clear();
                lastCompletedCheckpointId = checkpointId;
            }
        }
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) {
        synchronized (sharedFiles) {
            sharedFiles.remove(checkpointId);
        }
    }

    @Override
    public void close() throws IOException {
        uploader.close();
    }

    /** What the synchronous part of a snapshot leaves to the asynchronous one. */
    private static final class LinkedFiles extends NativeRocksDBSnapshotResources {

        private final SnapshotDirectory directory;
        private final ConfirmedFiles confirmed;
        private final List<StateMetaInfoSnapshot> metadata;

        LinkedFiles(
                SnapshotDirectory directory,
                ConfirmedFiles confirmed,
                List<StateMetaInfoSnapshot> metadata) {
            super(directory, EMPTY_PREVIOUS_SNAPSHOT, metadata);
            this.directory = directory;
            this.confirmed = confirmed;
            this.metadata = metadata;
        }
    }

    /**
     * The shared files of the last completed checkpoint that no later one uploaded again. Of a file
     * that one did, the job manager knows the later upload as soon as that checkpoint completes,
     * and deletes the earlier one; which may be before it is known here.
     *
     * <p>Flink's {@code PreviousSnapshot} does so from version 2.2 on.
     *
     * @param handles by the name of the file
     */
    private record ConfirmedFiles(Map<String, StreamStateHandle> handles) {

        private static final ConfirmedFiles NONE = new ConfirmedFiles(Map.of());

        /**
         * @param sharedFiles by checkpoint
         */
        static ConfirmedFiles of(
                long checkpointId, SortedMap<Long, Collection<HandleAndLocalPath>> sharedFiles) {
            Map<String, StreamStateHandle> handles = new HashMap<>();
            for (HandleAndLocalPath file : sharedFiles.getOrDefault(checkpointId, List.of())) {
                handles.put(file.getLocalPath(), file.getHandle());
            }
            for (Collection<HandleAndLocalPath> later :
                    sharedFiles.tailMap(checkpointId + 1).values()) {
                for (HandleAndLocalPath file : later) {
                    if (!(file.getHandle() instanceof PlaceholderStreamStateHandle)) {
                        handles.remove(file.getLocalPath());
                    }
                }
            }
            return new ConfirmedFiles(handles);
        }

        /** A placeholder for the file, which the job manager replaces by its own handle. */
        Optional<StreamStateHandle> find(String fileName) {
            return Optional.ofNullable(handles.get(fileName))
                    .map(
                            handle ->
                                    new PlaceholderStreamStateHandle(
                                            handle.getStreamStateHandleID(),
                                            handle.getStateSize(),
                                            FileMergingSnapshotManager.isFileMergingHandle(
                                                    handle)));
        }
    }

    /** Uploads the files that are new and refers to the others. */
    private final class Upload extends RocksDBSnapshotOperation {

        private final ConfirmedFiles confirmed;
        private final SharingFilesStrategy sharing;

        Upload(
                long checkpointId,
                CheckpointStreamFactory streams,
                LinkedFiles files,
                SharingFilesStrategy sharing) {
            super(checkpointId, streams, files.directory, files.metadata);
            this.confirmed =
                    switch (sharing) {
                        case FORWARD_BACKWARD -> files.confirmed;
                        case FORWARD, NO_SHARING -> ConfirmedFiles.NONE;
                    };
            this.sharing = sharing;
        }

        @Override
        public SnapshotResult<KeyedStateHandle> get(CloseableRegistry cancellation)
                throws Exception {
            boolean completed = false;
            try {
                SnapshotResult<StreamStateHandle> metadata =
                        materializeMetaData(
                                cancellation,
                                tmpResourcesRegistry,
                                stateMetaInfoSnapshots,
                                checkpointId,
                                checkpointStreamFactory);
                List<HandleAndLocalPath> shared = new ArrayList<>();
                List<Path> toUploadShared = new ArrayList<>();
                List<Path> toUploadPrivate = new ArrayList<>();
                for (Path file : localBackupDirectory.listDirectory()) {
                    String name = file.getFileName().toString();
                    if (!BlobFiles.isImmutable(name)) {
                        toUploadPrivate.add(file);
                        continue;
                    }
                    confirmed
                            .find(name)
                            .filter(checkpointStreamFactory::couldReuseStateHandle)
                            .ifPresentOrElse(
                                    handle -> shared.add(HandleAndLocalPath.of(handle, name)),
                                    () -> toUploadShared.add(file));
                }
                List<StreamStateHandle> reused =
                        shared.stream().map(HandleAndLocalPath::getHandle).toList();
                List<HandleAndLocalPath> uploaded = upload(toUploadShared, cancellation);
                shared.addAll(uploaded);
                List<HandleAndLocalPath> privateFiles = upload(toUploadPrivate, cancellation);
                if (sharing != SharingFilesStrategy.NO_SHARING) {
                    synchronized (sharedFiles) {
                        sharedFiles.put(checkpointId, List.copyOf(shared));
                    }
                }
                KeyedStateHandle remote =
                        new IncrementalRemoteKeyedStateHandle(
                                backendUID,
                                keyGroupRange,
                                checkpointId,
                                shared,
                                privateFiles,
                                metadata.getJobManagerOwnedSnapshot(),
                                metadata.getStateSize() + size(uploaded) + size(privateFiles));
                SnapshotResult<KeyedStateHandle> result =
                        getLocalSnapshot(metadata.getTaskLocalSnapshot(), shared)
                                .map(local -> SnapshotResult.withLocalState(remote, local))
                                .orElseGet(() -> SnapshotResult.of(remote));
                checkpointStreamFactory.reusePreviousStateHandle(reused);
                completed = true;
                return result;
            } finally {
                if (!completed) {
                    cleanupIncompleteSnapshot(tmpResourcesRegistry, localBackupDirectory);
                }
            }
        }

        private List<HandleAndLocalPath> upload(List<Path> files, CloseableRegistry cancellation)
                throws Exception {
            return uploader.uploadFilesToCheckpointFs(
                    files,
                    checkpointStreamFactory,
                    sharing == SharingFilesStrategy.NO_SHARING
                            ? CheckpointedStateScope.EXCLUSIVE
                            : CheckpointedStateScope.SHARED,
                    cancellation,
                    tmpResourcesRegistry);
        }

        private static long size(List<HandleAndLocalPath> files) {
            return files.stream().mapToLong(HandleAndLocalPath::getStateSize).sum();
        }
    }
}
