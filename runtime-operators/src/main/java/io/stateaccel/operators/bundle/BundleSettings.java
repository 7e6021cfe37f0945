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
package io.stateaccel.operators.bundle;

import io.stateaccel.config.StateAccelOptions;
import java.io.Serializable;
import org.apache.flink.configuration.MemorySize;

/**
 * When a bundle is flushed, beside watermarks, checkpoint barriers and the end of input.
 *
 * @param size input rows after which the bundle is flushed, at least 1
 * @param latencyMillis milliseconds a row may wait in the bundle, at least 1
 * @param maxBytes heap after which the bundle is flushed, at least 1; it may be exceeded by the
 *     last row
 * @param followsLoad whether a bundle also ends when the task has nothing else to do, and is
 *     smaller where the output is held up; {@code size} and {@code latencyMillis} bound it then
 * @param endsAtWatermarks whether watermarks may not overtake rows, since they say something of
 *     them to somebody downstream
 */
public record BundleSettings(
        long size,
        long latencyMillis,
        MemorySize maxBytes,
        boolean followsLoad,
        boolean endsAtWatermarks)
        implements Serializable {

    public BundleSettings {
        if (size < 1) {
            throw new IllegalArgumentException("Bundle size must be at least 1, but is " + size);
        }
        if (latencyMillis < 1) {
            throw new IllegalArgumentException(
                    "Bundle latency must be at least 1 ms, but is " + latencyMillis + " ms");
        }
        if (maxBytes.getBytes() < 1) {
            throw new IllegalArgumentException("Bundle bytes must be at least 1, but are 0");
        }
    }

    /** With the default limit of bytes, by the load, and at watermarks. */
    public BundleSettings(long size, long latencyMillis) {
        this(
                size,
                latencyMillis,
                StateAccelOptions.MINI_BATCH_MAX_BYTES.defaultValue(),
                true,
                true);
    }

    /** These with another latency. */
    public BundleSettings withLatency(long millis) {
        return new BundleSettings(size, millis, maxBytes, followsLoad, endsAtWatermarks);
    }

    /** These, with watermarks that end bundles or do not. */
    public BundleSettings endingAtWatermarks(boolean whether) {
        return new BundleSettings(size, latencyMillis, maxBytes, followsLoad, whether);
    }

    @Override
    public String toString() {
        return "size " + size + ", latency " + latencyMillis + " ms, max " + maxBytes;
    }
}
