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
package io.stateaccel.tests.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.flink.core.execution.SavepointFormatType;

/**
 * One way to run the cases of a batch: as one job after the other, each but the first going on from
 * where the one before it stopped.
 */
public record Variant(
        boolean accelerated, boolean unaligned, boolean objectReuse, List<Phase> phases) {

    /** What every other run is compared with: stock Flink, nothing going wrong. */
    public static final Variant ORACLE =
            new Variant(
                    false,
                    false,
                    false,
                    List.of(new Phase(1, "hashmap", false, Ending.END_OF_INPUT)));

    /** How a job comes to its end. */
    public enum Ending {
        END_OF_INPUT,
        CANONICAL_SAVEPOINT,
        NATIVE_SAVEPOINT,
        /** Cancelled after a checkpoint. */
        CHECKPOINT;

        SavepointFormatType savepointFormat() {
            return this == CANONICAL_SAVEPOINT
                    ? SavepointFormatType.CANONICAL
                    : SavepointFormatType.NATIVE;
        }
    }

    /**
     * One job.
     *
     * @param failing whether it fails in the middle and goes on from its last checkpoint by itself
     * @param options of the job and its session that are not what the case and the variant say
     */
    public record Phase(
            int parallelism,
            String backend,
            boolean failing,
            Ending ending,
            Map<String, String> options) {

        Phase(int parallelism, String backend, boolean failing, Ending ending) {
            this(parallelism, backend, failing, ending, Map.of());
        }

        @Override
        public String toString() {
            return "%s with parallelism %d%s%s until %s"
                    .formatted(
                            backend,
                            parallelism,
                            options.isEmpty() ? "" : " and " + new TreeMap<>(options),
                            failing ? ", a failure and a restore" : "",
                            ending);
        }
    }

    static final int HIGHEST_PARALLELISM = 3;

    private static final int[] PARALLELISMS = {1, 2, HIGHEST_PARALLELISM};

    /** Accelerated on each backend. */
    static List<Variant> ofBatch(long batch) {
        Random random = RandomSeeds.random(batch);
        return List.of(disturbed(random, true, "rocksdb"), disturbed(random, true, "hashmap"));
    }

    /** A failure, a rescale or both, with random settings of a job. */
    static Variant disturbed(Random random, boolean accelerated, String backend) {
        boolean rescaled = random.nextBoolean();
        boolean unaligned = random.nextBoolean();
        boolean objectReuse = random.nextBoolean();
        int parallelism = anyParallelismBut(0, random);
        List<Phase> phases = new ArrayList<>();
        if (rescaled) {
            Ending ending = Ending.values()[1 + random.nextInt(Ending.values().length - 1)];
            phases.add(new Phase(parallelism, backend, random.nextInt(3) == 0, ending));
            parallelism = anyParallelismBut(parallelism, random);
            if (ending == Ending.CANONICAL_SAVEPOINT && random.nextBoolean()) {
                backend = backend.equals("rocksdb") ? "hashmap" : "rocksdb";
            }
        }
        boolean failing = !rescaled || random.nextInt(3) == 0;
        phases.add(new Phase(parallelism, backend, failing, Ending.END_OF_INPUT));
        return new Variant(accelerated, unaligned, objectReuse, List.copyOf(phases));
    }

    /** The same with checkpoints that hold no rows in flight. */
    Variant aligned() {
        return new Variant(accelerated, false, objectReuse, phases);
    }

    /** Whether anything happens to the job before the end of its input. */
    boolean isDisturbed() {
        return phases.size() > 1 || phases.get(0).failing();
    }

    /** The last phase alone, with nothing going wrong. */
    Variant undisturbed() {
        Phase last = phases.get(phases.size() - 1);
        return new Variant(
                accelerated,
                unaligned,
                objectReuse,
                List.of(
                        new Phase(
                                last.parallelism(),
                                last.backend(),
                                false,
                                Ending.END_OF_INPUT,
                                last.options())));
    }

    /** The same on stock Flink. */
    Variant stock() {
        // The oracle stays the oracle, which has settings of its own.
        return accelerated ? new Variant(false, unaligned, objectReuse, phases) : this;
    }

    private static int anyParallelismBut(int other, Random random) {
        int parallelism;
        do {
            parallelism = PARALLELISMS[random.nextInt(PARALLELISMS.length)];
        } while (parallelism == other);
        return parallelism;
    }

    /** Whether all jobs have the same operators. */
    boolean hasOnePlan() {
        return phases.stream().map(Phase::options).distinct().count() == 1;
    }

    /** How often all sources stop for something to happen to the job. */
    int holds() {
        int holds = 0;
        for (Phase phase : phases) {
            holds += (phase.failing() ? 1 : 0) + (phase.ending() == Ending.END_OF_INPUT ? 0 : 1);
        }
        return holds;
    }

    @Override
    public String toString() {
        return "%s on %s%s%s"
                .formatted(
                        accelerated ? "accelerated" : "stock",
                        phases.stream().map(Phase::toString).collect(Collectors.joining(", then ")),
                        unaligned ? ", unaligned checkpoints" : "",
                        objectReuse ? ", object reuse" : "");
    }
}
