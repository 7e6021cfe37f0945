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
package io.stateaccel.flinktests;

import io.stateaccel.flinktests.standin.Backends;
import io.stateaccel.flinktests.standin.BundledMaterializer;
import io.stateaccel.flinktests.standin.HeapConflictMaterializer;
import io.stateaccel.flinktests.standin.TaskHarness;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.runtime.operators.sink.SinkUpsertMaterializer;
import org.apache.flink.table.runtime.operators.sink.SinkUpsertMaterializerV2;
import org.apache.flink.table.runtime.operators.sink.WatermarkCompactingSinkMaterializer;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Type;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.Remapper;

/**
 * Loads Flink's tests of operators that they make themselves, with the names of Flink's operators
 * replaced by those of ours. Nothing else of the tests changes, and the same classes loaded
 * elsewhere still test Flink's.
 */
final class StandInLoader extends ClassLoader {

    /** Of the tests, and of Flink's operators, which this does not load. */
    private static final String PACKAGE = SinkUpsertMaterializer.class.getPackageName();

    private static final String BACKENDS = PACKAGE + ".SinkUpsertMaterializerStateBackend";

    private static final Map<Class<?>, Class<?>> STAND_INS =
            Map.of(
                    SinkUpsertMaterializer.class, BundledMaterializer.class,
                    SinkUpsertMaterializerV2.class, BundledMaterializer.class,
                    WatermarkCompactingSinkMaterializer.class, HeapConflictMaterializer.class,
                    KeyedOneInputStreamOperatorTestHarness.class, TaskHarness.class);

    private final Map<String, Class<?>> standIns = new HashMap<>();

    private final Set<Class<?>> used = new HashSet<>();

    StandInLoader() {
        super(StandInLoader.class.getClassLoader());
        STAND_INS.forEach((flinks, ours) -> standIns.put(Type.getInternalName(flinks), ours));
        // Not public.
        standIns.put(BACKENDS.replace('.', '/'), Backends.class);
    }

    /** The classes of ours that the tests loaded so far name. */
    Set<Class<?>> used() {
        return Set.copyOf(used);
    }

    /**
     * @param simpleName of a test of Flink's sinks
     */
    Class<?> load(String simpleName) throws ClassNotFoundException {
        return loadClass(PACKAGE + "." + simpleName);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            final Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            return name.startsWith(PACKAGE) && isOfTests(name)
                    ? withStandIns(name)
                    : super.loadClass(name, resolve);
        }
    }

    private static boolean isOfTests(String name) {
        return name.substring(PACKAGE.length() + 1)
                .matches("\\w+Test(\\$\\w+)*|SinkUpsertMaterializerVersion(\\$\\d)?");
    }

    private Class<?> withStandIns(String name) throws ClassNotFoundException {
        try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            final ClassReader reader = new ClassReader(in);
            final ClassWriter writer = new ClassWriter(0);
            reader.accept(new ClassRemapper(writer, new StandIns()), 0);
            final byte[] code = writer.toByteArray();
            return defineClass(name, code, 0, code.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private final class StandIns extends Remapper {

        @Override
        public String map(String internalName) {
            final Class<?> standIn = standIns.get(internalName);
            if (standIn == null) {
                return internalName;
            }
            used.add(standIn);
            return Type.getInternalName(standIn);
        }
    }
}
