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

import io.stateaccel.rocksdb.disk.LocalDisk.Medium;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** With a system folder made for the test, but for the last ones. */
class LocalDiskTest {

    @TempDir private Path root;
    @TempDir private Path directory;

    @BeforeEach
    void useRealPaths() throws IOException {
        directory = directory.toRealPath();
    }

    @ParameterizedTest
    @CsvSource({
        "0, SOLID_STATE, not rotational",
        "1, ROTATIONAL, 'rotational, by its own account'",
    })
    void readsTheFlagOfTheDevice(String flag, Medium medium, String words) throws IOException {
        device("8:16", "block/sdb", flag);
        mounts("29 1 8:16 / %s rw,noatime shared:7 master:1 - xfs /dev/sdb rw");

        LocalDisk disk = LocalDisk.of(directory, root);

        assertThat(disk.medium()).isEqualTo(medium);
        assertThat(disk.describe())
                .isEqualTo("xfs on /dev/sdb (" + words + "), mounted at " + directory);
    }

    @Test
    void aPartitionHasTheFlagOfItsDevice() throws IOException {
        device("8:0", "block/sda", "1");
        Files.createDirectories(root.resolve("sys/devices/block/sda/sda1"));
        link("8:1", "block/sda/sda1");
        mounts("29 1 8:1 / %s rw - ext4 /dev/sda1 rw");

        assertThat(LocalDisk.of(directory, root).medium()).isEqualTo(Medium.ROTATIONAL);
    }

    @ParameterizedTest
    @CsvSource({
        "tmpfs, MEMORY",
        "ramfs, MEMORY",
        "overlay, OVERLAY",
        "nfs4, NETWORK",
        "btrfs, UNKNOWN",
    })
    void knowsFileSystemsWithoutADevice(String type, Medium medium) throws IOException {
        mounts("29 1 0:52 / %s rw - " + type + " " + type + " rw");

        assertThat(LocalDisk.of(directory, root).medium()).isEqualTo(medium);
        assertThat(LocalDisk.of(directory, root).fileSystem()).isEqualTo(type);
    }

    @Test
    void takesTheInnermostMountAndOfTwoThereTheLater() throws IOException {
        Path inner = Files.createDirectories(directory.resolve("with blank/inner"));
        mounts(
                "20 1 0:1 / / rw - rootfs root rw\n"
                        + "21 20 0:2 / %s/with\\040blank rw - ext4 /dev/first rw\n"
                        + "22 20 0:3 / %s/with\\040blank rw - ext4 /dev/second rw\n"
                        + "23 20 0:4 / %s/with rw - ext4 /dev/other rw\n"
                        + "24 20 0:5 / %s rw - ext4 /dev/outer rw\n"
                        + "a line of another form");

        assertThat(LocalDisk.of(inner, root).source()).isEqualTo("/dev/second");
        assertThat(LocalDisk.of(inner, root).mountPoint())
                .isEqualTo(directory.resolve("with blank"));
        assertThat(LocalDisk.of(directory, root).source()).isEqualTo("/dev/outer");
        assertThat(LocalDisk.of(root, root).mountPoint()).isEqualTo(Path.of("/"));
    }

    @Test
    void followsSymbolicLinks() throws IOException {
        Path target = Files.createDirectories(directory.resolve("target"));
        Path alias = Files.createSymbolicLink(root.resolve("alias"), target);
        mounts("24 20 0:5 / %s rw - ext4 /dev/outer rw");

        assertThat(LocalDisk.of(alias, root).directory()).isEqualTo(target);
        assertThat(LocalDisk.of(alias, root).source()).isEqualTo("/dev/outer");
    }

    @Test
    void asksJavaWhereTheSystemSaysNothing() throws IOException {
        LocalDisk disk = LocalDisk.of(directory, root.resolve("no-such-folder"));

        assertThat(disk.medium()).isEqualTo(Medium.UNKNOWN);
        assertThat(disk.fileSystem()).isEqualTo(Files.getFileStore(directory).type());
    }

    @Test
    void knowsTheSpaceOfARealDirectory() throws IOException {
        LocalDisk disk = LocalDisk.of(directory);

        assertThat(disk.directory()).startsWith(disk.mountPoint());
        assertThat(disk.totalBytes()).isPositive();
        assertThat(disk.freeBytes()).isBetween(0L, disk.totalBytes());
        assertThat(disk.describeSpace()).matches("[\\d.]+ \\w?B free of [\\d.]+ \\w?B");
    }

    @Test
    void refusesWhatIsNotThere() {
        assertThatThrownBy(() -> LocalDisk.of(directory.resolve("absent")))
                .isInstanceOf(NoSuchFileException.class);
    }

    private void mounts(String lines) throws IOException {
        Path file = root.resolve("proc/self/mountinfo");
        Files.createDirectories(file.getParent());
        Files.writeString(file, lines.replace("%s", directory.toString()));
    }

    private void device(String number, String folder, String rotational) throws IOException {
        Path queue = root.resolve("sys/devices").resolve(folder).resolve("queue");
        Files.createDirectories(queue);
        Files.writeString(queue.resolve("rotational"), rotational + "\n");
        link(number, folder);
    }

    private void link(String number, String folder) throws IOException {
        Path links = Files.createDirectories(root.resolve("sys/dev/block"));
        Files.createSymbolicLink(links.resolve(number), Path.of("../../devices").resolve(folder));
    }
}
