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
package io.stateaccel.nexmark.workload;

import static org.apache.flink.table.api.Expressions.$;
import static org.apache.flink.table.api.Expressions.call;
import static org.apache.flink.table.api.Expressions.lit;

import io.stateaccel.nexmark.function.TwoHighest;
import java.util.function.Function;
import org.apache.flink.table.api.Slide;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.TableEnvironment;

/** A view for what SQL has no words for, over the tables of Nexmark. */
public enum TableApiView {
    TWO_HIGHEST("two_highest", TableApiView::twoHighest),
    TWO_HIGHEST_OF_WINDOWS("two_highest_of_windows", TableApiView::twoHighestOfWindows);

    private final String title;
    private final Function<TableEnvironment, Table> query;

    TableApiView(String title, Function<TableEnvironment, Table> query) {
        this.title = title;
        this.query = query;
    }

    /** Adds the view, for a statement to read. */
    public void create(TableEnvironment tables) {
        tables.createTemporaryView(title, query.apply(tables));
    }

    private static Table twoHighest(TableEnvironment tables) {
        return tables.from("bid")
                .groupBy($("auction"))
                .flatAggregate(call(TwoHighest.class, $("price")).as("place", "price"))
                .select($("auction"), $("place"), $("price"));
    }

    private static Table twoHighestOfWindows(TableEnvironment tables) {
        return tables.from("bid")
                .window(
                        Slide.over(lit(10).seconds())
                                .every(lit(2).seconds())
                                .on($("dateTime"))
                                .as("w"))
                .groupBy($("auction"), $("w"))
                .flatAggregate(call(TwoHighest.class, $("price")).as("place", "price"))
                .select($("auction"), $("place"), $("price"), $("w").start().as("window_start"));
    }
}
