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
package io.stateaccel.nexmark.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** What kind of code a stack is. */
class CpuProfileTest {

    private static final String TASK =
            "java/lang/Thread.run;org/apache/flink/runtime/taskmanager/Task.run;"
                    + "io/stateaccel/operators/join/MiniBatchJoinOperator.finishBundle;";

    @Test
    void theInnermostKnownPackageSaysWhatAStackIs() {
        String collapsed =
                TASK
                        + "org/apache/flink/state/rocksdb/RocksDBListState.get;"
                        + "org/rocksdb/RocksDB.get;rocksdb::DBImpl::Get 40\n"
                        + TASK
                        + "org/apache/flink/table/data/binary/BinaryRowData.copy;"
                        + "java/util/Arrays.copyOf 20\n"
                        + TASK
                        + "java/util/HashMap.get 10\n"
                        + "java/lang/Thread.run;StreamExecCalc$12.processElement 5\n"
                        + "java/lang/Thread.run;io/stateaccel/nexmark/connector/EventReader.pollNext"
                        + ";org/apache/flink/runtime/io/network/api/writer/RecordWriter.emit 5\n"
                        + "java/lang/Thread.run;io/stateaccel/nexmark/generator/Bids.bid 4\n"
                        + "start_thread;rocksdb::ThreadPoolImpl::Impl::BGThread;memcpy 8\n"
                        + "start_thread;thread_native_entry;CompileBroker::compiler_thread_loop 4\n"
                        + "start_thread;thread_native_entry;G1ParTask::work 2\n"
                        + "start_thread;epoll_wait 1\n"
                        + "java/lang/Thread.run;java/lang/Object.wait 1";
        assertThat(CpuProfile.byCode(collapsed, 10))
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of(
                                CpuProfile.ROCKSDB_CALLS, 4.0,
                                CpuProfile.SERIALISATION, 2.0,
                                CpuProfile.OPERATORS, 1.5,
                                CpuProfile.EXCHANGE, 0.5,
                                CpuProfile.SOURCE, 0.4,
                                CpuProfile.ROCKSDB_BACKGROUND, 0.8,
                                CpuProfile.JIT, 0.4,
                                CpuProfile.GC, 0.2,
                                CpuProfile.REST, 0.2));
    }
}
