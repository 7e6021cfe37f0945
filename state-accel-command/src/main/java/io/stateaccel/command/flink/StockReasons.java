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
package io.stateaccel.command.flink;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.Property;
import org.apache.logging.log4j.core.selector.BasicContextSelector;
import org.apache.logging.log4j.core.util.Constants;

/**
 * What the planner rules log about nodes that stay stock. The rules are loaded within the planner's
 * class loader, so the log is the one way out that is open to all.
 */
final class StockReasons {

    /** The class in planner-rules that logs them. */
    private static final String LOGGER = "io.stateaccel.planner.reasons.ReasonLog";

    private static final Pattern LINE =
            Pattern.compile("\\[state-accel\\] (.*?): (.*)\\. Reason: (.*)\\.", Pattern.DOTALL);

    /** All that were logged: each is, once, however many statements it is about. */
    private final Set<Reason> reasons = new LinkedHashSet<>();

    private final Set<Reason> told = new HashSet<>();

    private record Reason(String what, String node, String why) {}

    private StockReasons() {}

    /** Begins to listen. By default Log4j keeps a log of its own for the planner's class loader. */
    static StockReasons listen() {
        System.setProperty(Constants.LOG4J_CONTEXT_SELECTOR, BasicContextSelector.class.getName());
        StockReasons listener = new StockReasons();
        AbstractAppender appender =
                new AbstractAppender("stock-reasons", null, null, true, Property.EMPTY_ARRAY) {
                    @Override
                    public void append(LogEvent event) {
                        listener.add(event.getMessage().getFormattedMessage());
                    }
                };
        appender.start();
        Logger logger = (Logger) LogManager.getLogger(LOGGER);
        logger.addAppender(appender);
        logger.setAdditive(false);
        // That of the logger alone would be lost when any other is configured.
        Configurator.setLevel(LOGGER, Level.INFO);
        return listener;
    }

    private void add(String line) {
        Matcher form = LINE.matcher(line);
        if (form.matches()) {
            reasons.add(new Reason(form.group(1), form.group(2), form.group(3)));
        }
    }

    /** Those of the nodes in a plan, and those that are new, in words. */
    List<String> of(String plan) {
        return reasons.stream()
                .filter(reason -> told.add(reason) || plan.contains(reason.node()))
                .map(reason -> reason.what() + ": " + reason.node() + "\n    as " + reason.why())
                .toList();
    }
}
