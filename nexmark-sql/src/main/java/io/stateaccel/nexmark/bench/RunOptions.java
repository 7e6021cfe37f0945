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
package io.stateaccel.nexmark.bench;

import io.stateaccel.nexmark.bench.common.UserError;
import io.stateaccel.nexmark.bench.run.TaskManagerSize;
import io.stateaccel.nexmark.bench.variants.Variant;
import io.stateaccel.nexmark.bench.variants.VariantFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.configuration.MemorySize;
import picocli.CommandLine.Option;

/** How jobs are run, as options of the commands that run some. */
final class RunOptions {

    @Option(
            names = "--variant",
            paramLabel = "NAME=FILE",
            description =
                    "A variant of your own, run after the others: FILE is like Flink's config.yaml"
                            + " and says all that differs from Flink's defaults, also"
                            + " state.backend.type; may be repeated.")
    private Map<String, Path> variantFiles = new LinkedHashMap<>();

    @Option(
            names = "--parallelism",
            paramLabel = "N",
            defaultValue = "2",
            description =
                    "Sub-tasks per operator and slots of the task manager"
                            + " (default: ${DEFAULT-VALUE}).")
    private int parallelism;

    @Option(
            names = "--managed-memory",
            paramLabel = "SIZE",
            defaultValue = TaskManagerSize.MANAGED,
            description =
                    "Managed memory of the task manager, of which RocksDB lives"
                            + " (default: ${DEFAULT-VALUE}, as Flink gives one of 8 GB).")
    private String managedMemory;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Flink configuration for all variants; may be repeated.")
    private Map<String, String> userSettings = new LinkedHashMap<>();

    @Option(
            names = "--cap-minutes",
            paramLabel = "N",
            defaultValue = "10",
            description = "Stop a job that takes longer and say so (default: ${DEFAULT-VALUE}).")
    private int capMinutes;

    @Option(
            names = "--state-dir",
            paramLabel = "DIR",
            description =
                    "Where state, checkpoints and logs are put while running"
                            + " (default: the system's temporary directory).")
    private Path stateDirectory = Path.of(System.getProperty("java.io.tmpdir"));

    @Option(
            names = "--jvm-arg",
            paramLabel = "ARG",
            description =
                    "Argument for the JVM that runs the tasks, e.g. a profiler's agent; may be"
                            + " repeated.")
    private List<String> jvmArguments = new ArrayList<>();

    /**
     * Complains before anything runs.
     *
     * @throws UserError if an option has a value that makes no sense
     */
    void check() {
        if (capMinutes < 1) {
            throw new UserError("--cap-minutes must be at least 1 but is " + capMinutes);
        }
        if (parallelism < 1) {
            throw new UserError("--parallelism must be at least 1 but is " + parallelism);
        }
        try {
            if (MemorySize.parse(managedMemory).getBytes() == 0) {
                throw new UserError("--managed-memory must be above 0");
            }
        } catch (IllegalArgumentException e) {
            throw new UserError(
                    "--managed-memory: '" + managedMemory + "' is not a size such as 512m");
        }
    }

    /**
     * The variants of these names and the user's own.
     *
     * @throws UserError if there is none of a name, or if a file cannot be read
     */
    List<Variant> variants(Collection<String> builtIn) {
        List<Variant> known = new ArrayList<>(Variant.KNOWN);
        variantFiles.forEach((name, file) -> known.add(VariantFile.read(name, file)));
        Set<String> names = new LinkedHashSet<>(builtIn);
        names.addAll(variantFiles.keySet());
        return names.stream().map(name -> Variant.named(name, known)).toList();
    }

    /** What all queries and variants share: a task manager of 8 GB, incremental checkpoints. */
    Map<String, String> baseSettings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("taskmanager.memory.managed.size", managedMemory);
        settings.put("execution.checkpointing.incremental", "true");
        settings.put("execution.checkpointing.interval", "30 s");
        // As the published benchmark has it: else a job at its end idles until the next checkpoint.
        settings.put("execution.checkpointing.checkpoints-after-tasks-finish.enabled", "false");
        // The progress line and the curves need figures that are no older.
        settings.put("metrics.fetcher.update-interval", "1000");
        settings.putAll(userSettings);
        return settings;
    }

    /**
     * What a run is configured with, of which later ones win: the base, what belongs to its
     * workload, the user's settings, the variant.
     */
    Map<String, String> settings(Map<String, String> ofWorkload, Variant variant) {
        Map<String, String> settings = new LinkedHashMap<>(baseSettings());
        settings.putAll(ofWorkload);
        settings.putAll(userSettings);
        settings.putAll(variant.settings());
        return settings;
    }

    int parallelism() {
        return parallelism;
    }

    long capSeconds() {
        return 60L * capMinutes;
    }

    Path stateDirectory() {
        return stateDirectory;
    }

    List<String> jvmArguments() {
        return jvmArguments;
    }
}
