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
import io.stateaccel.nexmark.bench.report.Outputs;
import io.stateaccel.nexmark.bench.run.EmbeddedRunner;
import io.stateaccel.nexmark.bench.variants.Variant;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of the commands that run queries under a load. */
final class LoadOptions {

    /** What is run under a load. */
    @FunctionalInterface
    interface Work {
        void run(LoadRuns runs) throws IOException;
    }

    @Option(
            names = "--variants",
            paramLabel = "NAME",
            split = ",",
            defaultValue = "stock,stock-minibatch-1s,accel",
            description = "Variants, see list (default: ${DEFAULT-VALUE}).")
    private List<String> variantNames;

    @Option(
            names = "--runs",
            paramLabel = "N",
            defaultValue = "1",
            description = "Runs per variant; variants alternate (default: ${DEFAULT-VALUE}).")
    private int runs;

    @Mixin private RunOptions options;

    @Mixin private Outputs outputs;

    /**
     * Complains before anything runs.
     *
     * @param seconds the measured time
     * @param warmUpSeconds the time before
     * @throws UserError if an option has a value that makes no sense
     */
    void check(int seconds, int warmUpSeconds) {
        if (runs < 1) {
            throw new UserError("--runs must be at least 1 but is " + runs);
        }
        if (seconds < 1) {
            throw new UserError("--seconds must be at least 1 but is " + seconds);
        }
        if (warmUpSeconds < 0) {
            throw new UserError("--warm-up-seconds must be at least 0 but is " + warmUpSeconds);
        }
        if (outputs.needsCosts()) {
            throw new UserError("--scaling needs queries that are run without a load, such as q4");
        }
        options.check();
        outputs.check();
    }

    /** Does the work, cleans up after it and writes the report; returns the exit code. */
    int run(String commandLine, PrintWriter out, Work work) throws IOException {
        List<Variant> variants = options.variants(variantNames);
        try (WorkPlace place = WorkPlace.in(options.stateDirectory(), !outputs.isEmpty())) {
            EmbeddedRunner runner =
                    place.keep(
                            new EmbeddedRunner(
                                    place.directory().resolve("embedded"),
                                    options.jvmArguments(),
                                    null,
                                    null));
            LoadRuns loadRuns =
                    new LoadRuns(commandLine, options, variants, runs, outputs, runner, out);
            work.run(loadRuns);
            return loadRuns.finish();
        }
    }
}
