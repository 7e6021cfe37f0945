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
package io.stateaccel.flink.testing;

import java.io.Serializable;
import java.util.function.Predicate;
import org.apache.flink.api.common.functions.AbstractRichFunction;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.FilterCondition;
import org.apache.flink.table.runtime.generated.GeneratedFilterCondition;

/** A condition that tests are written in Java for; what it is asked differs between lines. */
public final class TestCondition extends GeneratedFilterCondition {

    private static final long serialVersionUID = 1L;

    private final TimedPredicate predicate;

    public TestCondition(RowPredicate predicate) {
        this((row, watermark) -> predicate.test(row));
    }

    private TestCondition(TimedPredicate predicate) {
        super("TestCondition", "", new Object[0]);
        this.predicate = predicate;
    }

    /** That a row's number is above the watermark. */
    public static TestCondition aboveWatermark(int column) {
        return new TestCondition((row, watermark) -> row.getLong(column) > watermark);
    }

    @Override
    public FilterCondition newInstance(ClassLoader classLoader) {
        return new Condition(predicate);
    }

    /** What a row has to be. */
    @FunctionalInterface
    public interface RowPredicate extends Predicate<RowData>, Serializable {}

    @FunctionalInterface
    private interface TimedPredicate extends Serializable {
        boolean test(RowData row, long watermark);
    }

    private static final class Condition extends AbstractRichFunction implements FilterCondition {
        private static final long serialVersionUID = 1L;

        private final TimedPredicate predicate;

        private Condition(TimedPredicate predicate) {
            this.predicate = predicate;
        }

        @Override
        public boolean apply(Context context, RowData row) {
            return predicate.test(row, context.timerService().currentWatermark());
        }
    }
}
