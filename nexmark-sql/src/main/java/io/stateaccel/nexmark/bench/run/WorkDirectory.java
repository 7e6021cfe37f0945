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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where a local run keeps its files.
 *
 * @param root directory of the run
 */
public record WorkDirectory(Path root) {

    /** Local state of the backends. */
    Path state() {
        return root.resolve("state");
    }

    /** Logs of RocksDB that outlive its instances. */
    Path logs() throws IOException {
        return Files.createDirectories(root.resolve("logs"));
    }

    /** Flink's settings that send its files here. */
    Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("execution.checkpointing.dir", root.resolve("checkpoints").toUri().toString());
        settings.put("dstl.dfs.base-path", root.resolve("changelog").toUri().toString());
        settings.put("io.tmp.dirs", root.resolve("tmp").toString());
        settings.put("state.backend.rocksdb.localdir", state().resolve("rocksdb").toString());
        settings.put("state.backend.forst.local-dir", state().resolve("forst").toString());
        return settings;
    }
}
