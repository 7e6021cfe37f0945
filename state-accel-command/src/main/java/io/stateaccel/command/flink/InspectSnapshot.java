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

import io.stateaccel.flink.snapshot.OperatorNames;
import io.stateaccel.rocksdb.StateKind;
import io.stateaccel.rocksdb.disk.ByteCount;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.KeyedBackendSerializationProxy;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys;

/**
 * Shows what a checkpoint or savepoint holds, from its {@code _metadata} and the heads of its state
 * files, through Flink's own readers.
 */
public final class InspectSnapshot implements BiConsumer<Path, PrintWriter> {

    private static final String METADATA = "_metadata";

    private final ClassLoader classLoader = InspectSnapshot.class.getClassLoader();

    @Override
    public void accept(Path directory, PrintWriter out) {
        try {
            print(directory, read(directory), out);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Could not read the snapshot in " + directory + ": " + e.getMessage(), e);
        }
    }

    private CheckpointMetadata read(Path directory) throws IOException {
        try (InputStream file = Files.newInputStream(directory.resolve(METADATA));
                DataInputStream in = new DataInputStream(new BufferedInputStream(file))) {
            return Checkpoints.loadCheckpointMetadata(
                    in, classLoader, directory.toAbsolutePath().toUri().toString());
        }
    }

    private void print(Path directory, CheckpointMetadata snapshot, PrintWriter out)
            throws IOException {
        List<OperatorState> operators =
                snapshot.getOperatorStates().stream()
                        .sorted(Comparator.comparing(InspectSnapshot::name))
                        .toList();
        boolean isSavepoint =
                snapshot.getCheckpointProperties() != null
                        && snapshot.getCheckpointProperties().isSavepoint();
        out.printf(
                "%s %d in %s: %d operators, %s%n",
                isSavepoint ? "Savepoint" : "Checkpoint",
                snapshot.getCheckpointId(),
                directory,
                operators.size(),
                ByteCount.describe(
                        operators.stream().mapToLong(OperatorState::getStateSize).sum()));
        for (OperatorState operator : operators) {
            out.println();
            print(operator, out);
        }
    }

    private static String name(OperatorState operator) {
        return OperatorNames.nameOf(operator)
                .or(() -> OperatorNames.uidOf(operator))
                .orElseGet(() -> operator.getOperatorID().toString());
    }

    private void print(OperatorState operator, PrintWriter out) throws IOException {
        out.printf("%s%n", name(operator));
        out.printf(
                "  id %s%s, parallelism %d of at most %d, %s%n",
                operator.getOperatorID(),
                OperatorNames.uidOf(operator).map(uid -> ", uid " + uid).orElse(""),
                operator.getParallelism(),
                operator.getMaxParallelism(),
                ByteCount.describe(operator.getStateSize()));
        printOperatorState(operator.getStates(), out);
        KeyedFiles files = new KeyedFiles();
        operator.getStates().forEach(task -> task.getManagedKeyedState().forEach(files::add));
        if (files.isEmpty()) {
            return;
        }
        out.printf("  keyed state: %s%n", files.describe());
        if (!files.heads().isEmpty()) {
            // All sub-tasks hold the same states.
            printKeyedStates(files.heads().get(0), out);
        }
    }

    private static void printOperatorState(
            Collection<OperatorSubtaskState> tasks, PrintWriter out) {
        List<OperatorStateHandle> handles =
                tasks.stream()
                        .flatMap(
                                task ->
                                        task.getManagedOperatorState().stream()
                                                .filter(handle -> handle.getStateSize() > 0))
                        .toList();
        List<String> names =
                handles.stream()
                        .flatMap(
                                handle -> handle.getStateNameToPartitionOffsets().keySet().stream())
                        .distinct()
                        .sorted()
                        .toList();
        if (!names.isEmpty()) {
            out.printf(
                    "  operator state: %s, %s%n",
                    String.join(", ", names),
                    ByteCount.describe(
                            handles.stream().mapToLong(OperatorStateHandle::getStateSize).sum()));
        }
    }

    private void printKeyedStates(StreamStateHandle head, PrintWriter out) throws IOException {
        KeyedBackendSerializationProxy<?> keyed = new KeyedBackendSerializationProxy<>(classLoader);
        try (InputStream in = head.openInputStream()) {
            keyed.read(new DataInputViewStreamWrapper(in));
        }
        out.printf("    key %s%n", describe(keyed.getKeySerializerSnapshot()));
        List<StateMetaInfoSnapshot> states =
                keyed.getStateMetaInfoSnapshots().stream()
                        .sorted(Comparator.comparing(StateMetaInfoSnapshot::getName))
                        .toList();
        for (StateMetaInfoSnapshot state : states) {
            out.printf("    %-11s %s: %s%n", StateKind.of(state), state.getName(), describe(state));
        }
    }

    private static String describe(StateMetaInfoSnapshot state) {
        TypeSerializerSnapshot<?> namespace =
                state.getTypeSerializerSnapshot(CommonSerializerKeys.NAMESPACE_SERIALIZER);
        return describe(state.getTypeSerializerSnapshot(CommonSerializerKeys.VALUE_SERIALIZER))
                + (namespace == null ? "" : ", namespace " + describe(namespace));
    }

    private static String describe(TypeSerializerSnapshot<?> snapshot) {
        return describe(snapshot.restoreSerializer());
    }

    private static String describe(TypeSerializer<?> serializer) {
        if (serializer instanceof ListSerializer<?> list) {
            return "list of " + describe(list.getElementSerializer());
        }
        if (serializer instanceof MapSerializer<?, ?> map) {
            return "map of "
                    + describe(map.getKeySerializer())
                    + " to "
                    + describe(map.getValueSerializer());
        }
        return serializer.getClass().getSimpleName();
    }
}
