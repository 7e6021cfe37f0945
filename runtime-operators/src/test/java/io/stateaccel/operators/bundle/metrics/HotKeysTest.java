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
package io.stateaccel.operators.bundle.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import java.util.Random;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.Test;

class HotKeysTest {

    private final HotKeys keys = new HotKeys(1);
    private final Random random = new Random(2);

    @Test
    void saysNothingOfFewRows() {
        for (int row = 0; row < HotKeys.MEAN_GAP; row++) {
            keys.rowAdded(key(1));
        }
        assertThat(keys.hottest()).isNull();
    }

    @Test
    void findsTheKeyOfAThirdOfTheRowsAmongManyOthers() {
        rows(300_000, 3, 42);

        assertThat(keys.hottest().key()).isEqualTo(key(42));
        assertThat(keys.hottest().part()).isCloseTo(1.0 / 3, offset(0.06));
    }

    /** One row in so many would always meet the same key. */
    @Test
    void isNotMisledByKeysThatComeInTurns() {
        for (int row = 0; row < 300_000; row++) {
            keys.rowAdded(key(row % HotKeys.MEAN_GAP));
        }
        assertThat(keys.hottest().part()).isCloseTo(1.0 / HotKeys.MEAN_GAP, offset(0.03));
    }

    @Test
    void claimsNothingWhereNoKeyIsFrequent() {
        for (int row = 0; row < 300_000; row++) {
            keys.rowAdded(key(random.nextInt(1_000_000)));
        }
        assertThat(keys.hottest()).isNotNull();
        assertThat(keys.hottest().part()).isLessThan(0.02);
    }

    @Test
    void forgetsAKeyThatWasHotOnce() {
        rows(300_000, 2, 42);
        rows(2_000_000, 2, 7);

        assertThat(keys.hottest().key()).isEqualTo(key(7));
        assertThat(keys.hottest().part()).isCloseTo(0.5, offset(0.06));
    }

    /** One row in {@code everyth} has the key {@code hot}, the others have any. */
    private void rows(int count, int everyth, int hot) {
        for (int row = 0; row < count; row++) {
            keys.rowAdded(key(random.nextInt(everyth) == 0 ? hot : random.nextInt(1_000_000)));
        }
    }

    private static RowData key(int value) {
        return GenericRowData.of(value);
    }
}
