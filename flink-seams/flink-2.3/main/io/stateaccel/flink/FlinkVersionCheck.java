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
package io.stateaccel.flink;

import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.FlinkVersion;
import org.apache.flink.runtime.util.EnvironmentInformation;

/**
 * Compares the running Flink with the one this was built for. The rules extend classes of the
 * planner, which change from one minor release to the next.
 */
public final class FlinkVersionCheck {

    /** The lines that there are jars for, each in a release of its own. */
    private static final Set<String> LINES = Set.of("1.20", "2.0", "2.1", "2.2", "2.3");

    private static final Pattern LINE = Pattern.compile("(\\d+\\.\\d+)([.-].*)?");

    private FlinkVersionCheck() {}

    /** What to tell the user, naming jar, version found and the fix; empty when all is well. */
    public static Optional<String> describeMismatch() {
        return describeMismatch(runningVersion(), JarLocation.describe(FlinkVersionCheck.class));
    }

    /**
     * As {@link #describeMismatch()}, without Flink on the class path.
     *
     * @param version the version of the running Flink, such as {@code 2.3.0}
     * @param jar where the acceleration was loaded from
     */
    public static Optional<String> describeMismatch(String version, String jar) {
        final Matcher matcher = LINE.matcher(version);
        final String line = matcher.matches() ? matcher.group(1) : version;
        if (line.equals(FlinkLine.NAME)) {
            return Optional.empty();
        }
        return Optional.of(
                jar
                        + " was built for Flink "
                        + FlinkLine.NAME
                        + ".x, but this is Flink "
                        + version
                        + ". "
                        + (LINES.contains(line)
                                ? "Replace it by flink-sql-state-accel-" + line + "-<version>.jar."
                                : "Remove it: there is none for this Flink."));
    }

    private static String runningVersion() {
        final String version = EnvironmentInformation.getVersion();
        // Repackaged Flinks may lack the version file; the release line is then known from code.
        return version.isEmpty() || !Character.isDigit(version.charAt(0))
                ? FlinkVersion.current().toString()
                : version;
    }
}
