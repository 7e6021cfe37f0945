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
package io.stateaccel.rocksdb.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskActivityTest {

    private static final String STATISTICS =
            " 2251175   240585 75074010  2269258 23455905   729682 760785864  6409953        3"
                    + "  3464420 10847123  4940208     6229 5466192024  1233437  6110339   934475\n";

    @TempDir private Path directory;

    @TempDir private Path root;

    @BeforeEach
    void mount() throws IOException {
        directory = directory.toRealPath();
        Path mounts = root.resolve("proc/self/mountinfo");
        Files.createDirectories(mounts.getParent());
        Files.writeString(mounts, "24 20 259:3 / " + directory + " rw - ext4 /dev/root rw");
    }

    @Test
    void readsTheDeviceOfADirectory() throws IOException {
        device(STATISTICS);

        DiskActivity activity = DiskActivity.of(directory, root).orElseThrow();

        assertThat(activity.device()).isEqualTo("nvme0n1p3");
        assertThat(activity.read())
                .isEqualTo(
                        new DiskActivity.Counters(
                                2251175, 2269258, 23455905, 6409953, 3464420, 10847123));
    }

    @Test
    void refusesWhatIsNoStatistics() throws IOException {
        device("1 2 3\n");

        DiskActivity activity = DiskActivity.of(directory, root).orElseThrow();

        assertThatThrownBy(activity::read).isInstanceOf(IOException.class);
    }

    @Test
    void knowsNoDeviceWhereThereIsNone() {
        assertThat(DiskActivity.of(directory, root)).isEmpty();
        assertThat(DiskActivity.of(directory.resolve("absent"), root)).isEmpty();
        assertThat(DiskActivity.of(directory, root.resolve("absent"))).isEmpty();
    }

    private void device(String statistics) throws IOException {
        Path folder = Files.createDirectories(root.resolve("sys/devices/pci/nvme0n1/nvme0n1p3"));
        Files.writeString(folder.resolve("stat"), statistics);
        Path links = Files.createDirectories(root.resolve("sys/dev/block"));
        Files.createSymbolicLink(
                links.resolve("259:3"), Path.of("../../devices/pci/nvme0n1/nvme0n1p3"));
    }
}
