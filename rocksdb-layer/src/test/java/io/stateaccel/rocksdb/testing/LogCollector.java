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
package io.stateaccel.rocksdb.testing;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/** The lines that classes log, from INFO on, between creation and {@link #close}. */
public final class LogCollector implements AutoCloseable {

    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final Map<Logger, Level> levels = new LinkedHashMap<>();
    private final AbstractAppender appender =
            new AbstractAppender("collector", null, null, true, Property.EMPTY_ARRAY) {
                @Override
                public void append(LogEvent event) {
                    lines.add(event.getMessage().getFormattedMessage());
                    if (event.getLevel() == Level.WARN) {
                        warnings.add(event.getMessage().getFormattedMessage());
                    }
                }
            };

    public LogCollector(String... classNames) {
        appender.start();
        for (String className : classNames) {
            Logger logger = (Logger) LogManager.getLogger(className);
            levels.put(logger, logger.getLevel());
            logger.addAppender(appender);
        }
        // Only now: adding an appender sets the levels of all loggers back.
        levels.keySet().forEach(logger -> logger.setLevel(Level.INFO));
    }

    public List<String> lines() {
        return lines;
    }

    /** Those of the lines that are at WARN. */
    public List<String> warnings() {
        return warnings;
    }

    @Override
    public void close() {
        levels.forEach(
                (logger, level) -> {
                    logger.removeAppender(appender);
                    logger.setLevel(level);
                });
    }
}
