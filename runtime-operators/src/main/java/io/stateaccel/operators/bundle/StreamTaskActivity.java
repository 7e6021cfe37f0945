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

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.io.network.api.writer.ResultPartitionWriter;
import org.apache.flink.runtime.metrics.TimerGauge;
import org.apache.flink.runtime.metrics.groups.TaskIOMetricGroup;
import org.apache.flink.streaming.api.graph.NonChainedOutput;
import org.apache.flink.streaming.runtime.tasks.StreamTask;
import org.apache.flink.util.clock.SystemClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a {@link StreamTask} shows of its activity in the gauges of {@link TaskIOMetricGroup}, which
 * it keeps whether or not anybody reports them.
 *
 * <p>{@code StreamTask.processInput} starts the gauge of idle time when the input has nothing more
 * to give, the rest of a buffer included, and the output has room. So it tells exactly when rows
 * wait for nothing, and costs nothing while there is work. The mailbox stops it for each mail and
 * starts it anew after it. {@code BufferWritingResultPartition} keeps the gauge of hard back
 * pressure while it waits for a buffer.
 *
 * <p>Results go to the {@link ResultPartitionWriter}s of the task, where they are in buffers at
 * once, so to flush these is all that Flink's own {@code OutputFlusher} does, too.
 *
 * <p>Gauges have listeners from Flink 1.20.1 on; on 1.20.0 a task is never seen to be idle. So
 * nothing here but {@link IdleListener} may name what came with them.
 */
final class StreamTaskActivity implements TaskActivity {

    private static final Logger LOG = LoggerFactory.getLogger(StreamTaskActivity.class);

    /**
     * An aligned barrier waits for all that is in the buffers ahead of it anyway, an unaligned one
     * only for the flush. The first is for when tasks that share a core hold each other up. What is
     * chained behind is of no account there: it takes in what is in the buffers sooner in large
     * bundles, of which more folds.
     */
    private static final HoldUpTolerance ALIGNED = new HoldUpTolerance(200, 0);

    /**
     * A task takes in a row when there is room for a buffer of results, so a bundle whose results
     * fit into one is not held up. One that was held up is larger than that, and so would the next
     * one soon be.
     */
    private static final HoldUpTolerance UNALIGNED = new HoldUpTolerance(5, 10_000);

    private static final LongSupplier UNKNOWN_TIME = () -> -1;

    private final TimerGauge idleTime;
    private final OutputHoldUp holdUp;
    private final MailboxExecutor mailbox;
    private final boolean hasUnalignedCheckpoints;

    private final ResultBuffers buffers;

    @Nullable private IdleListener listener;

    /**
     * @param priority of mails: the operator's place in its chain
     * @param output where flushes emit to
     * @param time the operator's
     */
    StreamTaskActivity(
            StreamTask<?, ?> task, int priority, WatchedOutput output, ProcessingTimeService time) {
        this.buffers = buffers(task, time);
        TaskIOMetricGroup metrics = task.getEnvironment().getMetricGroup().getIOMetricGroup();
        this.idleTime = metrics.getIdleTimeMsPerSecond();
        this.mailbox = task.getMailboxExecutorFactory().createExecutor(priority);
        this.hasUnalignedCheckpoints =
                task.getEnvironment()
                        .getJobConfiguration()
                        .get(CheckpointingOptions.ENABLE_UNALIGNED);
        TimerGauge waitsForBuffers = metrics.getHardBackPressuredTimePerSecond();
        this.holdUp =
                new OutputHoldUp(
                        () -> TimeUnit.MILLISECONDS.toNanos(waitsForBuffers.getAccumulatedCount()),
                        hasUnalignedCheckpoints ? processorTime() : UNKNOWN_TIME,
                        output,
                        TimeUnit.MILLISECONDS.toNanos(tolerance().millis()));
    }

    private static ResultBuffers buffers(StreamTask<?, ?> task, ProcessingTimeService time) {
        Environment environment = task.getEnvironment();
        ResultPartitionWriter[] writers = environment.getAllWriters();
        long subpartitions =
                Arrays.stream(writers)
                        .mapToLong(ResultPartitionWriter::getNumberOfSubpartitions)
                        .sum();
        // SQL has one timeout for all of a job's exchanges.
        long timeoutMillis =
                task
                        .getConfiguration()
                        .getVertexNonChainedOutputs(
                                environment.getUserCodeClassLoader().asClassLoader())
                        .stream()
                        .mapToLong(NonChainedOutput::getBufferTimeout)
                        .min()
                        .orElse(0);
        return new ResultBuffers(
                () -> Arrays.stream(writers).forEach(ResultPartitionWriter::flushAll),
                subpartitions,
                timeoutMillis,
                time,
                SystemClock.getInstance());
    }

    private static LongSupplier processorTime() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        boolean isKnown =
                threads.isCurrentThreadCpuTimeSupported() && threads.isThreadCpuTimeEnabled();
        return isKnown ? threads::getCurrentThreadCpuTime : UNKNOWN_TIME;
    }

    @Override
    public void flushBegins() {
        holdUp.flushBegins();
    }

    @Override
    public long flushEnds(long tookNanos) {
        return holdUp.flushEnds(tookNanos);
    }

    @Override
    public HoldUpTolerance tolerance() {
        return hasUnalignedCheckpoints ? UNALIGNED : ALIGNED;
    }

    @Override
    public void whenIdle(BooleanSupplier isWaitedFor, Idle idle) {
        try {
            listener = new IdleListener(idleTime, mailbox, isWaitedFor, idle);
        } catch (LinkageError e) {
            LOG.info(
                    "[state-accel] Bundles do not end when the task is idle: this release of Flink"
                            + " does not tell. Flink 1.20.1 and later do.");
        }
    }

    @Override
    public void sendResults(long rows) {
        buffers.send(rows);
    }

    @Override
    public void resume() {
        if (listener != null) {
            listener.resume();
        }
    }

    @Override
    public void close() {
        buffers.close();
        if (listener != null) {
            listener.close();
            listener = null;
        }
    }
}
