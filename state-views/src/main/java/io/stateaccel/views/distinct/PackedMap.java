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
package io.stateaccel.views.distinct;

import io.stateaccel.views.batch.KeyHash;
import io.stateaccel.views.batch.SerializedList;
import io.stateaccel.views.batch.SerializedLists;
import io.stateaccel.views.time.Lifetime;
import io.stateaccel.views.time.SaturatedMath;
import java.io.IOException;
import java.util.AbstractMap.SimpleEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * A map per key of the backend, its entries packed into lists: where Flink's map state has an entry
 * of RocksDB per entry, with the backend's key in each, there is one per {@value #LEAF_BYTES} bytes
 * or less. New entries are appended, so what is written for them is no more than they are.
 *
 * <p>The lists are the leaves of a tree by hashes of the map's keys (a hash trie with buckets;
 * Fredkin, "Trie Memory", 1960). A small map is one leaf. One that has grown too large becomes
 * {@value #CHILDREN} others, and in its place stays a list that has one of its entries twice.
 * Elements of lists are of Flink's types, so whatever reads snapshots finds the entries there.
 *
 * <p>With a time to live each entry expires by itself, as in Flink's map state, the layout of lists
 * is that of Flink's {@code TtlListState}, and RocksDB's compaction filter drops what has expired.
 * What stays in the place of a list that was split is as young as the youngest entry below it, so
 * that it is never dropped before.
 *
 * <p>As in RocksDB, keys are equal if their bytes are. Neither keys nor values are null. Used by
 * the task thread, for the current key of the backend.
 *
 * @param <K> the keys of the map
 * @param <V> the values of the map
 */
public final class PackedMap<K, V> {

    /** A leaf that is longer is split. */
    static final int LEAF_BYTES = 4096;

    static final int CHILDREN = 16;

    /** The number of the list in which each map begins; the others follow from it. */
    static final int ROOT = 1;

    private static final int CHILD_BITS = 4;

    /** So that numbers are positive. */
    private static final int MOST_LEVELS = 7;

    private static final long NOWHERE = -1;

    private final SerializedLists lists;
    private final TypeSerializer<K> keySerializer;
    private final TypeSerializer<V> valueSerializer;
    private final EntryFormat format;
    private final Lifetime lifetime;
    private final boolean expires;

    /** For what nobody asks for. */
    private final Runnable cleanup;

    private final SplitLists split = new SplitLists();
    private final SerializedList list = new SerializedList();
    private final DataInputDeserializer input = new DataInputDeserializer();
    private final DataOutputSerializer keyBytes = new DataOutputSerializer(16);
    private final DataOutputSerializer valueBytes = new DataOutputSerializer(16);
    private final DataOutputSerializer entry = new DataOutputSerializer(32);

    /** The key that was looked for last, and of which key of the backend. */
    private byte[] located = new byte[16];

    private int locatedLength;
    private long locatedVersion = NOWHERE;

    /** What is known of the lists of a key of the backend, and of which. */
    @Nullable private BitSet known;

    private long knownVersion = NOWHERE;

    /** The leaf in which that key is, or would be. */
    private int leaf;

    private int leafLevel;
    private int leafLength;

    /** Where in the leaf the entry of the key begins, and its length. */
    private int found;

    private int foundLength;
    private boolean foundIsExpired;

    /**
     * @param cleanup called before each access
     */
    PackedMap(
            SerializedLists lists,
            TypeSerializer<K> keySerializer,
            TypeSerializer<V> valueSerializer,
            Lifetime lifetime,
            Runnable cleanup) {
        this.lists = lists;
        this.keySerializer = keySerializer;
        this.valueSerializer = valueSerializer;
        this.lifetime = lifetime;
        this.expires = !lifetime.isForever();
        this.cleanup = cleanup;
        this.format =
                EntryFormat.of(keySerializer, valueSerializer, expires)
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                "Entries of such types are not packed."));
    }

    /** The value of a key, null if there is none. */
    @Nullable
    public V get(K key) throws Exception {
        serialize(key);
        locate(lists.keyVersion());
        if (found == EntryFormat.NOT_FOUND || foundIsExpired) {
            return null;
        }
        int valueAt = format.keyAt() + keyBytes.length();
        input.setBuffer(list.bytes(), list.offset() + found + valueAt, foundLength - valueAt);
        return valueSerializer.deserialize(input);
    }

    /** Whether a key has a value. */
    public boolean contains(K key) throws Exception {
        serialize(key);
        locate(lists.keyVersion());
        return found != EntryFormat.NOT_FOUND && !foundIsExpired;
    }

    /** Sets the value of a key. */
    public void put(K key, V value) throws Exception {
        serialize(key);
        locateUnlessLocated();
        valueBytes.clear();
        valueSerializer.serialize(value, valueBytes);
        if (found != EntryFormat.NOT_FOUND) {
            if (foundLength == format.keyAt() + keyBytes.length() + valueBytes.length()) {
                overwrite();
                return;
            }
            takeOut();
        }
        add();
    }

    /** Writes the entry that was found once more. */
    private void overwrite() throws Exception {
        if (!expires) {
            int valueAt = found + keyBytes.length();
            lists.overwrite(
                    leaf, leafLength, valueAt, valueBytes.getSharedBuffer(), valueBytes.length());
            return;
        }
        makeEntry();
        while (!lists.overwrite(leaf, leafLength, found, entry.getSharedBuffer(), entry.length())) {
            // RocksDB has dropped what has expired from the list.
            locate(lists.keyVersion());
            if (found == EntryFormat.NOT_FOUND) {
                add();
                return;
            }
        }
        renewMarks();
    }

    /** Removes the value of a key, if it has one. */
    public void remove(K key) throws Exception {
        serialize(key);
        locateUnlessLocated();
        if (found != EntryFormat.NOT_FOUND) {
            takeOut();
        }
    }

    /** Whether there is no entry. */
    public boolean isEmpty() throws Exception {
        return !iterator().hasNext();
    }

    /** Removes all entries. */
    public void clear() throws Exception {
        locatedVersion = NOWHERE;
        byte[] ofMap = lists.key(ROOT);
        if (ofMap != null) {
            split.forget(ofMap);
        }
        knownVersion = NOWHERE;
        clear(ROOT);
    }

    private void clear(int number) throws Exception {
        if (lists.read(number, list)) {
            if (format.isMark(list)) {
                for (int child = 0; child < CHILDREN; child++) {
                    clear(number << CHILD_BITS | child);
                }
            }
            lists.remove(number);
        }
    }

    /**
     * All entries, leaf by leaf. They may be changed and removed, and so may others that have been
     * returned already; the backend's key has to be the same all the while.
     */
    public Iterator<Map.Entry<K, V>> iterator() {
        return new Entries();
    }

    private void serialize(K key) throws IOException {
        cleanup.run();
        keyBytes.clear();
        keySerializer.serialize(key, keyBytes);
    }

    /** For who does not read the leaf. */
    private void locateUnlessLocated() throws Exception {
        long version = lists.keyVersion();
        if (version != locatedVersion
                || expires && !isAsLocated()
                || !Arrays.equals(
                        located,
                        0,
                        locatedLength,
                        keyBytes.getSharedBuffer(),
                        0,
                        keyBytes.length())) {
            locate(version);
        }
    }

    /** Nothing but what has expired leaves a leaf without our doing. */
    private boolean isAsLocated() throws Exception {
        return lists.read(leaf, list) ? list.length() == leafLength : leafLength == 0;
    }

    private void locate(long version) throws Exception {
        locatedVersion = NOWHERE;
        byte[] key = keyBytes.getSharedBuffer();
        int keyLength = keyBytes.length();
        int hash = KeyHash.of(key, 0, keyLength);
        descend(hash, version);
        leafLength = 0;
        found = EntryFormat.NOT_FOUND;
        while (lists.read(leaf, list)) {
            if (!format.isMark(list)) {
                leafLength = list.length();
                find(key, keyLength);
                break;
            }
            byte[] ofMap = lists.key(ROOT);
            if (ofMap != null) {
                split.add(ofMap, leaf);
                knownVersion = NOWHERE;
            }
            leaf = leaf << CHILD_BITS | childOf(hash, leafLevel);
            leafLevel++;
        }
        if (located.length < keyLength) {
            located = new byte[keyLength];
        }
        System.arraycopy(key, 0, located, 0, keyLength);
        locatedLength = keyLength;
        locatedVersion = version;
    }

    /** Goes from the root to the first list that is not known to be split. */
    private void descend(int hash, long version) {
        if (version != knownVersion) {
            byte[] ofMap = lists.key(ROOT);
            known = ofMap == null ? null : split.find(ofMap);
            knownVersion = version;
        }
        leaf = ROOT;
        leafLevel = 0;
        while (known != null && known.get(leaf)) {
            leaf = leaf << CHILD_BITS | childOf(hash, leafLevel);
            leafLevel++;
        }
    }

    private static int childOf(int hash, int level) {
        return hash >>> level * CHILD_BITS & CHILDREN - 1;
    }

    private void find(byte[] key, int keyLength) {
        int index = format.find(list, key, keyLength);
        if (index != EntryFormat.NOT_FOUND) {
            found = index - list.offset();
            foundLength = format.length(list.bytes(), index);
            foundIsExpired = expires && isExpired(index, lifetime.now());
        }
    }

    private boolean isExpired(int index, long now) {
        return lifetime.isExpired(EntryFormat.timeAt(list.bytes(), index), now);
    }

    /** Adds an entry that is not there. */
    private void add() throws Exception {
        makeEntry();
        lists.append(leaf, entry.getSharedBuffer(), entry.length());
        locatedVersion = NOWHERE;
        if (expires) {
            renewMarks();
        }
        if (leafLength + 1 + entry.length() > LEAF_BYTES
                && leafLength > 0
                && leafLevel < MOST_LEVELS
                && !hasRoomWithoutExpired()) {
            split();
        }
    }

    /** That of the key and the value which were serialised. */
    private void makeEntry() throws IOException {
        entry.clear();
        if (expires) {
            entry.writeLong(lifetime.now());
        }
        entry.write(keyBytes.getSharedBuffer(), 0, keyBytes.length());
        entry.write(valueBytes.getSharedBuffer(), 0, valueBytes.length());
    }

    /**
     * Has the marks on the way to the leaf live at least as long as what was written there. They
     * are made a little younger than that, so it is seldom that one is written.
     */
    private void renewMarks() throws Exception {
        long written = EntryFormat.timeAt(entry.getSharedBuffer(), 0);
        for (int mark = leaf >>> CHILD_BITS; mark >= ROOT; mark >>>= CHILD_BITS) {
            if (!lists.read(mark, list)
                    || !format.isMark(list)
                    || EntryFormat.timeAt(list.bytes(), list.offset()) < written) {
                lists.replace(mark, mark(entry.getSharedBuffer(), 0));
            }
        }
    }

    /**
     * Drops what has expired from the leaf, which may be all of it after a pause of the task, and
     * says whether that has made it a good deal smaller.
     */
    private boolean hasRoomWithoutExpired() throws Exception {
        if (!expires) {
            return false;
        }
        if (!lists.read(leaf, list)) {
            return true;
        }
        DataOutputSerializer rest = new DataOutputSerializer(list.length());
        byte[] bytes = list.bytes();
        int end = list.offset() + list.length();
        long now = lifetime.now();
        for (int at = list.offset(); at < end; ) {
            int length = format.length(bytes, at);
            if (!isExpired(at, now)) {
                if (rest.length() > 0) {
                    rest.writeByte(SerializedLists.DELIMITER);
                }
                rest.write(bytes, at, length);
            }
            at += length + 1;
        }
        if (rest.length() == 0) {
            lists.remove(leaf);
        } else if (rest.length() < list.length()) {
            lists.replace(leaf, rest.getCopyOfBuffer());
        }
        return rest.length() <= LEAF_BYTES / 2;
    }

    /** Removes the entry that was found. */
    private void takeOut() throws Exception {
        while (!isAsLocated()) {
            locate(lists.keyVersion());
            if (found == EntryFormat.NOT_FOUND) {
                return;
            }
        }
        int begin = found;
        int end = found + foundLength;
        if (begin == 0 && end == leafLength) {
            lists.remove(leaf);
            leafLength = 0;
        } else {
            // With the delimiter that comes before it or, if it is the first one, behind it.
            int from = Math.max(0, begin - 1);
            int to = begin == 0 ? end + 1 : end;
            byte[] rest = new byte[leafLength - (to - from)];
            System.arraycopy(list.bytes(), list.offset(), rest, 0, from);
            System.arraycopy(list.bytes(), list.offset() + to, rest, from, rest.length - from);
            lists.replace(leaf, rest);
            leafLength = rest.length;
        }
        locatedVersion = NOWHERE;
    }

    private void split() throws Exception {
        if (!lists.read(leaf, list)) {
            return;
        }
        DataOutputSerializer[] children = new DataOutputSerializer[CHILDREN];
        byte[] bytes = list.bytes();
        int end = list.offset() + list.length();
        for (int at = list.offset(); at < end; ) {
            int length = format.length(bytes, at);
            int keyAt = at + format.keyAt();
            int child = childOf(KeyHash.of(bytes, keyAt, format.keyLength(bytes, at)), leafLevel);
            if (children[child] == null) {
                children[child] = new DataOutputSerializer(2 * LEAF_BYTES / CHILDREN);
            } else {
                children[child].writeByte(SerializedLists.DELIMITER);
            }
            children[child].write(bytes, at, length);
            at += length + 1;
        }
        byte[] mark = mark(bytes, list.offset());
        for (int child = 0; child < CHILDREN; child++) {
            int number = leaf << CHILD_BITS | child;
            if (children[child] != null) {
                lists.replace(number, children[child].getCopyOfBuffer());
            } else if (expires) {
                // May be there from before, if RocksDB has dropped a mark and not yet what it led
                // to.
                lists.remove(number);
            }
        }
        lists.replace(leaf, mark);
    }

    private byte[] mark(byte[] bytes, int begin) {
        return format.mark(
                bytes,
                begin,
                expires ? SaturatedMath.add(lifetime.now(), lifetime.lenienceMillis()) : 0);
    }

    /** Reads the leaves that there are, one after the other. */
    private final class Leaves {

        private final Deque<Integer> numbers = new ArrayDeque<>(List.of(ROOT));

        /** Reads the next one into {@link #list}; false if there is none. */
        boolean hasNext() throws Exception {
            while (!numbers.isEmpty()) {
                int number = numbers.pop();
                if (lists.read(number, list)) {
                    if (!format.isMark(list)) {
                        return true;
                    }
                    for (int child = CHILDREN - 1; child >= 0; child--) {
                        numbers.push(number << CHILD_BITS | child);
                    }
                }
            }
            return false;
        }
    }

    private final class Entries implements Iterator<Map.Entry<K, V>> {

        private final Leaves leaves = new Leaves();
        private Iterator<Map.Entry<K, V>> ofLeaf = List.<Map.Entry<K, V>>of().iterator();
        @Nullable private Map.Entry<K, V> current;

        @Override
        public boolean hasNext() {
            try {
                while (!ofLeaf.hasNext() && leaves.hasNext()) {
                    ofLeaf = entries().iterator();
                }
            } catch (Exception e) {
                throw new FlinkRuntimeException("Error while reading packed entries.", e);
            }
            return ofLeaf.hasNext();
        }

        private List<Map.Entry<K, V>> entries() throws IOException {
            List<Map.Entry<K, V>> entries = new ArrayList<>();
            long now = lifetime.now();
            input.setBuffer(list.bytes(), list.offset(), list.length());
            while (input.available() > 0) {
                boolean isExpired = expires && lifetime.isExpired(input.readLong(), now);
                K key = keySerializer.deserialize(input);
                V value = valueSerializer.deserialize(input);
                if (!isExpired) {
                    entries.add(new StoredEntry(key, value));
                }
                if (input.available() > 0) {
                    input.skipBytesToRead(1);
                }
            }
            return entries;
        }

        @Override
        public Map.Entry<K, V> next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            current = ofLeaf.next();
            return current;
        }

        @Override
        public void remove() {
            if (current == null) {
                throw new IllegalStateException(
                        "The remove operation must be called after a valid next operation.");
            }
            try {
                PackedMap.this.remove(current.getKey());
            } catch (Exception e) {
                throw new FlinkRuntimeException("Error while removing a packed entry.", e);
            }
            current = null;
        }
    }

    /** Writes what it is set to. */
    private final class StoredEntry extends SimpleEntry<K, V> {

        private static final long serialVersionUID = 1L;

        StoredEntry(K key, V value) {
            super(key, value);
        }

        @Override
        public V setValue(V value) {
            try {
                put(getKey(), value);
            } catch (Exception e) {
                throw new FlinkRuntimeException("Error while writing a packed entry.", e);
            }
            return super.setValue(value);
        }
    }
}
