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
package io.stateaccel.command.flink;

import io.stateaccel.config.StateAccelOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.internal.TableEnvironmentInternal;
import org.apache.flink.table.operations.BeginStatementSetOperation;
import org.apache.flink.table.operations.EndStatementSetOperation;
import org.apache.flink.table.operations.ExplainOperation;
import org.apache.flink.table.operations.LoadModuleOperation;
import org.apache.flink.table.operations.ModifyOperation;
import org.apache.flink.table.operations.Operation;
import org.apache.flink.table.operations.QueryOperation;
import org.apache.flink.table.operations.StatementSetOperation;
import org.apache.flink.table.operations.UnloadModuleOperation;
import org.apache.flink.table.operations.UseOperation;
import org.apache.flink.table.operations.command.AddJarOperation;
import org.apache.flink.table.operations.command.QuitOperation;
import org.apache.flink.table.operations.command.RemoveJarOperation;
import org.apache.flink.table.operations.command.ResetOperation;
import org.apache.flink.table.operations.command.SetOperation;
import org.apache.flink.table.operations.ddl.AlterOperation;
import org.apache.flink.table.operations.ddl.CreateOperation;
import org.apache.flink.table.operations.ddl.DropOperation;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/**
 * Plans the queries of a SQL file in Flink's own planner, which the entry class of this jar
 * accelerates as it does in a session.
 */
public final class ExplainSql implements BiConsumer<Path, PrintWriter> {

    private static final String EXECUTION_PLAN = "== Optimized Execution Plan ==";

    /** Our nodes, by the names that they have in a plan; a sink by what is ours of it. */
    private static final Pattern ACCELERATED =
            Pattern.compile(
                    "^[ :+-]*((?:MiniBatch|CachedGroup)\\w+\\(.*"
                            + "|Sink\\(.*, upsertMaterialize=\\[bundled\\].*)$",
                    Pattern.MULTILINE);

    private static final int SHORT = 60;

    private final StockReasons stockReasons = StockReasons.listen();
    private final TableEnvironment tables =
            TableEnvironment.create(EnvironmentSettings.inStreamingMode());

    @Override
    public void accept(Path file, PrintWriter out) {
        tables.getConfig().set(StateAccelOptions.ENABLED, true);
        SqlScript script = new SqlScript(read(file));
        int number = 0;
        boolean goesOn = true;
        while (goesOn && script.hasNext()) {
            number++;
            try {
                goesOn = handle(script, number, out);
            } catch (RuntimeException e) {
                throw new IllegalStateException(
                        "Statement "
                                + number
                                + " of "
                                + file
                                + " ("
                                + shortened(script.text())
                                + "): "
                                + innermost(e).getMessage(),
                        e);
            }
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not read " + file + ": " + e.getMessage(), e);
        }
    }

    /**
     * @return false if the statement is the last that Flink's SQL client would look at
     */
    private boolean handle(SqlScript script, int number, PrintWriter out) {
        Operation operation = script.next(this::parse);
        String statement = script.text();
        if (operation instanceof QuitOperation) {
            return false;
        }
        if (operation instanceof EndStatementSetOperation) {
            throw new IllegalStateException("there is no BEGIN STATEMENT SET before it");
        }
        if (operation instanceof BeginStatementSetOperation) {
            statement = statementSet(script);
            print(statement, number, tables.explainSql(statement), out);
        } else if (operation instanceof SetOperation set) {
            set.getKey().ifPresent(key -> tables.getConfig().set(key, set.getValue().orElse("")));
        } else if (operation instanceof ResetOperation reset) {
            reset(reset);
        } else if (isExplained(operation)) {
            print(statement, number, tables.explainSql(statement), out);
        } else if (operation instanceof ExplainOperation) {
            print(statement, number, planOf(statement), out);
        } else if (isExecuted(operation)) {
            tables.executeSql(statement);
        } else {
            out.printf("Statement %d is left out: %s%n%n", number, shortened(statement));
        }
        return true;
    }

    private Operation parse(String statement) {
        return ((TableEnvironmentInternal) tables).getParser().parse(statement).get(0);
    }

    /** From {@code BEGIN STATEMENT SET;} on; in the form in which it is one statement. */
    private String statementSet(SqlScript script) {
        StringBuilder set = new StringBuilder("EXECUTE STATEMENT SET BEGIN\n");
        while (script.hasNext()) {
            Operation operation = script.next(this::parse);
            if (operation instanceof EndStatementSetOperation) {
                return set.append("END").toString();
            }
            if (!(operation instanceof ModifyOperation)) {
                throw new IllegalStateException(
                        "only INSERT is allowed between BEGIN STATEMENT SET and END");
            }
            set.append(script.text()).append(";\n");
        }
        throw new IllegalStateException("the BEGIN STATEMENT SET before it has no END");
    }

    /** Of all keys, what is left is what a session with the acceleration begins with. */
    private void reset(ResetOperation reset) {
        Configuration session = tables.getConfig().getConfiguration();
        if (reset.getKey().isPresent()) {
            session.removeKey(reset.getKey().get());
        } else {
            List.copyOf(session.keySet()).forEach(session::removeKey);
            tables.getConfig().set(StateAccelOptions.ENABLED, true);
        }
    }

    private String planOf(String explainStatement) {
        try (CloseableIterator<Row> rows = tables.executeSql(explainStatement).collect()) {
            return rows.next().getFieldAs(0);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isExplained(Operation operation) {
        return operation instanceof ModifyOperation
                || operation instanceof QueryOperation
                || operation instanceof StatementSetOperation;
    }

    private static boolean isExecuted(Operation operation) {
        return operation instanceof CreateOperation
                || operation instanceof AlterOperation
                || operation instanceof DropOperation
                || operation instanceof UseOperation
                || operation instanceof LoadModuleOperation
                || operation instanceof UnloadModuleOperation
                || operation instanceof AddJarOperation
                || operation instanceof RemoveJarOperation;
    }

    private void print(String statement, int number, String plans, PrintWriter out) {
        String plan = plans.substring(Math.max(0, plans.indexOf(EXECUTION_PLAN)));
        List<String> accelerated =
                ACCELERATED
                        .matcher(plan)
                        .results()
                        .map((MatchResult match) -> match.group(1))
                        .distinct()
                        .toList();
        List<String> stock = stockReasons.of(plans);
        out.printf("Statement %d: %s%n%n%s%n%n", number, shortened(statement), plan.strip());
        accelerated.forEach(node -> out.println("  Accelerated: " + node));
        stock.forEach(reason -> out.println("  " + reason));
        if (!tables.getConfig().get(StateAccelOptions.ENABLED)) {
            out.println("  Not accelerated: the file switches that off.");
        } else if (accelerated.isEmpty() && stock.isEmpty()) {
            out.println("  No node of it keeps state that could be accelerated.");
        }
        out.println();
    }

    private static String shortened(String statement) {
        String line = statement.replaceAll("\\s+", " ");
        return line.length() <= SHORT ? line : line.substring(0, SHORT) + " ...";
    }

    private static Throwable innermost(Throwable error) {
        Throwable found = error;
        while (found.getCause() != null && found.getCause().getMessage() != null) {
            found = found.getCause();
        }
        return found;
    }
}
