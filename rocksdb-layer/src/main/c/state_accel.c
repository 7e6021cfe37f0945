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
 * What RocksDB's Java API cannot do, through the C API that frocksdbjni's library exports. No
 * RocksDB header and no C++ is needed: the few functions are declared here and looked up in the
 * library that the JVM has loaded already, so that there is one RocksDB in the process.
 *
 * The counterpart in Java is io.stateaccel.rocksdb.jni.NativeLibrary, which checks what it passes;
 * lengths are checked here once more, because a mistake here ends the JVM.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <jni.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "key_layout.h"

/*
 * RocksDB's C API wraps its objects in structs whose first member is the object (rocksdb_t,
 * rocksdb_column_family_handle_t: a pointer to it; rocksdb_options_t, rocksdb_readoptions_t: the
 * object itself). Java's native handles are pointers to the objects, so the former are wrapped here
 * and the latter passed as they are.
 */
typedef struct {
  void *object;
  /* Members of later versions, false or null. */
  void *others[3];
} wrapped;

static struct {
  void *(*slicetransform_create)(void *, void (*)(void *),
                                 char *(*)(void *, const char *, size_t, size_t *),
                                 unsigned char (*)(void *, const char *, size_t),
                                 unsigned char (*)(void *, const char *, size_t),
                                 const char *(*)(void *));
  void (*options_set_prefix_extractor)(void *, void *);
  void *(*create_iterator_cf)(void *, const void *, void *);
  void (*iter_destroy)(void *);
  void (*iter_seek)(void *, const char *, size_t);
  void (*iter_next)(void *);
  unsigned char (*iter_valid)(const void *);
  const char *(*iter_key)(const void *, size_t *);
  const char *(*iter_value)(const void *, size_t *);
  void (*iter_get_error)(const void *, char **);
  void (*batched_multi_get_cf)(void *, const void *, void *, size_t, const char *const *,
                               const size_t *, void **, char **, unsigned char);
  const char *(*pinnableslice_value)(const void *, size_t *);
  void (*pinnableslice_destroy)(void *);
  void *(*writebatch_create_from)(const char *, size_t);
  void (*writebatch_destroy)(void *);
  void (*write)(void *, const void *, void *, char **);
  void (*free_memory)(void *);
} rocksdb;

/* A function that reading many keys needs and this RocksDB lacks (6.20.3 does), or null. */
static const char *missing_for_multi_get;

/* ---- Finding RocksDB ---- */

typedef struct {
  char path[PATH_MAX];
  int copies;
} rocksdb_library;

static int look_for_rocksdb(struct dl_phdr_info *info, size_t size, void *result) {
  (void)size;
  rocksdb_library *library = result;
  if (info->dlpi_name == NULL) {
    return 0;
  }
  const char *slash = strrchr(info->dlpi_name, '/');
  const char *file = slash == NULL ? info->dlpi_name : slash + 1;
  if (strncmp(file, "librocksdbjni", strlen("librocksdbjni")) == 0) {
    library->copies++;
    if (strlen(info->dlpi_name) < sizeof(library->path)) {
      strcpy(library->path, info->dlpi_name);
    }
  }
  return 0;
}

/* Returns what is wrong, or null. */
static const char *connect_to_rocksdb(void) {
  rocksdb_library library = {.path = "", .copies = 0};
  dl_iterate_phdr(look_for_rocksdb, &library);
  if (library.copies == 0) {
    return "RocksDB's library is not loaded";
  }
  if (library.copies > 1) {
    return "RocksDB's library is loaded more than once";
  }
  /* An empty path is one that was too long, and would open the program itself. */
  void *handle = library.path[0] == 0 ? NULL : dlopen(library.path, RTLD_NOW | RTLD_NOLOAD);
  if (handle == NULL) {
    return "RocksDB's library cannot be opened";
  }
#define HAS(member, name) ((*(void **)(&rocksdb.member) = dlsym(handle, name)) != NULL)
#define FIND(member, name)                   \
  if (!HAS(member, name)) {                  \
    return "RocksDB's library has no " name; \
  }
#define FIND_FOR_MULTI_GET(member, name) \
  if (!HAS(member, name)) {              \
    missing_for_multi_get = name;        \
  }
  FIND(slicetransform_create, "rocksdb_slicetransform_create")
  FIND(options_set_prefix_extractor, "rocksdb_options_set_prefix_extractor")
  FIND(create_iterator_cf, "rocksdb_create_iterator_cf")
  FIND(iter_destroy, "rocksdb_iter_destroy")
  FIND(iter_seek, "rocksdb_iter_seek")
  FIND(iter_next, "rocksdb_iter_next")
  FIND(iter_valid, "rocksdb_iter_valid")
  FIND(iter_key, "rocksdb_iter_key")
  FIND(iter_value, "rocksdb_iter_value")
  FIND(iter_get_error, "rocksdb_iter_get_error")
  FIND(writebatch_create_from, "rocksdb_writebatch_create_from")
  FIND(writebatch_destroy, "rocksdb_writebatch_destroy")
  FIND(write, "rocksdb_write")
  FIND(free_memory, "rocksdb_free")
  FIND_FOR_MULTI_GET(batched_multi_get_cf, "rocksdb_batched_multi_get_cf")
  FIND_FOR_MULTI_GET(pinnableslice_value, "rocksdb_pinnableslice_value")
  FIND_FOR_MULTI_GET(pinnableslice_destroy, "rocksdb_pinnableslice_destroy")
#undef FIND_FOR_MULTI_GET
#undef FIND
#undef HAS
  return NULL;
}

/* ---- Exceptions ---- */

static void throw_new(JNIEnv *env, const char *class_name, const char *message) {
  jclass type = (*env)->FindClass(env, class_name);
  if (type != NULL) {
    (*env)->ThrowNew(env, type, message);
  }
}

static void throw_illegal_argument(JNIEnv *env, const char *message) {
  throw_new(env, "java/lang/IllegalArgumentException", message);
}

/* Takes an error of RocksDB, which is null without one; returns whether there is an exception. */
static int throw_error_of_rocksdb(JNIEnv *env, char *error) {
  if (error == NULL) {
    return 0;
  }
  throw_new(env, "org/rocksdb/RocksDBException", error);
  rocksdb.free_memory(error);
  return 1;
}

/* ---- The prefix extractor ---- */

typedef struct {
  key_layout layout;
  char *name;
} key_prefix;

static void key_prefix_destroy(void *state) {
  key_prefix *prefix = state;
  free(prefix->name);
  free(prefix);
}

static char *key_prefix_transform(void *state, const char *key, size_t length,
                                  size_t *prefix_length) {
  long found = key_layout_prefix_length(&((key_prefix *)state)->layout, (const uint8_t *)key,
                                        length);
  /* RocksDB asks for keys in the domain only; of another one all is as good as nothing. */
  *prefix_length = found < 0 ? length : (size_t)found;
  return (char *)key;
}

static unsigned char key_prefix_in_domain(void *state, const char *key, size_t length) {
  return key_layout_prefix_length(&((key_prefix *)state)->layout, (const uint8_t *)key, length) >= 0;
}

static unsigned char key_prefix_in_range(void *state, const char *key, size_t length) {
  return key_layout_prefix_length(&((key_prefix *)state)->layout, (const uint8_t *)key, length) ==
         (long)length;
}

static const char *key_prefix_name(void *state) { return ((key_prefix *)state)->name; }

JNIEXPORT void JNICALL Java_io_stateaccel_rocksdb_jni_NativeLibrary_setKeyPrefix(
    JNIEnv *env, jclass type, jlong options, jbyteArray program, jbyteArray name) {
  (void)type;
  if (options == 0 || program == NULL || name == NULL) {
    throw_illegal_argument(env, "no options, program or name");
    return;
  }
  jsize program_length = (*env)->GetArrayLength(env, program);
  jsize name_length = (*env)->GetArrayLength(env, name);
  key_prefix *prefix = calloc(1, sizeof(key_prefix));
  char *name_copy = malloc((size_t)name_length + 1);
  if (prefix == NULL || name_copy == NULL) {
    free(prefix);
    free(name_copy);
    throw_new(env, "java/lang/OutOfMemoryError", "native memory for a key prefix");
    return;
  }
  prefix->name = name_copy;
  (*env)->GetByteArrayRegion(env, name, 0, name_length, (jbyte *)name_copy);
  name_copy[name_length] = 0;
  if (program_length <= KEY_LAYOUT_MAX_PROGRAM) {
    (*env)->GetByteArrayRegion(env, program, 0, program_length, (jbyte *)prefix->layout.program);
    prefix->layout.program_length = (size_t)program_length;
  }
  if (program_length > KEY_LAYOUT_MAX_PROGRAM || !key_layout_is_valid(&prefix->layout)) {
    key_prefix_destroy(prefix);
    throw_illegal_argument(env, "not the program of a key layout");
    return;
  }
  void *transform =
      rocksdb.slicetransform_create(prefix, key_prefix_destroy, key_prefix_transform,
                                    key_prefix_in_domain, key_prefix_in_range, key_prefix_name);
  rocksdb.options_set_prefix_extractor((void *)(intptr_t)options, transform);
}

/* For tests: the same parser as above, on a key in Java. */
JNIEXPORT jint JNICALL Java_io_stateaccel_rocksdb_jni_NativeLibrary_prefixLength(
    JNIEnv *env, jclass type, jbyteArray program, jbyteArray key) {
  (void)type;
  key_layout layout = {.program_length = 0};
  if (program == NULL || key == NULL) {
    throw_illegal_argument(env, "no program or key");
    return -1;
  }
  jsize program_length = (*env)->GetArrayLength(env, program);
  if (program_length <= KEY_LAYOUT_MAX_PROGRAM) {
    (*env)->GetByteArrayRegion(env, program, 0, program_length, (jbyte *)layout.program);
    layout.program_length = (size_t)program_length;
  }
  if (program_length > KEY_LAYOUT_MAX_PROGRAM || !key_layout_is_valid(&layout)) {
    throw_illegal_argument(env, "not the program of a key layout");
    return -1;
  }
  jsize key_length = (*env)->GetArrayLength(env, key);
  /* Of exactly this size, so that a tool for memory errors sees a read beyond it. */
  uint8_t *copy = malloc((size_t)key_length);
  if (copy == NULL && key_length > 0) {
    throw_new(env, "java/lang/OutOfMemoryError", "native memory for a key");
    return -1;
  }
  (*env)->GetByteArrayRegion(env, key, 0, key_length, (jbyte *)copy);
  long found = key_layout_prefix_length(&layout, copy, (size_t)key_length);
  free(copy);
  return (jint)found;
}

/* ---- The packed prefix scan ---- */

enum { SCAN_HEADER_BYTES = 8, ENTRY_HEADER_BYTES = 8, KEY_ON_STACK_BYTES = 512 };

static void put_int(uint8_t *to, int32_t value) { memcpy(to, &value, sizeof(value)); }

/*
 * Writes entries from an iterator's position on while their keys start with the prefix; without
 * values, which then have length 0, if those are not wanted. Returns the bytes that the first entry
 * would need if it does not fit, else 0.
 */
static int64_t pack_entries(void *iterator, const char *prefix, size_t prefix_length,
                            int with_values, jint max_entries, uint8_t *buffer, size_t capacity) {
  size_t position = SCAN_HEADER_BYTES;
  int32_t count = 0;
  int32_t more = 0;
  while (rocksdb.iter_valid(iterator)) {
    size_t key_length;
    const char *key = rocksdb.iter_key(iterator, &key_length);
    if (key_length < prefix_length || memcmp(key, prefix, prefix_length) != 0) {
      break;
    }
    size_t value_length = 0;
    const char *value = with_values ? rocksdb.iter_value(iterator, &value_length) : "";
    size_t suffix_length = key_length - prefix_length;
    size_t needed = ENTRY_HEADER_BYTES + suffix_length + value_length;
    if (count == max_entries || needed > capacity - position) {
      if (count == 0) {
        return (int64_t)(SCAN_HEADER_BYTES + needed);
      }
      more = 1;
      break;
    }
    put_int(buffer + position, (int32_t)suffix_length);
    put_int(buffer + position + 4, (int32_t)value_length);
    position += ENTRY_HEADER_BYTES;
    memcpy(buffer + position, key + prefix_length, suffix_length);
    position += suffix_length;
    memcpy(buffer + position, value, value_length);
    position += value_length;
    count++;
    rocksdb.iter_next(iterator);
  }
  put_int(buffer, count);
  put_int(buffer + 4, more);
  return 0;
}

JNIEXPORT jlong JNICALL Java_io_stateaccel_rocksdb_jni_NativeLibrary_scan(
    JNIEnv *env, jclass type, jlong db, jlong column_family, jlong read_options, jbyteArray from,
    jint prefix_length, jboolean after, jboolean with_values, jint max_entries, jobject buffer) {
  (void)type;
  if (db == 0 || column_family == 0 || read_options == 0 || from == NULL || buffer == NULL) {
    throw_illegal_argument(env, "no database, column family, read options, key or buffer");
    return 0;
  }
  jsize from_length = (*env)->GetArrayLength(env, from);
  uint8_t *packed = (*env)->GetDirectBufferAddress(env, buffer);
  jlong capacity = (*env)->GetDirectBufferCapacity(env, buffer);
  if (prefix_length < 0 || prefix_length > from_length || max_entries < 1 || packed == NULL ||
      capacity < SCAN_HEADER_BYTES) {
    throw_illegal_argument(env, "prefix, number of entries or buffer out of bounds");
    return 0;
  }
  char on_stack[KEY_ON_STACK_BYTES];
  char *key = on_stack;
  if ((size_t)from_length > sizeof(on_stack) && (key = malloc((size_t)from_length)) == NULL) {
    throw_new(env, "java/lang/OutOfMemoryError", "native memory for a key");
    return 0;
  }
  (*env)->GetByteArrayRegion(env, from, 0, from_length, (jbyte *)key);

  wrapped database = {.object = (void *)(intptr_t)db};
  wrapped family = {.object = (void *)(intptr_t)column_family};
  void *iterator =
      rocksdb.create_iterator_cf(&database, (const void *)(intptr_t)read_options, &family);
  rocksdb.iter_seek(iterator, key, (size_t)from_length);
  if (after && rocksdb.iter_valid(iterator)) {
    size_t first_length;
    const char *first = rocksdb.iter_key(iterator, &first_length);
    if (first_length == (size_t)from_length && memcmp(first, key, first_length) == 0) {
      rocksdb.iter_next(iterator);
    }
  }
  int64_t needed = pack_entries(iterator, key, (size_t)prefix_length, with_values, max_entries,
                                packed, (size_t)capacity);
  char *error = NULL;
  rocksdb.iter_get_error(iterator, &error);
  rocksdb.iter_destroy(iterator);
  if (key != on_stack) {
    free(key);
  }
  return throw_error_of_rocksdb(env, error) ? 0 : needed;
}

/* ---- The sorted batched multi-get ---- */

/* RocksDB itself goes by 32 keys; what is read beyond a full buffer is read in vain. */
enum { KEYS_PER_READ = 32, LENGTH_BYTES = 4, ABSENT = -1, LARGER_THAN_BUFFER = -2 };

static int32_t get_int(const uint8_t *from) {
  int32_t value;
  memcpy(&value, from, sizeof(value));
  return value;
}

/* The values of some keys, which a call fills and another one lets go. */
typedef struct {
  void *slices[KEYS_PER_READ];
  char *errors[KEYS_PER_READ];
} read_values;

static void release(read_values *values, int count) {
  for (int i = 0; i < count; i++) {
    if (values->slices[i] != NULL) {
      rocksdb.pinnableslice_destroy(values->slices[i]);
    }
    if (values->errors[i] != NULL) {
      rocksdb.free_memory(values->errors[i]);
    }
  }
}

/*
 * Packs values, from a position of the buffer on that is moved behind them, until one does not fit.
 * Returns how many were packed.
 */
static int pack_values(const read_values *values, int count, uint8_t *buffer, size_t capacity,
                       size_t *position) {
  for (int i = 0; i < count; i++) {
    size_t length = 0;
    const char *value = NULL;
    int32_t noted = ABSENT;
    if (values->slices[i] != NULL) {
      value = rocksdb.pinnableslice_value(values->slices[i], &length);
      noted = (int32_t)length;
      if (length > capacity - LENGTH_BYTES) {
        noted = LARGER_THAN_BUFFER;
        length = 0;
      }
    }
    if (LENGTH_BYTES + length > capacity - *position) {
      return i;
    }
    put_int(buffer + *position, noted);
    *position += LENGTH_BYTES;
    if (length > 0) {
      memcpy(buffer + *position, value, length);
      *position += length;
    }
  }
  return count;
}

/*
 * Returns the number of the keys, from the first on, whose values are in the buffer, -1 with an
 * exception. All keys have been found to be within their buffer.
 */
static jint multi_get(JNIEnv *env, void *database, const void *read_options, void *family,
                      const uint8_t *keys, jint count, uint8_t *packed, size_t capacity) {
  size_t position = 0;
  jint done = 0;
  while (done < count) {
    const char *key_of[KEYS_PER_READ];
    size_t length_of[KEYS_PER_READ];
    int asked = 0;
    for (; asked < KEYS_PER_READ && done + asked < count; asked++) {
      length_of[asked] = (size_t)get_int(keys);
      key_of[asked] = (const char *)keys + LENGTH_BYTES;
      keys += LENGTH_BYTES + length_of[asked];
    }
    read_values values;
    rocksdb.batched_multi_get_cf(database, read_options, family, (size_t)asked, key_of, length_of,
                                 values.slices, values.errors, 1);
    for (int i = 0; i < asked; i++) {
      if (values.errors[i] != NULL) {
        throw_new(env, "org/rocksdb/RocksDBException", values.errors[i]);
        release(&values, asked);
        return -1;
      }
    }
    int kept = pack_values(&values, asked, packed, capacity, &position);
    release(&values, asked);
    done += kept;
    if (kept < asked) {
      break;
    }
  }
  return done;
}

JNIEXPORT jint JNICALL Java_io_stateaccel_rocksdb_jni_NativeLibrary_multiGet(
    JNIEnv *env, jclass type, jlong db, jlong column_family, jlong read_options, jobject keys,
    jint from, jint count, jobject buffer) {
  (void)type;
  if (db == 0 || column_family == 0 || read_options == 0 || keys == NULL || buffer == NULL) {
    throw_illegal_argument(env, "no database, column family, read options, keys or buffer");
    return -1;
  }
  if (missing_for_multi_get != NULL) {
    throw_new(env, "java/lang/UnsupportedOperationException", missing_for_multi_get);
    return -1;
  }
  const uint8_t *key_bytes = (*env)->GetDirectBufferAddress(env, keys);
  jlong key_capacity = (*env)->GetDirectBufferCapacity(env, keys);
  uint8_t *packed = (*env)->GetDirectBufferAddress(env, buffer);
  jlong capacity = (*env)->GetDirectBufferCapacity(env, buffer);
  if (key_bytes == NULL || packed == NULL || capacity < LENGTH_BYTES || from < 0 ||
      from > key_capacity || count < 0) {
    throw_illegal_argument(env, "keys, number of keys or buffer out of bounds");
    return -1;
  }
  size_t position = (size_t)from;
  for (jint i = 0; i < count; i++) {
    if (LENGTH_BYTES > (size_t)key_capacity - position) {
      throw_illegal_argument(env, "fewer keys than said");
      return -1;
    }
    int32_t length = get_int(key_bytes + position);
    position += LENGTH_BYTES;
    if (length < 0 || (size_t)length > (size_t)key_capacity - position) {
      throw_illegal_argument(env, "a key longer than its buffer");
      return -1;
    }
    position += (size_t)length;
  }
  wrapped database = {.object = (void *)(intptr_t)db};
  wrapped family = {.object = (void *)(intptr_t)column_family};
  return multi_get(env, &database, (const void *)(intptr_t)read_options, &family,
                   key_bytes + from, count, packed, (size_t)capacity);
}

/* ---- The packed write batch ---- */

/* Sequence number and number of records; RocksDB checks what follows. */
enum { BATCH_HEADER_BYTES = 12 };

JNIEXPORT void JNICALL Java_io_stateaccel_rocksdb_jni_NativeLibrary_write(
    JNIEnv *env, jclass type, jlong db, jlong write_options, jbyteArray batch, jint length) {
  (void)type;
  if (db == 0 || write_options == 0 || batch == NULL) {
    throw_illegal_argument(env, "no database, write options or batch");
    return;
  }
  if (length < BATCH_HEADER_BYTES || length > (*env)->GetArrayLength(env, batch)) {
    throw_illegal_argument(env, "length of the batch out of bounds");
    return;
  }
  char *content = malloc((size_t)length);
  if (content == NULL) {
    throw_new(env, "java/lang/OutOfMemoryError", "native memory for a write batch");
    return;
  }
  (*env)->GetByteArrayRegion(env, batch, 0, length, (jbyte *)content);
  void *write_batch = rocksdb.writebatch_create_from(content, (size_t)length);
  free(content);
  wrapped database = {.object = (void *)(intptr_t)db};
  char *error = NULL;
  rocksdb.write(&database, (const void *)(intptr_t)write_options, write_batch, &error);
  rocksdb.writebatch_destroy(write_batch);
  throw_error_of_rocksdb(env, error);
}

/* ---- Loading ---- */

/* Returns what is wrong, or null when the rest may be called; multiGet as the next one says. */
JNIEXPORT jstring JNICALL Java_io_stateaccel_rocksdb_jni_NativeLibrary_connect(JNIEnv *env,
                                                                              jclass type) {
  (void)type;
  const char *problem = connect_to_rocksdb();
  return problem == NULL ? NULL : (*env)->NewStringUTF(env, problem);
}

/* After connect: returns a function of RocksDB that multiGet needs and that is not there, or null. */
JNIEXPORT jstring JNICALL Java_io_stateaccel_rocksdb_jni_NativeLibrary_missingForMultiGet(
    JNIEnv *env, jclass type) {
  (void)type;
  return missing_for_multi_get == NULL ? NULL : (*env)->NewStringUTF(env, missing_for_multi_get);
}
