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

import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;

/**
 * What a running job's metrics say of some seconds.
 *
 * @param id of the job
 * @param name of the job
 * @param tasks each after those that it gets its input from
 * @param taskManagers the processes of the cluster
 */
public record JobSample(String id, String name, List<Task> tasks, List<Readings> taskManagers) {

    /**
     * One or more operators in a chain.
     *
     * @param inputs the tasks it gets its input from, by their places in the list
     */
    public record Task(String name, List<Integer> inputs, List<Readings> subTasks) {

        boolean isSource() {
            return inputs.isEmpty();
        }

        /** The sub-task that is busiest, whose number is its place in the list. */
        Readings busiest() {
            return subTasks.stream().max(Comparator.comparingDouble(Task::busy)).orElseThrow();
        }

        /** Part of the time in which the sub-tasks wait for the next task, the largest. */
        double heldUp() {
            return subTasks.stream().mapToDouble(Task::heldUp).max().orElse(0);
        }

        /** Part of the time in which a sub-task works; 0 where that is not known. */
        static double busy(Readings subTask) {
            return part(subTask.value("busyTimeMsPerSecond"));
        }

        static double heldUp(Readings subTask) {
            return part(subTask.value("backPressuredTimeMsPerSecond"));
        }

        private static double part(double millisPerSecond) {
            return Double.isNaN(millisPerSecond) ? 0 : millisPerSecond / 1000;
        }

        /** Rows that the sub-tasks have taken in a second, or sent if it is a source. */
        double rowsPerSecond() {
            return subTasks.stream().mapToDouble(this::rowsPerSecond).sum();
        }

        double rowsPerSecond(Readings subTask) {
            double rows = subTask.growth(isSource() ? "numRecordsOut" : "numRecordsIn");
            double seconds = subTask.seconds();
            return rows > 0 && seconds > 0 ? rows / seconds : 0;
        }
    }

    /** Seconds between the readings; 0 if that is not known. */
    double seconds() {
        OptionalDouble longest =
                tasks.stream()
                        .flatMap(task -> task.subTasks().stream())
                        .mapToDouble(Readings::seconds)
                        .filter(seconds -> !Double.isNaN(seconds))
                        .max();
        return longest.orElse(0);
    }
}
