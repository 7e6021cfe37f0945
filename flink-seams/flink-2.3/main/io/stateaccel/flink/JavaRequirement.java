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

/**
 * Says which Java the jar needs, where Flink runs on an older one.
 *
 * <p>This class, and the few through which Flink or a user gets into the jar, are compiled for Java
 * 8: an older Java can read them, and they ask here before they touch any other class of ours,
 * which it cannot read.
 */
public final class JavaRequirement {

    private static final int NEEDED = 17;

    private JavaRequirement() {}

    /** Whether the classes of the jar can be read. */
    public static boolean isMet() {
        return isMet(System.getProperty("java.specification.version"));
    }

    /**
     * @throws UnsupportedOperationException with what to do, where the jar cannot be used
     */
    public static void check() {
        if (!isMet()) {
            throw new UnsupportedOperationException(describe());
        }
    }

    /** What is missing, and what to do. */
    public static String describe() {
        return describe(System.getProperty("java.version"), System.getProperty("java.home"));
    }

    /**
     * @param specification 1.8, 11 and so on
     */
    static boolean isMet(String specification) {
        // 1.8 is the last that begins with 1.
        return !specification.startsWith("1.")
                && Integer.parseInt(specification.split("\\.")[0]) >= NEEDED;
    }

    static String describe(String version, String home) {
        return "flink-state-accel needs Java "
                + NEEDED
                + " or newer, and this is Java "
                + version
                + " in "
                + home
                + ". Have JAVA_HOME of all of Flink's processes point to a newer one, or take"
                + " flink-sql-state-accel out of Flink's lib folder.";
    }
}
