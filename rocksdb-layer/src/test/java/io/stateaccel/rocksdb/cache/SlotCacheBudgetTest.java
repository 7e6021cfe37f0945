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

import io.stateaccel.config.StateAccelOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.memory.MemoryManager;
import org.junit.jupiter.api.Test;

/** From the task manager's figure down to a sub-task's share. */
class SlotCacheBudgetTest {

    private final Configuration config = new Configuration();
    private final Configuration taskManager = new Configuration();

    @Test
    void slotsDivideTheTaskManagersFigure() {
        config.set(StateAccelOptions.CACHE_SIZE, MemorySize.ofMebiBytes(96));
        taskManager.set(TaskManagerOptions.NUM_TASK_SLOTS, 4);
        CacheSize size = CacheSize.from(config, taskManager);
        assertThat(size.taskManagerBytes()).isEqualTo(96L << 20);
        assertThat(size.slotBytes()).isEqualTo(24L << 20);
        assertThat(size.toString())
                .startsWith("task manager: 96 mb of a heap of ")
                .endsWith("; of each of its 4 slots: 24 mb");
    }

    @Test
    void theDefaultIsATenthOfTheHeap() {
        assertThat(CacheSize.from(config, taskManager).taskManagerBytes())
                .isEqualTo(Runtime.getRuntime().maxMemory() / 10);
    }

    @Test
    void sharesFollowTheNumberOfSubTasks() throws Exception {
        MemoryManager slot = MemoryManager.create(1 << 20, 4096);
        SlotCacheBudget.Opener opener = SlotCacheBudget.of(slot, new CacheSize(2_000, 2));
        SlotCacheBudget.Share first = opener.open();
        assertThat(first.bytes()).isEqualTo(1_000);
        SlotCacheBudget.Share second = opener.open();
        assertThat(first.bytes()).isEqualTo(500);
        assertThat(second.bytes()).isEqualTo(500);
        assertThat(second.sharers()).isEqualTo(2);
        first.close();
        assertThat(second.bytes()).isEqualTo(1_000);
        second.close();

        SlotCacheBudget.Share afterAllHaveGone =
                SlotCacheBudget.of(slot, new CacheSize(80, 2)).open();
        assertThat(afterAllHaveGone.bytes()).isEqualTo(40);
        afterAllHaveGone.close();
        slot.shutdown();
    }
}
