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

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Our native library as a file that is there just for loading it: in a directory of its own that
 * only its owner can enter, and which nobody else can put another one in the place of. What is
 * loaded stays in memory, so both are deleted by {@link #close}.
 *
 * @param file absolute
 */
record UnpackedLibrary(Path file) implements AutoCloseable {

    private static final int WRITABLE_BY_ALL = 0002;

    /** Only who owns a file may remove or rename it. */
    private static final int STICKY = 01000;

    /**
     * The first of: the directory given, Java's directory for temporary files, the user's home, in
     * which no other user can remove or rename what we put there.
     *
     * @return without symbolic links
     * @throws IOException if there is none; the message names them
     */
    static Path protectedDirectory(Path preferred) throws IOException {
        Files.createDirectories(preferred);
        List<Path> candidates =
                List.of(
                        preferred,
                        Path.of(System.getProperty("java.io.tmpdir")),
                        Path.of(System.getProperty("user.home")));
        for (Path candidate : candidates) {
            if (Files.isDirectory(candidate) && Files.isWritable(candidate)) {
                Path directory = candidate.toRealPath();
                if (isProtected(directory)) {
                    return directory;
                }
            }
        }
        throw new IOException(
                "it would be unpacked to one of "
                        + candidates
                        + ", but each is not writable, or every user can replace files in it: take"
                        + " write access from others, or set the sticky bit");
    }

    /** Who can rename a directory above can replace all that is below. */
    private static boolean isProtected(Path directory) throws IOException {
        for (Path path = directory; path != null; path = path.getParent()) {
            int mode = mode(path);
            if ((mode & WRITABLE_BY_ALL) != 0 && (mode & STICKY) == 0) {
                return false;
            }
        }
        return true;
    }

    private static int mode(Path path) throws IOException {
        try {
            return (Integer) Files.getAttribute(path, "unix:mode");
        } catch (UnsupportedOperationException | IllegalArgumentException e) {
            throw withoutPermissions(path, e);
        }
    }

    /**
     * Writes the library, with rights for its owner only.
     *
     * @throws IOException also where there are no such rights
     */
    static UnpackedLibrary unpack(byte[] content, Path directory) throws IOException {
        UnpackedLibrary unpacked = new UnpackedLibrary(own(directory));
        try {
            write(content, unpacked.file);
        } catch (IOException | RuntimeException e) {
            unpacked.close();
            throw e;
        }
        return unpacked;
    }

    /** The file to be, in a directory of its own. */
    private static Path own(Path directory) throws IOException {
        try {
            return Files.createTempDirectory(directory, "state-accel-", onlyOwner("rwx------"))
                    .resolve(PackedLibrary.FILE_NAME);
        } catch (UnsupportedOperationException e) {
            throw withoutPermissions(directory, e);
        }
    }

    private static IOException withoutPermissions(Path path, RuntimeException cause) {
        return new IOException("the file system of " + path + " has no POSIX permissions", cause);
    }

    /** Into a new file: what is there already, as a symbolic link, is not followed. */
    static void write(byte[] content, Path file) throws IOException {
        try (SeekableByteChannel out =
                Files.newByteChannel(
                        file,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        onlyOwner("rw-------"))) {
            ByteBuffer left = ByteBuffer.wrap(content);
            while (left.hasRemaining()) {
                out.write(left);
            }
        }
        if (!Arrays.equals(Files.readAllBytes(file), content)) {
            throw new IOException("it was changed while it was unpacked to " + file);
        }
    }

    private static FileAttribute<Set<PosixFilePermission>> onlyOwner(String rights) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(rights));
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(file);
        Files.deleteIfExists(file.getParent());
    }
}
