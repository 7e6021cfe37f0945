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
package io.stateaccel.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.rocksdb.disk.Latencies;
import io.stateaccel.rocksdb.disk.LocalDisk;
import io.stateaccel.rocksdb.disk.LocalDisk.Medium;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DiskReportTest {

    private static final long GIB = 1L << 30;
    private static final Optional<String> DIRECT = Optional.empty();
    private static final Optional<JobNeeds> NO_JOB = Optional.empty();

    @Test
    void printsWhatWasFound() {
        DiskReport report = report(Medium.SOLID_STATE, DIRECT, 9_871, NO_JOB);

        assertThat(report.isFit()).isTrue();
        assertThat(text(report))
                .isEqualTo(
                        """
                        Directory    /data/flink
                        File system  ext4 on /dev/nvme0n1 (not rotational), mounted at /data
                        Space        66.0 GB free of 252.0 GB
                        Measured     on a file of 256.0 MB with O_DIRECT, past the page cache

                        in microseconds               per second       p50       p90       p99     p99.9       max
                        4 KiB reads, 1 reader              9,871        95       150       210       300     4,000
                        4 KiB reads, 8 readers            40,000       180       250       400       900     5,000
                        4 KiB write and sync                 800     1,100     1,500     2,000     3,000     9,000

                        Verdict: good for RocksDB.
                        """);
    }

    @Test
    void printsWhatAJobNeeds() {
        DiskReport report =
                report(
                        Medium.SOLID_STATE,
                        DIRECT,
                        9_871,
                        Optional.of(new JobNeeds(100 * GIB, Optional.of(50_000L), 4 * GIB)));

        assertThat(report.isFit()).isFalse();
        assertThat(text(report))
                .contains(
                        """
                        A job with 100.0 GB of state here needs
                          space: 200.0 GB, the state and as much again for compactions and files that checkpoints hold; 66.0 GB are free: NOT ENOUGH.
                          reads: 48,000 a second at worst: 50,000 rows/s on keys that come back evenly find 4.0 % of the state in 4.0 GB of memory; the disk does 40,000, of which 70 % can be counted on: NOT ENOUGH, it carries 29,166 rows/s; or give RocksDB 44.0 GB of memory.

                        Verdict: a good disk, and not enough for this job.
                        """);
    }

    @Test
    void aJobThatFitsIsGood() {
        DiskReport report =
                report(
                        Medium.SOLID_STATE,
                        DIRECT,
                        9_871,
                        Optional.of(new JobNeeds(10 * GIB, Optional.of(20_000L), 4 * GIB)));

        assertThat(report.isFit()).isTrue();
        assertThat(text(report))
                .contains("66.0 GB are free: enough.")
                .contains("reads: 12,000 a second")
                .contains("can be counted on: enough.")
                .contains("Verdict: good for RocksDB.");
    }

    @Test
    void stateWithinMemoryReadsNothing() {
        JobNeeds needs = new JobNeeds(GIB, Optional.of(1_000_000L), 4 * GIB);

        assertThat(needs.readsPerSecond(1_000_000)).isZero();
        assertThat(needs.hasReads(0)).isTrue();
    }

    @Test
    void withoutARateOnlySpaceCounts() {
        JobNeeds needs = new JobNeeds(10 * GIB, Optional.empty(), GIB);

        assertThat(text(report(Medium.SOLID_STATE, DIRECT, 9_871, Optional.of(needs))))
                .contains("space: 20.0 GB")
                .doesNotContain("reads:");
    }

    @Test
    void namesEachProblem() {
        DiskReport report = report(Medium.ROTATIONAL, DIRECT, 120, NO_JOB);

        assertThat(report.isFit()).isFalse();
        assertThat(text(report))
                .endsWith(
                        """
                        Verdict: it does not suit RocksDB, for
                          - it is rotational, and then does some hundred random reads a second.
                          - it does too few random reads a second.
                        Set state.backend.rocksdb.localdir to a directory on a local SSD.
                        """);
    }

    @Test
    void readsOfMemoryAreNotTakenForTheDisk() {
        DiskReport report =
                report(
                        Medium.UNKNOWN,
                        Optional.of("the file system has none"),
                        1,
                        Optional.of(new JobNeeds(10 * GIB, Optional.of(50_000L), GIB)));

        assertThat(report.isFit()).isTrue();
        assertThat(text(report))
                .contains("through the page cache, as the file system has none: the reads below")
                .contains("what the disk can do is not known.")
                .contains("Verdict: no problem is known, but its reads could not be measured.");
    }

    private static DiskReport report(
            Medium medium,
            Optional<String> pageCacheInTheWay,
            double readsPerSecond,
            Optional<JobNeeds> job) {
        return new DiskReport(
                new LocalDisk(
                        Path.of("/data/flink"),
                        Path.of("/data"),
                        "ext4",
                        "/dev/nvme0n1",
                        medium,
                        66 * GIB,
                        252 * GIB),
                256L << 20,
                pageCacheInTheWay,
                new Latencies(9_871, readsPerSecond, 95, 150, 210, 300, 4_000),
                8,
                new Latencies(40_000, 40_000, 180, 250, 400, 900, 5_000),
                new Latencies(800, 800, 1_100, 1_500, 2_000, 3_000, 9_000),
                500,
                job);
    }

    private static String text(DiskReport report) {
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        report.print(out);
        out.flush();
        return text.toString();
    }
}
