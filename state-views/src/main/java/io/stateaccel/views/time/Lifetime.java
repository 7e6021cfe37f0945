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
package io.stateaccel.views.time;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.runtime.state.ttl.TtlValue;

/**
 * A {@link TimeToLive} while a job runs: what has expired, and how Flink is told. As in Flink's SQL
 * operators, creating and writing begin a new life, reading does not, and what has expired is never
 * returned. Used by the task thread.
 */
public final class Lifetime {

    /** What may stay longer than asked for, as part of the time to live. */
    private static final int LENIENCE = 10;

    private final TimeToLive ttl;
    private final LongSupplier clock;
    private final LongSupplier cleanupClock;
    private final long lateMillis;

    Lifetime(TimeToLive ttl, LongSupplier clock) {
        this(ttl, clock, clock, 0);
    }

    private Lifetime(
            TimeToLive ttl, LongSupplier clock, LongSupplier cleanupClock, long lateMillis) {
        this.ttl = ttl;
        this.clock = clock;
        this.cleanupClock = cleanupClock;
        this.lateMillis = lateMillis;
    }

    /**
     * The same for what is asked for as of earlier than it is, as rows of a bundle do that keep the
     * time when they came: what had not expired by then is still to be there.
     *
     * @param earliest as of when anything may still be asked for, whatever its key
     * @param millis that lie between that and now at most; on RocksDB what has expired stays for
     *     that long, as the compaction filter goes by the clock of the machine
     */
    public Lifetime askedLate(LongSupplier earliest, long millis) {
        return new Lifetime(ttl, clock, earliest, millis);
    }

    public boolean isForever() {
        return ttl.isForever();
    }

    /** What a write at this moment is stamped with, in milliseconds. */
    public long now() {
        return clock.getAsLong();
    }

    /** By when anything has to have expired to be removed. */
    long cleanupTime() {
        return cleanupClock.getAsLong();
    }

    /**
     * @param lastWrite what it was stamped with
     * @param now as {@link #now} has it, which whoever looks at much asks for once
     */
    public boolean isExpired(long lastWrite, long now) {
        return !isForever() && SaturatedMath.add(lastWrite, ttl.millis()) <= now;
    }

    /** As {@link #isExpired(long, long)}, at this moment. */
    public boolean isExpired(long lastWrite) {
        return !isForever() && isExpired(lastWrite, now());
    }

    /**
     * What has not expired of a list.
     *
     * @param now as for {@link #isExpired(long, long)}
     * @return null if nothing is left, the same list if all is
     */
    @Nullable
    public <E> List<TtlValue<E>> unexpired(List<TtlValue<E>> stored, long now) {
        List<TtlValue<E>> left = new ArrayList<>(stored.size());
        for (TtlValue<E> value : stored) {
            if (!isExpired(value.getLastAccessTimestamp(), now)) {
                left.add(value);
            }
        }
        if (left.isEmpty()) {
            return null;
        }
        return left.size() == stored.size() ? stored : left;
    }

    /**
     * Milliseconds that anything may outlive its time by, so that it need not be written whenever
     * what it belongs to is.
     */
    public long lenienceMillis() {
        return ttl.millis() / LENIENCE;
    }

    /**
     * Has Flink expire a state. Where Flink's wrapper is around the state, that does all of it;
     * where it is not, RocksDB's compaction filter drops what has expired.
     *
     * @return the descriptor
     */
    public <D extends StateDescriptor<?, ?>> D applyTo(D descriptor) {
        if (!isForever()) {
            descriptor.enableTimeToLive(
                    TimeToLive.ofMillis(SaturatedMath.add(ttl.millis(), lateMillis)).config());
        }
        return descriptor;
    }
}
