/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A library in which a call of census itself fails: FAIL=malloc:7 lets the seventh of those that
 * allocate fail, FAIL=open:7 the seventh that opens a file, FAIL=write:7 and FAIL=mmap:7 alike. The
 * call must come from code of the program, not of a library. Then the file that FAILED names
 * exists. Programs that are not called census are left alone.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t n_bytes);
void *__libc_calloc(size_t n, size_t n_bytes);
void *__libc_realloc(void *block, size_t n_bytes);

typedef enum kind { MALLOC, OPEN, WRITE, MMAP, N_KINDS } kind;

static int chosen = -1;
static atomic_long n_left;

__attribute__((constructor)) static void choose(void)
{
    static const char *const names[N_KINDS] = {"malloc:", "open:", "write:", "mmap:"};
    const char *wanted = getenv("FAIL");
    for (int i = 0; wanted && i < N_KINDS; i++) {
        size_t n = strlen(names[i]);
        if (strcmp(program_invocation_short_name, "census") == 0 &&
            strncmp(wanted, names[i], n) == 0) {
            atomic_store(&n_left, atol(wanted + n));
            chosen = i;
        }
    }
}

static bool is_of_program(void *caller)
{
    Dl_info info;
    struct link_map *object;
    return dladdr1(caller, &info, (void **)&object, RTLD_DL_LINKMAP) != 0 &&
           object->l_name[0] == '\0';
}

static bool fails(kind called, void *caller, int error)
{
    if (chosen != (int)called || !is_of_program(caller) || atomic_fetch_sub(&n_left, 1) != 1) {
        return false;
    }
    const char *failed = getenv("FAILED");
    if (failed) {
        close(creat(failed, 0600));
    }
    errno = error;
    return true;
}

#define VISIBLE              __attribute__((visibility("default")))
#define FAILS(called, error) fails(called, __builtin_return_address(0), error)

static void *next_of(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

VISIBLE void *malloc(size_t n_bytes)
{
    return FAILS(MALLOC, ENOMEM) ? NULL : __libc_malloc(n_bytes);
}

VISIBLE void *calloc(size_t n, size_t n_bytes)
{
    return FAILS(MALLOC, ENOMEM) ? NULL : __libc_calloc(n, n_bytes);
}

VISIBLE void *realloc(void *block, size_t n_bytes)
{
    return FAILS(MALLOC, ENOMEM) ? NULL : __libc_realloc(block, n_bytes);
}

VISIBLE int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = va_arg(more, mode_t);
    va_end(more);
    return FAILS(OPEN, EMFILE) ? -1 : openat(AT_FDCWD, path, flags, mode);
}

VISIBLE FILE *fopen(const char *path, const char *mode)
{
    FILE *(*next)(const char *, const char *) =
        (FILE * (*)(const char *, const char *))(uintptr_t)next_of("fopen");
    return FAILS(OPEN, EMFILE) ? NULL : next(path, mode);
}

VISIBLE ssize_t write(int file, const void *bytes, size_t n)
{
    ssize_t (*next)(int, const void *, size_t) =
        (ssize_t(*)(int, const void *, size_t))(uintptr_t)next_of("write");
    return FAILS(WRITE, ENOSPC) ? -1 : next(file, bytes, n);
}

VISIBLE void *mmap(void *place, size_t n_bytes, int protection, int flags, int file, off_t offset)
{
    void *(*next)(void *, size_t, int, int, int, off_t) =
        (void *(*)(void *, size_t, int, int, int, off_t))(uintptr_t)next_of("mmap");
    return FAILS(MMAP, ENOMEM) ? MAP_FAILED : next(place, n_bytes, protection, flags, file, offset);
}
