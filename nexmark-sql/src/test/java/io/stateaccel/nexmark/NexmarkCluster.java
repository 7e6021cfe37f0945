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
package io.stateaccel.nexmark;

import io.stateaccel.nexmark.checksum.Checksum;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;

/** Runs SQL on the cluster of the test class. */
public final class NexmarkCluster {

    private NexmarkCluster() {}

    /** A cluster of two slots. */
    public static MiniClusterExtension extension() {
        return new MiniClusterExtension(
                new MiniClusterResourceConfiguration.Builder()
                        .setNumberTaskManagers(1)
                        .setNumberSlotsPerTaskManager(2)
                        .build());
    }

    public static StreamTableEnvironment tables(Map<String, String> settings) {
        Configuration configuration = new Configuration();
        settings.forEach(configuration::setString);
        configuration.set(CoreOptions.DEFAULT_PARALLELISM, 2);
        return StreamTableEnvironment.create(
                StreamExecutionEnvironment.getExecutionEnvironment(configuration));
    }

    /** Runs statements of which the last is an INSERT into a checksum table. */
    public static Checksum run(StreamTableEnvironment tables, List<String> statements)
            throws Exception {
        TableResult last = null;
        for (String statement : statements) {
            last = tables.executeSql(statement);
        }
        Map<String, Object> accumulators =
                last.getJobClient()
                        .orElseThrow()
                        .getJobExecutionResult()
                        .get()
                        .getAllAccumulatorResults();
        return Checksum.fromAccumulators(accumulators).values().iterator().next();
    }
}
