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

import io.stateaccel.views.batch.SerializedList;
import io.stateaccel.views.batch.SerializedLists;
import io.stateaccel.views.time.Lifetime;
import io.stateaccel.views.time.TimeToLive;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * On the heap, and as wayward as they may be: what was read is gone at the next call, and what has
 * expired at any call.
 */
final class WaywardLists implements SerializedLists {

    final Map<Integer, Map<Integer, byte[]>> ofKeys = new HashMap<>();
    private final Random random = new Random(1);
    int key;
    private long version;
    private byte[] lent = new byte[0];
    long appended;
    long overwritten;
    long replaced;

    /** By which entries expire, if they do. */
    Lifetime lifetime = TimeToLive.FOREVER.by(() -> 0);

    EntryFormat expiring;
    long time;

    /** Does what RocksDB's compaction filter does: drops what has expired from the front. */
    private void compact(Map<Integer, byte[]> ofKey, int number) {
        byte[] list = ofKey.get(number);
        int at = 0;
        while (at < list.length && lifetime.isExpired(EntryFormat.timeAt(list, at), time)) {
            at += expiring.length(list, at) + 1;
        }
        if (at >= list.length) {
            ofKey.remove(number);
        } else {
            ofKey.put(number, Arrays.copyOfRange(list, at, list.length));
        }
    }

    void compactAll() {
        ofKeys.values()
                .forEach(
                        ofKey ->
                                List.copyOf(ofKey.keySet())
                                        .forEach(number -> compact(ofKey, number)));
    }

    private void compactSomewhere() {
        if (!lifetime.isForever() && !current().isEmpty() && random.nextInt(3) == 0) {
            List<Integer> numbers = List.copyOf(current().keySet());
            compact(current(), numbers.get(random.nextInt(numbers.size())));
        }
    }

    void setKey(int next) {
        key = next;
        version++;
    }

    Map<Integer, byte[]> current() {
        return ofKeys.computeIfAbsent(key, any -> new TreeMap<>());
    }

    private void takeBack() {
        random.nextBytes(lent);
        compactSomewhere();
    }

    @Override
    public long keyVersion() {
        return version;
    }

    @Override
    public byte[] key(int number) {
        return new byte[] {(byte) key, (byte) (number >> 8), (byte) number};
    }

    @Override
    public boolean read(int number, SerializedList into) {
        takeBack();
        byte[] list = current().get(number);
        if (list == null) {
            return false;
        }
        int before = random.nextInt(10);
        lent = new byte[before + list.length + random.nextInt(10)];
        random.nextBytes(lent);
        System.arraycopy(list, 0, lent, before, list.length);
        into.set(lent, before, list.length);
        return true;
    }

    @Override
    public void append(int number, byte[] elements, int length) {
        takeBack();
        byte[] added = Arrays.copyOf(elements, length);
        current().merge(number, added, WaywardLists::joined);
        appended += length;
    }

    @Override
    public boolean overwrite(int number, int listLength, int offset, byte[] bytes, int length) {
        takeBack();
        byte[] list = current().get(number);
        if (list == null || list.length != listLength) {
            return false;
        }
        System.arraycopy(bytes, 0, list, offset, length);
        overwritten += length;
        return true;
    }

    @Override
    public void replace(int number, byte[] list) {
        takeBack();
        current().put(number, list.clone());
        replaced += list.length;
    }

    @Override
    public void remove(int number) {
        takeBack();
        current().remove(number);
    }

    /** Two lists, or elements, in one. */
    static byte[] joined(byte[] first, byte[] second) {
        byte[] list = Arrays.copyOf(first, first.length + 1 + second.length);
        list[first.length] = SerializedLists.DELIMITER;
        System.arraycopy(second, 0, list, first.length + 1, second.length);
        return list;
    }
}
