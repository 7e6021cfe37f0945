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
package io.stateaccel.config;

import static org.apache.flink.configuration.ConfigOptions.key;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;

/**
 * What {@link StateAccelOptions#ROCKSDB_OVERRIDES} says: how RocksDB is to keep all states of a
 * kind, in place of what the policy or an option for all kinds says.
 *
 * <p>Each entry has a key of a kind and a property, such as {@code map.block-size}. The properties
 * are options of their own below a kind, so that Flink reads their values as it reads all others.
 * Immutable.
 */
public final class KindOverrides {

    public static final ConfigOption<Memtable> MEMTABLE =
            key("memtable").enumType(Memtable.class).noDefaultValue();

    public static final ConfigOption<Integer> BLOOM_FILTER_BITS_PER_KEY =
            key("bloom-filter.bits-per-key").intType().noDefaultValue();

    /** Whether the filters and the memtable know which key an entry of a map belongs to. */
    public static final ConfigOption<Boolean> KEY_PREFIX =
            key("key-prefix").booleanType().noDefaultValue();

    public static final ConfigOption<List<String>> COMPRESSION_PER_LEVEL =
            key("compression-per-level").stringType().asList().noDefaultValue();

    /** Of the uncompressed data blocks in SST files. */
    public static final ConfigOption<MemorySize> BLOCK_SIZE =
            key("block-size").memoryType().noDefaultValue();

    public static final ConfigOption<MemorySize> VALUE_SEPARATION_MIN_SIZE =
            key("value-separation.min-size").memoryType().noDefaultValue();

    /** The kinds of states, as the keys of entries name them. */
    public static final List<String> KINDS =
            List.of("value", "list", "map", "reducing", "aggregating", "timer");

    private static final String MAP = "map";
    private static final List<String> READ_BY_KEY =
            List.of("value", "list", MAP, "reducing", "aggregating");

    private static final MemorySize SMALLEST_BLOCK = new MemorySize(1 << 10);
    private static final MemorySize LARGEST_BLOCK = MemorySize.ofMebiBytes(16);

    /** Timers are only scanned, in order, and have no values. */
    private static final List<Property<?>> PROPERTIES =
            List.of(
                    new Property<>(
                            MEMTABLE,
                            READ_BY_KEY,
                            "one of " + words(Arrays.asList(Memtable.values())),
                            any -> true),
                    new Property<>(
                            BLOOM_FILTER_BITS_PER_KEY,
                            READ_BY_KEY,
                            BackendOptionsValidator.BITS_PER_KEY,
                            BackendOptionsValidator::areBitsPerKey),
                    new Property<>(KEY_PREFIX, List.of(MAP), "true or false", any -> true),
                    new Property<>(
                            COMPRESSION_PER_LEVEL,
                            KINDS,
                            BackendOptionsValidator.COMPRESSION_LIST,
                            BackendOptionsValidator::areCompressions),
                    new Property<>(
                            BLOCK_SIZE,
                            KINDS,
                            "a memory size from 1 kb to 16 mb",
                            size ->
                                    size.compareTo(SMALLEST_BLOCK) >= 0
                                            && size.compareTo(LARGEST_BLOCK) <= 0),
                    new Property<>(
                            VALUE_SEPARATION_MIN_SIZE,
                            READ_BY_KEY,
                            "a memory size such as '4 kb', or '0' for none",
                            any -> true));

    private static final ReadableConfig NONE = new Configuration();

    private final Map<String, ReadableConfig> byKind;

    private KindOverrides(Map<String, ReadableConfig> byKind) {
        this.byKind = byKind;
    }

    /**
     * @param config checked by {@link BackendOptionsValidator}
     */
    public static KindOverrides from(ReadableConfig config) {
        return of(config.getOptional(StateAccelOptions.ROCKSDB_OVERRIDES).orElse(Map.of()));
    }

    private static KindOverrides of(Map<String, String> entries) {
        Map<String, ReadableConfig> byKind = new LinkedHashMap<>();
        for (String kind : KINDS) {
            String prefix = kind + '.';
            byKind.put(
                    kind,
                    Configuration.fromMap(
                            entries.entrySet().stream()
                                    .filter(entry -> entry.getKey().startsWith(prefix))
                                    .collect(
                                            Collectors.toMap(
                                                    entry ->
                                                            entry.getKey()
                                                                    .substring(prefix.length()),
                                                    Map.Entry::getValue))));
        }
        return new KindOverrides(byKind);
    }

    /**
     * The properties that are set for a kind.
     *
     * @param kind in lower case; one that has no overrides has no properties
     */
    public ReadableConfig of(String kind) {
        return byKind.getOrDefault(kind, NONE);
    }

    /** Whether states of some kind are to have a memtable that is a hash table. */
    public boolean askForHashMemtables() {
        return byKind.values().stream().anyMatch(KindOverrides::asksForHashMemtable);
    }

    private static boolean asksForHashMemtable(ReadableConfig ofKind) {
        return ofKind.getOptional(MEMTABLE).map(Memtable::isHash).orElse(false);
    }

    /** What the user is to write instead; empty when all of it is right. */
    static Optional<String> expectedInsteadOf(Map<String, String> entries) {
        for (String entry : new TreeMap<>(entries).keySet()) {
            Optional<String> expected = expectedInsteadOf(entry, of(entries));
            if (expected.isPresent()) {
                return expected;
            }
        }
        ReadableConfig map = of(entries).of(MAP);
        return asksForHashMemtable(map) && !map.getOptional(KEY_PREFIX).orElse(true)
                ? Optional.of(
                        "entries in which 'map.memtable' is skip-list or 'map.key-prefix' is true:"
                                + " the others need the prefix")
                : Optional.empty();
    }

    private static Optional<String> expectedInsteadOf(String entry, KindOverrides overrides) {
        String kind = entry.substring(0, Math.max(0, entry.indexOf('.')));
        if (!KINDS.contains(kind)) {
            return Optional.of(
                    "entries such as 'map.block-size:16kb', in which '"
                            + entry
                            + "' begins with one of "
                            + words(KINDS));
        }
        String name = entry.substring(kind.length() + 1);
        List<Property<?>> properties =
                PROPERTIES.stream().filter(property -> property.kinds.contains(kind)).toList();
        Optional<Property<?>> found =
                properties.stream().filter(property -> property.name().equals(name)).findFirst();
        if (found.isEmpty()) {
            return Optional.of(
                    "entries in which '"
                            + entry
                            + "' is '"
                            + kind
                            + "' with one of "
                            + words(properties.stream().map(Property::name).toList()));
        }
        return found.filter(property -> !property.isValidIn(overrides.of(kind)))
                .map(property -> "entries in which '" + entry + "' is " + property.expected);
    }

    private static String words(List<?> words) {
        return words.stream().map(Object::toString).collect(Collectors.joining(", "));
    }

    /** How RocksDB keeps what is written until it is flushed. */
    public enum Memtable {
        SKIP_LIST("skip-list"),
        /** A skip list for each bucket of a hash table. */
        HASH_SKIP_LIST("hash-skip-list"),
        /** A sorted linked list for each bucket of a hash table; long ones become skip lists. */
        HASH_LINKED_LIST("hash-linked-list");

        private final String name;

        Memtable(String name) {
            this.name = name;
        }

        public boolean isHash() {
            return this != SKIP_LIST;
        }

        /** The name in options. */
        @Override
        public String toString() {
            return name;
        }
    }

    /**
     * Something that is chosen per kind.
     *
     * @param expected what values it takes, for people
     */
    private record Property<T>(
            ConfigOption<T> option, List<String> kinds, String expected, Predicate<T> isValid) {

        String name() {
            return option.key();
        }

        boolean isValidIn(ReadableConfig ofKind) {
            try {
                return ofKind.getOptional(option).map(isValid::test).orElse(true);
            } catch (IllegalArgumentException e) {
                return false;
            }
        }
    }
}
