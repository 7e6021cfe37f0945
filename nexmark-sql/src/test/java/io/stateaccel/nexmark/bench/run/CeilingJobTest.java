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
package io.stateaccel.nexmark.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.nexmark.bench.queries.Query;
import java.util.Collection;
import java.util.List;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.streaming.runtime.partitioner.ForwardPartitioner;
import org.apache.flink.streaming.runtime.partitioner.KeyGroupStreamPartitioner;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CeilingJobTest {

    @ParameterizedTest
    @ValueSource(strings = {"q3", "q4", "q5", "q9", "q16", "q20", "left-updates", "anti"})
    void endsBehindTheFirstExchangesByKey(String query) {
        StreamGraph graph = ceilingOf(query);
        List<StreamNode> sinks = sinks(graph);
        assertThat(sinks).isNotEmpty();
        assertThat(sinks)
                .flatExtracting(StreamNode::getInEdges)
                .allMatch(edge -> edge.getPartitioner() instanceof KeyGroupStreamPartitioner);
        assertThat(graph.getStreamNodes())
                .flatExtracting(StreamNode::getInEdges)
                .filteredOn(edge -> !sinks.contains(graph.getStreamNode(edge.getTargetId())))
                .allMatch(edge -> edge.getPartitioner() instanceof ForwardPartitioner);
        assertThat(graph.getSourceIDs()).as("the source is read once").hasSize(1);
        assertThat(sinks)
                .as("one for each input of the first stateful operator")
                .hasSize(List.of("q5", "q16").contains(query) ? 1 : 2);
    }

    @Test
    void ofAQueryWithoutAnExchangeEndsBeforeItsSink() {
        StreamGraph graph = ceilingOf("q0");
        assertThat(sinks(graph)).hasSize(1);
        assertThat(graph.getStreamNodes())
                .extracting(StreamNode::getOperatorName)
                .noneMatch(name -> name.contains("nexmark_q0"));
    }

    private static List<StreamNode> sinks(StreamGraph graph) {
        Collection<StreamNode> nodes = graph.getStreamNodes();
        return nodes.stream().filter(node -> node.getOutEdges().isEmpty()).toList();
    }

    private static StreamGraph ceilingOf(String query) {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment();
        StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        List<String> statements = Query.named(query).statements(1_000);
        statements.subList(0, statements.size() - 1).forEach(tables::executeSql);
        CeilingJob.build(environment, tables, statements.get(statements.size() - 1));
        return environment.getStreamGraph();
    }
}
