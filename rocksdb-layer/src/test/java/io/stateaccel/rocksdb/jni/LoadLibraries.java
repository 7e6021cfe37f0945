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
package io.stateaccel.rocksdb.jni;

import java.io.File;
import org.apache.flink.state.rocksdb.StateAccelRocksDBAccess;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;

/**
 * Loads RocksDB's library and ours and prints what the log says of it.
 *
 * <p>Arguments: the directory for RocksDB's, the one for ours and, optionally, what {@code os.arch}
 * is when ours is loaded.
 */
final class LoadLibraries {

    private LoadLibraries() {}

    public static void main(String[] arguments) throws Exception {
        Configurator.setLevel(NativeLibrary.class.getName(), Level.INFO);
        StateAccelRocksDBAccess.ensureRocksDBIsLoaded(arguments[0]);
        if (arguments.length > 2) {
            System.setProperty("os.arch", arguments[2]);
        }
        NativeLibrary.load(new File(arguments[1]));
    }
}
