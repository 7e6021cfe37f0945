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

import java.io.PrintStream;

/** One line on the terminal that is rewritten; nothing where there is no terminal. */
final class ProgressLine {

    private static final String ERASE = "\r\u001B[K";

    private final PrintStream terminal;

    /**
     * @param terminal where to draw, null for nowhere
     */
    ProgressLine(PrintStream terminal) {
        this.terminal = terminal;
    }

    static ProgressLine onTerminal() {
        return new ProgressLine(System.console() == null ? null : System.err);
    }

    /** Shows how far a run is. */
    void show(String run, long events, long ofEvents, long elapsedMillis) {
        double perSecond = events * 1000.0 / Math.max(1, elapsedMillis);
        show(
                String.format(
                        "%s: %,d of %,d events, %.0f K/s",
                        run, events, ofEvents, perSecond / 1000));
    }

    void show(String text) {
        if (terminal != null) {
            terminal.print(ERASE + text);
            terminal.flush();
        }
    }

    void clear() {
        show("");
    }
}
