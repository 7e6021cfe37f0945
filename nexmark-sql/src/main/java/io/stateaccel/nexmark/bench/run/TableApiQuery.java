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
package io.stateaccel.nexmark.bench.run;

import io.stateaccel.nexmark.bench.queries.Query;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;

/** For {@code flink run}: a query that {@code sql-client.sh} has no words for. */
public final class TableApiQuery {

    private TableApiQuery() {}

    /**
     * @param args the query's name and the number of events
     */
    public static void main(String[] args) {
        Query query = Query.named(args[0]);
        TableEnvironment tables = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
        tables.executeSql(query.prepare(tables, query.statements(Long.parseLong(args[1]))));
    }
}
