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

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

class InspectRocksDBTest {

    private static final int KEYS = 1_000;

    @TempDir private Path directory;

    @Test
    void showsColumnFamiliesFilesAndValueLengths() throws Exception {
        fill();

        assertThat(inspect().lines().map(String::stripTrailing))
                .anySatisfy(
                        line ->
                                assertThat(line)
                                        .matches(
                                                "column family +keys, about +size +sampled +p50 +p90"
                                                        + " +p99 +max +files per level"))
                .anySatisfy(
                        line ->
                                assertThat(line)
                                        .matches(
                                                "default +0 +0 B +0 +- +- +- +-"
                                                        + "  \\[0,0,0,0,0,0,0\\]"))
                .anySatisfy(
                        line ->
                                assertThat(line)
                                        .matches(
                                                "values +1000 +[\\d.]+ KB +1000 +10 +10 +1,000"
                                                        + " +1,000  \\[2,0,0,0,0,0,0\\]"))
                .anySatisfy(
                        line ->
                                assertThat(line)
                                        .as("one value merged of two of 4 bytes and a comma")
                                        .matches("merged +\\d +[\\d.]+ KB +1 +9 +9 +9 +9 .*"));
    }

    @Test
    void changesNothing() throws Exception {
        fill();
        Map<String, Long> before = files();

        inspect();

        assertThat(files()).isEqualTo(before);
    }

    @Test
    void aTaskMayHaveItOpen() throws Exception {
        fill();
        try (RocksDB writer = openForWriting(directory)) {
            assertThat(writer.getLatestSequenceNumber()).isPositive();
            assertThat(inspect()).contains("\nvalues ");
        }
    }

    @Test
    void saysWhatIsNoRocksDB() throws IOException {
        Files.writeString(directory.resolve("CURRENT"), "no such manifest");

        assertThatThrownBy(this::inspect)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Could not read RocksDB in " + directory);
    }

    private static RocksDB openForWriting(Path directory) throws RocksDBException {
        RocksDB.loadLibrary();
        ColumnFamilyOptions options = new ColumnFamilyOptions();
        return RocksDB.open(
                new DBOptions(),
                directory.toString(),
                Stream.of("default", "values", "merged")
                        .map(name -> new ColumnFamilyDescriptor(name.getBytes(UTF_8), options))
                        .toList(),
                new ArrayList<>());
    }

    /** Values of 10 bytes, the last of two files has some of 1,000; and two operands to merge. */
    private void fill() throws RocksDBException {
        RocksDB.loadLibrary();
        try (Options options = new Options().setCreateIfMissing(true);
                ColumnFamilyOptions familyOptions =
                        new ColumnFamilyOptions()
                                .setMergeOperatorName(
                                        RocksDBKeyedStateBackend.MERGE_OPERATOR_NAME);
                FlushOptions flush = new FlushOptions();
                RocksDB db = RocksDB.open(options, directory.toString());
                ColumnFamilyHandle values = create(db, "values", familyOptions);
                ColumnFamilyHandle merged = create(db, "merged", familyOptions)) {
            for (int key = 0; key < KEYS; key++) {
                db.put(values, bytes(key), new byte[key < KEYS - KEYS / 50 ? 10 : 1_000]);
                if (key == KEYS / 2) {
                    db.flush(flush, values);
                }
            }
            db.flush(flush, values);
            db.merge(merged, bytes(1), bytes(7));
            db.flush(flush, merged);
            db.merge(merged, bytes(1), bytes(8));
            db.flush(flush, merged);
        }
    }

    private static ColumnFamilyHandle create(RocksDB db, String name, ColumnFamilyOptions options)
            throws RocksDBException {
        return db.createColumnFamily(new ColumnFamilyDescriptor(name.getBytes(UTF_8), options));
    }

    private static byte[] bytes(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private Map<String, Long> files() throws IOException {
        Map<String, Long> sizes = new TreeMap<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                sizes.put(file.getFileName().toString(), Files.size(file));
            }
        }
        return sizes;
    }

    private String inspect() {
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        new InspectRocksDB().accept(directory, out);
        out.flush();
        return text.toString();
    }
}
