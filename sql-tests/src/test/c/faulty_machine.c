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
 * A machine whose wall clock jumps and whose checkpoint storage is slow, for the chaos test. Loaded
 * before all other libraries (LD_PRELOAD), it takes the place of the functions of the C library that
 * a task manager's JVM and RocksDB ask for the time and write files with.
 *
 * What is wrong is told by the file STATEACCEL_FAULTS, two numbers of 64 bits in the machine's byte
 * order: by how many nanoseconds the wall clock is ahead, and how many each write below the folder
 * STATEACCEL_SLOW_FOLDER takes longer. Both may change at any time.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define NANOS 1000000000LL

typedef int wait_function(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

static const volatile int64_t *faults;
static const char *slow_folder;
static wait_function *real_wait;

static int is_task_manager(void) {
    char line[1 << 16];
    int file = open("/proc/self/cmdline", O_RDONLY);
    ssize_t length = file < 0 ? 0 : read(file, line, sizeof line);
    if (file >= 0) {
        close(file);
    }
    return length > 0 && memmem(line, length, "TaskManagerRunner", strlen("TaskManagerRunner"));
}

__attribute__((constructor)) static void start(void) {
    /* The default version where there are two, or the only one. */
    real_wait = (wait_function *) dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
    if (!real_wait) {
        real_wait = (wait_function *) dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    }
    const char *path = getenv("STATEACCEL_FAULTS");
    slow_folder = getenv("STATEACCEL_SLOW_FOLDER");
    if (!path || !slow_folder || !is_task_manager()) {
        return;
    }
    int file = open(path, O_RDONLY);
    void *shared = file < 0 ? MAP_FAILED
                            : mmap(NULL, 2 * sizeof *faults, PROT_READ, MAP_SHARED, file, 0);
    if (shared == MAP_FAILED) {
        perror(path);
        abort();
    }
    close(file);
    faults = shared;
}

static int64_t ahead(void) { return faults ? faults[0] : 0; }

static struct timespec shifted(struct timespec time, int64_t nanos) {
    int64_t sum = time.tv_nsec + nanos;
    int64_t seconds = sum / NANOS - (sum % NANOS < 0);
    return (struct timespec){time.tv_sec + seconds, sum - seconds * NANOS};
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = (int) syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        *time = shifted(*time, ahead());
    }
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void) zone;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) {
        *result = now.tv_sec;
    }
    return now.tv_sec;
}

/* Until a time of the wall clock, or of the one that counts from the machine's start. */
int pthread_cond_timedwait(
        pthread_cond_t *restrict condition,
        pthread_mutex_t *restrict mutex,
        const struct timespec *restrict until) {
    int is_wall_clock = until->tv_sec > NANOS;
    struct timespec real = is_wall_clock ? shifted(*until, -ahead()) : *until;
    return real_wait(condition, mutex, &real);
}

static int is_slow(int file) {
    char link[64];
    char path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    size_t length = strlen(slow_folder);
    return readlink(link, path, sizeof path) > (ssize_t) length
           && memcmp(path, slow_folder, length) == 0;
}

ssize_t write(int file, const void *bytes, size_t length) {
    int64_t nanos = faults ? faults[1] : 0;
    if (nanos > 0 && is_slow(file)) {
        struct timespec longer = {nanos / NANOS, nanos % NANOS};
        nanosleep(&longer, NULL);
    }
    return syscall(SYS_write, file, bytes, length);
}
