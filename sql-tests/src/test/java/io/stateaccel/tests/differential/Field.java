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
package io.stateaccel.tests.differential;

/**
 * A column of a table or of a sub-query.
 *
 * @param type of a computed column only its family is certain
 */
public record Field(String name, ValueType type, boolean nullable, Role role) {

    /** What a column is there for. */
    public enum Role {
        /** Columns that tables are joined by; the same number is the same value in every table. */
        KEY_1,
        KEY_2,
        /** What two of three tables may be joined by instead. */
        OTHER_KEY,
        ID,
        /** Ascends from row to row and is what watermarks follow; of insert-only tables. */
        TIME,
        PAYLOAD;

        boolean isJoinKey() {
            return this == KEY_1 || this == KEY_2 || this == OTHER_KEY;
        }
    }

    Field named(String other) {
        return new Field(other, type, nullable, role);
    }

    /** The column where a join may have put NULL into it. */
    Field padded() {
        return new Field(name, type, true, role);
    }

    @Override
    public String toString() {
        return name + " " + type.dataType(nullable);
    }
}
