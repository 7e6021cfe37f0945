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

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalLocalKeyedStateHandle;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.state.rocksdb.snapshot.RocksSnapshotUtil;
import org.apache.flink.util.FileUtils;

/** RocksDB's blob files, known by their names, in databases and in snapshots of them. */
public final class BlobFiles {

    private static final String SUFFIX = ".blob";

    private BlobFiles() {}

    /** Whether a file of a database is never written again once it is part of a snapshot. */
    static boolean isImmutable(String fileName) {
        return fileName.endsWith(RocksSnapshotUtil.SST_FILE_SUFFIX) || fileName.endsWith(SUFFIX);
    }

    /**
     * Whether any of the snapshots has blob files: shared ones, of {@link
     * BlobSharingSnapshotStrategy}, or private ones, of Flink's strategies and of native
     * savepoints.
     *
     * @param handles what a backend restores from; those without files of a database have none
     * @throws IOException when the directory of a local snapshot cannot be read
     */
    public static boolean areIn(Collection<KeyedStateHandle> handles) throws IOException {
        for (KeyedStateHandle handle : handles) {
            if (namesIn(handle).anyMatch(name -> name.endsWith(SUFFIX))) {
                return true;
            }
        }
        return false;
    }

    private static Stream<String> namesIn(KeyedStateHandle handle) throws IOException {
        if (handle instanceof IncrementalRemoteKeyedStateHandle remote) {
            return Stream.of(remote.getSharedState(), remote.getPrivateState())
                    .flatMap(List::stream)
                    .map(HandleAndLocalPath::getLocalPath);
        }
        if (handle instanceof IncrementalLocalKeyedStateHandle local) {
            return Stream.of(
                            FileUtils.listDirectory(local.getDirectoryStateHandle().getDirectory()))
                    .map(Path::toString);
        }
        return Stream.empty();
    }
}
