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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.ttl.TtlUtils;
import org.junit.jupiter.api.Test;

class LifetimeTest {

    private long now;

    @Test
    void expiresWhenFlinkSaysSo() {
        long seed = Long.getLong("stateaccel.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int i = 0; i < 10_000; i++) {
            TimeToLive ttl = TimeToLive.ofMillis(1 + (time(random) & Long.MAX_VALUE - 1));
            long lastWrite = time(random);
            now = random.nextBoolean() ? time(random) : lastWrite + ttl.millis();
            assertThat(ttl.by(() -> now).isExpired(lastWrite))
                    .as("seed %d: %d ms, written at %d, at %d", seed, ttl.millis(), lastWrite, now)
                    .isEqualTo(TtlUtils.expired(lastWrite, ttl.millis(), now));
        }
    }

    /** Of any order of magnitude, and the ends. */
    private static long time(Random random) {
        return random.nextInt(10) == 0
                ? random.nextBoolean() ? Long.MAX_VALUE : Long.MIN_VALUE
                : random.nextLong() >> random.nextInt(64);
    }

    @Test
    void whatLivesForEverNeverExpires() {
        Lifetime lifetime = TimeToLive.ofMillis(-1).by(() -> Long.MAX_VALUE);
        assertThat(lifetime.isForever()).isTrue();
        assertThat(lifetime.isExpired(Long.MIN_VALUE)).isFalse();
        assertThat(lifetime.applyTo(descriptor()).getTtlConfig().isEnabled()).isFalse();
        assertThatThrownBy(() -> new TimeToLive(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void tellsFlinkThatAWriteBeginsANewLifeAndAReadDoesNot() {
        StateTtlConfig config =
                TimeToLive.ofMillis(5_000).by(() -> now).applyTo(descriptor()).getTtlConfig();
        assertThat(config.getTimeToLive().toMillis()).isEqualTo(5_000);
        assertThat(config.getUpdateType()).isEqualTo(StateTtlConfig.UpdateType.OnCreateAndWrite);
        assertThat(config.getStateVisibility())
                .isEqualTo(StateTtlConfig.StateVisibility.NeverReturnExpired);
    }

    private static ValueStateDescriptor<Long> descriptor() {
        return new ValueStateDescriptor<>("state", Types.LONG);
    }
}
