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
package io.stateaccel.operators.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.flink.api.common.functions.util.ListCollector;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.junit.jupiter.api.Test;

/** What is emitted of an update, also where some of a group's rows are equal. */
class TableResultsTest {

    private static final RowDataSerializer SERIALIZER = new RowDataSerializer(new BigIntType());

    @Test
    void onlyWhatHasChangedIsEmitted() {
        assertThat(update(rows(1, 2, 3), rows(1, 4, 3), false)).containsExactly("-D2", "+I4");
        assertThat(update(rows(1, 2), rows(2, 1), false)).isEmpty();
        assertThat(update(rows(1, 2), rows(1, 2), false)).isEmpty();
        assertThat(update(rows(), rows(1), false)).containsExactly("+I1");
        assertThat(update(rows(1), rows(), false)).containsExactly("-D1");
    }

    @Test
    void equalRowsAreCounted() {
        assertThat(update(rows(1, 1, 1), rows(1), false)).containsExactly("-D1", "-D1");
        assertThat(update(rows(1), rows(1, 1, 2), false)).containsExactly("+I1", "+I2");
        assertThat(update(rows(1, 1, 2), rows(2, 2, 1), false)).containsExactly("-D1", "+I2");
    }

    @Test
    void whatIsEqualIsEmittedWhereItIsToLiveOn() {
        assertThat(update(rows(1, 2), rows(1), true)).containsExactly("-D1", "-D2", "+I1");
    }

    private static List<String> update(
            List<BinaryRowData> before, List<BinaryRowData> after, boolean evenIfEqual) {
        List<RowData> out = new ArrayList<>();
        new TableResults(null, SERIALIZER, new ListCollector<>(out))
                .updated(null, before, after, evenIfEqual);
        return out.stream().map(row -> row.getRowKind().shortString() + row.getLong(0)).toList();
    }

    private static List<BinaryRowData> rows(long... values) {
        return LongStream.of(values)
                .mapToObj(value -> SERIALIZER.toBinaryRow(GenericRowData.of(value)).copy())
                .toList();
    }
}
