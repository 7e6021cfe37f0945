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
package io.stateaccel.planner;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.config.Property;

/** What {@code io.stateaccel} logs between construction and {@link #close()}. */
public final class CapturedLog implements AutoCloseable {

    private static final String LOGGER = "io.stateaccel";

    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final AbstractAppender appender =
            new AbstractAppender("captured", null, null, true, Property.EMPTY_ARRAY) {
                @Override
                public void append(LogEvent event) {
                    lines.add(event.getLevel() + " " + event.getMessage().getFormattedMessage());
                }
            };

    public CapturedLog() {
        appender.start();
        Configurator.setLevel(LOGGER, Level.INFO);
        loggerConfig().addAppender(appender, Level.INFO, null);
    }

    /** Level and message of each line. */
    public List<String> lines() {
        return lines;
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
