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
package io.stateaccel.planner.entry;

import io.stateaccel.flink.JavaRequirement;
import java.util.Collections;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.factories.Factory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that the jar is on the class path and yet not used.
 *
 * <p>It creates nothing. Flink makes an instance of every {@link Factory} it finds each time it
 * looks for a planner, whichever planner factory it then takes, so this class runs exactly where
 * the entry class should have run. It looks once per class loader and never throws, not even on a
 * Java that is too old for the rest of the jar: it is compiled for Java 8.
 */
public final class InstallationCheckFactory implements Factory {

    private static final Logger LOG = LoggerFactory.getLogger(InstallationCheckFactory.class);

    static {
        if (JavaRequirement.isMet()) {
            InstallationCheck.of(InstallationCheckFactory.class).report(LOG);
            JarCopies.describe(InstallationCheckFactory.class.getClassLoader())
                    .ifPresent(message -> LOG.warn("[state-accel] {}", message));
        }
    }

    @Override
    public String factoryIdentifier() {
        return "state-accel-installation-check";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Collections.emptySet();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Collections.emptySet();
    }
}
