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
package io.stateaccel.rocksdb.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

/** What cached states serialise to. */
class CachedStateBuffersTest {

    @Test
    void isGivenUpAfterABigValueOnly() throws Exception {
        DataOutputSerializer output = new DataOutputSerializer(CachedState.FIRST_OUTPUT_BYTES);
        output.write(new byte[100_000]);
        assertThat(CachedState.afterUse(output)).isSameAs(output);
        output.clear();
        output.write(new byte[10_000_000]);
        assertThat(CachedState.afterUse(output).getSharedBuffer().length)
                .isEqualTo(CachedState.FIRST_OUTPUT_BYTES);
    }
}
