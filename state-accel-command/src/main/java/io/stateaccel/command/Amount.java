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
package io.stateaccel.command;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads numbers with a unit behind them. */
final class Amount {

    private static final Pattern FORM = Pattern.compile("(\\d+(?:\\.\\d+)?) *([a-z]*)");

    /** As in Flink, a unit is 1024 of the one before. */
    private static final Map<String, Long> SIZES =
            Map.of(
                    "", 1L, "b", 1L, "k", 1L << 10, "kb", 1L << 10, "m", 1L << 20, "mb", 1L << 20,
                    "g", 1L << 30, "gb", 1L << 30, "t", 1L << 40, "tb", 1L << 40);

    private static final Map<String, Long> COUNTS = Map.of("", 1L, "k", 1_000L, "m", 1_000_000L);

    private Amount() {}

    /** A number of bytes, such as {@code 100GB}. */
    static final class Size implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return parse(text, SIZES, "is not a size: write a number and kb, mb, gb or tb");
        }
    }

    /** A number of rows, such as {@code 50k}. */
    static final class Count implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return parse(text, COUNTS, "is not a number of rows: write 50000, 50k or 2m");
        }
    }

    private static Long parse(String text, Map<String, Long> units, String complaint) {
        Matcher form = FORM.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!form.matches() || !units.containsKey(form.group(2))) {
            throw new TypeConversionException("'" + text + "' " + complaint);
        }
        try {
            return new BigDecimal(form.group(1))
                    .multiply(BigDecimal.valueOf(units.get(form.group(2))))
                    .toBigInteger()
                    .longValueExact();
        } catch (ArithmeticException e) {
            throw new TypeConversionException("'" + text + "' " + complaint);
        }
    }
}
