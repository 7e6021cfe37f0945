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

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/**
 * Reads {@code 5000000}, {@code 5_000_000}, {@code 5,000,000}, {@code 500k}, {@code 5M}, {@code
 * 1G}.
 */
public final class EventCount implements CommandLine.ITypeConverter<Long> {

    private static final Pattern FORM = Pattern.compile("(\\d{1,15})([kKmMgG]?)");

    @Override
    public Long convert(String text) {
        Matcher matcher = FORM.matcher(text.replaceAll("[_,]", ""));
        if (!matcher.matches() || Long.parseLong(matcher.group(1)) == 0) {
            throw new CommandLine.TypeConversionException(
                    "'" + text + "' is not a number of events such as 5000000 or 5M");
        }
        long factor =
                switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
                    case "k" -> 1_000;
                    case "m" -> 1_000_000;
                    case "g" -> 1_000_000_000;
                    default -> 1;
                };
        return Math.multiplyExact(Long.parseLong(matcher.group(1)), factor);
    }

    /** A number of events as it is typed: 5M, 500k, 1234. */
    public static String text(long events) {
        if (events % 1_000_000 == 0) {
            return events / 1_000_000 + "M";
        }
        return events % 1_000 == 0 ? events / 1_000 + "k" : String.valueOf(events);
    }
}
