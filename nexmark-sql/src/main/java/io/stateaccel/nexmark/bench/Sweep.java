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

import io.stateaccel.nexmark.bench.common.EventCount;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;

/**
 * One figure that takes several values: {@code events=1M,5M,20M}.
 *
 * @param events the numbers of events
 */
record Sweep(List<Long> events) {

    /** Reads a sweep. */
    static final class Converter implements CommandLine.ITypeConverter<Sweep> {

        private static final String EVENTS = "events=";

        @Override
        public Sweep convert(String text) {
            if (!text.startsWith(EVENTS)) {
                throw new CommandLine.TypeConversionException(
                        "'" + text + "' is not a sweep such as events=1M,5M,20M");
            }
            EventCount count = new EventCount();
            return new Sweep(
                    Arrays.stream(text.substring(EVENTS.length()).split(","))
                            .map(count::convert)
                            .toList());
        }
    }
}
