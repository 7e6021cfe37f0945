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

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.api.java.tuple.Tuple2;

/** What states should have, in plain maps. */
final class StateModel {

    final Map<Place, List<Long>> value = new HashMap<>();
    final Map<Place, Long> count = new HashMap<>();
    final Map<Place, List<Long>> reducing = new HashMap<>();
    final Map<Place, List<Long>> aggregating = new HashMap<>();
    final Map<Place, Map<Integer, List<Long>>> map = new HashMap<>();
    final Map<Place, List<Long>> list = new HashMap<>();
    final Map<Place, Tuple2<String, Long>> expiring = new HashMap<>();

    StateModel copy() {
        StateModel copy = new StateModel();
        copy.value.putAll(value);
        copy.count.putAll(count);
        copy.reducing.putAll(reducing);
        copy.aggregating.putAll(aggregating);
        map.forEach((place, entries) -> copy.map.put(place, new HashMap<>(entries)));
        copy.list.putAll(list);
        copy.expiring.putAll(expiring);
        return copy;
    }

    String readExpiring(Place place, long now) {
        Tuple2<String, Long> stored = expiring.get(place);
        if (stored == null || stored.f1 + UsedStates.TTL_MILLIS <= now) {
            expiring.remove(place);
            return null;
        }
        expiring.put(place, Tuple2.of(stored.f0, now));
        return stored.f0;
    }

    /** What {@code mergeNamespaces} does: sources are removed, then the target is added. */
    static void merge(Map<Place, List<Long>> state, int key, int target, List<Integer> sources) {
        List<Long> merged =
                sources.stream()
                        .map(source -> state.remove(new Place(key, source)))
                        .filter(Objects::nonNull)
                        .reduce(StateModel::joined)
                        .orElse(null);
        if (merged != null) {
            List<Long> before = state.get(new Place(key, target));
            state.put(new Place(key, target), before == null ? merged : joined(merged, before));
        }
    }

    static Set<Tuple2<Long, String>> keys(Map<Place, ?> state, int namespace) {
        return state.keySet().stream()
                .filter(place -> place.namespace == namespace)
                .map(place -> UsedStates.key(place.key))
                .collect(Collectors.toCollection(HashSet::new));
    }

    static List<Long> joined(List<Long> left, List<Long> right) {
        return append(new ArrayList<>(left), right);
    }

    /** Changes its first argument, as functions do whose accumulators are reused. */
    static List<Long> append(List<Long> left, List<Long> right) {
        left.addAll(right);
        return left;
    }

    /** A key and a namespace, by their numbers. */
    record Place(int key, int namespace) {}
}
