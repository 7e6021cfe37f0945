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
package io.stateaccel.operators.bundle;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.operators.SmallHeap;
import io.stateaccel.operators.SmallHeap.Run;
import org.apache.flink.configuration.MemorySize;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bundles of the default size with rows that are so wide that the heap could not hold them. */
class WideRowsHeapTest {

    @ParameterizedTest
    @EnumSource
    void bundlesStayWithinTheirBytes(WideRowsRun.What operator) throws Exception {
        Run run = run(operator, StateAccelOptions.MINI_BATCH_MAX_BYTES.defaultValue());

        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.output()).endsWith("results " + WideRowsRun.ROWS + System.lineSeparator());
    }

    /** Or else the test shows nothing. */
    @Test
    void theHeapDoesNotHoldThemWithoutALimit() throws Exception {
        Run run = run(WideRowsRun.What.JOIN, MemorySize.MAX_VALUE);

        assertThat(run.exitCode()).isNotZero();
        assertThat(run.output()).contains("OutOfMemoryError");
    }

    private static Run run(WideRowsRun.What operator, MemorySize maxBytes) throws Exception {
        return SmallHeap.run(
                WideRowsRun.class, operator.name(), Long.toString(maxBytes.getBytes()));
    }
}
