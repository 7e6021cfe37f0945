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

import io.stateaccel.nexmark.bench.run.Progress;
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

    /** Shows how far a run is, how fast, how long it will take and how large its state is. */
    void show(String run, Progress progress, long ofEvents, long elapsedMillis) {
        show(text(run, progress, ofEvents, elapsedMillis));
    }

    static String text(String run, Progress progress, long ofEvents, long elapsedMillis) {
        StringBuilder text =
                new StringBuilder(
                        String.format("%s: %,d of %,d events", run, progress.events(), ofEvents));
        if (progress.events() > 0) {
            double perMilli = progress.events() / (double) Math.max(1, elapsedMillis);
            text.append(
                    String.format(
                            ", %.0f K/s, %.0f s left",
                            perMilli, (ofEvents - progress.events()) / perMilli / 1000));
        }
        if (progress.stateBytes() != null) {
            text.append(String.format(", state %,.0f MB", progress.stateBytes() / 1e6));
        }
        return text.toString();
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
