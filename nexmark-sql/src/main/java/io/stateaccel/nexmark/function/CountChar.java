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
package io.stateaccel.nexmark.function;

import org.apache.flink.table.functions.ScalarFunction;

/** The user-defined function of q14: counts how often a character occurs in a text. */
public final class CountChar extends ScalarFunction {

    private static final long serialVersionUID = 1L;

    /**
     * Counts.
     *
     * @param text where to look, may be null
     * @param character of which only the first character counts
     * @return how often, 0 if either is null or empty
     */
    public long eval(String text, String character) {
        if (text == null || character == null || character.isEmpty()) {
            return 0;
        }
        char wanted = character.charAt(0);
        long count = 0;
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == wanted) {
                count++;
            }
        }
        return count;
    }
}
