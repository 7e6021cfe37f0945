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
package io.stateaccel.rocksdb.batch;

import io.stateaccel.rocksdb.jni.NativeLibrary;
import javax.annotation.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteOptions;

/** Chooses the {@link BatchAccess}. */
public final class BatchAccesses {

    private BatchAccesses() {}

    /**
     * The fastest access there is.
     *
     * @param library our native library, null without it
     * @param reads closed by the caller, after the last read
     * @param writes closed by the caller, after the last write
     */
    public static BatchAccess create(
            @Nullable NativeLibrary library, RocksDB db, ReadOptions reads, WriteOptions writes) {
        return library == null || !library.hasMultiGet()
                ? new JavaBatchAccess(db, reads, writes)
                : new NativeBatchAccess(library, db, reads, writes);
    }
}
