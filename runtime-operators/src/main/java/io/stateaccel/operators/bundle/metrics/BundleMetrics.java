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
package io.stateaccel.operators.bundle.metrics;

import io.stateaccel.config.HottestKeyMode;
import io.stateaccel.metrics.AcceleratorMetrics;
import io.stateaccel.operators.bundle.FlushReason;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.metrics.DescriptiveStatisticsHistogram;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/**
 * What an operator's bundles show in Flink's metrics, in the group {@code state-accel.bundle}.
 * Written by the task thread.
 */
public final class BundleMetrics {

    private static final String PART = "bundle";
    private static final String REASON = "reason";
    private static final int BUNDLES_IN_HISTOGRAM = 128;

    private final long[] flushes = new long[FlushReason.values().length];
    private final Histogram rowsPerFlush = new DescriptiveStatisticsHistogram(BUNDLES_IN_HISTOGRAM);
    private final Histogram waitMillis = new DescriptiveStatisticsHistogram(BUNDLES_IN_HISTOGRAM);
    private final HotKeys hotKeys;

    private long rows;
    private long keys;
    private long changes;

    /**
     * @param operator the operator's group
     * @param keyType of the keys that rows are gathered by
     * @param hottestKey what is shown of the most frequent one
     * @param rowsNow in the bundle
     * @param bytesNow of heap that the bundle takes
     * @param sizeNow rows at which a bundle is full
     */
    public BundleMetrics(
            MetricGroup operator,
            InternalTypeInfo<RowData> keyType,
            HottestKeyMode hottestKey,
            Gauge<Long> rowsNow,
            Gauge<Long> bytesNow,
            Gauge<Long> sizeNow) {
        hotKeys = new HotKeys(System.identityHashCode(this));
        MetricGroup group = AcceleratorMetrics.open(operator, PART);
        group.gauge("bundleSize", rowsNow);
        group.gauge("bundleBytes", bytesNow);
        group.gauge("fullAt", sizeNow);
        group.histogram("rowsPerFlush", rowsPerFlush);
        group.histogram("waitMillis", waitMillis);
        group.gauge("rows", (Gauge<Long>) () -> rows);
        group.gauge("keys", (Gauge<Long>) () -> keys);
        group.gauge("changes", (Gauge<Long>) () -> changes);
        for (FlushReason reason : FlushReason.values()) {
            group.addGroup(REASON, reason.toString())
                    .gauge("flushes", (Gauge<Long>) () -> flushes[reason.ordinal()]);
        }
        KeyText text = new KeyText(keyType, hottestKey);
        group.gauge("hottestKeyPercent", (Gauge<Double>) this::hottestKeyPercent);
        group.gauge("hottestKey", (Gauge<String>) () -> hottestKey(text));
    }

    private double hottestKeyPercent() {
        HotKeys.Hottest hottest = hotKeys.hottest();
        return hottest == null ? 0 : 100 * hottest.part();
    }

    private String hottestKey(KeyText text) {
        HotKeys.Hottest hottest = hotKeys.hottest();
        return hottest == null ? "" : text.of(hottest.key());
    }

    /** A row with this key, which is kept, has been put into the bundle. */
    public void rowAdded(RowData key) {
        hotKeys.rowAdded(key);
    }

    /**
     * A bundle is about to be flushed.
     *
     * @param bundleRows of it
     * @param waitedMillis for how long the oldest of them has waited
     */
    public void flush(FlushReason reason, long bundleRows, long waitedMillis) {
        flushes[reason.ordinal()]++;
        rows += bundleRows;
        rowsPerFlush.update(bundleRows);
        waitMillis.update(waitedMillis);
    }

    /** Keys whose state a flush has read or written, and how many changes it had for them. */
    public void visited(long moreKeys, long moreChanges) {
        keys += moreKeys;
        changes += moreChanges;
    }
}
