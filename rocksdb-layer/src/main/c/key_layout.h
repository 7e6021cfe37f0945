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

/*
 * Where key and namespace end in a RocksDB key of Flink's. A layout is a small program of which
 * each step moves on by one part of the key; io.stateaccel.rocksdb.prefix.KeyLayout makes it and
 * has the same interpreter in Java.
 */

#ifndef STATE_ACCEL_KEY_LAYOUT_H
#define STATE_ACCEL_KEY_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

enum {
  KEY_LAYOUT_MAX_PROGRAM = 128,

  /* Followed by one byte: that many bytes. */
  KEY_LAYOUT_FIXED = 1,
  /* Four bytes, big endian: the number of bytes after them. */
  KEY_LAYOUT_INT_LENGTH = 2,
  /* A string as Flink's StringValue writes it. */
  KEY_LAYOUT_STRING = 3,
  /* Nothing: a key or namespace begins, whose length a marker tells. */
  KEY_LAYOUT_START = 4,
  /* The marker: the length since the start, in as many bytes as it needs. */
  KEY_LAYOUT_LENGTH_MARKER = 5
};

typedef struct {
  size_t program_length;
  uint8_t program[KEY_LAYOUT_MAX_PROGRAM];
} key_layout;

/* Whether all steps are known and complete. */
static inline int key_layout_is_valid(const key_layout *layout) {
  size_t step = 0;
  while (step < layout->program_length) {
    switch (layout->program[step]) {
      case KEY_LAYOUT_FIXED:
        step += 2;
        break;
      case KEY_LAYOUT_INT_LENGTH:
      case KEY_LAYOUT_STRING:
      case KEY_LAYOUT_START:
      case KEY_LAYOUT_LENGTH_MARKER:
        step += 1;
        break;
      default:
        return 0;
    }
  }
  return step == layout->program_length && step > 0;
}

/* The position after a string, or -1. */
static inline long key_layout_after_string(const uint8_t *key, size_t length, size_t position) {
  uint64_t chars = 0;
  int shift = 0;
  uint8_t part;
  do {
    if (position == length || shift > 28) {
      return -1;
    }
    part = key[position++];
    chars |= (uint64_t)(part & 0x7f) << shift;
    shift += 7;
  } while (part & 0x80);
  /* The length is written plus one, zero is null. */
  for (uint64_t left = chars == 0 ? 0 : chars - 1; left > 0; left--) {
    do {
      if (position == length) {
        return -1;
      }
      part = key[position++];
    } while (part & 0x80);
  }
  return (long)position;
}

/* The length of key group, key and namespace, or -1 for a key of another layout. */
static inline long key_layout_prefix_length(const key_layout *layout, const uint8_t *key,
                                            size_t length) {
  size_t position = 0;
  size_t start = 0;
  for (size_t step = 0; step < layout->program_length; step++) {
    size_t part = 0;
    switch (layout->program[step]) {
      case KEY_LAYOUT_FIXED:
        part = layout->program[++step];
        break;
      case KEY_LAYOUT_INT_LENGTH:
        if (length - position < 4) {
          return -1;
        }
        part = (size_t)key[position] << 24 | (size_t)key[position + 1] << 16 |
               (size_t)key[position + 2] << 8 | (size_t)key[position + 3];
        position += 4;
        break;
      case KEY_LAYOUT_STRING: {
        long after = key_layout_after_string(key, length, position);
        if (after < 0) {
          return -1;
        }
        position = (size_t)after;
        break;
      }
      case KEY_LAYOUT_START:
        start = position;
        break;
      case KEY_LAYOUT_LENGTH_MARKER: {
        size_t value = position - start;
        do {
          part++;
          value >>= 8;
        } while (value != 0);
        break;
      }
      default:
        return -1;
    }
    if (part > length - position) {
      return -1;
    }
    position += part;
  }
  return (long)position;
}

#endif
