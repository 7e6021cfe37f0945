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
package io.stateaccel.nexmark.function;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NewestTest {

    private final Newest newest = new Newest();

    @Test
    void itNeverGoesBack() {
        Newest.Accumulator accumulator = newest.createAccumulator();
        assertThat(newest.getValue(accumulator)).isNull();
        newest.accumulate(accumulator, null);
        newest.accumulate(accumulator, 5L);
        newest.accumulate(accumulator, 3L);
        newest.retract(accumulator, 5L);
        assertThat(newest.getValue(accumulator)).isEqualTo(5);
    }

    @Test
    void partsAreMerged() {
        Newest.Accumulator accumulator = newest.createAccumulator();
        Newest.Accumulator other = newest.createAccumulator();
        newest.accumulate(other, -2L);
        newest.merge(accumulator, List.of(newest.createAccumulator(), other));
        assertThat(newest.getValue(accumulator)).isEqualTo(-2);
    }
}
