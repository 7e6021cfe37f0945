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
import io.stateaccel.nexmark.bench.run.Load;
import java.util.OptionalLong;
import picocli.CommandLine;

/**
 * How fast rows come: {@code 50k} per second, or {@code 90%} of the highest rate there is.
 *
 * @param percent of the highest rate; 0 if the rate is given
 * @param rowsPerSecond the rate, if it is given
 */
record Rate(int percent, long rowsPerSecond) {

    private static final String PERCENT = "%";

    /** The rate in rows per second. */
    long of(OptionalLong highest) {
        return isShare() ? Math.max(1, highest.orElseThrow() * percent / 100) : rowsPerSecond;
    }

    boolean isShare() {
        return percent > 0;
    }

    /** What it is called in tables. */
    String label() {
        return isShare()
                ? percent + PERCENT + " of the highest rate"
                : EventCount.text(rowsPerSecond) + " rows/s";
    }

    /** Reads a rate. */
    static final class Converter implements CommandLine.ITypeConverter<Rate> {

        @Override
        public Rate convert(String text) {
            if (text.matches("\\d{1,3}" + PERCENT)) {
                int percent = Integer.parseInt(text.substring(0, text.length() - 1));
                if (percent >= 1 && percent <= 100) {
                    return new Rate(percent, 0);
                }
            } else if (text.matches("[\\d_]+[kKmM]?")) {
                long rows = new EventCount().convert(text);
                if (rows < Load.MORE_THAN_ANY) {
                    return new Rate(0, rows);
                }
            }
            throw new CommandLine.TypeConversionException(
                    "'"
                            + text
                            + "' is not a number of rows per second below 10M, such as 50k, nor"
                            + " a share of the highest rate, such as 90%");
        }
    }
}
