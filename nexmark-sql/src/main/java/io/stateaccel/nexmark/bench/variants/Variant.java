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
package io.stateaccel.nexmark.bench.variants;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.nexmark.bench.common.UserError;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A way to run a query.
 *
 * @param name what the user calls it
 * @param about what it is, in a few words
 * @param settings Flink configuration it adds
 */
public record Variant(String name, String about, Map<String, String> settings) {

    /** The variant that all others are compared with. */
    public static final String REFERENCE = "stock";

    private static final String BACKEND = "state.backend.type";
    private static final String CEILING_NAME = "ceiling";
    private static final String ROCKSDB = "rocksdb";
    private static final String ACCELERATED = StateAccelOptions.ENABLED.key();
    private static final String ACCELERATED_BACKEND =
            "io.stateaccel.rocksdb.StateAccelRocksDBStateBackendFactory";

    /** The variants there are, in the order in which they are listed to the user. */
    public static final List<Variant> KNOWN =
            List.of(
                    new Variant(
                            REFERENCE, "Flink on RocksDB, as shipped", Map.of(BACKEND, ROCKSDB)),
                    new Variant(
                            "stock-minibatch",
                            "stock with Flink's own mini-batches",
                            Map.of(
                                    BACKEND,
                                    ROCKSDB,
                                    "table.exec.mini-batch.enabled",
                                    "true",
                                    "table.exec.mini-batch.allow-latency",
                                    "2 s",
                                    "table.exec.mini-batch.size",
                                    "50000")),
                    new Variant(
                            "stock-minibatch-1s",
                            "stock with Flink's own mini-batches, of a second at most",
                            Map.of(
                                    BACKEND,
                                    ROCKSDB,
                                    "table.exec.mini-batch.enabled",
                                    "true",
                                    "table.exec.mini-batch.allow-latency",
                                    "1 s",
                                    "table.exec.mini-batch.size",
                                    "50000")),
                    new Variant(
                            "stock-partitioned",
                            "stock with partitioned index and filter blocks",
                            Map.of(
                                    BACKEND,
                                    ROCKSDB,
                                    "state.backend.rocksdb.memory.partitioned-index-filters",
                                    "true")),
                    new Variant(
                            "hashmap", "Flink with state on the heap", Map.of(BACKEND, "hashmap")),
                    new Variant(
                            "forst",
                            "Flink on ForSt, local files, asynchronous state where SQL has it",
                            Map.of(
                                    BACKEND,
                                    "forst",
                                    "state.backend.forst.primary-dir",
                                    "local-dir",
                                    "table.exec.async-state.enabled",
                                    "true")),
                    new Variant(
                            "changelog",
                            "stock with the changelog state backend around it",
                            Map.of(
                                    BACKEND,
                                    ROCKSDB,
                                    "state.changelog.enabled",
                                    "true",
                                    "state.changelog.storage",
                                    "filesystem")),
                    new Variant(
                            "accel",
                            "accelerated plan on the accelerated backend",
                            Map.of(BACKEND, ROCKSDB, ACCELERATED, "true")),
                    new Variant(
                            "accel-rewrites",
                            "accel with every rewrite that only a new job can have",
                            Map.of(
                                    BACKEND,
                                    ROCKSDB,
                                    ACCELERATED,
                                    "true",
                                    StateAccelOptions.AGGREGATE_BEFORE_JOIN_ENABLED.key(),
                                    "true",
                                    StateAccelOptions.JOIN_LOCAL_AGGREGATE_ENABLED.key(),
                                    "true",
                                    StateAccelOptions.JOIN_INPUT_PROJECTION_ENABLED.key(),
                                    "true")),
                    new Variant(
                            "accel-java",
                            "accel without its native library",
                            Map.of(
                                    BACKEND,
                                    ROCKSDB,
                                    ACCELERATED,
                                    "true",
                                    StateAccelOptions.NATIVE_ENABLED.key(),
                                    "false")),
                    new Variant(
                            "accel-changelog",
                            "accel with the changelog state backend around it",
                            Map.of(
                                    BACKEND,
                                    ROCKSDB,
                                    ACCELERATED,
                                    "true",
                                    "state.changelog.enabled",
                                    "true",
                                    "state.changelog.storage",
                                    "filesystem")),
                    new Variant(
                            "accel-planner",
                            "accelerated plan on Flink's own RocksDB backend",
                            Map.of(
                                    BACKEND,
                                    ROCKSDB,
                                    ACCELERATED,
                                    "true",
                                    StateAccelOptions.ROCKSDB_ENABLED.key(),
                                    "false")),
                    new Variant(
                            "accel-backend",
                            "stock plan on the accelerated backend",
                            Map.of(BACKEND, ACCELERATED_BACKEND)));

    /**
     * What a query takes however little the operators behind the first exchanges of Flink's plan
     * do, which is asked for by itself. A rewrite that sends fewer rows or columns may take less.
     */
    public static final Variant CEILING =
            new Variant(
                    CEILING_NAME,
                    "what is below the first exchanges of Flink's plan, and nothing above",
                    Map.of(BACKEND, "hashmap"));

    /**
     * Returns the built-in variant of this name.
     *
     * @throws UserError if there is none, with the known ones
     */
    public static Variant named(String name) {
        return named(name, KNOWN);
    }

    /**
     * Returns the variant of this name.
     *
     * @param among the variants there are
     * @throws UserError if there is none, with the known ones
     */
    public static Variant named(String name, List<Variant> among) {
        return among.stream()
                .filter(variant -> variant.name.equals(name))
                .findFirst()
                .orElseThrow(
                        () ->
                                new UserError(
                                        "unknown variant '"
                                                + name
                                                + "'; known are "
                                                + String.join(
                                                        ", ",
                                                        among.stream()
                                                                .map(Variant::name)
                                                                .toList())));
    }

    /** Whether runs of the variant of this name have no results. */
    public static boolean isCeiling(String variant) {
        return variant.equals(CEILING_NAME);
    }

    public boolean isAccelerated() {
        return isAccelerated(settings);
    }

    public static boolean isAccelerated(Map<String, String> settings) {
        return Boolean.parseBoolean(settings.get(StateAccelOptions.ENABLED.key()));
    }

    /**
     * This variant of a DataStream program. In SQL the planner puts accelerated jobs on the
     * accelerated backend; a program's configuration has to name it.
     */
    public Variant ofProgram() {
        boolean keepsBackend =
                !isAccelerated()
                        || !ROCKSDB.equals(settings.get(BACKEND))
                        || "false".equals(settings.get(StateAccelOptions.ROCKSDB_ENABLED.key()));
        if (keepsBackend) {
            return this;
        }
        Map<String, String> changed = new LinkedHashMap<>(settings);
        changed.put(BACKEND, ACCELERATED_BACKEND);
        return new Variant(name, about, changed);
    }
}
