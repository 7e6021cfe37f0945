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

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A shared library of 64 bits and little endian, as far as tests ask: see {@code elf.h}, whose
 * names the constants have.
 */
final class ElfLibrary {

    private static final int ELFCLASS64 = 2;
    private static final int ELFDATA2LSB = 1;
    private static final int ET_DYN = 3;
    private static final int PT_LOAD = 1;
    private static final int SHT_DYNAMIC = 6;
    private static final int SHT_DYNSYM = 11;
    private static final int SHT_GNU_VERNEED = 0x6ffffffe;
    private static final int DT_NEEDED = 1;
    private static final int DT_FLAGS_1 = 0x6ffffffb;
    private static final long DF_1_NODELETE = 8;
    private static final int SHN_UNDEF = 0;
    private static final int STB_LOCAL = 0;

    private static final int SYMBOL_BYTES = 24;
    private static final int DYNAMIC_BYTES = 16;

    private final ByteBuffer file;

    ElfLibrary(byte[] content) {
        file = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(new String(content, 1, 3, US_ASCII)).isEqualTo("ELF");
        assertThat(file.get(4)).isEqualTo((byte) ELFCLASS64);
        assertThat(file.get(5)).isEqualTo((byte) ELFDATA2LSB);
        assertThat(file.getShort(16)).isEqualTo((short) ET_DYN);
    }

    /** The processor it is for. */
    int machine() {
        return file.getShort(18);
    }

    /** The size in bytes of the largest pages that it can be loaded to. */
    long pageSize() {
        int first = (int) file.getLong(32);
        int size = file.getShort(54);
        long pageSize = Long.MAX_VALUE;
        for (int i = 0; i < file.getShort(56); i++) {
            int header = first + i * size;
            if (file.getInt(header) == PT_LOAD) {
                pageSize = Math.min(pageSize, file.getLong(header + 48));
            }
        }
        return pageSize;
    }

    /** The names that others can call or read. */
    List<String> exported() {
        Section symbols = section(SHT_DYNSYM);
        List<String> names = new ArrayList<>();
        for (int at = symbols.start; at < symbols.end; at += SYMBOL_BYTES) {
            boolean local = file.get(at + 4) >> 4 == STB_LOCAL;
            if (!local && file.getShort(at + 6) != SHN_UNDEF) {
                names.add(string(symbols, file.getInt(at)));
            }
        }
        return names;
    }

    /** The files of the libraries that are loaded with it. */
    List<String> needed() {
        Section dynamic = section(SHT_DYNAMIC);
        List<String> names = new ArrayList<>();
        for (int at = dynamic.start; at < dynamic.end; at += DYNAMIC_BYTES) {
            if (file.getLong(at) == DT_NEEDED) {
                names.add(string(dynamic, (int) file.getLong(at + 8)));
            }
        }
        return names;
    }

    /** The versions, such as {@code GLIBC_2.17}, of what it takes from other libraries. */
    List<String> neededVersions() {
        Section needs = section(SHT_GNU_VERNEED);
        List<String> names = new ArrayList<>();
        int library = needs.start;
        for (int next = -1; next != 0; library += next) {
            int version = library + file.getInt(library + 8);
            for (int i = 0; i < file.getShort(library + 2); i++) {
                names.add(string(needs, file.getInt(version + 8)));
                version += file.getInt(version + 12);
            }
            next = file.getInt(library + 12);
        }
        return names;
    }

    /** Whether it stays in memory until the process ends. */
    boolean staysLoaded() {
        Section dynamic = section(SHT_DYNAMIC);
        for (int at = dynamic.start; at < dynamic.end; at += DYNAMIC_BYTES) {
            if (file.getLong(at) == DT_FLAGS_1) {
                return (file.getLong(at + 8) & DF_1_NODELETE) != 0;
            }
        }
        return false;
    }

    /**
     * A part of the file.
     *
     * @param strings the number of the section that has its names
     */
    private record Section(int start, int end, int strings) {}

    private Section section(int type) {
        for (int number = 0; number < file.getShort(60); number++) {
            if (file.getInt(header(number) + 4) == type) {
                return read(number);
            }
        }
        throw new IllegalArgumentException("There is no section of type " + type);
    }

    private Section read(int number) {
        int header = header(number);
        int start = (int) file.getLong(header + 24);
        return new Section(
                start, start + (int) file.getLong(header + 32), file.getInt(header + 40));
    }

    private int header(int number) {
        return (int) file.getLong(40) + number * file.getShort(58);
    }

    private String string(Section of, int offset) {
        int start = read(of.strings).start + offset;
        int end = start;
        while (file.get(end) != 0) {
            end++;
        }
        return new String(file.array(), start, end - start, US_ASCII);
    }
}
