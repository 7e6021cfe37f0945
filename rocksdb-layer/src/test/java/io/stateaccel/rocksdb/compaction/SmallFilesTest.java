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
package io.stateaccel.rocksdb.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many files of level 0 start a compaction, by their size and what is to be merged at once. */
class SmallFilesTest {

    @ParameterizedTest
    @CsvSource({
        // Nothing to be merged with, or less than the files themselves.
        "10, 0, 12, 4",
        "10, 30, 12, 4",
        // In steps of four, up to the most.
        "10, 79, 12, 4",
        "10, 80, 12, 8",
        "10, 119, 12, 8",
        "10, 120, 12, 12",
        "10, 1000000000000, 12, 12",
        "10, 120, 10, 10",
        "10, 120, 100, 12",
        "10, 1200, 100, 100",
        // Files without a size.
        "0, 120, 12, 12",
    })
    void theSmallerTheMore(long fileBytes, long wantedBytes, int mostFiles, int files) {
        assertThat(SmallFiles.trigger(SmallFiles.STOCK_TRIGGER, fileBytes, wantedBytes, mostFiles))
                .isEqualTo(files);
    }

    /** A change has RocksDB write all of its options. */
    @ParameterizedTest
    @CsvSource({
        // Wanted before, how many of ten bytes, wanted now.
        "8, 119, 12, 8",
        "8, 120, 12, 12",
        "12, 119, 12, 12",
        "12, 100, 12, 12",
        "12, 99, 12, 8",
        "12, 20, 12, 4",
        "8, 60, 12, 8",
        "8, 59, 12, 4",
        "10, 100, 10, 10",
        "10, 99, 10, 8",
    })
    void sizesThatGoUpAndDownALittleChangeNothing(
            int before, long wantedBytes, int mostFiles, int files) {
        assertThat(SmallFiles.trigger(before, 10, wantedBytes, mostFiles)).isEqualTo(files);
    }
}
