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
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.annotation.Nullable;
import org.HdrHistogram.Histogram;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyMetaData;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.LevelMetaData;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.SstFileMetaData;

/**
 * Shows the column families of a RocksDB directory: files per level, keys, lengths of values.
 *
 * <p>It is opened read-only, beside a task that may have it open. What that task has not flushed is
 * not seen, as Flink writes no log of it.
 */
public final class InspectRocksDB implements BiConsumer<Path, PrintWriter> {

    /** Entries whose value is looked at, of one column family. */
    private static final int SAMPLE = 10_000;

    /** Places from which they are taken: the beginnings of as many files. */
    private static final int PLACES = 100;

    private static final int HISTOGRAM_DIGITS = 3;

    private static final String NAME_TITLE = "column family";
    private static final String COLUMNS = "  %12s  %10s  %9s  %7s  %7s  %7s  %7s  %s%n";

    @Override
    public void accept(Path directory, PrintWriter out) {
        RocksDB.loadLibrary();
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        try (Options options = new Options();
                DBOptions dbOptions = new DBOptions();
                ColumnFamilyOptions familyOptions =
                        new ColumnFamilyOptions()
                                .setMergeOperatorName(
                                        RocksDBKeyedStateBackend.MERGE_OPERATOR_NAME)) {
            List<ColumnFamilyDescriptor> families =
                    RocksDB.listColumnFamilies(options, directory.toString()).stream()
                            .map(name -> new ColumnFamilyDescriptor(name, familyOptions))
                            .toList();
            try (RocksDB db =
                    RocksDB.openReadOnly(dbOptions, directory.toString(), families, handles)) {
                print(directory, db, handles, out);
                handles.forEach(ColumnFamilyHandle::close);
            }
        } catch (RocksDBException e) {
            throw new IllegalStateException(
                    "Could not read RocksDB in " + directory + ": " + e.getMessage(), e);
        }
    }

    private static void print(
            Path directory, RocksDB db, List<ColumnFamilyHandle> handles, PrintWriter out)
            throws RocksDBException {
        List<ColumnFamilyMetaData> families =
                handles.stream().map(db::getColumnFamilyMetaData).toList();
        out.printf(
                "RocksDB %s: %d column families, %d files, %s. What a running task has not flushed is"
                        + " not in it.%n%n",
                directory,
                families.size(),
                families.stream().mapToLong(ColumnFamilyMetaData::fileCount).sum(),
                ByteCount.describe(families.stream().mapToLong(ColumnFamilyMetaData::size).sum()));
        int width = families.stream().mapToInt(family -> name(family).length()).max().orElse(0);
        String row = "%-" + Math.max(NAME_TITLE.length(), width) + "s" + COLUMNS;
        out.printf(
                row,
                NAME_TITLE,
                "keys, about",
                "size",
                "sampled",
                "p50",
                "p90",
                "p99",
                "max",
                "files per level");
        for (int i = 0; i < handles.size(); i++) {
            Histogram lengths = valueLengths(db, handles.get(i), families.get(i));
            boolean none = lengths.getTotalCount() == 0;
            out.printf(
                    row,
                    name(families.get(i)),
                    db.getProperty(handles.get(i), "rocksdb.estimate-num-keys"),
                    ByteCount.describe(families.get(i).size()),
                    lengths.getTotalCount(),
                    none ? "-" : bytes(lengths.getValueAtPercentile(50)),
                    none ? "-" : bytes(lengths.getValueAtPercentile(90)),
                    none ? "-" : bytes(lengths.getValueAtPercentile(99)),
                    none ? "-" : bytes(lengths.getMaxValue()),
                    filesPerLevel(families.get(i)));
        }
        out.printf("%nPercentiles are of the lengths of sampled values, in bytes.%n");
    }

    private static String name(ColumnFamilyMetaData family) {
        return new String(family.name(), StandardCharsets.UTF_8);
    }

    private static String bytes(long length) {
        return String.format(Locale.ROOT, "%,d", length);
    }

    private static String filesPerLevel(ColumnFamilyMetaData family) {
        return family.levels().stream()
                .map(level -> String.valueOf(level.files().size()))
                .collect(Collectors.joining(",", "[", "]"));
    }

    /** From the beginnings of files that lie evenly among all; no entry is taken twice. */
    private static Histogram valueLengths(
            RocksDB db, ColumnFamilyHandle handle, ColumnFamilyMetaData family)
            throws RocksDBException {
        Histogram lengths = new Histogram(HISTOGRAM_DIGITS);
        List<byte[]> places = places(family);
        try (ReadOptions readOptions =
                        new ReadOptions().setTotalOrderSeek(true).setFillCache(false);
                RocksIterator entries = db.newIterator(handle, readOptions)) {
            for (int place = 0; place < places.size(); place++) {
                byte[] end = place + 1 < places.size() ? places.get(place + 1) : null;
                entries.seek(places.get(place));
                for (int i = 0; i < SAMPLE / places.size() && isBefore(entries, end); i++) {
                    lengths.recordValue(entries.value().length);
                    entries.next();
                }
                entries.status();
            }
        }
        return lengths;
    }

    private static boolean isBefore(RocksIterator entries, @Nullable byte[] end) {
        return entries.isValid() && (end == null || Arrays.compareUnsigned(entries.key(), end) < 0);
    }

    /** Keys at which files begin, in order. */
    private static List<byte[]> places(ColumnFamilyMetaData family) {
        List<byte[]> beginnings =
                family.levels().stream()
                        .map(LevelMetaData::files)
                        .flatMap(List::stream)
                        .map(SstFileMetaData::smallestKey)
                        .sorted(Arrays::compareUnsigned)
                        .toList();
        int step = Math.max(1, (beginnings.size() + PLACES - 1) / PLACES);
        return IntStream.range(0, beginnings.size())
                .filter(i -> i % step == 0)
                .mapToObj(beginnings::get)
                .toList();
    }
}
