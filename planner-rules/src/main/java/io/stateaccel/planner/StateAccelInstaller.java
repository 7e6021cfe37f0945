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
package io.stateaccel.planner;

import java.util.function.Consumer;
import org.apache.flink.table.api.TableConfig;

/**
 * {@link StateAccel#install(TableConfig)} as an object, because its caller sits in another class
 * loader and can share with it only types that both know.
 */
public final class StateAccelInstaller implements Consumer<TableConfig> {

    @Override
    public void accept(TableConfig tableConfig) {
        StateAccel.install(tableConfig);
    }
}
