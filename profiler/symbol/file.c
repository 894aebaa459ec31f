/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A list of open files, newest first; the oldest is closed when there are too many.
 */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct hpp__file {
    hpp__files *pool; /* NULL: in memory */
    char *path;
    char *memory;
    int fd; /* -1: closed at the moment, and in no list */
    struct stat as_opened;
    uint64_t n_bytes;
    hpp__file *newer, *older;
};

/* ---- The list ---- */

static void unlink_open(hpp__file *file)
{
    hpp__files *pool = file->pool;
    *(file->newer ? &file->newer->older : &pool->newest) = file->older;
    *(file->older ? &file->older->newer : &pool->oldest) = file->newer;
    pool->n_open--;
}

static void link_newest(hpp__file *file)
{
    hpp__files *pool = file->pool;
    file->newer = NULL;
    file->older = pool->newest;
    *(pool->newest ? &pool->newest->newer : &pool->oldest) = file;
    pool->newest = file;
    pool->n_open++;
}

static void put_away(hpp__file *file)
{
    unlink_open(file);
    close(file->fd);
    file->fd = -1;
}

/* ---- Opening ---- */

/* Opens without waiting (a FIFO) and without side effects (a terminal). */
static int open_plain(hpp__files *pool, const char *path)
{
    const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    if (pool->n_open >= HPP__FILES_OPEN_MAX) {
        put_away(pool->oldest);
    }
    int fd = open(path, flags);
    while (fd < 0 && errno == EMFILE && pool->oldest) {
        put_away(pool->oldest);
        fd = open(path, flags);
    }
    return fd;
}

static bool is_same_content(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

hpp__file *hpp__file_open(hpp__files *pool, const char *path)
{
    hpp__file *file = calloc(1, sizeof *file);
    if (!file) {
        return NULL;
    }
    *file = (hpp__file){.pool = pool, .fd = open_plain(pool, path), .path = strdup(path)};
    if (file->fd < 0 || !file->path || fstat(file->fd, &file->as_opened) != 0 ||
        !S_ISREG(file->as_opened.st_mode)) {
        if (file->fd >= 0) {
            close(file->fd);
        }
        free(file->path);
        free(file);
        return NULL;
    }
    file->n_bytes = (uint64_t)file->as_opened.st_size;
    link_newest(file);
    return file;
}

hpp__file *hpp__file_from_memory(void *bytes, size_t n_bytes)
{
    hpp__file *file = calloc(1, sizeof *file);
    if (!file) {
        free(bytes);
        return NULL;
    }
    *file = (hpp__file){.fd = -1, .memory = bytes, .n_bytes = n_bytes};
    return file;
}

void hpp__file_close(hpp__file *file)
{
    if (!file) {
        return;
    }
    if (file->fd >= 0) {
        put_away(file);
    }
    free(file->path);
    free(file->memory);
    free(file);
}

uint64_t hpp__file_bytes(const hpp__file *file)
{
    return file->n_bytes;
}

const char *hpp__file_path(const hpp__file *file)
{
    return file->path ? file->path : "";
}

bool hpp__file_is_same(const hpp__file *file)
{
    struct stat now;
    return file->memory || (stat(file->path, &now) == 0 && is_same_content(&now, &file->as_opened));
}

/* ---- Reading ---- */

static bool reopen(hpp__file *file)
{
    struct stat now;
    int fd = open_plain(file->pool, file->path);
    if (fd < 0) {
        return false;
    }
    if (fstat(fd, &now) != 0 || !is_same_content(&now, &file->as_opened)) {
        close(fd);
        return false;
    }
    file->fd = fd;
    link_newest(file);
    return true;
}

/* Makes the file open, and the newest. */
static bool want_open(hpp__file *file)
{
    if (file->fd < 0) {
        return reopen(file);
    }
    if (file->pool->newest != file) {
        unlink_open(file);
        link_newest(file);
    }
    return true;
}

bool hpp__file_read(hpp__file *file, uint64_t offset, void *into, size_t n_bytes)
{
    if (offset > file->n_bytes || n_bytes > file->n_bytes - offset) {
        return false;
    }
    if (n_bytes == 0) {
        return true;
    }
    if (file->memory) {
        memcpy(into, file->memory + offset, n_bytes);
        return true;
    }
    if (!want_open(file)) {
        return false;
    }
    for (char *at = into; n_bytes > 0;) {
        ssize_t n = pread(file->fd, at, n_bytes, (off_t)offset);
        if (n <= 0) {
            if (n < 0 && errno == EINTR) {
                continue;
            }
            return false;
        }
        at += n;
        offset += (uint64_t)n;
        n_bytes -= (size_t)n;
    }
    return true;
}

char *hpp__file_copy(hpp__file *file, uint64_t offset, uint64_t n_bytes)
{
    if (offset > file->n_bytes || n_bytes > file->n_bytes - offset) {
        return NULL;
    }
    char *copy = malloc((size_t)n_bytes + 1);
    if (!copy || !hpp__file_read(file, offset, copy, (size_t)n_bytes)) {
        free(copy);
        return NULL;
    }
    copy[n_bytes] = 0;
    return copy;
}

size_t hpp__file_text(hpp__file *file, uint64_t offset, char *into, size_t limit)
{
    /* Most names are short: read in pieces that double. */
    size_t length = 0;
    for (size_t piece = 128; length < limit; piece *= 2) {
        uint64_t left = offset < file->n_bytes ? file->n_bytes - offset : 0;
        size_t n = piece < limit - length ? piece : limit - length;
        n = n < left ? n : (size_t)left;
        if (n == 0 || !hpp__file_read(file, offset, into + length, n)) {
            break;
        }
        const char *end = memchr(into + length, 0, n);
        if (end) {
            return (size_t)(end - into);
        }
        length += n;
        offset += n;
    }
    return 0;
}
