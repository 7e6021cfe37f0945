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

/**
 * Something that happened to a training sample, which is an item that was recommended to a user. A
 * POJO of Flink's; fields that an event of its kind does not have are 0 or empty.
 */
public final class SampleEvent {

    /** The streams that sample events come in. */
    public enum Kind {
        /** What the recommender knew when it chose the item. */
        SERVED,
        /** The item was on the user's screen. */
        EXPOSURE,
        /** The user opened it. */
        CLICK,
        /** The user played, liked, commented on or shared it. */
        FOLLOW_UP
    }

    /** Which follow-up. */
    public enum Action {
        PLAY,
        LIKE,
        COMMENT,
        SHARE
    }

    /** Id of the sample. */
    public String sample;

    public Kind kind;

    /** Event time in milliseconds since the epoch. */
    public long time;

    /** When the sample was served, in milliseconds since the epoch; the same in all its events. */
    public long servedAt;

    /** Of {@link Kind#SERVED}. */
    public long user;

    /** Of {@link Kind#SERVED}. */
    public long item;

    /** Of {@link Kind#SERVED} and {@link Kind#EXPOSURE}: hashes of features and their values. */
    public long[] features = {};

    /** Of {@link Kind#FOLLOW_UP}. */
    public Action action = Action.PLAY;

    /** Of {@link Kind#FOLLOW_UP}: how long the user has been watching, in milliseconds. */
    public long watchedMillis;
}
