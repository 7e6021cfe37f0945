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

import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.types.DataType;

/** The types that join keys are made of: fixed and variable length, one column and two. */
enum KeyType {
    INT(new Part(DataTypes.INT(), Types.INT, n -> n - 3)),
    BIGINT(new Part(DataTypes.BIGINT(), Types.LONG, n -> (n - 3) * 10_000_000_019L)),
    // Beyond seven bytes a string leaves the fixed part of a binary row, so both lengths occur.
    STRING(new Part(DataTypes.STRING(), Types.STRING, n -> "k".repeat(n % 12) + n)),
    DECIMAL(
            new Part(
                    DataTypes.DECIMAL(10, 2),
                    Types.BIG_DEC,
                    n -> BigDecimal.valueOf(n * 25L - 50, 2))),
    TIMESTAMP(
            new Part(
                    DataTypes.TIMESTAMP(3),
                    Types.LOCAL_DATE_TIME,
                    n -> LocalDateTime.of(2026, 1, 1, 0, 0).plusSeconds(n))),
    COMPOSITE(
            new Part(DataTypes.INT(), Types.INT, n -> n % 3),
            new Part(DataTypes.STRING(), Types.STRING, n -> "part-" + n / 3));

    /** One column of the key: its type, and the value of key number n. */
    record Part(DataType type, TypeInformation<?> information, IntFunction<Object> value) {}

    private final List<Part> parts;

    KeyType(Part... parts) {
        this.parts = List.of(parts);
    }

    List<Part> parts() {
        return parts;
    }

    /** The names of the key's columns in every test table. */
    List<String> columns() {
        return parts.size() == 1 ? List.of("k1") : List.of("k1", "k2");
    }
}
