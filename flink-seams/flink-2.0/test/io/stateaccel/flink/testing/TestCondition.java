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

    private final RowPredicate predicate;

    public TestCondition(RowPredicate predicate) {
        super("TestCondition", "", new Object[0]);
        this.predicate = predicate;
    }

    /** There are no such ones before 2.1. */
    public static TestCondition aboveWatermark(int column) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FilterCondition newInstance(ClassLoader classLoader) {
        return new Condition(predicate);
    }

    /** What a row has to be. */
    @FunctionalInterface
    public interface RowPredicate extends Predicate<RowData>, Serializable {}

    private static final class Condition extends AbstractRichFunction implements FilterCondition {
        private static final long serialVersionUID = 1L;

        private final RowPredicate predicate;

        private Condition(RowPredicate predicate) {
            this.predicate = predicate;
        }

        @Override
        public boolean apply(RowData row) {
            return predicate.test(row);
        }
    }
}
