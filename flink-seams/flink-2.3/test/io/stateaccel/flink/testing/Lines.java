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
package io.stateaccel.flink.testing;

import static org.assertj.core.api.Assumptions.assumeThat;

import io.stateaccel.flink.FlinkLine;

/** For tests of what not every line has. */
public final class Lines {

    private Lines() {}

    /** Whether the line that is tested is this one or a newer one. */
    public static boolean isAtLeast(String line) {
        return number(FlinkLine.NAME) >= number(line);
    }

    /** Skips the test on older lines. */
    public static void assumeAtLeast(String line, String because) {
        assumeThat(isAtLeast(line)).as(because).isTrue();
    }

    /** Skips the test on one line, whose stock plan or result is wrong. */
    public static void assumeNot(String line, String because) {
        assumeThat(FlinkLine.NAME).as(because).isNotEqualTo(line);
    }

    /** Skips the test on lines that do not migrate state when its time to live is switched. */
    public static void assumeSwitchesStateTtl(boolean onRocksDb) {
        assumeAtLeast(onRocksDb ? "2.1" : "2.2", "State whose TTL is switched on or off");
    }

    /** 1.20 is 120 and 2.3 is 203. */
    private static int number(String line) {
        String[] parts = line.split("\\.");
        return Integer.parseInt(parts[0]) * 100 + Integer.parseInt(parts[1]);
    }
}
