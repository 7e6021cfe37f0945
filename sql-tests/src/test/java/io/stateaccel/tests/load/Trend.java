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
package io.stateaccel.tests.load;

import java.util.Arrays;
import java.util.List;

/**
 * How a figure that was sampled at equal intervals has changed over time.
 *
 * <p>It is the slope of Theil and Sen, the median of the slopes between any two samples: noise, a
 * saw tooth of short period and single outliers change little of it.
 */
final class Trend {

    private Trend() {}

    /**
     * By how much the figure has grown from the first sample to the last, as the slope tells.
     *
     * @param samples at least two
     */
    static double growth(List<Long> samples) {
        int n = samples.size();
        double[] slopes = new double[n * (n - 1) / 2];
        int pair = 0;
        for (int later = 1; later < n; later++) {
            for (int earlier = 0; earlier < later; earlier++) {
                double difference = samples.get(later) - samples.get(earlier);
                slopes[pair++] = difference / (later - earlier);
            }
        }
        Arrays.sort(slopes);
        double median = (slopes[(slopes.length - 1) / 2] + slopes[slopes.length / 2]) / 2;
        return median * (n - 1);
    }
}
