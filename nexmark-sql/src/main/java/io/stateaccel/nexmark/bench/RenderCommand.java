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
import io.stateaccel.nexmark.bench.report.Report;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./bench render report.json}: writes documents from figures of an earlier benchmark. */
@Command(
        name = "render",
        description = "Writes documents from the figures of an earlier benchmark; runs nothing.")
final class RenderCommand implements Callable<Integer> {

    @Parameters(paramLabel = "JSON", description = "What --json or --report wrote.")
    private Path json;

    @Mixin private Outputs outputs;

    @Spec private CommandSpec command;

    @Override
    public Integer call() throws IOException {
        if (outputs.isEmpty()) {
            throw new UserError("render: say what to write: --report, --markdown or --scaling");
        }
        outputs.check();
        Report report = Report.read(json);
        outputs.writeAll(report);
        return Bench.OK;
    }
}
