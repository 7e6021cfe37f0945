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
import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.function.IntFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.types.DataType;
import org.apache.flink.types.Row;

/**
 * The types of columns. The values of a type are numbered from 0, so that the same number in two
 * tables is the same value; different numbers are different values but for {@link #BOOLEAN}.
 */
public enum ValueType {
    BOOLEAN(DataTypes.BOOLEAN(), Types.BOOLEAN, Family.BOOLEAN, n -> n % 2 == 0),
    SMALLINT(DataTypes.SMALLINT(), Types.SHORT, Family.NUMBER, n -> (short) (n - 3)),
    INT(DataTypes.INT(), Types.INT, Family.NUMBER, n -> n - 3),
    BIGINT(DataTypes.BIGINT(), Types.LONG, Family.NUMBER, n -> (n - 3) * 10_000_000_019L),
    // Quarters are exact in binary: a sum does not depend on the order of its rows.
    DOUBLE(DataTypes.DOUBLE(), Types.DOUBLE, Family.NUMBER, n -> (n - 3) * 0.25),
    DECIMAL_IN_A_LONG(
            DataTypes.DECIMAL(10, 2),
            Types.BIG_DEC,
            Family.NUMBER,
            n -> BigDecimal.valueOf(n * 25L - 50, 2)),
    DECIMAL_IN_BYTES(
            DataTypes.DECIMAL(30, 10),
            Types.BIG_DEC,
            Family.NUMBER,
            n -> new BigDecimal("12345678901.5").add(BigDecimal.valueOf(n)).setScale(10)),
    CHAR(DataTypes.CHAR(4), Types.STRING, Family.TEXT, "%04d"::formatted),
    // Beyond seven bytes a string leaves the fixed part of a binary row, so both lengths occur.
    VARCHAR(DataTypes.VARCHAR(40), Types.STRING, Family.TEXT, n -> "k".repeat(n % 12) + n),
    DATE(
            DataTypes.DATE(),
            Types.LOCAL_DATE,
            Family.DATE,
            n -> LocalDate.of(2026, 1, 1).plusDays(n)),
    TIMESTAMP_3(
            DataTypes.TIMESTAMP(3),
            Types.LOCAL_DATE_TIME,
            Family.TIMESTAMP,
            n -> LocalDateTime.of(2026, 1, 1, 0, 0).plusSeconds(n)),
    TIMESTAMP_6(
            DataTypes.TIMESTAMP(6),
            Types.LOCAL_DATE_TIME,
            Family.TIMESTAMP,
            n -> LocalDateTime.of(2026, 1, 1, 0, 0).plusNanos(n * 1_000L)),
    TIMESTAMP_9(
            DataTypes.TIMESTAMP(9),
            Types.LOCAL_DATE_TIME,
            Family.TIMESTAMP,
            n -> LocalDateTime.of(2026, 1, 1, 0, 0).plusNanos(n)),
    BYTES(
            DataTypes.BYTES(),
            Types.PRIMITIVE_ARRAY(Types.BYTE),
            Family.NONE,
            n -> ByteBuffer.allocate(2 + n % 9).putShort((short) n).array()),
    ROW(
            DataTypes.ROW(
                    DataTypes.FIELD("a", DataTypes.INT()),
                    DataTypes.FIELD("b", DataTypes.VARCHAR(20))),
            Types.ROW_NAMED(new String[] {"a", "b"}, Types.INT, Types.STRING),
            Family.NONE,
            n -> Row.of(n, n % 3 == 0 ? null : "row-" + n)),
    ARRAY(
            DataTypes.ARRAY(DataTypes.INT()),
            Types.OBJECT_ARRAY(Types.INT),
            Family.NONE,
            n -> n % 3 == 0 ? new Integer[] {n, null} : new Integer[] {n});

    /** Types of one family can be compared and have MIN and MAX, but for the last. */
    enum Family {
        BOOLEAN,
        NUMBER,
        TEXT,
        DATE,
        TIMESTAMP,
        NONE
    }

    private final DataType dataType;
    private final TypeInformation<?> information;
    private final Family family;
    private final IntFunction<Object> value;

    ValueType(
            DataType dataType,
            TypeInformation<?> information,
            Family family,
            IntFunction<Object> value) {
        this.dataType = dataType;
        this.information = information;
        this.family = family;
        this.value = value;
    }

    DataType dataType(boolean nullable) {
        return nullable ? dataType.nullable() : dataType.notNull();
    }

    TypeInformation<?> information() {
        return information;
    }

    Family family() {
        return family;
    }

    boolean isNumber() {
        return family == Family.NUMBER;
    }

    boolean isDecimal() {
        return this == DECIMAL_IN_A_LONG || this == DECIMAL_IN_BYTES;
    }

    boolean isSortable() {
        return family != Family.NONE;
    }

    /** Whether a column of this type can tell rows apart. */
    boolean identifies() {
        return family != Family.BOOLEAN && family != Family.NONE;
    }

    /** The value of a number, which is not negative. */
    Object value(int number) {
        return value.apply(number);
    }
}
