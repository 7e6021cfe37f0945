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
package io.stateaccel.tests.restore;

import io.stateaccel.tests.differential.Variant;
import io.stateaccel.tests.differential.Variant.Ending;
import io.stateaccel.tests.differential.Variant.Phase;
import io.stateaccel.tests.restore.Settings.Cache;
import io.stateaccel.tests.restore.Settings.Changelog;
import io.stateaccel.tests.restore.Settings.Native;
import io.stateaccel.tests.restore.Settings.Snapshots;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A cell of the matrix: one value of every dimension.
 *
 * @param number of the cell among {@link #all}
 */
record Cell(int number, List<Setting> values) {

    /** Another dimension is another enum here. */
    private static final List<Setting[]> DIMENSIONS =
            List.of(
                    Queries.values(),
                    Snapshots.values(),
                    Changelog.values(),
                    Cache.values(),
                    Native.values());

    private static final int[] PARALLELISMS = {1, 2, 4, 1};

    /**
     * Not 1, which is that of the sources: there Flink forwards their rows and refuses those that
     * an unaligned checkpoint has found on their way to several sub-tasks.
     */
    private static final int[] UNALIGNED_PARALLELISMS = {2, 4, 3, 2};

    /**
     * A checkpoint on the changelog backend refers to what was materialised before a rescale until
     * there is another materialisation. When it is rescaled again then, stock Flink 2.3 fails ("CFs
     * have overlapping ranges"), and ours refuses.
     */
    private static final int[] CHANGELOG_PARALLELISMS = {2, 2, 2, 2};

    /**
     * The third job has the parallelism of the second, and is the one that fails. When a canonical
     * savepoint is rescaled on the changelog backend, stock Flink 2.3 deletes a file of it once one
     * of the sub-tasks that share it has materialised its state, although the last checkpoint may
     * still refer to it for the others.
     */
    private static final int[] CHANGELOG_SAVEPOINT_PARALLELISMS = {1, 2, 2, 1};

    static final int HIGHEST_PARALLELISM = 4;

    static List<Cell> all() {
        List<List<Setting>> product = List.of(List.of());
        for (Setting[] dimension : DIMENSIONS) {
            List<List<Setting>> longer = new ArrayList<>();
            for (List<Setting> values : product) {
                for (Setting value : dimension) {
                    List<Setting> extended = new ArrayList<>(values);
                    extended.add(value);
                    longer.add(List.copyOf(extended));
                }
            }
            product = longer;
        }
        List<Cell> cells = new ArrayList<>();
        for (List<Setting> values : product) {
            cells.add(new Cell(cells.size(), values));
        }
        return cells;
    }

    Queries queries() {
        return get(Queries.class);
    }

    /** Four jobs, each going on from a snapshot of the one before; one fails on the way. */
    Variant variant() {
        Map<String, String> options = new HashMap<>();
        values.forEach(value -> options.putAll(value.options()));
        int[] parallelisms = parallelisms();
        List<Phase> phases = new ArrayList<>();
        for (int step = 0; step < parallelisms.length; step++) {
            boolean last = step == parallelisms.length - 1;
            phases.add(
                    new Phase(
                            parallelisms[step],
                            "rocksdb",
                            step == failingStep(),
                            last ? Ending.END_OF_INPUT : get(Snapshots.class).ending(),
                            options));
        }
        return new Variant(true, false, false, phases);
    }

    boolean hasChangelog() {
        return get(Changelog.class) == Changelog.ON;
    }

    /** One that was restored and whose snapshot another one goes on from. */
    private int failingStep() {
        return goesOnFromChangelogSavepoints() ? 2 : 1;
    }

    private int[] parallelisms() {
        Snapshots snapshots = get(Snapshots.class);
        if (goesOnFromChangelogSavepoints()) {
            return CHANGELOG_SAVEPOINT_PARALLELISMS;
        }
        if (hasChangelog() && snapshots.ending() == Ending.CHECKPOINT) {
            return CHANGELOG_PARALLELISMS;
        }
        return snapshots.areUnaligned() ? UNALIGNED_PARALLELISMS : PARALLELISMS;
    }

    private boolean goesOnFromChangelogSavepoints() {
        return hasChangelog() && get(Snapshots.class).ending() == Ending.CANONICAL_SAVEPOINT;
    }

    private <T extends Setting> T get(Class<T> dimension) {
        return values.stream()
                .filter(dimension::isInstance)
                .map(dimension::cast)
                .findAny()
                .orElseThrow();
    }

    @Override
    public String toString() {
        return "cell %d: %s"
                .formatted(
                        number,
                        values.stream()
                                .map(
                                        value ->
                                                value.getClass().getSimpleName()
                                                        + " "
                                                        + value.toString()
                                                                .toLowerCase()
                                                                .replace('_', ' '))
                                .collect(Collectors.joining(", ")));
    }
}
