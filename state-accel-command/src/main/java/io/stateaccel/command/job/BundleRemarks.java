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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Map.Entry;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Operators whose rows wait in bundles though there is time, whose bundles are torn before they are
 * worth much, or are small because the output is slow. None of these is what limits a job, but each
 * costs something.
 */
final class BundleRemarks {

    private static final String GROUP = "bundle";

    /** Part of the time: a task that works less has time for small bundles. */
    private static final double BUSY = 0.5;

    private static final double LONG_WAIT_MILLIS = 100;

    /** A bundle of fewer shares little. */
    private static final double FEW_ROWS = 100;

    /** Part of an operator's flushes. */
    private static final double MOST = 0.5;

    private static final Map<String, String> ADVICE_BY_TEARING_REASON =
            Map.of(
                    "watermark",
                    "give watermarks less often (pipeline.auto-watermark-interval)",
                    "status",
                    "let sources go idle less often (table.exec.source.idle-timeout)",
                    "checkpoint",
                    "checkpoint less often (execution.checkpointing.interval)");

    private BundleRemarks() {}

    /** A sentence for each operator that there is something to say of. */
    static List<String> on(JobSample job) {
        List<String> remarks = new ArrayList<>();
        for (Task task : job.tasks()) {
            operators(task).forEach(operator -> operator.remark().ifPresent(remarks::add));
        }
        return remarks;
    }

    private static Stream<Operator> operators(Task task) {
        return task.subTasks().stream()
                .flatMap(subTask -> subTask.names(GROUP, "rows"))
                .map(id -> id.substring(0, id.length() - "rows".length()))
                .distinct()
                .sorted()
                .map(prefix -> new Operator(task, prefix));
    }

    /**
     * @param prefix of its metrics
     */
    private record Operator(Task task, String prefix) {

        Optional<String> remark() {
            Map<String, Double> flushes = flushesByReason();
            double all = flushes.values().stream().mapToDouble(Double::doubleValue).sum();
            if (all <= 0) {
                return Optional.empty();
            }
            Entry<String, Double> most =
                    flushes.entrySet().stream().max(Comparator.comparing(Entry::getValue)).get();
            double rows = growth("rows") / all;
            if (most.getValue() / all < MOST) {
                return Optional.empty();
            }
            String reason = most.getKey();
            double seconds = task.busiest().seconds();
            double busy = Task.busy(task.busiest());
            double wait = largest("waitMillis_mean");
            if (reason.equals("latency") && wait >= LONG_WAIT_MILLIS && busy < BUSY) {
                return say(
                        "rows wait in bundles for up to %.0f ms, though the task is busy for %.0f %%"
                                + " of the time: let bundles end when there is nothing to wait for"
                                + " (table.exec.state-accel.mini-batch.follow-load=true, which"
                                + " table.exec.mini-batch.enabled=true overrules)",
                        wait, 100 * busy);
            }
            if (ADVICE_BY_TEARING_REASON.containsKey(reason) && rows < FEW_ROWS && busy >= BUSY) {
                return say(
                        "bundles hold %.1f rows, as most end for '%s', %.1f a second in all: %s",
                        rows,
                        reason,
                        most.getValue() / seconds,
                        ADVICE_BY_TEARING_REASON.get(reason));
            }
            if (reason.equals("full") && rows < FEW_ROWS && task.heldUp() >= BUSY) {
                return say(
                        "bundles are cut to %.1f rows, so that checkpoints need not wait for what"
                                + " they send: what reads them is slow, and the place to look at",
                        rows);
            }
            return Optional.empty();
        }

        private Map<String, Double> flushesByReason() {
            Map<String, Double> flushes = new LinkedHashMap<>();
            String start = prefix + "reason.";
            String end = ".flushes";
            for (Readings subTask : task.subTasks()) {
                for (String id : subTask.now().keySet()) {
                    if (id.startsWith(start) && id.endsWith(end)) {
                        double more = subTask.growth(id);
                        flushes.merge(
                                id.substring(start.length(), id.length() - end.length()),
                                Double.isNaN(more) ? 0 : more,
                                Double::sum);
                    }
                }
            }
            return flushes;
        }

        private double growth(String name) {
            return task.subTasks().stream()
                    .mapToDouble(subTask -> subTask.growth(prefix + name))
                    .filter(value -> !Double.isNaN(value))
                    .sum();
        }

        private double largest(String name) {
            return task.subTasks().stream()
                    .mapToDouble(subTask -> subTask.value(prefix + name))
                    .filter(value -> !Double.isNaN(value))
                    .max()
                    .orElse(0);
        }

        private Optional<String> say(String remark, Object... figures) {
            String operator = prefix.substring(0, prefix.indexOf(".state-accel."));
            return Optional.of(
                    "'" + operator + "': " + String.format(Locale.ROOT, remark, figures));
        }
    }
}
