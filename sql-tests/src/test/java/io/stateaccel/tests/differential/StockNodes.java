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
package io.stateaccel.tests.differential;

import java.util.ArrayList;
import java.util.List;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.config.Property;

/** Listens to what the planner says about nodes that it leaves stock. */
final class StockNodes implements AutoCloseable {

    private static final String LOGGER = "io.stateaccel.planner.reasons.ReasonLog";

    private final List<String> lines = new ArrayList<>();
    private final LoggerConfig config = new LoggerConfig(LOGGER, Level.INFO, false);
    private final LoggerContext context = LoggerContext.getContext(false);
    private final AbstractAppender appender =
            new AbstractAppender("stock nodes", null, null, true, Property.EMPTY_ARRAY) {
                @Override
                public void append(LogEvent event) {
                    lines.add(event.getMessage().getFormattedMessage());
                }
            };

    StockNodes() {
        appender.start();
        config.addAppender(appender, Level.INFO, null);
        context.getConfiguration().addLogger(LOGGER, config);
        context.updateLoggers();
    }

    /** One line per node, which names it and the reason. */
    List<String> lines() {
        return List.copyOf(lines);
    }

    @Override
    public void close() {
        context.getConfiguration().removeLogger(LOGGER);
        context.updateLoggers();
        appender.stop();
    }
}
