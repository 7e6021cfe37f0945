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
package io.stateaccel.command.flink;

import io.stateaccel.rocksdb.disk.ByteCount;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.PhysicalStateHandleID;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;

/** The files of an operator's keyed state, over all of its sub-tasks. Not thread-safe. */
final class KeyedFiles {

    private final Set<String> layouts = new TreeSet<>();

    /** By identity of the file: after rescaling two sub-tasks may hold the same. */
    private final Map<PhysicalStateHandleID, Long> shared = new HashMap<>();

    private final Map<PhysicalStateHandleID, Long> own = new HashMap<>();
    private final List<StreamStateHandle> heads = new ArrayList<>();

    private long changelogBytes;

    void add(KeyedStateHandle handle) {
        if (handle instanceof IncrementalRemoteKeyedStateHandle incremental) {
            layouts.add("files of RocksDB");
            incremental.getSharedState().forEach(file -> add(file.getHandle(), shared));
            incremental.getPrivateState().forEach(file -> add(file.getHandle(), own));
            add(incremental.getMetaDataStateHandle(), own);
            heads.add(incremental.getMetaDataStateHandle());
        } else if (handle instanceof KeyGroupsStateHandle keyGroups) {
            layouts.add("entries by key group");
            add(keyGroups, own);
            heads.add(keyGroups);
        } else if (handle instanceof ChangelogStateBackendHandle changelog) {
            layouts.add("changelog");
            changelog.getMaterializedStateHandles().forEach(this::add);
            changelog
                    .getNonMaterializedStateHandles()
                    .forEach(changes -> changelogBytes += changes.getStateSize());
        } else {
            layouts.add(handle.getClass().getSimpleName());
        }
    }

    private static void add(StreamStateHandle file, Map<PhysicalStateHandleID, Long> files) {
        files.put(file.getStreamStateHandleID(), file.getStateSize());
    }

    boolean isEmpty() {
        return layouts.isEmpty();
    }

    /** What each begins with is the description of the states. */
    List<StreamStateHandle> heads() {
        return heads;
    }

    /** Such as {@code files of RocksDB; 3 shared, 1.2 MB; 8 private, 4.0 KB}. */
    String describe() {
        return String.join(" and ", layouts)
                + "; "
                + describe(shared, "shared")
                + "; "
                + describe(own, "private")
                + (changelogBytes > 0 ? "; changes " + ByteCount.describe(changelogBytes) : "");
    }

    private static String describe(Map<PhysicalStateHandleID, Long> files, String kind) {
        return files.size()
                + " "
                + kind
                + ", "
                + ByteCount.describe(files.values().stream().mapToLong(Long::longValue).sum());
    }
}
