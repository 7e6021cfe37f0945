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

import java.io.IOException;
import org.apache.flink.runtime.memory.MemoryManager;
import org.apache.flink.runtime.memory.OpaqueMemoryResource;
import org.apache.flink.util.ExceptionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The heap that the caches of one slot may use, divided equally among the sub-tasks that have
 * cached states now. When one more comes, the others find their share smaller at their next write
 * or checkpoint.
 *
 * <p>Thread-safe: the sub-tasks of a slot are different threads.
 */
public final class SlotCacheBudget implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SlotCacheBudget.class);

    private static final String RESOURCE = "state-accel-cache";

    private final long bytes;
    private int sharers;
    private volatile long bytesPerShare;

    private SlotCacheBudget(long bytes) {
        this.bytes = bytes;
    }

    /** Gives a sub-task its share of the slot's budget. */
    @FunctionalInterface
    public interface Opener {
        Share open() throws IOException;
    }

    /**
     * An opener of shares of the slot that has this memory manager (Flink has one per slot).
     *
     * @param size of the task manager and its slots
     */
    public static Opener of(MemoryManager slot, CacheSize size) {
        return () -> {
            try {
                OpaqueMemoryResource<SlotCacheBudget> lease =
                        slot.getExternalSharedMemoryResource(
                                RESOURCE,
                                bytes -> {
                                    LOG.info("[state-accel] cache of the {}", size);
                                    return new SlotCacheBudget(bytes);
                                },
                                size.slotBytes());
                return lease.getResourceHandle().share(lease);
            } catch (Exception e) {
                ExceptionUtils.rethrowIfFatalErrorOrOOM(e);
                throw new IOException("Could not get a share of the slot's state cache.", e);
            }
        };
    }

    private synchronized Share share(OpaqueMemoryResource<SlotCacheBudget> lease) {
        setSharers(sharers + 1);
        return new Share(this, lease);
    }

    private synchronized void setSharers(int sharers) {
        this.sharers = sharers;
        this.bytesPerShare = bytes / Math.max(1, sharers);
    }

    private synchronized int sharers() {
        return sharers;
    }

    private synchronized void release() {
        setSharers(sharers - 1);
    }

    /** Called by Flink when the last share is closed. */
    @Override
    public void close() {}

    /** What one sub-task may use at the moment. */
    public static final class Share {

        private final SlotCacheBudget slot;
        private final OpaqueMemoryResource<SlotCacheBudget> lease;

        private Share(SlotCacheBudget slot, OpaqueMemoryResource<SlotCacheBudget> lease) {
            this.slot = slot;
            this.lease = lease;
        }

        /** Heap bytes; changes when sub-tasks come and go. */
        long bytes() {
            return slot.bytesPerShare;
        }

        long slotBytes() {
            return slot.bytes;
        }

        int sharers() {
            return slot.sharers();
        }

        void close() {
            slot.release();
            try {
                lease.close();
            } catch (Exception e) {
                ExceptionUtils.rethrowIfFatalErrorOrOOM(e);
                LOG.warn("[state-accel] could not give back a share of the state cache", e);
            }
        }
    }
}
