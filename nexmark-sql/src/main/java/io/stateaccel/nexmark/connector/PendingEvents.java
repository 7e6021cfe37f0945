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
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * The checkpoint of the enumerator: the events no reader has been given.
 *
 * @param nextStart all events from here on are pending
 * @param returned ranges below it that came back from a failed reader, oldest first
 */
record PendingEvents(long nextStart, List<EventRange> returned) {

    static final PendingEvents ALL = new PendingEvents(0, List.of());

    /** Format 1: {@code nextStart}, the number of ranges, their starts and ends. */
    static final class Serializer implements SimpleVersionedSerializer<PendingEvents> {

        private static final int VERSION = 1;

        @Override
        public int getVersion() {
            return VERSION;
        }

        @Override
        public byte[] serialize(PendingEvents pending) throws IOException {
            DataOutputSerializer out = new DataOutputSerializer(64);
            out.writeLong(pending.nextStart());
            out.writeInt(pending.returned().size());
            for (EventRange range : pending.returned()) {
                out.writeLong(range.start());
                out.writeLong(range.end());
            }
            return out.getCopyOfBuffer();
        }

        @Override
        public PendingEvents deserialize(int version, byte[] bytes) throws IOException {
            if (version != VERSION) {
                throw new IOException("Unknown version of a nexmark checkpoint: " + version);
            }
            DataInputDeserializer in = new DataInputDeserializer(bytes);
            long nextStart = in.readLong();
            int ranges = in.readInt();
            List<EventRange> returned = new ArrayList<>(ranges);
            for (int i = 0; i < ranges; i++) {
                returned.add(new EventRange(in.readLong(), in.readLong()));
            }
            return new PendingEvents(nextStart, returned);
        }
    }
}
