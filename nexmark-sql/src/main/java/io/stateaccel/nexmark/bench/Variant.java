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
package io.stateaccel.nexmark.bench;

import io.stateaccel.config.StateAccelOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A way to run a query.
 *
 * @param name what the user calls it
 * @param settings Flink configuration it adds
 */
record Variant(String name, Map<String, String> settings) {

    /** The variant that all others are compared with. */
    static final String REFERENCE = "stock";

    private static final String BACKEND = "state.backend.type";

    /** The variants there are, in the order in which they are listed to the user. */
    static final List<Variant> KNOWN =
            List.of(
                    new Variant(REFERENCE, Map.of(BACKEND, "rocksdb")),
                    new Variant(
                            "stock-minibatch",
                            Map.of(
                                    BACKEND,
                                    "rocksdb",
                                    "table.exec.mini-batch.enabled",
                                    "true",
                                    "table.exec.mini-batch.allow-latency",
                                    "2 s",
                                    "table.exec.mini-batch.size",
                                    "50000")),
                    new Variant("hashmap", Map.of(BACKEND, "hashmap")),
                    new Variant(
                            "accel",
                            Map.of(BACKEND, "rocksdb", StateAccelOptions.ENABLED.key(), "true")));

    /** Returns the variant of this name, or throws a {@link UserError} that lists the known. */
    static Variant named(String name) {
        return KNOWN.stream()
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
                                                        KNOWN.stream()
                                                                .map(Variant::name)
                                                                .toList())));
    }

    boolean isAccelerated() {
        return isAccelerated(settings);
    }

    static boolean isAccelerated(Map<String, String> settings) {
        return Boolean.parseBoolean(settings.get(StateAccelOptions.ENABLED.key()));
    }

    /** This variant's settings over the given ones. */
    Map<String, String> over(Map<String, String> base) {
        Map<String, String> merged = new LinkedHashMap<>(base);
        merged.putAll(settings);
        return merged;
    }
}
