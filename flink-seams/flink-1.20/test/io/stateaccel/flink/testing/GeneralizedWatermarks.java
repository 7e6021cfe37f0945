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

import io.stateaccel.flink.operator.StreamOperatorSeam;
import java.util.Map;

/** Generalized watermarks, which Flink has from 2.0 on, by what tests call them. */
public final class GeneralizedWatermarks {

    private GeneralizedWatermarks() {}

    /** Sends something to an operator. */
    @FunctionalInterface
    public interface Send {
        void to(StreamOperatorSeam operator) throws Exception;
    }

    /** To an operator with one input. */
    public static Map<String, Send> ofOneInput() {
        return Map.of();
    }

    /** To an operator with two inputs. */
    public static Map<String, Send> ofTwoInputs() {
        return Map.of();
    }
}
