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
package io.stateaccel.operators.join.fused;

import io.stateaccel.operators.RandomCases;
import io.stateaccel.operators.RowEqualiser;
import io.stateaccel.operators.RowOutput;
import io.stateaccel.operators.aggregate.ResultTable;
import io.stateaccel.operators.aggregate.TestAggregates;
import io.stateaccel.operators.clock.ClockedJoin;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.join.JoinCase.Side;
import io.stateaccel.operators.join.JoinCase.UniqueKey;
import io.stateaccel.operators.join.MiniBatchJoinOperator;
import io.stateaccel.operators.join.RandomChangelog;
import io.stateaccel.operators.join.aggregate.MiniBatchJoinAggregateOperator;
import io.stateaccel.operators.join.aggregate.MiniBatchJoinAggregateSpec;
import io.stateaccel.operators.join.fused.FusedCase.GroupSelector;
import io.stateaccel.views.join.InputChangelog;
import io.stateaccel.views.time.TimeToLive;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.operators.aggregate.GroupAggFunction;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.LogicalType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A join of any type and the aggregate of its results in one operator, under a clock by which rows
 * and groups expire: after each bundle it has the results of Flink's aggregate over what our join,
 * which is compared with Flink's by itself, emits at the same time.
 */
class ExpiringJoinAggregateTest {

    private static final int TTL_OF_JOIN = 100;
    private static final int TTL_OF_GROUPS = 60;

    static Stream<Arguments> cases() {
        return RandomCases.onAllBackends(10);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void hasTheResultsOfFlinksAggregate(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        FlinkJoinType[] types = {
            FlinkJoinType.INNER, FlinkJoinType.LEFT, FlinkJoinType.SEMI, FlinkJoinType.ANTI
        };
        JoinCase join =
                new JoinCase(
                        types[random.nextInt(types.length)],
                        side(random),
                        side(random),
                        random.nextBoolean(),
                        false,
                        1_000_000,
                        random.nextBoolean() ? TTL_OF_JOIN : 0,
                        random.nextBoolean() ? TTL_OF_JOIN : 0);
        boolean ofViews = random.nextBoolean();
        TestAggregates.Kind kind = ofViews ? TestAggregates.Kind.DISTINCT : TestAggregates.Kind.SUM;
        GroupSelector groups = new GroupSelector(ofViews);
        boolean updateBefore = random.nextBoolean();
        InternalTypeInfo<RowData> results =
                InternalTypeInfo.ofFields(
                        Stream.concat(
                                        Stream.of(groups.getProducedType().toRowFieldTypes()),
                                        Stream.of(kind.valueTypes()))
                                .toArray(LogicalType[]::new));
        ResultTable ours = new ResultTable(results.toRowSerializer(), groups::getKey);
        ResultTable stock = new ResultTable(results.toRowSerializer(), groups::getKey);
        List<BinaryRowData> left =
                RandomChangelog.of(join.left(), "hot", random, random.nextInt(100));
        List<BinaryRowData> right =
                RandomChangelog.of(join.right(), "hot", random, random.nextInt(100));
        MiniBatchJoinAggregateSpec spec =
                new MiniBatchJoinAggregateSpec(
                        join.spec(),
                        null,
                        groups,
                        new TestAggregates(kind),
                        new RowEqualiser(),
                        kind.accumulatorTypes(),
                        0,
                        updateBefore,
                        TimeToLive.ofMillis(TTL_OF_GROUPS),
                        Long.MAX_VALUE,
                        true);
        String description =
                "-Dstateaccel.seed=%d, %s: %s of %s".formatted(seed, backend, kind, join);
        try (ClockedJoin fused =
                        new ClockedJoin(
                                () -> new MiniBatchJoinAggregateOperator(spec), results, backend);
                ClockedJoin alone =
                        new ClockedJoin(
                                () -> new MiniBatchJoinOperator(join.spec()),
                                join.resultType(),
                                backend);
                var aggregate =
                        new KeyedOneInputStreamOperatorTestHarness<>(
                                new KeyedProcessOperator<>(
                                        new GroupAggFunction(
                                                new TestAggregates(kind),
                                                new RowEqualiser(),
                                                kind.accumulatorTypes(),
                                                0,
                                                updateBefore,
                                                TTL_OF_GROUPS)),
                                groups,
                                groups.getProducedType())) {
            aggregate.setStateBackend(new HashMapStateBackend());
            RowOutput.of(aggregate, stock::collect);
            aggregate.open();
            long time = 0;
            int next = 0;
            while (next < left.size() || next < right.size()) {
                ours.begin();
                stock.begin();
                for (int end = next + 1 + random.nextInt(10); next < end; next++) {
                    fused.process(next, left, right);
                    alone.process(next, left, right);
                }
                for (RowData row : alone.flush()) {
                    aggregate.processElement(new StreamRecord<>(row));
                }
                fused.flush().forEach(ours::collect);
                ours.assertSameAs(stock, true, description + " at " + time);
                if (random.nextInt(5) == 0) {
                    fused.restore(1 + random.nextInt(3), time);
                }
                time += random.nextInt(3) == 0 ? random.nextInt(TTL_OF_JOIN) : 1;
                fused.at(time);
                alone.at(time);
                aggregate.setStateTtlProcessingTime(time);
                aggregate.setProcessingTime(time);
            }
        }
    }

    private static Side side(Random random) {
        return new Side(
                UniqueKey.values()[random.nextInt(UniqueKey.values().length)],
                random.nextBoolean() ? InputChangelog.RETRACT : InputChangelog.INSERT_ONLY);
    }
}
