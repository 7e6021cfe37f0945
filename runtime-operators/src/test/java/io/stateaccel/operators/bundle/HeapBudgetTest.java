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

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What sub-tasks may keep on the heap: bytes of their own, or a share of what all may use. */
class HeapBudgetTest {

    private static final long POOL = 100 << 20;
    private static final long MEGABYTE = 1 << 20;

    private final HeapBudget.Pool pool = new HeapBudget.Pool(POOL);

    @Test
    void anOwnLimitHoldsWhateverOthersUse() {
        HeapBudget own = pool.open(10);
        HeapBudget other = pool.open(HeapBudget.SHARED);
        other.add(POOL);
        own.add(10);
        assertThat(own.isExceeded()).isFalse();
        own.add(1);
        assertThat(own.isExceeded()).isTrue();
        own.clear();
        assertThat(own.isExceeded()).isFalse();
        assertThat(own.bytes()).isZero();
        // It takes nothing from the others.
        assertThat(other.isExceeded()).isFalse();
    }

    @Test
    void whoIsAloneMayUseAllOfIt() {
        HeapBudget alone = pool.open(HeapBudget.SHARED);
        alone.add(POOL);
        assertThat(alone.isExceeded()).isFalse();
        alone.add(MEGABYTE);
        assertThat(alone.isExceeded()).isTrue();
    }

    @Test
    void whoHasMoreThanAnEqualPartGivesSomethingUp() {
        HeapBudget large = pool.open(HeapBudget.SHARED);
        HeapBudget small = pool.open(HeapBudget.SHARED);
        large.add(95 * MEGABYTE);
        assertThat(large.isExceeded()).isFalse();
        small.add(10 * MEGABYTE);
        assertThat(small.isExceeded()).isFalse();
        large.add(4 * MEGABYTE);
        assertThat(large.isExceeded()).isTrue();
        large.add(-50 * MEGABYTE);
        assertThat(large.isExceeded()).isFalse();
        small.add(45 * MEGABYTE);
        assertThat(small.isExceeded()).isTrue();
    }

    @Test
    void whatAnotherTakesIsSeenWithoutGrowing() {
        HeapBudget large = pool.open(HeapBudget.SHARED);
        large.add(60 * MEGABYTE);
        assertThat(large.isExceeded()).isFalse();
        pool.open(HeapBudget.SHARED).add(45 * MEGABYTE);
        int questions = 1;
        while (!large.isExceeded()) {
            questions++;
            assertThat(questions).isLessThan(10_000);
        }
    }

    @Test
    void closingGivesBack() {
        HeapBudget first = pool.open(HeapBudget.SHARED);
        HeapBudget second = pool.open(HeapBudget.SHARED);
        first.add(POOL);
        second.add(60 * MEGABYTE);
        assertThat(second.isExceeded()).isTrue();
        first.close();
        assertThat(second.isExceeded()).isFalse();
        assertThat(pool.sharers()).isOne();
    }

    @Test
    void togetherTheyStayBelowTwiceThePool() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<HeapBudget> budgets = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            budgets.add(pool.open(HeapBudget.SHARED));
        }
        for (int i = 0; i < 200_000; i++) {
            // Now and then others are idle for long.
            HeapBudget budget = budgets.get(random.nextInt(1 + i / 10_000 % budgets.size()));
            budget.add(random.nextInt(64 << 10));
            if (budget.isExceeded()) {
                budget.add(-budget.bytes() / 2);
            }
            long used = budgets.stream().mapToLong(HeapBudget::bytes).sum();
            assertThat(used).as("seed %d, step %d", seed, i).isLessThan(2 * POOL);
        }
    }
}
