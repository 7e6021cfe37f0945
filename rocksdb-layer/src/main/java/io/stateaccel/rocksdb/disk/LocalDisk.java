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

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a directory lies on, as the operating system tells it.
 *
 * <p>Not by the library OSHI (6.6.5): its mounts have no device number, so what is rotational could
 * not be looked up, and it brings 4.4 MB of jars, JNA among them, where our whole jar has 1.7.
 *
 * @param directory the directory, without symbolic links
 * @param mountPoint where its file system is mounted; the root of the directory where that is not
 *     known
 * @param fileSystem the type of the file system, such as {@code ext4}
 * @param source what is mounted, such as {@code /dev/nvme0n1}
 * @param medium what the data is kept on
 * @param freeBytes what this process may still write
 * @param totalBytes size of the file system
 */
public record LocalDisk(
        Path directory,
        Path mountPoint,
        String fileSystem,
        String source,
        Medium medium,
        long freeBytes,
        long totalBytes) {

    /** What the data of a file system is kept on. */
    public enum Medium {
        SOLID_STATE("not rotational"),
        ROTATIONAL("rotational, by its own account"),
        MEMORY("in memory"),
        OVERLAY("layers of a container"),
        NETWORK("over the network"),
        UNKNOWN("unknown device");

        private final String text;

        Medium(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    private static final Set<String> MEMORY = Set.of("tmpfs", "ramfs", "devtmpfs");
    private static final Set<String> OVERLAYS = Set.of("overlay", "aufs", "fuse.fuse-overlayfs");
    private static final Set<String> NETWORK =
            Set.of("nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "lustre", "9p", "virtiofs");

    /**
     * Looks a directory up.
     *
     * @throws IOException when there is no such directory
     */
    public static LocalDisk of(Path directory) throws IOException {
        return of(directory, Path.of("/"));
    }

    /**
     * As {@link #of(Path)}, with another folder for {@code /}, below which {@code
     * proc/self/mountinfo} and {@code sys/dev/block} are looked for. Where they are not, as on
     * other systems than Linux, the medium is unknown.
     */
    static LocalDisk of(Path directory, Path systemRoot) throws IOException {
        Path real = directory.toRealPath();
        FileStore store = Files.getFileStore(real);
        Optional<MountPoint> mount = mountPoint(real, systemRoot.resolve("proc/self/mountinfo"));
        return new LocalDisk(
                real,
                mount.map(MountPoint::path).orElse(real.getRoot()),
                mount.map(MountPoint::fileSystem).orElseGet(store::type),
                mount.map(MountPoint::source).orElseGet(store::name),
                mount.map(m -> medium(m, systemRoot.resolve("sys/dev/block")))
                        .orElse(Medium.UNKNOWN),
                store.getUsableSpace(),
                store.getTotalSpace());
    }

    /** What a directory is mounted by; empty where that is not known. */
    static Optional<MountPoint> mountPoint(Path directory, Path mountInfo) throws IOException {
        if (!Files.isReadable(mountInfo)) {
            return Optional.empty();
        }
        List<MountPoint> above =
                Files.readAllLines(mountInfo).stream()
                        .map(MountPoint::parse)
                        .flatMap(Optional::stream)
                        .filter(mount -> directory.startsWith(mount.path()))
                        .toList();
        // Of two at the same place the later one hides the earlier.
        return above.stream()
                .reduce((a, b) -> b.path().getNameCount() >= a.path().getNameCount() ? b : a);
    }

    private static Medium medium(MountPoint mount, Path blockDevices) {
        String type = mount.fileSystem();
        if (MEMORY.contains(type)) {
            return Medium.MEMORY;
        }
        if (OVERLAYS.contains(type)) {
            return Medium.OVERLAY;
        }
        if (NETWORK.contains(type)) {
            return Medium.NETWORK;
        }
        return rotational(blockDevices.resolve(mount.device()));
    }

    /** A partition has no queue of its own: its folder lies in that of the whole device. */
    private static Medium rotational(Path device) {
        try {
            Path folder = device.toRealPath();
            for (Path owner : List.of(folder, folder.getParent())) {
                Path flag = owner.resolve("queue/rotational");
                if (Files.isReadable(flag)) {
                    return Files.readString(flag).strip().equals("1")
                            ? Medium.ROTATIONAL
                            : Medium.SOLID_STATE;
                }
            }
        } catch (IOException e) {
            // File systems that have no device of their own, such as btrfs and zfs.
            return Medium.UNKNOWN;
        }
        return Medium.UNKNOWN;
    }

    /** In words, such as {@code ext4 on /dev/vda (not rotational), mounted at /}. */
    public String describe() {
        return fileSystem + " on " + source + " (" + medium + "), mounted at " + mountPoint;
    }

    /** In words, such as {@code 66.0 GB free of 252.0 GB}. */
    public String describeSpace() {
        return ByteCount.describe(freeBytes) + " free of " + ByteCount.describe(totalBytes);
    }
}
