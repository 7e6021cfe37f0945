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
package io.stateaccel.nexmark.connector;

import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** Format 1: start and end as two longs. */
final class EventRangeSerializer implements SimpleVersionedSerializer<EventRange> {

    private static final int VERSION = 1;

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(EventRange range) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(2 * Long.BYTES);
        out.writeLong(range.start());
        out.writeLong(range.end());
        return out.getCopyOfBuffer();
    }

    @Override
    public EventRange deserialize(int version, byte[] bytes) throws IOException {
        if (version != VERSION) {
            throw new IOException("Unknown version of a nexmark split: " + version);
        }
        DataInputDeserializer in = new DataInputDeserializer(bytes);
        return new EventRange(in.readLong(), in.readLong());
    }
}
