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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.config.DiskCheckMode;
import io.stateaccel.rocksdb.LocalDisks.RandomReads;
import io.stateaccel.rocksdb.disk.Latencies;
import io.stateaccel.rocksdb.disk.LocalDisk;
import io.stateaccel.rocksdb.disk.LocalDisk.Medium;
import io.stateaccel.rocksdb.testing.BackendHarness;
import io.stateaccel.rocksdb.testing.BackendHarness.Make;
import io.stateaccel.rocksdb.testing.LogCollector;
import io.stateaccel.rocksdb.testing.RandomStates.Keys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** With disks made for the test, but for the last ones. */
class DiskCheckTest {

    private static final Path DATA = Path.of("/data/flink");
    private static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir"), "tm_1");
    private static final int LEAST_READS = 500;

    @TempDir private Path directory;

    private final AtomicInteger measured = new AtomicInteger();
    private Path mountPoint = Path.of("/");
    private Medium medium = Medium.SOLID_STATE;
    private RandomReads reads = reads(9_871);
    private LogCollector log;

    private final LocalDisks disks =
            new LocalDisks(
                    path ->
                            new LocalDisk(
                                    path,
                                    mountPoint,
                                    "ext4",
                                    "/dev/sdb",
                                    medium,
                                    10L << 30,
                                    100L << 30),
                    disk -> {
                        measured.incrementAndGet();
                        return reads;
                    });

    @BeforeEach
    void collect() {
        log = new LogCollector(DiskCheck.class.getName());
    }

    @AfterEach
    void stopCollecting() {
        log.close();
    }

    @Test
    void aGoodDiskIsSaidOnceAtInfo() throws IOException {
        check(DiskCheckMode.WARN).check(DATA, true);
        check(DiskCheckMode.FAIL).check(DATA, true);

        assertThat(log.warnings()).isEmpty();
        assertThat(log.lines())
                .containsExactly(
                        "[state-accel] RocksDB's local directory /data/flink is ext4 on /dev/sdb"
                                + " (not rotational), mounted at /, 10.0 GB free of 100.0 GB; 4 KiB"
                                + " random reads: 9,871/s, p50 95 us, p99 210 us.");
    }

    @Test
    void aFileSystemIsMeasuredOnce() throws IOException {
        check(DiskCheckMode.WARN).check(DATA, true);
        check(DiskCheckMode.WARN).check(DATA.resolveSibling("other"), true);

        assertThat(measured).hasValue(1);
        assertThat(log.lines()).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({
        "MEMORY, in memory",
        "OVERLAY, layers of a container",
        "NETWORK, over the network",
    })
    void warnsOfTheMedium(Medium found, String words) throws IOException {
        medium = found;

        assertThat(warning(DATA, true)).contains("It does not suit RocksDB: ").contains(words);
    }

    @Test
    void warnsOfAHardDiskUnlessItIsTooFastForOne() throws IOException {
        medium = Medium.ROTATIONAL;
        check(DiskCheckMode.FAIL).check(DATA, true);

        reads = RandomReads.notMeasured("no O_DIRECT");
        Path other = Path.of("/other");
        mountPoint = other;

        assertThat(warning(other, true)).contains("It does not suit RocksDB: it is rotational");
    }

    @Test
    void warnsOfASlowDiskOnceAndNamesTheFix() throws IOException {
        reads = reads(240);
        check(DiskCheckMode.WARN).check(DATA, true);

        assertThat(warning(DATA, true))
                .contains("4 KiB random reads: 240/s")
                .contains("It does not suit RocksDB: it does too few random reads a second. ")
                .contains("Set state.backend.rocksdb.localdir to a directory on a local SSD")
                .contains("state.backend.state-accel.disk-check.mode to OFF")
                .endsWith("doctor --dir /data/flink");
    }

    @Test
    void warnsOfTheTemporaryFolderOnlyIfNobodyChoseIt() throws IOException {
        check(DiskCheckMode.WARN).check(TEMPORARY, true);
        assertThat(log.warnings()).isEmpty();

        assertThat(warning(TEMPORARY, false)).contains("no other was configured");
    }

    @Test
    void aDiskThatCannotBeMeasuredIsNotSlow() throws IOException {
        reads = RandomReads.notMeasured("no O_DIRECT");

        check(DiskCheckMode.FAIL).check(DATA, true);

        assertThat(log.warnings()).isEmpty();
        assertThat(log.lines()).singleElement().asString().endsWith("not measured: no O_DIRECT.");
    }

    @Test
    void failsEachTimeIfAsked() {
        reads = reads(240);
        for (int task = 0; task < 2; task++) {
            assertThatThrownBy(() -> check(DiskCheckMode.FAIL).check(DATA, true))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("too few random reads")
                    .hasMessageContaining("state.backend.rocksdb.localdir");
        }
    }

    @Test
    void doesNotLookWhenOff() throws IOException {
        reads = reads(240);

        check(DiskCheckMode.OFF).check(DATA, false);

        assertThat(measured).hasValue(0);
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void aFailedLookUpEndsAJobOnlyIfAsked() throws IOException {
        LocalDisks unknown =
                new LocalDisks(
                        path -> {
                            throw new IOException("gone");
                        },
                        disk -> reads);

        new DiskCheck(DiskCheckMode.WARN, LEAST_READS, unknown).check(DATA, true);

        assertThat(log.lines()).singleElement().asString().contains("what /data/flink lies on");
        assertThatThrownBy(
                        () ->
                                new DiskCheck(DiskCheckMode.FAIL, LEAST_READS, unknown)
                                        .check(DATA, true))
                .hasMessageContaining("/data/flink");
    }

    @ParameterizedTest
    @CsvSource({
        "disk-check.mode, SOMETIMES, 'WARN, FAIL or OFF'",
        "disk-check.min-reads-per-second, many, a whole number",
        "disk-check.min-reads-per-second, -1, a whole number",
    })
    void refusesBadValuesWhereTheJobIsSubmitted(String option, String value, String expected) {
        String key = "state.backend.state-accel." + option;
        assertThatThrownBy(() -> Make.ACCELERATED.create(Configuration.fromMap(Map.of(key, value))))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining("'" + value + "'")
                .hasMessageContaining("'" + key + "'")
                .hasMessageContaining(expected);
    }

    /** No disk does that many reads; where they cannot be measured it is for another reason. */
    @Test
    void aBackendOnARealDirectoryAsksForTheCheck() {
        Configuration config =
                BackendHarness.config(
                        directory,
                        Map.of(
                                "state.backend.state-accel.disk-check.mode",
                                "fail",
                                "state.backend.state-accel.disk-check.min-reads-per-second",
                                String.valueOf(Integer.MAX_VALUE)));

        assertThatThrownBy(
                        () ->
                                BackendHarness.open(
                                        Make.ACCELERATED.create(config),
                                        Keys.VARIABLE_LENGTH.serializer(),
                                        128,
                                        KeyGroupRange.of(0, 127),
                                        List.of()))
                .hasMessageContaining(directory.toString())
                .hasMessageContaining("It does not suit RocksDB");
        assertThat(directory).isEmptyDirectory();
    }

    private DiskCheck check(DiskCheckMode mode) {
        return new DiskCheck(mode, LEAST_READS, disks);
    }

    /** The one warning after checks of which the last is of this directory. */
    private String warning(Path path, boolean configured) throws IOException {
        check(DiskCheckMode.WARN).check(path, configured);
        assertThat(log.warnings()).hasSize(1);
        return log.warnings().get(0);
    }

    private static RandomReads reads(double perSecond) {
        return RandomReads.measured(new Latencies(1_000, perSecond, 95, 150, 210, 300, 400));
    }
}
