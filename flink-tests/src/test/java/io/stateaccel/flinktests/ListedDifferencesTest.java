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
package io.stateaccel.flinktests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.flinktests.Mode.Backend;
import io.stateaccel.flinktests.Mode.Bundles;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ListedDifferencesTest {

    private static final Mode DEFAULT = new Mode(Bundles.DEFAULT, Backend.HEAP);

    private static final List<String> LINES =
            List.of(
                    "# Not read.",
                    "",
                    "== default",
                    "A reason that",
                    "goes on.",
                    "    sql.AITCase.folds [MiniBatch=ON*]",
                    "== one row, default, stock",
                    "Another.",
                    "    sql.AITCase.isBroken",
                    "== one row, default, stock on rocksdb",
                    "A third.",
                    "    sql.CITCase.isBrokenOnRocksDb",
                    "== sometimes: default",
                    "A fourth.",
                    "    sql.DITCase.depends",
                    "== one row, default in 2.0, 1.20",
                    "A fifth.",
                    "    sql.EITCase.isOld");

    private static final ListedDifferences LIST = ListedDifferences.parse(LINES, "2.3");

    private static final Outcome BROKEN = failed("isBroken", "");
    private static final Outcome FOLDED = failed("folds", "MiniBatch=ON, HEAP");

    @Test
    void whatIsListedMayFailAndWhatIsNotMayHold() {
        assertThat(contradictions(DEFAULT, BROKEN, FOLDED, held("folds", "MiniBatch=OFF")))
                .isEmpty();
    }

    @Test
    void whatIsNotListedMustHold() {
        assertThat(contradictions(DEFAULT, BROKEN, FOLDED, failed("folds", "MiniBatch=OFF")))
                .singleElement()
                .asString()
                .contains(
                        "sql.AITCase.folds [MiniBatch=OFF] does not hold and is not listed", "why");
    }

    @Test
    void whatIsListedForOtherBundlesMustHold() {
        final Mode oneRow = new Mode(Bundles.OF_ONE_ROW, Backend.ROCKSDB);
        assertThat(contradictions(oneRow, BROKEN, FOLDED))
                .singleElement()
                .asString()
                .contains("folds", "is not listed");
    }

    @Test
    void whatIsListedMustFail() {
        assertThat(contradictions(DEFAULT, BROKEN, FOLDED, held("folds", "MiniBatch=ON, ROCKSDB")))
                .singleElement()
                .asString()
                .contains("folds [MiniBatch=ON, ROCKSDB] holds", "A reason that goes on.");
    }

    @Test
    void whatIsListedMustRun() {
        assertThat(contradictions(DEFAULT, BROKEN))
                .singleElement()
                .asString()
                .contains("No test was run that is sql.AITCase.folds [MiniBatch=ON*]");
    }

    @Test
    void onlyWhatWasRunIsDue() {
        assertThat(LIST.contradictions(DEFAULT, "sql.AITCase", "isBroken"::equals, List.of(BROKEN)))
                .isEmpty();
        assertThat(LIST.contradictions(DEFAULT, "sql.BITCase", method -> true, List.of()))
                .isEmpty();
    }

    @Test
    void tellsWhatFailsWithStock() {
        assertThat(LIST.methodsThatFailWithStock(Backend.HEAP, "sql.AITCase"))
                .isEqualTo(Set.of("isBroken"));
        assertThat(LIST.methodsThatFailWithStock(Backend.HEAP, "sql.CITCase")).isEmpty();
        assertThat(LIST.methodsThatFailWithStock(Backend.ROCKSDB, "sql.CITCase"))
                .isEqualTo(Set.of("isBrokenOnRocksDb"));
        assertThat(LIST.methodsThatFailWithStock(Backend.HEAP, "sql.DITCase")).isEmpty();
    }

    @Test
    void whatIsListedForRocksDbMustHoldOnTheHeap() {
        final Outcome broken =
                new Outcome(
                        "sql.CITCase.isBrokenOnRocksDb",
                        "",
                        Optional.of(new AssertionError("why")));
        final List<Outcome> outcomes = List.of(broken);
        assertThat(LIST.contradictions(DEFAULT, "sql.CITCase", method -> true, outcomes))
                .hasSize(1);
        final Mode rocksDb = new Mode(Bundles.DEFAULT, Backend.ROCKSDB);
        assertThat(LIST.contradictions(rocksDb, "sql.CITCase", method -> true, outcomes)).isEmpty();
    }

    @Test
    void whatFailsSometimesMayHold() {
        for (Optional<Throwable> failure :
                List.of(
                        Optional.<Throwable>empty(),
                        Optional.<Throwable>of(new AssertionError("why")))) {
            final List<Outcome> outcomes = List.of(new Outcome("sql.DITCase.depends", "", failure));
            assertThat(LIST.contradictions(DEFAULT, "sql.DITCase", method -> true, outcomes))
                    .isEmpty();
        }
        assertThat(LIST.contradictions(DEFAULT, "sql.DITCase", method -> true, List.of()))
                .hasSize(1);
    }

    @Test
    void whatIsListedForOtherLinesMustHold() {
        final Outcome old =
                new Outcome("sql.EITCase.isOld", "", Optional.of(new AssertionError("why")));
        assertThat(contradictions("2.0", old)).isEmpty();
        assertThat(contradictions("2.1", old)).singleElement().asString().contains("is not listed");
        assertThat(contradictions("2.3", old)).singleElement().asString().contains("is not listed");
    }

    @Test
    void whatIsListedForALineMustRunInIt() {
        assertThat(contradictions("1.20", held("another", ""))).hasSize(1);
        assertThat(contradictions("2.3", held("another", ""))).isEmpty();
    }

    @Test
    void olderLinesNeedNotHaveWhatIsListedForAll() {
        assertThat(
                        ListedDifferences.parse(LINES, "2.1")
                                .contradictions(DEFAULT, "sql.AITCase", method -> true, List.of()))
                .isEmpty();
    }

    @Test
    void aTestWithoutAReasonIsRefused() {
        final List<String> lines = List.of("== default", "    sql.AITCase.folds");
        assertThatThrownBy(() -> ListedDifferences.parse(lines, "2.3"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("sql.AITCase.folds");
    }

    @Test
    void unknownBundlesAreRefused() {
        assertThatThrownBy(() -> ListedDifferences.parse(List.of("== tow rows"), "2.3"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tow rows");
    }

    private static List<String> contradictions(String flinkLine, Outcome outcome) {
        return ListedDifferences.parse(LINES, flinkLine)
                .contradictions(DEFAULT, "sql.EITCase", method -> true, List.of(outcome));
    }

    private static List<String> contradictions(Mode mode, Outcome... outcomes) {
        return LIST.contradictions(mode, "sql.AITCase", method -> true, List.of(outcomes));
    }

    private static Outcome held(String method, String parameters) {
        return new Outcome("sql.AITCase." + method, parameters, Optional.empty());
    }

    private static Outcome failed(String method, String parameters) {
        return new Outcome(
                "sql.AITCase." + method, parameters, Optional.of(new AssertionError("why")));
    }
}
