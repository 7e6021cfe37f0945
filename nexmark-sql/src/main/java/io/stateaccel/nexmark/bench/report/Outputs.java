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
package io.stateaccel.nexmark.bench.report;

import io.stateaccel.nexmark.bench.common.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Where a report is written, as options of the commands that have one. */
public final class Outputs {

    @Option(names = "--json", paramLabel = "FILE", description = "Write every figure to FILE.")
    private Path json;

    @Option(
            names = "--report",
            paramLabel = "DIR",
            description =
                    "Write a page for the browser, DIR/index.html, which needs no network, and"
                            + " every figure to DIR/report.json.")
    private Path directory;

    @Option(
            names = "--markdown",
            paramLabel = "FILE",
            description =
                    "Write tables into FILE: in place of those of the same command, else at the"
                            + " end. What else is in FILE stays.")
    private Path markdown;

    @Option(
            names = "--scaling",
            paramLabel = "FILE",
            description =
                    "Write a document that derives from the measured costs what larger jobs need;"
                            + " best with --sweep.")
    private Path scaling;

    /**
     * Complains before anything runs.
     *
     * @throws UserError if something cannot be written
     */
    public void check() {
        if (directory != null) {
            try {
                Files.createDirectories(directory);
            } catch (IOException e) {
                throw new UserError("--report: cannot create " + directory);
            }
        }
        check("--json", json);
        check("--markdown", markdown);
        check("--scaling", scaling);
    }

    private static void check(String option, Path file) {
        if (file != null && !Files.isDirectory(file.toAbsolutePath().getParent())) {
            throw new UserError(option + ": the directory of " + file + " does not exist");
        }
    }

    public boolean isEmpty() {
        return json == null && directory == null && markdown == null && scaling == null;
    }

    /** Whether a document is to be written about larger jobs, which takes costs per event. */
    public boolean needsCosts() {
        return scaling != null;
    }

    /** Writes what is known so far, so that a stop keeps it. */
    public void writeFigures(Report report) throws IOException {
        if (json != null) {
            report.write(json);
        }
        if (directory != null) {
            report.write(directory.resolve("report.json"));
            HtmlReport.write(report, directory.resolve("index.html"));
        }
    }

    /** Writes everything. */
    public void writeAll(Report report) throws IOException {
        writeFigures(report);
        if (markdown != null) {
            MarkdownReport.write(report, markdown);
        }
        if (scaling != null) {
            ScalingDocument.write(report, scaling);
        }
    }
}
