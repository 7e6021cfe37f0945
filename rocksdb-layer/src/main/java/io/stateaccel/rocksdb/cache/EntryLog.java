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
package io.stateaccel.rocksdb.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import javax.annotation.Nullable;
import org.apache.flink.util.Preconditions;

/**
 * The contents of the entries of one queue, in the order of the queue, in a few large arrays: the
 * garbage collector has no objects of entries to follow or to copy.
 *
 * <p>An entry's content begins behind a header that says whose it is and how long. Who leaves the
 * queue from the middle, because its content needs more room or moves to another queue, leaves a
 * gap that is passed over when it is first: the owner's record tells where its content is now. A
 * chunk is given back when the first entry is in the next one; what is long has a chunk of its own,
 * which is given back at once.
 *
 * <p>Chunks grow with the queue up to {@link #CHUNK_BYTES}. Not thread-safe.
 */
final class EntryLog {

    /** With the array's header 32 KiB, so that regions of G1 are filled. */
    static final int CHUNK_BYTES = (32 << 10) - BytesOnHeap.byteArray(0);

    private static final int FEWEST_CHUNK_BYTES = 128;

    /** A chunk is at most this part of the queue. */
    private static final int CHUNK_PART = 16;

    /** Owner and capacity. */
    private static final int HEADER_BYTES = 2 * Integer.BYTES;

    private static final int LONGEST_IN_SHARED_CHUNK = (16 << 10) - HEADER_BYTES;

    /** Low bits of an address: the offset in the chunk in units of eight bytes. */
    private static final int OFFSET_BITS = 12;

    private static final int UNIT_BITS = 3;
    private static final int OFFSET_MASK = (1 << OFFSET_BITS) - 1;
    private static final int MOST_CHUNKS = 1 << Integer.SIZE - OFFSET_BITS;

    /** Header, three references and two ints. */
    private static final int CHUNK_OBJECT_BYTES =
            BytesOnHeap.align(12 + 3 * BytesOnHeap.REFERENCE + 2 * Integer.BYTES);

    private static final VarHandle INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());

    private final MemoryMeter meter;

    /** By the high bits of an address; null where there is none. */
    private Chunk[] chunks = new Chunk[4];

    /** Indexes in {@link #chunks} that are free again. */
    private int[] freeIndexes = new int[4];

    private int freeIndexCount;
    private int indexCount;

    @Nullable private Chunk first;
    @Nullable private Chunk last;

    /** In {@link #first}. */
    private int firstOffset;

    /** The chunk of many that new content goes to, if it has room; what is alone may be behind. */
    @Nullable private Chunk open;

    private long bytes;

    /**
     * @param meter told of every byte that is taken and given back
     */
    EntryLog(MemoryMeter meter) {
        this.meter = meter;
    }

    /** Heap bytes taken, gaps included. */
    long bytes() {
        return bytes;
    }

    /** The array that the content at an address is in. */
    byte[] array(int address) {
        return chunks[address >>> OFFSET_BITS].bytes;
    }

    /** Where in its array the content at an address begins. */
    static int offset(int address) {
        return (address & OFFSET_MASK) << UNIT_BITS;
    }

    /** Bytes that the content at an address may have. */
    int capacity(int address) {
        return (int) INTS.get(array(address), offset(address) - Integer.BYTES);
    }

    /** Whether content of this capacity is alone in its chunk. */
    static boolean hasOwnChunk(int capacity) {
        return capacity > LONGEST_IN_SHARED_CHUNK;
    }

    /** Notes whose the content at an address is now. */
    void setOwner(int address, int owner) {
        INTS.set(array(address), offset(address) - HEADER_BYTES, owner);
    }

    /**
     * Makes room for content at the end; if memory is short, nothing is changed.
     *
     * @param owner of the content
     * @param length rounded up to units of eight bytes
     * @return the address of the content
     */
    int append(int owner, int length) {
        int capacity = BytesOnHeap.align(length);
        int needed = HEADER_BYTES + capacity;
        Chunk chunk = hasOwnChunk(capacity) ? addChunk(needed) : chunkWithRoom(needed);
        int offset = chunk.end + HEADER_BYTES;
        chunk.end += needed;
        INTS.set(chunk.bytes, offset - HEADER_BYTES, owner);
        INTS.set(chunk.bytes, offset - Integer.BYTES, capacity);
        return chunk.index << OFFSET_BITS | offset >> UNIT_BITS;
    }

    /** Whether there is neither content nor a gap. */
    boolean isEmpty() {
        return first == null;
    }

    /** Who the first content, or the gap in its place, belongs to or did. */
    int firstOwner() {
        return (int) INTS.get(first.bytes, firstOffset);
    }

    /** The address of the first content or gap. */
    int firstAddress() {
        return first.index << OFFSET_BITS | firstOffset + HEADER_BYTES >> UNIT_BITS;
    }

    /** Gives back the first content or gap. */
    void removeFirst() {
        firstOffset += HEADER_BYTES + capacity(firstAddress());
        if (firstOffset == first.end) {
            remove(first);
        }
    }

    /** Makes content a gap that has been copied elsewhere, or whose owner is to be removed. */
    void abandon(int address) {
        if (hasOwnChunk(capacity(address))) {
            remove(chunks[address >>> OFFSET_BITS]);
        }
    }

    /** Gives everything back. */
    void clear() {
        chunks = new Chunk[4];
        freeIndexes = new int[4];
        freeIndexCount = 0;
        indexCount = 0;
        first = null;
        last = null;
        firstOffset = 0;
        open = null;
        take(-bytes);
    }

    private Chunk chunkWithRoom(int needed) {
        if (open == null || open.bytes.length - open.end < needed) {
            long part = Math.min(CHUNK_BYTES, bytes / CHUNK_PART);
            int atLeast = Math.max(needed, FEWEST_CHUNK_BYTES);
            open = addChunk(BytesOnHeap.align((int) Math.max(part, atLeast)));
        }
        return open;
    }

    private Chunk addChunk(int length) {
        if (freeIndexCount == 0 && indexCount == chunks.length) {
            Preconditions.checkState(indexCount < MOST_CHUNKS, "more chunks than addresses");
            freeIndexes = new int[2 * indexCount];
            chunks = Arrays.copyOf(chunks, 2 * indexCount);
        }
        Chunk chunk = new Chunk(new byte[length]);
        chunk.index = freeIndexCount > 0 ? freeIndexes[--freeIndexCount] : indexCount++;
        chunks[chunk.index] = chunk;
        chunk.previous = last;
        if (last == null) {
            first = chunk;
            firstOffset = 0;
        } else {
            last.next = chunk;
        }
        last = chunk;
        take(heapBytes(chunk));
        return chunk;
    }

    private void remove(Chunk chunk) {
        if (chunk == open) {
            open = null;
        }
        if (chunk.previous == null) {
            first = chunk.next;
            firstOffset = 0;
        } else {
            chunk.previous.next = chunk.next;
        }
        if (chunk.next == null) {
            last = chunk.previous;
        } else {
            chunk.next.previous = chunk.previous;
        }
        chunks[chunk.index] = null;
        freeIndexes[freeIndexCount++] = chunk.index;
        take(-heapBytes(chunk));
    }

    private void take(long change) {
        bytes += change;
        meter.add(change);
    }

    private static int heapBytes(Chunk chunk) {
        return CHUNK_OBJECT_BYTES
                + BytesOnHeap.REFERENCE
                + Integer.BYTES
                + BytesOnHeap.byteArray(chunk.bytes.length);
    }

    private static final class Chunk {
        final byte[] bytes;
        int index;
        int end;
        @Nullable Chunk previous;
        @Nullable Chunk next;

        Chunk(byte[] bytes) {
            this.bytes = bytes;
        }
    }
}
