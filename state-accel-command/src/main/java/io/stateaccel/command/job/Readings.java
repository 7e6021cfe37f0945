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

import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * The metrics of one sub-task or process, read twice. What is not there, or no number, is NaN.
 *
 * @param before by name, at first
 * @param now by name, some seconds later
 */
public record Readings(Map<String, String> before, Map<String, String> now) {

    /** The value of a metric. */
    double value(String name) {
        return number(now.get(name));
    }

    /** By how much a counter has grown between the readings. */
    double growth(String name) {
        return value(name) - number(before.get(name));
    }

    /** Sum of the growth of all {@linkplain #names metrics of ours} with a name; 0 for none. */
    double growth(String part, String name) {
        return numbers(part, name, this::growth).sum();
    }

    /** The largest of all {@linkplain #names metrics of ours} with a name; 0 for none. */
    double largest(String part, String name) {
        return numbers(part, name, this::value).max().orElse(0);
    }

    private DoubleStream numbers(String part, String name, ToDoubleFunction<String> number) {
        return names(part, name).mapToDouble(number).filter(value -> !Double.isNaN(value));
    }

    /** The first text that is not empty of {@linkplain #names metrics of ours} with a name. */
    Optional<String> text(String part, String name) {
        return names(part, name).map(now::get).filter(text -> !text.isEmpty()).findFirst();
    }

    /**
     * The metrics of the accelerator, of all operators of the task.
     *
     * @param part the group, such as {@code rocksdb}, and variables if all of their values are
     *     meant, such as {@code rocksdb.state_name}
     * @param name of the metric in its group
     */
    Stream<String> names(String part, String name) {
        String group = ".state-accel." + part + ".";
        String end = "." + name;
        return now.keySet().stream()
                .filter(id -> id.endsWith(end) && id.contains(group))
                .filter(id -> isIn(id, group, end));
    }

    /** Between group and name there is nothing, or the value of the group's variable. */
    private static boolean isIn(String id, String group, String end) {
        int from = id.indexOf(group) + group.length() - 1;
        int to = id.length() - end.length();
        return from == to || from < to && id.indexOf('.', from + 1) == to;
    }

    /** Seconds between the readings, as the task's clock has it; NaN for other than sub-tasks. */
    double seconds() {
        return (runMillis(now) - runMillis(before)) / 1000;
    }

    /** How long a sub-task has run for; NaN where that is not known. */
    static double runMillis(Map<String, String> metrics) {
        return number(metrics.get("accumulateBusyTimeMs"))
                + number(metrics.get("accumulateBackPressuredTimeMs"))
                + number(metrics.get("accumulateIdleTimeMs"));
    }

    private static double number(String text) {
        try {
            return text == null ? Double.NaN : Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }
}
