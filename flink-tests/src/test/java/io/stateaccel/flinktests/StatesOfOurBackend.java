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
package io.stateaccel.flinktests;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.config.Property;

/**
 * Counts the states that our RocksDB backend makes, by what it says in the log of each. Without a
 * count a run that has lost the backend would test Flink's, and hold.
 */
final class StatesOfOurBackend implements AutoCloseable {

    private static final String LOGGER = "io.stateaccel.rocksdb.ColumnFamilyOptionsSource";

    private final AtomicInteger count = new AtomicInteger();

    private final AbstractAppender appender =
            new AbstractAppender(
                    getClass().getSimpleName(), null, null, true, Property.EMPTY_ARRAY) {
                @Override
                public void append(LogEvent event) {
                    count.incrementAndGet();
                }
            };

    StatesOfOurBackend() {
        appender.start();
        Configurator.setLevel(LOGGER, Level.INFO);
        loggerConfig().addAppender(appender, Level.INFO, null);
    }

    /** How many states were made since construction. */
    int count() {
        return count.get();
    }

    @Override
    public void close() {
        loggerConfig().removeAppender(appender.getName());
        appender.stop();
    }

    private static LoggerConfig loggerConfig() {
        return LoggerContext.getContext(false).getConfiguration().getLoggerConfig(LOGGER);
    }
}
