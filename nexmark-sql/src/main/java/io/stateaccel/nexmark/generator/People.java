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
 * Fields of person events, each a pure function of the event number, and the choice of a person by
 * other events. Immutable and thread safe.
 */
public final class People {

    /** Other events refer to this many of the newest people ... */
    private static final int ACTIVE = 1000;

    /** ... and to this many who do not exist yet. */
    private static final int LEAD = 10;

    private static final int HOT_EVERY = 100;
    private static final int FIXED_BYTES = 2 * Long.BYTES;

    private static final String[] FIRST_NAMES = {
        "Ada", "Blaise", "Carl", "Emmy", "Grace", "Henri", "Leon", "Mary", "Niels", "Sonya", "Srini"
    };
    private static final String[] LAST_NAMES = {
        "Abel", "Baker", "Carver", "Dolby", "Euler", "Fisher", "Gauss", "Hopper", "Ito"
    };
    private static final BinaryStringData[] CITIES =
            strings(
                    "Phoenix",
                    "Los Angeles",
                    "San Francisco",
                    "Boise",
                    "Portland",
                    "Bend",
                    "Redmond",
                    "Seattle",
                    "Kent",
                    "Cheyenne");
    // q3 keeps OR, ID and CA: half of the people.
    private static final BinaryStringData[] STATES = strings("AZ", "CA", "ID", "OR", "WA", "WY");

    private final EventSequence sequence;
    private final int averageBytes;

    public People(GeneratorConfig config) {
        sequence = new EventSequence(config);
        averageBytes = config.averagePersonBytes();
    }

    public long id(long number) {
        return EventSequence.FIRST_ID + sequence.newestPerson(number);
    }

    public BinaryStringData name(long number) {
        String first = FIRST_NAMES[(int) Randomness.below(FIRST_NAMES.length, number, 0)];
        String last = LAST_NAMES[(int) Randomness.below(LAST_NAMES.length, number, 1)];
        return ascii(first + ' ' + last);
    }

    public BinaryStringData emailAddress(long number) {
        StringBuilder address = new StringBuilder(20);
        Text.letters(address, 7, Randomness.bits(number, 2));
        address.append('@');
        Text.letters(address, 5, Randomness.bits(number, 3));
        return ascii(address.append(".com").toString());
    }

    public BinaryStringData creditCard(long number) {
        StringBuilder card = new StringBuilder(19);
        long digits = Randomness.below(10_000_000_000_000_000L, number, 4);
        for (int i = 0; i < 16; i++) {
            if (i > 0 && i % 4 == 0) {
                card.append(' ');
            }
            card.append((char) ('0' + digits % 10));
            digits /= 10;
        }
        return ascii(card.toString());
    }

    public BinaryStringData city(long number) {
        return CITIES[(int) Randomness.below(CITIES.length, number, 5)];
    }

    public BinaryStringData state(long number) {
        return STATES[(int) Randomness.below(STATES.length, number, 6)];
    }

    public BinaryStringData extra(long number) {
        int present =
                FIXED_BYTES
                        + name(number).getSizeInBytes()
                        + emailAddress(number).getSizeInBytes()
                        + creditCard(number).getSizeInBytes()
                        + city(number).getSizeInBytes()
                        + state(number).getSizeInBytes();
        return Text.padding(averageBytes, present, number, 7);
    }

    /** The id whose events are many now: changes with every hundredth person. */
    long hotId(long number, int offset) {
        return EventSequence.FIRST_ID
                + sequence.newestPerson(number) / HOT_EVERY * HOT_EVERY
                + offset;
    }

    /** The id of someone active now or soon. */
    long activeId(long number, int purpose) {
        long known = sequence.newestPerson(number) + 1;
        long active = Math.min(known, ACTIVE);
        return EventSequence.FIRST_ID
                + known
                - active
                + Randomness.below(active + LEAD, number, purpose);
    }

    private static BinaryStringData ascii(String text) {
        return BinaryStringData.fromBytes(text.getBytes(US_ASCII));
    }

    private static BinaryStringData[] strings(String... texts) {
        BinaryStringData[] strings = new BinaryStringData[texts.length];
        for (int i = 0; i < texts.length; i++) {
            strings[i] = ascii(texts[i]);
        }
        return strings;
    }
}
