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

import java.net.URL;
import java.security.CodeSource;
import java.util.Optional;

/** Where a class was loaded from. */
public final class JarLocation {

    private JarLocation() {}

    /** The jar or folder; empty for classes of the JDK and of class loaders that do not say. */
    public static Optional<URL> of(Class<?> loaded) {
        final CodeSource source = loaded.getProtectionDomain().getCodeSource();
        return Optional.ofNullable(source).map(CodeSource::getLocation);
    }

    /** As {@link #of}, in words. */
    public static String describe(Class<?> loaded) {
        return of(loaded).map(URL::getPath).orElse("an unknown place");
    }
}
