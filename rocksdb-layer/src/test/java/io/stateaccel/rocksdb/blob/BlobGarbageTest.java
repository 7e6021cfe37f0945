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
package io.stateaccel.rocksdb.blob;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many blob files compactions rewrite, by the garbage in all of them. */
class BlobGarbageTest {

    @ParameterizedTest
    @CsvSource({
        "0, 1000, 0",
        "100, 1000, 0",
        "101, 1000, 0.125",
        "190, 1000, 0.5",
        "299, 1000, 1",
        "300, 1000, 1",
        "1000, 1000, 1"
    })
    void theMoreGarbageTheMoreFiles(long garbage, long total, double share) {
        assertThat(BlobGarbage.ageCutoff(0, garbage, total)).isEqualTo(share);
    }

    /** A change has RocksDB write all of its options. */
    @ParameterizedTest
    @CsvSource({
        "0.25, 149, 1000, 0.25",
        "0.25, 151, 1000, 0.375",
        "0.375, 149, 1000, 0.375",
        "0.375, 138, 1000, 0.375",
        "0.375, 137, 1000, 0.25",
        "0.125, 100, 1000, 0.125",
        "0.125, 80, 1000, 0",
        "0.25, 0, 1000, 0",
        "1, 299, 1000, 1",
        "1, 200, 1000, 0.625"
    })
    void garbageThatGoesUpAndDownALittleChangesNothing(
            double before, long garbage, long total, double share) {
        assertThat(BlobGarbage.ageCutoff(before, garbage, total)).isEqualTo(share);
    }
}
