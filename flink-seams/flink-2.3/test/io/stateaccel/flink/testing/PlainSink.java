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

import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;

/** A sink that needs nothing to make a writer; Flink 1.20 has one more method for that. */
public abstract class PlainSink<T> implements Sink<T> {

    private static final long serialVersionUID = 1L;

    /** Called once per sub-task. */
    protected abstract SinkWriter<T> createWriter();

    @Override
    public final SinkWriter<T> createWriter(WriterInitContext context) {
        return createWriter();
    }
}
