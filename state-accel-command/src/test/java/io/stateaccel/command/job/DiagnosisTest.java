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
package io.stateaccel.command.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/**
 * Situations that cannot be had at will on one machine: samples in the form of those that {@code
 * DoctorOfRunningJobsTest} takes of real jobs, with figures written by hand.
 */
class DiagnosisTest {

    /**
     * A public one: the last time of each device and event type, 4 GB of task manager, and a disk
     * of 240 reads a second that took days to find.
     */
    @Test
    void theSlowDiskOfThePostMortem() throws Exception {
        Diagnosis diagnosis = diagnosis("iot-post-mortem");

        assertThat(diagnosis.bottleneck()).isEqualTo(Bottleneck.DISK);
        assertThat(diagnosis.where()).contains("IotLastSeen");
        assertThat(diagnosis.evidence())
                .containsExactly(
                        "sub-task 0 is busy for 99 % of the time and waits for nobody; 'Source:"
                                + " events' waits for it for 98 %",
                        "it reads from RocksDB for 95 % of the time: 400 reads a second of 2,380"
                                + " us, for each of which 0.6 blocks are read from files",
                        "the block cache holds 1.0 GB, of 1.0 GB at most; the largest state has"
                                + " 30.0 GB of files",
                        "the state cache saves 5 % of the reads",
                        "960.0 KB a second come from the disk, as the page cache has not got them;"
                                + " the device does 241 reads a second of 4.20 ms and is busy for"
                                + " 100 %");
        assertThat(diagnosis.bottleneck().advice()).contains("state.backend.rocksdb.localdir");
    }

    @Test
    void garbageCollectionComesBeforeAllElse() throws Exception {
        Diagnosis diagnosis = diagnosis("garbage-collection");

        assertThat(diagnosis.bottleneck()).isEqualTo(Bottleneck.GARBAGE_COLLECTION);
        assertThat(diagnosis.evidence())
                .containsExactly("a task manager collects garbage for 64 % of the time");
    }

    @Test
    void anExchangeThatIsSlowerThanBothOfItsEnds() throws Exception {
        Diagnosis diagnosis = diagnosis("exchange");

        assertThat(diagnosis.bottleneck()).isEqualTo(Bottleneck.EXCHANGE);
        assertThat(diagnosis.where()).contains("Source: events");
        assertThat(diagnosis.evidence())
                .containsExactly(
                        "it waits to send for 82 % of the time, and those that it sends to are busy"
                                + " for 33 % at most");
    }

    @Test
    void aSourceThatFallsBehindWhileNobodyIsBusy() throws Exception {
        Diagnosis diagnosis = diagnosis("backlog");

        assertThat(diagnosis.bottleneck()).isEqualTo(Bottleneck.SOURCE);
        assertThat(diagnosis.evidence())
                .containsExactly(
                        "1,620,000 records wait to be read, 12,000 more a second, and no task is at"
                                + " its limit");
    }

    /** Only SQL's operators tell the key. */
    @Test
    void theHotKeyOfAJoin() throws Exception {
        Diagnosis diagnosis = diagnosis("hot-key-of-a-join");

        assertThat(diagnosis.bottleneck()).isEqualTo(Bottleneck.HOT_KEY);
        assertThat(diagnosis.evidence())
                .hasSize(3)
                .element(0)
                .asString()
                .startsWith("sub-task 1 is busy for 99 %");
        assertThat(diagnosis.evidence())
                .contains(
                        "it gets 36,000 rows a second, the others 7,000 on average, who are busy for"
                                + " 30 %",
                        "81 % of its rows have the key (sha256:3caab9decb0f3753)");
    }

    @Test
    void manyFilesInLevelZero() throws Exception {
        Diagnosis diagnosis = diagnosis("many-files-in-level-0");

        assertThat(diagnosis.bottleneck()).isEqualTo(Bottleneck.COMPACTION);
        assertThat(diagnosis.evidence())
                .contains(
                        "up to 34 files of a state are in level 0, and 6.0 GB wait to be compacted");
    }

    /** A chain is no sink because it ends in one. */
    @Test
    void aJobWithoutOurMetrics() throws Exception {
        Diagnosis diagnosis = diagnosis("stock-job");

        assertThat(diagnosis.bottleneck()).isEqualTo(Bottleneck.COMPUTATION);
        assertThat(diagnosis.where()).contains("Join[6] -> sink: Writer");
    }

    /** Flink does not know how busy old sources are. */
    @Test
    void figuresThatAreNotKnownAreNoBottleneck() throws Exception {
        assertThat(diagnosis("unknown-busy-time").bottleneck()).isEqualTo(Bottleneck.HEALTHY);
    }

    @Test
    void theReportHasTasksCauseFiguresAndAdvice() throws Exception {
        JobSample sample = sample("iot-post-mortem");
        StringWriter text = new StringWriter();
        new JobReport(sample, Diagnosis.of(sample)).print(new PrintWriter(text));

        assertThat(text.toString())
                .startsWith("Job          device events (0123456789abcdef0123456789abcdef)\n")
                .contains("Measured     10.0 s\n")
                .containsPattern("\nIotLastSeen +1 +400 +99 % +0 %\n")
                .contains("\nBottleneck: the local disk, at 'IotLastSeen'\n  - sub-task 0")
                .contains("\nWhat to do: " + Bottleneck.DISK.advice());
    }

    private static Diagnosis diagnosis(String situation) throws Exception {
        return Diagnosis.of(sample(situation));
    }

    private static JobSample sample(String situation) throws Exception {
        try (Reader json =
                new InputStreamReader(
                        DiagnosisTest.class.getResourceAsStream(situation + ".json"),
                        StandardCharsets.UTF_8)) {
            return new Gson().fromJson(json, JobSample.class);
        }
    }
}
