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

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;

/**
 * Every option of flink-state-accel. All of them work through {@code SET} in a SQL session, through
 * {@code TableConfig} and through {@code config.yaml}; {@code docs/options.md} is generated from
 * this class.
 */
public final class StateAccelOptions {

    /** Prefix of the options that act on a query. */
    public static final String TABLE_PREFIX = "table.exec.state-accel.";

    /** Prefix of the options that act on the state backend. */
    public static final String BACKEND_PREFIX = "state.backend.state-accel.";

    public static final ConfigOption<Boolean> ENABLED =
            key(TABLE_PREFIX + "enabled")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Rewrites the stateful operators of streaming queries into accelerated"
                                    + " ones. EXPLAIN shows what was rewritten; what is not covered"
                                    + " stays stock and the reason is logged once at INFO.");

    public static final ConfigOption<Integer> MINI_BATCH_SIZE =
            key(TABLE_PREFIX + "mini-batch.size")
                    .intType()
                    .defaultValue(20_000)
                    .withDescription(
                            "The number of input rows after which an accelerated operator flushes"
                                    + " its bundle. At least 1. Ignored when the user has enabled"
                                    + " table.exec.mini-batch.*, whose size rules then.");

    public static final ConfigOption<Duration> MINI_BATCH_ALLOW_LATENCY =
            key(TABLE_PREFIX + "mini-batch.allow-latency")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(1))
                    .withDescription(
                            "The longest time a row waits in bundles on its whole way through the"
                                    + " plan. Accelerated operators that follow one another share"
                                    + " it; EXPLAIN shows the part of each, of which there is at"
                                    + " least 1 ms. Ignored when the user has enabled"
                                    + " table.exec.mini-batch.*, whose latency rules then, for each"
                                    + " operator.");

    public static final ConfigOption<Boolean> MINI_BATCH_FOLLOW_LOAD =
            key(TABLE_PREFIX + "mini-batch.follow-load")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether a bundle also ends when the task has nothing else to do, so"
                                    + " that rows wait only where there are many of them, and its"
                                    + " results are sent at once then, not after"
                                    + " execution.buffer-timeout.interval; whether it is smaller"
                                    + " where the output cannot take its results at once, so that"
                                    + " a checkpoint barrier need not wait for them;"
                                    + " and whether watermarks that no operator downstream reads"
                                    + " pass it by. Size, latency and bytes bound a bundle in any"
                                    + " case. Ignored when the user has enabled"
                                    + " table.exec.mini-batch.*, whose bundles do not follow the"
                                    + " load.");

    public static final ConfigOption<MemorySize> MINI_BATCH_MAX_BYTES =
            key(TABLE_PREFIX + "mini-batch.max-bytes")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(16))
                    .withDescription(
                            "The heap, as estimated, after which a sub-task of an accelerated"
                                    + " operator flushes its bundle even with fewer rows than"
                                    + " it may have. At least 1 byte. It also holds where the size"
                                    + " of table.exec.mini-batch.* rules. While a bundle is flushed"
                                    + " it takes up to three times as much.");

    public static final ConfigOption<MemorySize> AGGREGATE_CACHE_SIZE =
            key(TABLE_PREFIX + "aggregate-cache.size")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(16))
                    .withDescription(
                            "Heap that one sub-task of an accelerated group aggregate may use to"
                                    + " keep accumulators between bundles. Changed accumulators are"
                                    + " written to the state backend when they leave the cache and"
                                    + " before every checkpoint. 0 keeps none. An aggregate that is"
                                    + " one operator with the join below it keeps none either, and"
                                    + " may use as much, but at least 1 mb, for the groups of one"
                                    + " join key: where they need more, the key is worked off in"
                                    + " parts.");

    public static final ConfigOption<MemorySize> WINDOW_HEAP_SIZE =
            key(TABLE_PREFIX + "window.heap-size")
                    .memoryType()
                    .noDefaultValue()
                    .withDescription(
                            "Heap that one sub-task of an accelerated window aggregate, or of a"
                                    + " top-N, deduplication or join of windows, or of session"
                                    + " windows without an aggregate, may use for accumulators of"
                                    + " slices or sessions or rows of windows, and for the timers"
                                    + " of the windows, and one of an OVER aggregate, of a sort by"
                                    + " row time, of the first row by row time or of a sink with"
                                    + " ON CONFLICT DO ERROR or DO NOTHING for rows that wait for"
                                    + " a watermark. They are written to"
                                    + " the state backend before every checkpoint and, the largest"
                                    + " slice or the sessions that were idle longest first, where"
                                    + " they need more. By default all such sub-tasks of a task"
                                    + " manager share a fifth of the JVM's heap by need: where"
                                    + " that is used up, those write that have more than an equal"
                                    + " part of it.");

    public static final ConfigOption<Boolean> JOIN_AGGREGATE_FUSION_ENABLED =
            key(TABLE_PREFIX + "join-aggregate-fusion.enabled")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether an accelerated join and the group aggregate above it become one"
                                    + " operator where the grouping key determines the join key. Its"
                                    + " state differs from that of the two, so a job has to keep"
                                    + " the value with which it was started.");

    public static final ConfigOption<Boolean> JOIN_LOCAL_AGGREGATE_ENABLED =
            key(TABLE_PREFIX + "join-local-aggregate.enabled")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Whether an accelerated join aggregates the results of each bundle for"
                                    + " the group aggregate above it, where the two do not become one"
                                    + " operator, so that the exchange between them carries one row"
                                    + " per group and bundle. It pays where groups are few. Off"
                                    + " because it changes the plan: a job has to keep the value"
                                    + " with which it was started.");

    public static final ConfigOption<Boolean> AGGREGATE_BEFORE_JOIN_ENABLED =
            key(TABLE_PREFIX + "aggregate-before-join.enabled")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Whether the rows of one side of a join are aggregated before they are"
                                    + " joined, where they are only aggregated per row of the other"
                                    + " side, so that the join does not keep them. Off because it"
                                    + " changes the plan: a job has to keep the value with"
                                    + " which it was started.");

    public static final ConfigOption<Boolean> JOIN_INPUT_PROJECTION_ENABLED =
            key(TABLE_PREFIX + "join-input-projection.enabled")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Whether a join keeps only the columns of its inputs that its condition"
                                    + " and what is above it read, where Flink's optimiser has left"
                                    + " others. It pays where those are wide. Off because it changes"
                                    + " the rows in state: a job has to keep the value with which"
                                    + " it was started.");

    public static final ConfigOption<Boolean> PACKED_DISTINCT_ENABLED =
            key(TABLE_PREFIX + "packed-distinct.enabled")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether an accelerated group aggregate, or one that a join does, keeps"
                                    + " the values that DISTINCT has seen packed, many to an entry"
                                    + " of RocksDB, where the accelerated backend with its state"
                                    + " cache holds them. This is another layout of state than"
                                    + " Flink's: jobs have it that start with it, and keep it whatever the"
                                    + " value is later, but can then no longer go on without"
                                    + " acceleration. Jobs that go on from a snapshot in Flink's"
                                    + " layout keep that.");

    public static final ConfigOption<Boolean> ALLOW_EMPTY_STATE =
            key(TABLE_PREFIX + "allow-empty-state")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Whether an accelerated operator may start empty in a job that goes on"
                                    + " from a snapshot without state of this operator while"
                                    + " execution.state-recovery.ignore-unclaimed-state"
                                    + " (--allowNonRestoredState) is set. By default the job fails"
                                    + " before the first record, because Flink may have dropped"
                                    + " just that state. Without that flag it is not needed.");

    public static final ConfigOption<Boolean> JOIN_RANK_FUSION_ENABLED =
            key(TABLE_PREFIX + "join-rank-fusion.enabled")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether an accelerated join and the top-N above it become one operator"
                                    + " where the partition key is the join key. Its state differs"
                                    + " from that of the two, so a job has to keep the value with"
                                    + " which it was started.");

    public static final ConfigOption<Boolean> JOIN_NORMALIZE_FUSION_ENABLED =
            key(TABLE_PREFIX + "join-normalize-fusion.enabled")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Whether an accelerated join and the ChangelogNormalize of an input"
                                    + " whose primary key is the join key become one operator, which"
                                    + " keeps the last row of each key once and not twice. Off"
                                    + " because its state differs from that of the two: a job has"
                                    + " to keep the value with which it was started.");

    public static final ConfigOption<Boolean> ROCKSDB_ENABLED =
            key(TABLE_PREFIX + "rocksdb.enabled")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether an accelerated query whose job uses the rocksdb state backend"
                                    + " runs on the accelerated RocksDB backend. Jobs on any other"
                                    + " backend keep it.");

    public static final ConfigOption<Boolean> ROCKSDB_PARTITIONED_INDEX_FILTERS =
            key(BACKEND_PREFIX + "rocksdb.partitioned-index-filters")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Splits the index and filter of every SST file into small blocks, so"
                                    + " that a block cache smaller than the state holds the parts in"
                                    + " use instead of whole indexes that evict each other. Acts where"
                                    + " RocksDB's memory is bounded (managed memory or a fixed amount"
                                    + " per slot or task manager); elsewhere RocksDB keeps indexes on"
                                    + " the heap and nothing is split.");

    public static final ConfigOption<Integer> ROCKSDB_BLOOM_FILTER_BITS_PER_KEY =
            key(BACKEND_PREFIX + "rocksdb.bloom-filter.bits-per-key")
                    .intType()
                    .defaultValue(10)
                    .withDescription(
                            "Size, in bits per key, of the bloom filter over whole keys that value,"
                                    + " list, map, reducing and aggregating state get. 0 means no"
                                    + " filter, 10 lets about 1 % of the absent keys through, at most"
                                    + " 100. Ignored when state.backend.rocksdb.use-bloom-filter is"
                                    + " set.");

    public static final ConfigOption<List<String>> ROCKSDB_COMPRESSION_PER_LEVEL =
            key(BACKEND_PREFIX + "rocksdb.compression-per-level")
                    .stringType()
                    .asList()
                    .defaultValues("lz4")
                    .withDescription(
                            "The compression of SST files by level, from level 0 on; the last entry"
                                    + " holds for all deeper levels. Each of none, snappy, lz4, zstd."
                                    + " Ignored when state.backend.rocksdb.compression.per.level is"
                                    + " set.");

    public static final ConfigOption<MemorySize> VALUE_SEPARATION_MIN_SIZE =
            key(BACKEND_PREFIX + "rocksdb.value-separation.min-size")
                    .memoryType()
                    .defaultValue(MemorySize.ZERO)
                    .withDescription(
                            "Serialised values of value, list, map, reducing and aggregating state"
                                    + " of at least this size are kept in RocksDB's blob files, so"
                                    + " that compactions and incremental checkpoints do not carry"
                                    + " them along. 0 separates none. May be changed between runs.");

    public static final ConfigOption<Map<String, String>> VALUE_SEPARATION_MIN_SIZE_PER_STATE =
            key(BACKEND_PREFIX + "rocksdb.value-separation.min-size-per-state")
                    .mapType()
                    .noDefaultValue()
                    .withDescription(
                            "Exceptions from "
                                    + VALUE_SEPARATION_MIN_SIZE.key()
                                    + ", by the name of the state, as the log names it: for"
                                    + " instance right-records:4kb,left-records:0.");

    public static final ConfigOption<Boolean> VALUE_SEPARATION_AUTOMATIC =
            key(BACKEND_PREFIX + "rocksdb.value-separation.automatic")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Whether values of at least 1 kb are kept in blob files by the states"
                                    + " for which that pays: those where, at a checkpoint, half of"
                                    + " the bytes that have lately been written are in such values,"
                                    + " until it is less than a quarter. For cached states and"
                                    + " lists; each switch is in the log. "
                                    + VALUE_SEPARATION_MIN_SIZE.key()
                                    + " above 0, or an entry of "
                                    + VALUE_SEPARATION_MIN_SIZE_PER_STATE.key()
                                    + ", 0 included, leaves nothing to decide.");

    public static final ConfigOption<Map<String, String>> ROCKSDB_OVERRIDES =
            key(BACKEND_PREFIX + "rocksdb.overrides")
                    .mapType()
                    .noDefaultValue()
                    .withDescription(
                            "How RocksDB keeps all states of a kind, in place of what any option"
                                    + " for all kinds says: for instance"
                                    + " map.block-size:16kb,list.memtable:hash-linked-list. Kinds:"
                                    + " value, list, map, reducing, aggregating, timer. Properties:"
                                    + " compression-per-level and block-size; except for timer,"
                                    + " bloom-filter.bits-per-key, value-separation.min-size and"
                                    + " memtable (skip-list, hash-skip-list or hash-linked-list);"
                                    + " for map, key-prefix (true or false). May be changed between"
                                    + " runs.");

    public static final ConfigOption<Integer> ROCKSDB_LEVEL0_MAX_FILES =
            key(BACKEND_PREFIX + "rocksdb.level0.max-files")
                    .intType()
                    .defaultValue(12)
                    .withDescription(
                            "How many files RocksDB gathers at most in level 0 of a state before it"
                                    + " compacts them into level 1. Frequent checkpoints leave small"
                                    + " files there; the smaller they are against level 1, the more"
                                    + " are gathered, at least 4. With 4 it is as in RocksDB. Of"
                                    + " states with values in blob files only for lists; not with a"
                                    + " RocksDBOptionsFactory or another compaction style than"
                                    + " LEVEL.");

    public static final ConfigOption<MemorySize> CACHE_SIZE =
            key(BACKEND_PREFIX + "cache.size")
                    .memoryType()
                    .noDefaultValue()
                    .withDescription(
                            "Heap that one task manager may use to cache value, reducing,"
                                    + " aggregating and map state (single entries of a map), and"
                                    + " the lists of upsert materializers, in front of RocksDB."
                                    + " Divided equally by slots and by the sub-tasks of a slot that"
                                    + " have such state; the states of a sub-task share by need. What"
                                    + " has changed is written to RocksDB in batches, and all of it"
                                    + " before every checkpoint and savepoint. By default a tenth of"
                                    + " the JVM's heap. 0 switches the cache off.");

    public static final ConfigOption<Double> CACHE_BYPASS_HIT_RATIO =
            key(BACKEND_PREFIX + "cache.bypass-hit-ratio")
                    .doubleType()
                    .defaultValue(0.1)
                    .withDescription(
                            "The share of a state's accesses, 0 to 1, that a full cache must save"
                                    + " RocksDB. Below it the cache steps aside for this state,"
                                    + " goes on to watch a sample of its keys and returns when"
                                    + " those exceed the ratio by a quarter. 0 never steps aside.");

    public static final ConfigOption<Boolean> NATIVE_ENABLED =
            key(BACKEND_PREFIX + "native.enabled")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether the accelerator's native library is used where it can be"
                                    + " loaded (Linux, on x86-64 or aarch64, as the jar was built). It"
                                    + " lets RocksDB filter map state by the key that the map belongs"
                                    + " to, and reads the entries of a map, and many keys of a"
                                    + " bundle, in one call. Without it everything works by RocksDB's"
                                    + " Java API.");

    public static final ConfigOption<Boolean> RESTORE_MANIFEST_CHECK_ENABLED =
            key(BACKEND_PREFIX + "restore.manifest-check.enabled")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether a snapshot is refused whose MANIFEST, RocksDB's list of the"
                                    + " files of a database, is not as it was written. With false"
                                    + " one WARN names it and it is restored all the same: as"
                                    + " RocksDB reads such a list, which may be an older state or an"
                                    + " empty one. For a snapshot that is known to be whole, and one"
                                    + " restore.");

    public static final ConfigOption<Boolean> RESTORE_KEY_GROUP_CHECK_ENABLED =
            key(BACKEND_PREFIX + "restore.key-group-check.enabled")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether a snapshot is refused of which different parts have the same"
                                    + " key groups, as it may be on the changelog backend after a"
                                    + " rescale. With false one WARN names them and they are"
                                    + " restored all the same: in these key groups older state may"
                                    + " overwrite newer state. For parts that are known to hold the"
                                    + " same, and one restore.");

    public static final ConfigOption<DiskCheckMode> DISK_CHECK_MODE =
            key(BACKEND_PREFIX + "disk-check.mode")
                    .enumType(DiskCheckMode.class)
                    .defaultValue(DiskCheckMode.WARN)
                    .withDescription(
                            "What to do when RocksDB's local directory is on tmpfs, in a container's"
                                    + " layers, on the network, rotational or slow, or below the"
                                    + " system's folder for temporary files for want of a configured"
                                    + " one: WARN says so once in the log, with the fix; FAIL fails"
                                    + " the task; OFF does not look. Each file system is measured"
                                    + " once per process, which takes some 120 ms and 16 mb.");

    public static final ConfigOption<Integer> DISK_CHECK_MIN_READS_PER_SECOND =
            key(BACKEND_PREFIX + "disk-check.min-reads-per-second")
                    .intType()
                    .defaultValue(500)
                    .withDescription(
                            "A local disk is slow if it does fewer random reads of 4 KiB in a"
                                    + " second, one at a time. Hard disks do 100 to 200, throttled"
                                    + " cloud disks some hundred, local SSDs 5,000 and more.");

    public static final ConfigOption<Boolean> METRICS_ENABLED =
            key(BACKEND_PREFIX + "metrics.enabled")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether accelerated operators and the accelerated backend show metrics,"
                                    + " in the group state-accel of each operator.");

    public static final ConfigOption<Integer> METRICS_SAMPLE_INTERVAL =
            key(BACKEND_PREFIX + "metrics.sample-interval")
                    .intType()
                    .defaultValue(100)
                    .withDescription(
                            "One in so many reads of a state that reach RocksDB, chosen at random,"
                                    + " is timed and its value measured. 0 measures none, which"
                                    + " leaves the metrics that need it empty.");

    public static final ConfigOption<HottestKeyMode> METRICS_HOTTEST_KEY =
            key(BACKEND_PREFIX + "metrics.hottest-key")
                    .enumType(HottestKeyMode.class)
                    .defaultValue(HottestKeyMode.HASH)
                    .withDescription(
                            "What the metric hottestKey of a bundle shows of the key that most rows"
                                    + " have. HASH: the first 16 digits of the SHA-256 of its text,"
                                    + " which is the same in all operators and jobs. VALUE: the text"
                                    + " itself, up to 100 characters, which leaves the cluster with"
                                    + " every reporter. OFF: nothing.");

    private StateAccelOptions() {}

    /**
     * Whether a key is that of an option, or in {@code config.yaml} that of one entry of an option
     * that is a map.
     */
    static boolean isKnown(String key) {
        return all().stream().anyMatch(option -> option.key().equals(key))
                || Stream.of(VALUE_SEPARATION_MIN_SIZE_PER_STATE, ROCKSDB_OVERRIDES)
                        .anyMatch(map -> key.startsWith(map.key() + '.'));
    }

    /** All options, in the order in which the documentation lists them. */
    public static List<ConfigOption<?>> all() {
        return List.of(
                ENABLED,
                MINI_BATCH_SIZE,
                MINI_BATCH_ALLOW_LATENCY,
                MINI_BATCH_FOLLOW_LOAD,
                MINI_BATCH_MAX_BYTES,
                AGGREGATE_CACHE_SIZE,
                WINDOW_HEAP_SIZE,
                JOIN_AGGREGATE_FUSION_ENABLED,
                JOIN_LOCAL_AGGREGATE_ENABLED,
                AGGREGATE_BEFORE_JOIN_ENABLED,
                JOIN_INPUT_PROJECTION_ENABLED,
                PACKED_DISTINCT_ENABLED,
                ALLOW_EMPTY_STATE,
                JOIN_RANK_FUSION_ENABLED,
                JOIN_NORMALIZE_FUSION_ENABLED,
                ROCKSDB_ENABLED,
                ROCKSDB_PARTITIONED_INDEX_FILTERS,
                ROCKSDB_BLOOM_FILTER_BITS_PER_KEY,
                ROCKSDB_COMPRESSION_PER_LEVEL,
                VALUE_SEPARATION_MIN_SIZE,
                VALUE_SEPARATION_MIN_SIZE_PER_STATE,
                VALUE_SEPARATION_AUTOMATIC,
                ROCKSDB_OVERRIDES,
                ROCKSDB_LEVEL0_MAX_FILES,
                CACHE_SIZE,
                CACHE_BYPASS_HIT_RATIO,
                NATIVE_ENABLED,
                RESTORE_MANIFEST_CHECK_ENABLED,
                RESTORE_KEY_GROUP_CHECK_ENABLED,
                DISK_CHECK_MODE,
                DISK_CHECK_MIN_READS_PER_SECOND,
                METRICS_ENABLED,
                METRICS_SAMPLE_INTERVAL,
                METRICS_HOTTEST_KEY);
    }
}
