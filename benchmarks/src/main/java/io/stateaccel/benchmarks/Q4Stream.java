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
package io.stateaccel.benchmarks;

import io.stateaccel.nexmark.generator.Auctions;
import io.stateaccel.nexmark.generator.Bids;
import io.stateaccel.nexmark.generator.EventSequence;
import io.stateaccel.nexmark.generator.EventType;
import io.stateaccel.nexmark.generator.GeneratorConfig;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.BigIntType;

/**
 * What the join of Nexmark's q4 reads, in the order of the events: auctions {@code (id, category,
 * dateTime, expires)} and bids {@code (auction, price, dateTime)}, {@code BIGINT} all of them. Half
 * of the bids are for the hot auction, the others for one of the newest 110.
 */
final class Q4Stream {

    static final int AUCTION_ID = 0;
    static final int AUCTION_DATE_TIME = 2;
    static final int AUCTION_EXPIRES = 3;
    static final int BID_AUCTION = 0;
    static final int BID_DATE_TIME = 2;

    static final InternalTypeInfo<RowData> AUCTION =
            InternalTypeInfo.ofFields(
                    new BigIntType(), new BigIntType(), new BigIntType(), new BigIntType());
    static final InternalTypeInfo<RowData> BID =
            InternalTypeInfo.ofFields(new BigIntType(), new BigIntType(), new BigIntType());

    private final EventSequence sequence = new EventSequence(GeneratorConfig.DEFAULT);
    private final Auctions auctions = new Auctions(GeneratorConfig.DEFAULT);
    private final Bids bids = new Bids(GeneratorConfig.DEFAULT);

    private long number;

    /** The next row; it is an auction when it has four columns, else a bid. */
    RowData next() {
        while (sequence.typeOf(number) == EventType.PERSON) {
            number++;
        }
        RowData row =
                sequence.typeOf(number) == EventType.AUCTION
                        ? row(
                                auctions.id(number),
                                auctions.category(number),
                                sequence.timeMillis(number),
                                auctions.expiresMillis(number))
                        : row(
                                bids.auction(number),
                                bids.price(number),
                                sequence.timeMillis(number));
        number++;
        return row;
    }

    static boolean isAuction(RowData row) {
        return row.getArity() == AUCTION.toRowSize();
    }

    private static RowData row(long... columns) {
        BinaryRowData row = new BinaryRowData(columns.length);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        for (int i = 0; i < columns.length; i++) {
            writer.writeLong(i, columns[i]);
        }
        writer.complete();
        return row;
    }
}
