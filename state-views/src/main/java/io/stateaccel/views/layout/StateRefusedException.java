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
package io.stateaccel.views.layout;

import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * A snapshot holds state that an operator cannot go on from. The job fails at once, whatever its
 * restart strategy: another attempt would find the same.
 */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
public final class StateRefusedException extends FlinkRuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * @param message names the operator, what was found and expected, and the ways out
     */
    public StateRefusedException(String message) {
        super(message);
    }

    StateRefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
