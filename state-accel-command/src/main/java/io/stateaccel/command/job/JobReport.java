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

import io.stateaccel.command.job.JobSample.Task;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/**
 * What {@code doctor --rest} found.
 *
 * @param job what was looked at
 * @param diagnosis what it comes to
 */
public record JobReport(JobSample job, Diagnosis diagnosis) {

    /** Names of tasks may list columns and columns. */
    private static final int MOST_LETTERS_OF_NAME = 60;

    public void print(PrintWriter out) {
        out.printf("Job          %s (%s)%n", job.name(), job.id());
        out.printf(Locale.ROOT, "Measured     %.1f s%n%n", job.seconds());
        out.printf("%-62s%9s%14s%10s%10s%n", "task", "sub-tasks", "rows/s", "busy, max", "held up");
        for (Task task : job.tasks()) {
            out.printf(
                    Locale.ROOT,
                    "%-62s%9d%,14.0f%8.0f %%%8.0f %%%n",
                    shortened(task.name()),
                    task.subTasks().size(),
                    task.rowsPerSecond(),
                    100 * Task.busy(task.busiest()),
                    100 * task.heldUp());
        }
        out.println();
        out.println(
                "Bottleneck: "
                        + diagnosis.bottleneck()
                        + diagnosis.where().map(task -> ", at '" + task + "'").orElse(""));
        diagnosis.evidence().forEach(figure -> out.println("  - " + figure + "."));
        out.println("What to do: " + diagnosis.bottleneck().advice());
        List<String> remarks = BundleRemarks.on(job);
        if (!remarks.isEmpty()) {
            out.println();
            out.println("Bundles:");
            remarks.forEach(remark -> out.println("  - " + remark + "."));
        }
    }

    private static String shortened(String name) {
        return name.length() <= MOST_LETTERS_OF_NAME
                ? name
                : name.substring(0, MOST_LETTERS_OF_NAME - 3) + "...";
    }
}
