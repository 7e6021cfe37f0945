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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.function.LongToDoubleFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The distributions that shared knowledge of Nexmark prescribes. */
class GeneratorTest {

    private static final long EVENTS = 500_000;
    private static final GeneratorConfig CONFIG = GeneratorConfig.DEFAULT;

    private final EventSequence sequence = new EventSequence(CONFIG);
    private final People people = new People(CONFIG);
    private final Auctions auctions = new Auctions(CONFIG);
    private final Bids bids = new Bids(CONFIG);

    @Test
    void fiftyEventsAreOnePersonThreeAuctionsAndBids() {
        assertThat(count(EventType.PERSON)).isEqualTo(EVENTS / 50);
        assertThat(count(EventType.AUCTION)).isEqualTo(EVENTS / 50 * 3);
        assertThat(count(EventType.BID)).isEqualTo(EVENTS / 50 * 46);
        assertThat(sequence.typeOf(0)).isEqualTo(EventType.PERSON);
        assertThat(sequence.typeOf(3)).isEqualTo(EventType.AUCTION);
        assertThat(sequence.typeOf(4)).isEqualTo(EventType.BID);
        assertThat(sequence.typeOf(49)).isEqualTo(EventType.BID);
        assertThat(sequence.typeOf(50)).isEqualTo(EventType.PERSON);
    }

    @Test
    void idsCountUpFrom1000() {
        assertThat(people.id(0)).isEqualTo(1000);
        assertThat(people.id(50)).isEqualTo(1001);
        assertThat(LongStream.of(1, 2, 3, 51, 52, 53).map(auctions::id))
                .containsExactly(1000L, 1001L, 1002L, 1003L, 1004L, 1005L);
    }

    @Test
    void idsAreUniqueForOtherProportions() {
        GeneratorConfig config =
                new GeneratorConfig(1000, 1000, 600, 0, 3, 2, 0, 200, 500, 100, 2, 4, 4);
        EventSequence other = new EventSequence(config);
        for (EventType type : new EventType[] {EventType.PERSON, EventType.AUCTION}) {
            LongStream ids =
                    LongStream.range(0, 1000)
                            .filter(n -> other.typeOf(n) == type)
                            .map(
                                    type == EventType.PERSON
                                            ? new People(config)::id
                                            : new Auctions(config)::id);
            assertThat(ids.toArray()).doesNotHaveDuplicates().isSorted().startsWith(1000L);
        }
    }

    @Test
    void eventTimeIsSpacedByTheRate() {
        long base = GeneratorConfig.DEFAULT_BASE_TIME_MILLIS;
        assertThat(sequence.timeMillis(0)).isEqualTo(base);
        assertThat(sequence.timeMillis(10_000)).isEqualTo(base + 1);
        assertThat(sequence.timeMillis(10_000_000_000L)).isEqualTo(base + 1_000_000);
        EventSequence slow = new EventSequence(CONFIG.withEventRate(10));
        assertThat(slow.timeMillis(7)).isEqualTo(base + 700);
    }

    @Test
    void eventTimeAlternatesBetweenTwoRates() {
        GeneratorConfig config =
                new GeneratorConfig(10, 100, 4, 0, 1, 3, 46, 200, 500, 100, 2, 4, 4);
        EventSequence twoRates = new EventSequence(config);
        assertThat(twoRates.timeMillis(19)).isEqualTo(1900);
        assertThat(twoRates.timeMillis(20)).isEqualTo(2000);
        assertThat(twoRates.timeMillis(21)).isEqualTo(2010);
        assertThat(twoRates.timeMillis(220)).isEqualTo(4000);
        assertThat(twoRates.timeMillis(221)).isEqualTo(4100);
    }

    @Test
    void halfOfTheBidsAreForTheHotAuction() {
        // The hot one is also in flight now and then, and then drawn by chance.
        double hot = bidShare(n -> bids.auction(n) == auctions.hotId(n));
        assertThat(hot).isCloseTo(0.5, within(0.02));
        assertThat(auctions.hotId(EVENTS) % 100).isZero();
        assertThat(bidShare(n -> bids.auction(n) > newestAuctionId(n))).isBetween(0.03, 0.06);
        assertThat(bidShare(n -> bids.auction(n) > newestAuctionId(n) + 10)).isZero();
        assertThat(bidShare(n -> bids.auction(n) < newestAuctionId(n) - 100)).isZero();
    }

    @Test
    void threeQuartersOfTheBidsAreByTheHotBidder() {
        double hot = bidShare(n -> bids.bidder(n) == people.hotId(n, 1));
        assertThat(hot).isCloseTo(0.75, within(0.01));
        assertThat(people.hotId(EVENTS, 1) % 100).isEqualTo(1);
        assertThat(bidShare(n -> bids.bidder(n) > people.id(n) + 10)).isZero();
        assertThat(bidShare(n -> bids.bidder(n) < people.id(n) - 1000)).isZero();
    }

    @Test
    void threeQuartersOfTheAuctionsAreByTheHotSeller() {
        double hot = share(EventType.AUCTION, n -> auctions.seller(n) == people.hotId(n, 0));
        assertThat(hot).isCloseTo(0.75, within(0.01));
    }

    @Test
    void hotRatioOfOneMeansNoneIsHot() {
        GeneratorConfig config =
                new GeneratorConfig(1000, 1000, 600, 0, 1, 3, 46, 200, 500, 100, 1, 1, 1);
        Bids even = new Bids(config);
        Auctions evenAuctions = new Auctions(config);
        double hot = bidShare(n -> even.auction(n) == evenAuctions.hotId(n));
        assertThat(hot).isLessThan(0.02);
    }

    @Test
    void pricesAreLogUniform() {
        assertThat(bidShare(n -> bids.price(n) < 100 || bids.price(n) > 100_000_000)).isZero();
        for (int decade = 2; decade < 8; decade++) {
            double from = Math.pow(10, decade);
            assertThat(bidShare(n -> bids.price(n) >= from && bids.price(n) < 10 * from))
                    .isCloseTo(1 / 6.0, within(0.005));
        }
        assertThat(share(EventType.AUCTION, n -> auctions.reserve(n) <= auctions.initialBid(n)))
                .isZero();
    }

    @Test
    void auctionsLastUpToTwiceTheTimeOfAHundredMore() {
        Auctions slow = new Auctions(CONFIG.withEventRate(1000));
        EventSequence slowSequence = new EventSequence(CONFIG.withEventRate(1000));
        LongToDoubleFunction length = n -> slow.expiresMillis(n) - slowSequence.timeMillis(n);
        // 100 auctions are 1,666 events, 1,666 ms at this rate.
        double[] lengths = numbers(EventType.AUCTION).mapToDouble(length).toArray();
        assertThat(Arrays.stream(lengths).allMatch(ms -> ms >= 1 && ms <= 2 * 1667)).isTrue();
        assertThat(Arrays.stream(lengths).average().orElseThrow()).isCloseTo(1666, within(20.0));
    }

    @Test
    void auctionsOfAFastStreamLastAtLeastAMillisecond() {
        assertThat(
                        share(
                                EventType.AUCTION,
                                n -> auctions.expiresMillis(n) <= sequence.timeMillis(n)))
                .isZero();
    }

    @Test
    void categoriesAreFiveAndEven() {
        for (int category = 10; category <= 14; category++) {
            int wanted = category;
            assertThat(share(EventType.AUCTION, n -> auctions.category(n) == wanted))
                    .isCloseTo(0.2, within(0.01));
        }
    }

    @Test
    void extraPadsEventsToTheirAverageSize() {
        assertThat(
                        average(
                                EventType.PERSON,
                                n ->
                                        16
                                                + people.name(n).getSizeInBytes()
                                                + people.emailAddress(n).getSizeInBytes()
                                                + people.creditCard(n).getSizeInBytes()
                                                + people.city(n).getSizeInBytes()
                                                + people.state(n).getSizeInBytes()
                                                + people.extra(n).getSizeInBytes()))
                .isCloseTo(200, within(4.0));
        assertThat(
                        average(
                                EventType.AUCTION,
                                n ->
                                        56
                                                + auctions.itemName(n).getSizeInBytes()
                                                + auctions.description(n).getSizeInBytes()
                                                + auctions.extra(n).getSizeInBytes()))
                .isCloseTo(500, within(10.0));
        assertThat(average(EventType.BID, n -> 32 + bids.extra(n).getSizeInBytes()))
                .isCloseTo(100, within(2.0));
        assertThat(bidShare(n -> bids.extra(n).getSizeInBytes() > 68 * 1.2)).isZero();
    }

    @Test
    void textsAreLettersWithOneInThirteenASpace() {
        StringBuilder all = new StringBuilder();
        numbers(EventType.AUCTION)
                .limit(5_000)
                .forEach(n -> all.append(auctions.description(n)).append(auctions.extra(n)));
        assertThat(all.toString()).matches("[a-z ]+");
        double spaces = all.chars().filter(c -> c == ' ').count() / (double) all.length();
        assertThat(spaces).isCloseTo(1 / 13.0, within(0.01));
        assertThat(share(EventType.AUCTION, n -> auctions.itemName(n).getSizeInBytes() > 20))
                .isZero();
        assertThat(share(EventType.AUCTION, n -> auctions.description(n).getSizeInBytes() > 100))
                .isZero();
    }

    @Test
    void halfOfTheBidsComeThroughFourChannels() {
        Set<String> hot = Set.of("Google", "Facebook", "Baidu", "Apple");
        assertThat(bidShare(n -> hot.contains(bids.channel(n).toString())))
                .isCloseTo(0.5, within(0.01));
        Set<String> channels = new HashSet<>();
        Set<String> pairs = new HashSet<>();
        numbers(EventType.BID)
                .forEach(
                        n -> {
                            channels.add(bids.channel(n).toString());
                            pairs.add(bids.channel(n) + " " + bids.url(n));
                            assertThat(bids.url(n).toString())
                                    .matches(
                                            "https://www\\.nexmark\\.com/[a-z]{5}/[a-z]{5}/[a-z]{5}"
                                                    + "/item\\.htm\\?query=1(&channel_id=\\d+)?");
                        });
        assertThat(channels).hasSize(10_004);
        assertThat(pairs).as("one URL per channel").hasSize(10_004);
        double cold = bidShare(n -> !hot.contains(bids.channel(n).toString()));
        double withId = bidShare(n -> bids.url(n).toString().contains("channel_id"));
        assertThat(withId / cold).isCloseTo(0.9, within(0.01));
    }

    @Test
    void peopleLookLikePeople() {
        numbers(EventType.PERSON)
                .limit(1000)
                .forEach(
                        n -> {
                            assertThat(people.name(n).toString()).matches("[A-Z]\\w+ [A-Z]\\w+");
                            assertThat(people.emailAddress(n).toString())
                                    .matches("[a-z]{7}@[a-z]{5}\\.com");
                            assertThat(people.creditCard(n).toString())
                                    .matches("\\d{4} \\d{4} \\d{4} \\d{4}");
                            assertThat(people.state(n).toString()).matches("[A-Z]{2}");
                        });
    }

    @Test
    void badValuesAreNamed() {
        assertThatThrownBy(() -> CONFIG.withEventRate(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("first-event.rate must be at least 1 but is 0");
    }

    private long newestAuctionId(long number) {
        return EventSequence.FIRST_ID + sequence.newestAuction(number);
    }

    private long count(EventType type) {
        return numbers(type).count();
    }

    private double bidShare(LongPredicate of) {
        return share(EventType.BID, of);
    }

    private double share(EventType type, LongPredicate of) {
        return numbers(type).filter(of).count() / (double) count(type);
    }

    private double average(EventType type, LongToDoubleFunction of) {
        return numbers(type).mapToDouble(of).average().orElseThrow();
    }

    private LongStream numbers(EventType type) {
        return LongStream.range(0, EVENTS).filter(n -> sequence.typeOf(n) == type);
    }
}
