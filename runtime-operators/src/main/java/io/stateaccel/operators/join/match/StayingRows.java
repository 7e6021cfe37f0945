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
package io.stateaccel.operators.join.match;

import java.util.BitSet;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;

/**
 * The rows of one side of a key that stay while a bundle changes the other, and that find their
 * first match or lose their last one by that.
 */
interface StayingRows {

    /**
     * Where the view of a side keeps the number of matches with each row they are those, and else
     * the rows that are there.
     *
     * @param side whose rows are in the result if they have no match, or only then
     */
    static StayingRows of(JoinSide side, JoinSide other, JoinMatcher matcher) {
        return side.keepsMatches()
                ? new StoredMatches(side, other, matcher)
                : new DerivedMatches(side, other, matcher);
    }

    /**
     * What becomes, as rows without a match, of the retracted rows of the side, when those of the
     * other side have been retracted before them. To be called before they are taken out.
     *
     * @param matched by index, which of them have a match among the rows that are left
     * @param consumer takes the index of a retraction
     */
    void forRetracted(BitSet matched, BiConsumer<Integer, RowKind> consumer) throws Exception;

    /** Starts a key, whose retracted rows have been taken out of either side. */
    void begin() throws Exception;

    /**
     * Those that turn, among them rows that additions are going to replace.
     *
     * @param find whether to find those that find a match, or those that lose one
     */
    void forThoseThatGo(boolean find, Consumer<RowData> consumer) throws Exception;

    /**
     * Additions that take the place of a row that has expired, but may still be seen as one without
     * a match, and are seen so themselves until the first one comes, which is within the bundle. To
     * be called after {@link #forThoseThatGo} for those that find a match.
     */
    void forThoseThatReplaceExpired(Consumer<RowData> consumer) throws Exception;

    /**
     * Those that turn, when replaced rows have been taken out. To be called for each key, with the
     * other answer to what to find.
     */
    void forThoseThatCome(boolean find, Consumer<RowData> consumer) throws Exception;

    /**
     * Those, among them additions, that have no match before the bundle or after it, but have had
     * one that came and went, so that they were seen as rows with a match in between. That matters
     * only to who reads by key, and has an older row from before its match expired. To be called
     * when replaced rows have been taken out, and before {@link #forThoseThatCome}.
     */
    void forThoseMatchedMeanwhile(Consumer<RowData> consumer) throws Exception;

    /**
     * Those, among them rows that additions are going to replace, that have a match before the
     * bundle and after it, but have lost their last one before they found another. That matters as
     * above.
     */
    void forThoseUnmatchedMeanwhile(Consumer<RowData> consumer) throws Exception;
}
