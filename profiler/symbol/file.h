/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Files that stay open only while few others are wanted: a program may have hundreds of objects,
 * and a process may have few descriptors. A file that was closed is opened again when it is read;
 * if it is another file by then, it reads as if it were damaged.
 *
 * Threads: one pool with its files, one thread at a time.
 */
#ifndef HPP_SYMBOL_FILE_H
#define HPP_SYMBOL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HPP__FILES_OPEN_MAX 48

typedef struct hpp__file hpp__file;

/* All zero is an empty pool. Files must be closed before it goes. */
typedef struct hpp__files {
    hpp__file *newest; /* open ones, by time of use */
    hpp__file *oldest;
    unsigned n_open;
} hpp__files;

/* Opens a regular file; NULL when there is none, or no memory. Closed with hpp__file_close. */
hpp__file *hpp__file_open(hpp__files *pool, const char *path);

/* A file that is these bytes, which the file owns from now on (freed also on failure). */
hpp__file *hpp__file_from_memory(void *bytes, size_t n_bytes);

void hpp__file_close(hpp__file *file);

uint64_t hpp__file_bytes(const hpp__file *file);
const char *hpp__file_path(const hpp__file *file); /* "" for memory */

/* Whether the path still names the file that was opened, with its content untouched. */
bool hpp__file_is_same(const hpp__file *file);

/* Bytes [offset, offset + n_bytes); false when the file has not all of them. */
bool hpp__file_read(hpp__file *file, uint64_t offset, void *into, size_t n_bytes);

/* The same in new memory, to be freed, with a NUL behind; NULL also when there is no memory. */
char *hpp__file_copy(hpp__file *file, uint64_t offset, uint64_t n_bytes);

/* A text that ends with NUL, at most `limit` bytes long. Its length, or 0: none such. `into` has
 * room for `limit` + 1. */
size_t hpp__file_text(hpp__file *file, uint64_t offset, char *into, size_t limit);

#endif
