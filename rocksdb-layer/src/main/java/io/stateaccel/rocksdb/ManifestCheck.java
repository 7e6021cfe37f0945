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

import io.stateaccel.config.StateAccelOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.DirectoryStateHandle;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalLocalKeyedStateHandle;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.util.FileUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the MANIFEST of a snapshot, RocksDB's log of which files belong to the database, is
 * whole.
 *
 * <p>RocksDB verifies checksums of all else when it reads it. A MANIFEST that breaks off it takes
 * for one that a crash has cut, which its own can never be in a snapshot: it drops the rest, and so
 * opens an older database, or an empty one. One changed bit in the length of a record is enough.
 * Flink does not notice either, as it downloads until the file ends.
 *
 * <p>Of a local copy, which is there for local recovery, Flink notes the bytes of the directory,
 * not those of each file. Where a copy is refused, Flink takes the snapshot in checkpoint storage.
 */
final class ManifestCheck {

    private static final Logger LOG = LoggerFactory.getLogger(ManifestCheck.class);

    private static final String PREFIX = "MANIFEST-";

    /** RocksDB's log format: blocks of records, each with checksum, length and type before it. */
    private static final int BLOCK_BYTES = 32 << 10;

    private static final int CHECKSUM_AND_LENGTH_BYTES = Integer.BYTES + Short.BYTES;
    private static final int HEADER_BYTES = CHECKSUM_AND_LENGTH_BYTES + 1;
    private static final byte FIRST_FRAGMENT = 2;
    private static final byte MIDDLE_FRAGMENT = 3;
    private static final int MASK_DELTA = 0xa282ead8;

    private ManifestCheck() {}

    /**
     * Reads the MANIFEST of each part, which has some kilobytes.
     *
     * @param operator what the user finds in the log
     * @param parts what a backend restores from; those without files of a database have none
     * @param refuses whether damage ends the restore; else one line in the log names what is
     *     damaged. Damaged local copies are refused in any case: Flink has another one.
     * @param cancellation ends reading
     * @throws IOException when one is refused or cannot be read
     */
    static void check(
            String operator,
            Collection<KeyedStateHandle> parts,
            boolean refuses,
            CloseableRegistry cancellation)
            throws IOException {
        List<String> damaged = new ArrayList<>();
        for (KeyedStateHandle part : parts) {
            if (part instanceof IncrementalRemoteKeyedStateHandle files) {
                for (HandleAndLocalPath file : files.getPrivateState()) {
                    if (file.getLocalPath().startsWith(PREFIX)
                            && !isWhole(file.getHandle(), cancellation)) {
                        damaged.add(file.getLocalPath() + " (" + file.getHandle() + ")");
                    }
                }
            } else if (part instanceof IncrementalLocalKeyedStateHandle copy
                    && !isWhole(copy.getDirectoryStateHandle())) {
                throw new IOException(
                        String.format(
                                "The local copy of the snapshot of '%s' is damaged: %s is not what"
                                        + " was written. The one in the checkpoint storage is"
                                        + " restored instead.",
                                operator, copy.getDirectoryStateHandle().getDirectory()));
            }
        }
        if (damaged.isEmpty()) {
            return;
        }
        if (refuses) {
            throw new IOException(
                    String.format(
                            "The snapshot of '%s' is damaged: %s is not what was written. Restore"
                                    + " another checkpoint or savepoint. If it is known to be"
                                    + " whole, restore it with '%s' set to 'false'.",
                            operator,
                            damaged.get(0),
                            StateAccelOptions.RESTORE_MANIFEST_CHECK_ENABLED.key()));
        }
        LOG.warn(
                "[state-accel] the snapshot of '{}' looks damaged: {} is not what was written. It is"
                        + " restored all the same, as '{}' is 'false': state may be older than the"
                        + " snapshot, or missing.",
                operator,
                String.join(", ", damaged),
                StateAccelOptions.RESTORE_MANIFEST_CHECK_ENABLED.key());
    }

    private static boolean isWhole(DirectoryStateHandle copy) throws IOException {
        Path directory = copy.getDirectory();
        long bytes = copy.getStateSize();
        if (bytes > 0 && FileUtils.getDirectoryFilesSize(directory) != bytes) {
            return false;
        }
        try (DirectoryStream<Path> manifests = Files.newDirectoryStream(directory, PREFIX + "*")) {
            for (Path manifest : manifests) {
                try (InputStream in = Files.newInputStream(manifest)) {
                    if (!isWhole(in, Files.size(manifest))) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    private static boolean isWhole(StreamStateHandle manifest, CloseableRegistry cancellation)
            throws IOException {
        InputStream in = manifest.openInputStream();
        cancellation.registerCloseable(in);
        try (in) {
            return isWhole(in, manifest.getStateSize());
        } finally {
            cancellation.unregisterCloseable(in);
        }
    }

    /**
     * Whether a log has the length that it had when it was written and all records are intact.
     *
     * @param bytes how long it was
     */
    static boolean isWhole(InputStream log, long bytes) throws IOException {
        byte[] content = new byte[BLOCK_BYTES];
        boolean inRecord = false;
        long read = 0;
        for (int n; (n = log.readNBytes(content, 0, BLOCK_BYTES)) > 0; read += n) {
            ByteBuffer block = ByteBuffer.wrap(content, 0, n).order(ByteOrder.LITTLE_ENDIAN);
            while (block.remaining() >= HEADER_BYTES) {
                int checksum = block.getInt();
                int typeAndData = 1 + Short.toUnsignedInt(block.getShort());
                if (typeAndData > block.remaining()
                        || checksum != checksum(content, block.position(), typeAndData)) {
                    return false;
                }
                byte type = content[block.position()];
                inRecord = type == FIRST_FRAGMENT || type == MIDDLE_FRAGMENT;
                block.position(block.position() + typeAndData);
            }
            // Where a block has too little room left for a record, there are zeros.
            while (block.hasRemaining()) {
                if (block.get() != 0) {
                    return false;
                }
            }
        }
        return !inRecord && read == bytes;
    }

    private static int checksum(byte[] bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, length);
        return Integer.rotateRight((int) crc.getValue(), 15) + MASK_DELTA;
    }
}
