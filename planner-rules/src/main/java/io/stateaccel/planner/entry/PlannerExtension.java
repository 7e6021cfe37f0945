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

import io.stateaccel.flink.FlinkVersionCheck;
import io.stateaccel.flink.JarLocation;
import java.net.URL;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.flink.table.api.TableConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries the acceleration across the border of {@code flink-table-planner-loader}, which keeps the
 * planner in a class loader of its own: what extends planner classes has to be loaded in there.
 */
public final class PlannerExtension {

    private static final Logger LOG = LoggerFactory.getLogger(PlannerExtension.class);

    private static final String INSTALLER = "io.stateaccel.planner.StateAccelInstaller";

    /** Looked for once: it takes reading the jar. */
    private static final Optional<String> DAMAGE =
            JarLocation.of(PlannerExtension.class).flatMap(DamagedJar::describe);

    private static final AtomicBoolean SAID_INSTALLED = new AtomicBoolean();
    private static final AtomicBoolean SAID_NOT_INSTALLED = new AtomicBoolean();

    private PlannerExtension() {}

    /**
     * Installs the acceleration for the planner that is about to be created. Never fails: a planner
     * without acceleration is better than none, and a WARN says why.
     *
     * @param planner the class loader that the planner is loaded by
     * @param path takes jars that this class loader is to look into
     * @param tableConfig the configuration that planner is going to read
     */
    public static void install(ClassLoader planner, Consumer<URL> path, TableConfig tableConfig) {
        if (DAMAGE.isPresent()) {
            warnOnce(DAMAGE.get());
            return;
        }
        final Optional<String> mismatch = FlinkVersionCheck.describeMismatch();
        mismatch.ifPresent(PlannerExtension::warnOnce);
        try {
            // A jar that is there already is not added again.
            JarLocation.of(PlannerExtension.class).ifPresent(path);
            loadInstaller(planner).accept(tableConfig);
            if (mismatch.isEmpty() && SAID_INSTALLED.compareAndSet(false, true)) {
                LOG.info(
                        "[state-accel] Planner rules of {} are installed.",
                        JarLocation.describe(PlannerExtension.class));
            }
        } catch (ReflectiveOperationException | LinkageError e) {
            warnOnce(
                    "Queries are not accelerated, because the planner rules of "
                            + JarLocation.describe(PlannerExtension.class)
                            + " could not be loaded: "
                            + e);
        }
    }

    @SuppressWarnings("unchecked")
    private static Consumer<TableConfig> loadInstaller(ClassLoader plannerClassLoader)
            throws ReflectiveOperationException {
        return (Consumer<TableConfig>)
                Class.forName(INSTALLER, true, plannerClassLoader).getConstructor().newInstance();
    }

    private static void warnOnce(String message) {
        if (SAID_NOT_INSTALLED.compareAndSet(false, true)) {
            LOG.warn("[state-accel] {}", message);
        }
    }
}
