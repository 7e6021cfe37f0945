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
package io.stateaccel.nexmark.bench.common;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** What the build knows. */
public final class BuildProperties {

    private BuildProperties() {}

    /** Returns a property of {@code bench.properties}. */
    public static String get(String name) {
        Properties properties = new Properties();
        try (InputStream in = BuildProperties.class.getResourceAsStream("/bench.properties")) {
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read bench.properties", e);
        }
        return properties.getProperty(name);
    }
}
