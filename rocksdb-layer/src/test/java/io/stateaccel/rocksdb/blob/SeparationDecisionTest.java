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

import io.stateaccel.rocksdb.metrics.ValueLengths;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When a state begins and ends to separate its long values, by what is written to it. */
class SeparationDecisionTest {

    private static final int SHORT = 100;
    private static final int LONG = 4_000;

    private final ValueLengths lengths = new ValueLengths();
    private final SeparationDecision decision = new SeparationDecision(lengths, false);

    @Test
    void beginsAtOnceWithLongValues() {
        write(1_000, LONG);
        assertThat(decision.review()).isTrue();
        assertThat(decision.longShare()).isEqualTo(1);
    }

    @Test
    void neverBeginsWithShortValues() {
        for (int i = 0; i < 1_000; i++) {
            write(20_000, SHORT);
            assertThat(decision.review()).isFalse();
        }
        assertThat(decision.longShare()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "1023, false",
        "1024, true",
    })
    void longIsFromAKibibyteOn(int length, boolean isLong) {
        write(10_000, length);
        assertThat(decision.review()).isEqualTo(isLong);
    }

    /** Short values of a number that makes for so many per cent of long ones, by bytes. */
    @ParameterizedTest
    @CsvSource({
        "20, false, false",
        "24, false, false",
        "26, false, true",
        "49, false, true",
        "51, true, true",
        "80, true, true",
    })
    void inBetweenThingsStayAsTheyAre(int percentLong, boolean begins, boolean goesOn) {
        SeparationDecision separating = new SeparationDecision(lengths, true);
        write(1_000, LONG);
        write(1_000 * LONG * (100 - percentLong) / percentLong / SHORT, SHORT);
        assertThat(decision.review()).isEqualTo(begins);
        assertThat(separating.review()).isEqualTo(goesOn);
    }

    @Test
    void fewValuesSayNothing() {
        write(99, 1 << 20);
        assertThat(decision.review()).isFalse();
        write(1, 1 << 20);
        assertThat(decision.review()).isTrue();
    }

    @Test
    void fewBytesSayNothing() {
        write(250, LONG);
        assertThat(decision.review()).isFalse();
        write(50, LONG);
        assertThat(decision.review()).isTrue();
    }

    /** Where little is written it is gathered over checkpoints, and does not fade meanwhile. */
    @Test
    void beginsWhereLittleIsWritten() {
        int checkpoints = 1;
        write(10, LONG);
        while (!decision.review()) {
            write(10, LONG);
            checkpoints++;
        }
        assertThat(checkpoints).isEqualTo(27);
    }

    @Test
    void noticesThatValuesBecomeLongAfterAnyTimeOfShortOnes() {
        for (int i = 0; i < 10_000; i++) {
            write(100_000, SHORT);
            decision.review();
        }
        int checkpoints = 1;
        write(2_500, LONG);
        while (!decision.review()) {
            write(2_500, LONG);
            checkpoints++;
        }
        assertThat(checkpoints).isLessThanOrEqualTo(2);
    }

    @Test
    void restsAfterASwitch() {
        write(1_000, LONG);
        assertThat(decision.review()).isTrue();
        for (int i = 1; i < SeparationDecision.FIRST_REST; i++) {
            write(1_000_000, SHORT);
            assertThat(decision.review()).as("checkpoint %s", i).isTrue();
        }
        write(1_000_000, SHORT);
        assertThat(decision.review()).isFalse();
        for (int i = 1; i < 2 * SeparationDecision.FIRST_REST; i++) {
            write(100_000, LONG);
            assertThat(decision.review()).as("checkpoint %s", i).isFalse();
        }
        write(100_000, LONG);
        assertThat(decision.review()).isTrue();
    }

    /** Whatever the rhythm. With no rest there would be a switch in each phase. */
    @ParameterizedTest
    @ValueSource(ints = {5, 10, 11, 20, 50, 100})
    void valuesThatComeAndGoDoNotSwitchToAndFro(int checkpointsInPhase) {
        assertThat(switches(10_000, i -> i / checkpointsInPhase % 2 == 0 ? LONG : SHORT))
                // 10 + 20 + ... + 640 checkpoints of rest, then 640 each.
                .isBetween(2, 1 + 7 + 10_000 / SeparationDecision.LONGEST_REST);
    }

    @Test
    void randomMixturesDoNotSwitchToAndFro() {
        long seed = System.nanoTime();
        System.out.println("SeparationDecisionTest: seed " + seed);
        Random random = new Random(seed);
        // On average a half, where a single threshold would be crossed all the time.
        assertThat(switches(5_000, i -> random.nextBoolean() ? LONG : SHORT)).isLessThan(16);
    }

    private int switches(int checkpoints, IntUnaryOperator length) {
        int switches = 0;
        boolean before = false;
        for (int i = 0; i < checkpoints; i++) {
            int now = length.applyAsInt(i);
            write(4_000_000 / now, now);
            boolean after = decision.review();
            if (after != before) {
                switches++;
            }
            before = after;
        }
        return switches;
    }

    private void write(int values, int length) {
        for (int i = 0; i < values; i++) {
            lengths.add(length);
        }
    }
}
