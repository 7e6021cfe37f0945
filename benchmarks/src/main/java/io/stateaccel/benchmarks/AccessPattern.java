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
package io.stateaccel.benchmarks;

import io.stateaccel.nexmark.generator.Bids;
import io.stateaccel.nexmark.generator.EventSequence;
import io.stateaccel.nexmark.generator.EventType;
import io.stateaccel.nexmark.generator.GeneratorConfig;
import java.util.Arrays;
import java.util.Random;

/**
 * Orders in which the keys of a state come, relative to the entries that its cache has room for.
 */
public enum AccessPattern {
    /** Nexmark's bids by auction: half of them for the hot one, the others for the newest 110. */
    NEXMARK_BIDS {
        @Override
        long[] keys(int accesses, int room) {
            EventSequence sequence = new EventSequence(GeneratorConfig.DEFAULT);
            Bids bids = new Bids(GeneratorConfig.DEFAULT);
            long[] keys = new long[accesses];
            long number = 0;
            for (int i = 0; i < accesses; i++) {
                while (sequence.typeOf(number) != EventType.BID) {
                    number++;
                }
                keys[i] = bids.auction(number++);
            }
            return keys;
        }
    },

    /** 50 times as many keys as there is room for; the n-th is read in proportion to n^-0.9. */
    ZIPF {
        @Override
        long[] keys(int accesses, int room) {
            double[] upTo = new double[50 * room];
            double sum = 0;
            for (int key = 0; key < upTo.length; key++) {
                sum += Math.pow(key + 1, -0.9);
                upTo[key] = sum;
            }
            Random random = new Random(SEED);
            long[] keys = new long[accesses];
            for (int i = 0; i < accesses; i++) {
                int found = Arrays.binarySearch(upTo, random.nextDouble() * sum);
                keys[i] = found < 0 ? -found - 1 : found;
            }
            return keys;
        }
    },

    /** Every key once. */
    SCAN {
        @Override
        long[] keys(int accesses, int room) {
            long[] keys = new long[accesses];
            Arrays.setAll(keys, i -> i);
            return keys;
        }
    },

    /** Every other access is to a set of keys that would fill 80 % of the room; the rest scan. */
    HOT_SET_AND_SCAN {
        @Override
        long[] keys(int accesses, int room) {
            Random random = new Random(SEED);
            long[] keys = new long[accesses];
            Arrays.setAll(keys, i -> i % 2 == 0 ? random.nextInt(room * 8 / 10) : room + i);
            return keys;
        }
    },

    /**
     * The newest keys, as many as would fill 80 % of the room; a new one with every 10th access.
     */
    SLIDING_WINDOW {
        @Override
        long[] keys(int accesses, int room) {
            Random random = new Random(SEED);
            long[] keys = new long[accesses];
            Arrays.setAll(keys, i -> i / 10 + random.nextInt(room * 8 / 10));
            return keys;
        }
    },

    /** One pass after the other over half as many keys again as there is room for. */
    PASSES {
        @Override
        long[] keys(int accesses, int room) {
            long[] keys = new long[accesses];
            Arrays.setAll(keys, i -> i % (room * 3 / 2));
            return keys;
        }
    };

    private static final long SEED = 1;

    abstract long[] keys(int accesses, int room);
}
