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

import io.stateaccel.command.job.Bottleneck;
import io.stateaccel.command.job.Diagnosis;
import io.stateaccel.command.job.JobReader;
import io.stateaccel.command.job.JobReport;
import io.stateaccel.command.job.JobSample;
import io.stateaccel.rocksdb.disk.ByteCount;
import io.stateaccel.rocksdb.disk.DiskProbe;
import io.stateaccel.rocksdb.disk.LocalDisk;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Measures a directory as RocksDB would use it, and says whether it is fit for a job; or reads the
 * metrics of a running job, and says what holds it back.
 */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "With --dir, measures the disk below a directory as RocksDB uses it: random reads of 4 KiB, past the"
                    + " page cache where the file system allows it, and syncs. Writes one"
                    + " temporary file, which is gone however the command ends.",
            "With --rest, reads the metrics of a running job and names its bottleneck, the figures"
                    + " behind it, and what to change."
        },
        footer = {
            "",
            "Exit code: 0 fit, or nothing holds the job back; 1 not fit, or not for the job given, or"
                    + " something holds the job back; 2 wrong use.",
            "Examples: state-accel doctor --rest http://localhost:8081",
            "          state-accel doctor --dir /data/flink --state-size 100GB --rate 50k --memory 4GB"
        })
final class DoctorCommand implements Callable<Integer> {

    private static final long LEAST_FILE = 1 << 20;
    private static final int MOST_SECONDS = 600;
    private static final int MOST_READERS = 256;

    /** The file may take half of what is free: jobs may run on the same disk. */
    private static final int FREE_PER_FILE = 2;

    @Spec private CommandSpec spec;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "The directory, as in state.backend.rocksdb.localdir.")
    private Path directory;

    @Option(
            names = "--rest",
            paramLabel = "URL",
            description = "The cluster, as the Web UI has it, such as http://localhost:8081.")
    private URI cluster;

    @Option(
            names = "--job",
            paramLabel = "ID",
            description = "The job to look at with --rest (default: the only one that runs).")
    private String job;

    @Option(
            names = "--state-size",
            paramLabel = "SIZE",
            converter = Amount.Size.class,
            description = "State that a job keeps on this machine, such as 100GB.")
    private Long stateSize;

    @Option(
            names = "--rate",
            paramLabel = "ROWS",
            converter = Amount.Count.class,
            description = "Rows a second that the job takes in on this machine, such as 50k.")
    private Long rate;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            defaultValue = "512MB",
            converter = Amount.Size.class,
            description =
                    "Managed memory that RocksDB has on this machine (default: ${DEFAULT-VALUE}, as"
                            + " Flink gives a task manager of 1728 MB).")
    private long memory;

    @Option(
            names = "--file-size",
            paramLabel = "SIZE",
            defaultValue = "256MB",
            converter = Amount.Size.class,
            description = "Size of the temporary file (default: ${DEFAULT-VALUE}).")
    private long fileSize;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "6",
            description = "How long to measure (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(
            names = "--readers",
            paramLabel = "N",
            defaultValue = "8",
            description =
                    "Threads that read at the same time in the second measurement, as the sub-tasks"
                            + " of a task manager do (default: ${DEFAULT-VALUE}).")
    private int readers;

    @Option(
            names = "--min-reads",
            paramLabel = "N",
            defaultValue = "500",
            description =
                    "A disk with fewer reads a second by one reader is slow (default:"
                            + " ${DEFAULT-VALUE}, as"
                            + " state.backend.state-accel.disk-check.min-reads-per-second).")
    private int leastReads;

    @Override
    public Integer call() throws IOException, InterruptedException {
        check(
                seconds >= 1 && seconds <= MOST_SECONDS,
                "--seconds",
                seconds,
                "is out of range: set 1 to " + MOST_SECONDS);
        check(job == null || cluster != null, "--job", job, "says nothing without --rest");
        if ((directory == null) == (cluster == null)) {
            throw new ParameterException(
                    spec.commandLine(), "Say what to look at: --dir or --rest, one of the two");
        }
        return directory == null ? examineJob() : examineDirectory();
    }

    private int examineJob() throws IOException, InterruptedException {
        check(
                "http".equals(cluster.getScheme()) || "https".equals(cluster.getScheme()),
                "--rest",
                cluster,
                "is no address: write it as http://localhost:8081");
        PrintWriter err = spec.commandLine().getErr();
        err.println("Reading metrics at " + cluster + " for at least " + seconds + " seconds ...");
        err.flush();
        JobSample sample = new JobReader(cluster).read(Optional.ofNullable(job), seconds);
        Diagnosis diagnosis = Diagnosis.of(sample);
        PrintWriter out = spec.commandLine().getOut();
        new JobReport(sample, diagnosis).print(out);
        out.flush();
        return diagnosis.bottleneck() == Bottleneck.HEALTHY
                ? StateAccelCommand.GOOD
                : StateAccelCommand.WRONG;
    }

    private int examineDirectory() throws IOException {
        check(
                Files.isDirectory(directory),
                "--dir",
                directory,
                "is no directory: name an existing one");
        check(
                Files.isWritable(directory),
                "--dir",
                directory,
                "cannot be written to: name another one, or run as its owner");
        check(fileSize >= LEAST_FILE, "--file-size", fileSize, "is too small: set at least 1MB");
        check(
                readers >= 1 && readers <= MOST_READERS,
                "--readers",
                readers,
                "is out of range: set 1 to " + MOST_READERS);
        check(leastReads >= 0, "--min-reads", leastReads, "is negative: set 0 or more");
        check(
                stateSize == null || stateSize > 0,
                "--state-size",
                stateSize,
                "is no state: set at least 1kb");
        check(
                rate == null || stateSize != null,
                "--rate",
                rate,
                "says nothing without the size of the state: add --state-size");

        LocalDisk disk = LocalDisk.of(directory);
        check(
                disk.freeBytes() / FREE_PER_FILE >= fileSize,
                "--file-size",
                ByteCount.describe(fileSize),
                "is more than half of the "
                        + ByteCount.describe(disk.freeBytes())
                        + " that are free: set less, or free some");

        PrintWriter out = spec.commandLine().getOut();
        DiskReport report = measure(disk);
        report.print(out);
        out.flush();
        return report.isFit() ? StateAccelCommand.GOOD : StateAccelCommand.WRONG;
    }

    private DiskReport measure(LocalDisk disk) throws IOException {
        PrintWriter err = spec.commandLine().getErr();
        err.println("Measuring " + disk.directory() + " for " + seconds + " seconds ...");
        err.flush();
        Duration part = Duration.ofSeconds(seconds).dividedBy(4);
        try (DiskProbe probe = DiskProbe.create(disk.directory(), fileSize, part)) {
            return new DiskReport(
                    disk,
                    probe.fileBytes(),
                    pageCacheInTheWay(disk, probe),
                    probe.randomReads(1, part),
                    readers,
                    probe.randomReads(readers, part),
                    probe.syncs(part),
                    leastReads,
                    Optional.ofNullable(stateSize)
                            .map(size -> new JobNeeds(size, Optional.ofNullable(rate), memory)));
        }
    }

    /** Some kernels allow O_DIRECT where there is no device either. */
    private static Optional<String> pageCacheInTheWay(LocalDisk disk, DiskProbe probe) {
        return disk.medium() == LocalDisk.Medium.MEMORY
                ? Optional.of("there is no device below it")
                : probe.pageCacheInTheWay();
    }

    private void check(boolean right, String option, Object value, String complaint) {
        if (!right) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Invalid value for option '" + option + "': '" + value + "' " + complaint);
        }
    }
}
