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
package io.stateaccel.rocksdb;

import io.stateaccel.rocksdb.metrics.ColumnFamilyChoice;
import io.stateaccel.rocksdb.prefix.KeyLayout;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import javax.annotation.Nullable;
import org.apache.flink.state.rocksdb.RocksDBNativeMetricOptions;
import org.apache.flink.state.rocksdb.RocksDBOptionsFactory;
import org.apache.flink.state.rocksdb.RocksDBResourceContainer;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.ReadOptions;
import org.rocksdb.WriteOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives Flink the column family options of each state: stock configuration, then {@link
 * ColumnFamilyPolicy} for the state's kind, then the user's {@link RocksDBOptionsFactory}, then
 * Flink's shared cache and write buffer manager.
 *
 * <p>{@link RocksDBResourceContainer} runs these steps in that order, but its options factory is
 * not told which state it works for. So this class is both: the function from state names to
 * options that Flink's builder and restore operations call, and, through {@link #optionsFactory()},
 * the options factory inside of the container. The former tells the latter the kind.
 *
 * <p>Not thread-safe, like the container.
 */
final class ColumnFamilyOptionsSource implements Function<String, ColumnFamilyOptions> {

    private static final Logger LOG = LoggerFactory.getLogger(ColumnFamilyOptionsSource.class);

    private final ColumnFamilyPolicy policy;
    private final StateKinds kinds;
    private final boolean userMayChangeOptions;
    private final RocksDBOptionsFactory optionsFactory;
    private final Map<String, ColumnFamilyChoice> choices = new HashMap<>();
    private final Set<String> statesWithHashMemtables = new HashSet<>();

    private RocksDBResourceContainer container;
    private boolean restoresBlobFiles;
    private String stateInCreation = "";
    private StateKind kindInCreation = StateKind.OTHER;
    @Nullable private KeyLayout prefixLayoutInCreation;

    /**
     * @param userFactory the user's options factory, which has the last word, or null
     */
    ColumnFamilyOptionsSource(
            ColumnFamilyPolicy policy,
            StateKinds kinds,
            @Nullable RocksDBOptionsFactory userFactory) {
        this.policy = policy;
        this.kinds = kinds;
        this.userMayChangeOptions = userFactory != null;
        this.optionsFactory =
                new PolicyFactory(userFactory == null ? new NoChanges() : userFactory);
    }

    /** The factory to build the resource container with. */
    RocksDBOptionsFactory optionsFactory() {
        return optionsFactory;
    }

    /** Sets the container that was built with {@link #optionsFactory()}. */
    void connect(RocksDBResourceContainer container) {
        this.container = container;
    }

    /** To be called, before the first column family is opened, if some have separated values. */
    void expectBlobFiles() {
        restoresBlobFiles = true;
    }

    /** Whether options, those of blob files among them, may be others than the policy's. */
    boolean userMayChangeOptions() {
        return userMayChangeOptions;
    }

    @Override
    public ColumnFamilyOptions apply(String stateName) {
        StateKind kind = kinds.get(stateName);
        KeyLayout prefixLayout = prefixLayout(stateName).orElse(null);
        stateInCreation = stateName;
        kindInCreation = kind;
        prefixLayoutInCreation = prefixLayout;
        try {
            ColumnFamilyOptions options = container.getColumnOptions();
            ColumnFamilyChoice choice =
                    ColumnFamilyPolicy.describe(
                            options, prefixLayout != null && kind == StateKind.MAP);
            if (ColumnFamilyPolicy.hasHashMemtable(options)) {
                statesWithHashMemtables.add(stateName);
            }
            if (choices.put(stateName, choice) == null && kind != StateKind.OTHER) {
                LOG.info("[state-accel] state '{}' ({}): {}", stateName, kind, choice);
                if (prefixLayout == null && policy.memtable(kind).isHash()) {
                    LOG.info(
                            "[state-accel] state '{}': no {} memtable, {}",
                            stateName,
                            policy.memtable(kind),
                            whyThereIsNoPrefix());
                }
            }
            return options;
        } finally {
            stateInCreation = "";
            kindInCreation = StateKind.OTHER;
            prefixLayoutInCreation = null;
        }
    }

    private String whyThereIsNoPrefix() {
        if (userMayChangeOptions) {
            return "it is up to the RocksDBOptionsFactory";
        }
        return policy.hasNativeLibrary()
                ? "the bytes of its keys or namespaces do not tell where they end"
                : "which needs the native library";
    }

    /**
     * Whether a state's column family has a memtable of which iterators that are not in total order
     * see nothing.
     */
    boolean hasHashMemtable(String stateName) {
        return statesWithHashMemtables.contains(stateName);
    }

    /** The options of a state's column family, which have been asked for before. */
    ColumnFamilyChoice choice(String stateName) {
        return choices.get(stateName);
    }

    /**
     * The layout of a state's keys for which its column family has a prefix extractor, if it has
     * one. With a factory of the user's there is none: it may set another one, and reading by the
     * wrong prefix leaves entries out.
     */
    Optional<KeyLayout> prefixLayout(String stateName) {
        return userMayChangeOptions
                ? Optional.empty()
                : policy.prefixLayout(kinds.get(stateName), kinds.layout(stateName));
    }

    /** The policy first, the user's factory on top of it. */
    private final class PolicyFactory implements RocksDBOptionsFactory {

        private static final long serialVersionUID = 1L;

        private final RocksDBOptionsFactory userFactory;

        PolicyFactory(RocksDBOptionsFactory userFactory) {
            this.userFactory = userFactory;
        }

        @Override
        public DBOptions createDBOptions(
                DBOptions currentOptions, Collection<AutoCloseable> handlesToClose) {
            if (!userMayChangeOptions) {
                policy.applyTo(currentOptions);
            }
            return userFactory.createDBOptions(currentOptions, handlesToClose);
        }

        @Override
        public ColumnFamilyOptions createColumnOptions(
                ColumnFamilyOptions currentOptions, Collection<AutoCloseable> handlesToClose) {
            ColumnFamilyOptions options =
                    policy.applyTo(
                            currentOptions,
                            stateInCreation,
                            kindInCreation,
                            prefixLayoutInCreation,
                            handlesToClose);
            if (restoresBlobFiles && !userMayChangeOptions) {
                policy.takeBackSeparated(options, stateInCreation);
            }
            return userFactory.createColumnOptions(options, handlesToClose);
        }

        @Override
        public RocksDBNativeMetricOptions createNativeMetricsOptions(
                RocksDBNativeMetricOptions nativeMetricOptions) {
            return userFactory.createNativeMetricsOptions(nativeMetricOptions);
        }

        @Override
        public WriteOptions createWriteOptions(
                WriteOptions currentOptions, Collection<AutoCloseable> handlesToClose) {
            return userFactory.createWriteOptions(currentOptions, handlesToClose);
        }

        @Override
        public ReadOptions createReadOptions(
                ReadOptions currentOptions, Collection<AutoCloseable> handlesToClose) {
            policy.applyTo(currentOptions);
            return userFactory.createReadOptions(currentOptions, handlesToClose);
        }
    }

    /** Stands in for a user's factory when there is none. */
    private static final class NoChanges implements RocksDBOptionsFactory {

        private static final long serialVersionUID = 1L;

        @Override
        public DBOptions createDBOptions(
                DBOptions currentOptions, Collection<AutoCloseable> handlesToClose) {
            return currentOptions;
        }

        @Override
        public ColumnFamilyOptions createColumnOptions(
                ColumnFamilyOptions currentOptions, Collection<AutoCloseable> handlesToClose) {
            return currentOptions;
        }
    }
}
