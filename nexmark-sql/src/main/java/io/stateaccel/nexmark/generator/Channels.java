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
package io.stateaccel.nexmark.generator;

import static java.nio.charset.StandardCharsets.US_ASCII;

import org.apache.flink.table.data.binary.BinaryStringData;

/**
 * The channels that bids come through, each with its fixed URL. The tables (about 2 MB) are filled
 * when a bid's channel or URL is first asked for. Immutable and thread safe.
 */
final class Channels {

    /** Indices {@code 0..HOT-1} are the well-known channels. */
    static final int HOT = 4;

    /** The indices that follow are the others. */
    static final int COLD = 10_000;

    static final BinaryStringData[] NAMES = new BinaryStringData[HOT + COLD];
    static final BinaryStringData[] URLS = new BinaryStringData[HOT + COLD];

    static {
        String[] hot = {"Google", "Facebook", "Baidu", "Apple"};
        for (int i = 0; i < HOT + COLD; i++) {
            NAMES[i] = ascii(i < HOT ? hot[i] : "channel-" + (i - HOT));
            URLS[i] = ascii(url(i));
        }
    }

    private Channels() {}

    private static String url(int channel) {
        // Negative event numbers: these bits belong to no event.
        long seed = -1L - channel;
        StringBuilder url = new StringBuilder("https://www.nexmark.com/");
        for (int part = 0; part < 3; part++) {
            Text.letters(url, 5, Randomness.bits(seed, 60 + part));
            url.append('/');
        }
        url.append("item.htm?query=1");
        if (channel >= HOT && Randomness.below(10, seed, 63) > 0) {
            url.append("&channel_id=").append(Randomness.below(Integer.MAX_VALUE, seed, 64));
        }
        return url.toString();
    }

    private static BinaryStringData ascii(String text) {
        return BinaryStringData.fromBytes(text.getBytes(US_ASCII));
    }
}
