/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The image of a process from its core file (ELF, x86-64, Linux). Memory that the kernel leaves out
 * of core files, such as code, is read from the files that were mapped.
 *
 * Source: core(5); the kernel's fs/binfmt_elf.c and include/uapi/linux/elfcore.h for notes.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_COLLECTOR_CORE_CORE_FILE_H
#define HPP_NATIVE_COLLECTOR_CORE_CORE_FILE_H

#include "hpfile/error.h"
#include "native/collector/image/image.h"

typedef struct hpp__core_part hpp__core_part;

typedef struct hpp__core {
    hpp__image image; /* without blocks; valid until hpp__core_close */
    char program[16]; /* the name of the process */
    int fd;
    uint64_t n_bytes; /* of the file */
    hpp__image_map *maps;
    hpp__core_part *parts; /* the same, with where the file has them */
    hpp__image_thread *threads;
    size_t n_parts, n_threads, parts_capacity, threads_capacity;
    char *files; /* the note with the names of mapped files */
    const char *open_path;
    int open_fd; /* the file that was read last; -1: none */
} hpp__core;

/* Opens a core file. `core` must not be moved. Errors: IO, SYNTAX, UNSUPPORTED, MEMORY. Call
 * hpp__core_close in any case. */
hpf_status hpp__core_open(hpp__core *core, const char *path, hpf_error *err);
void hpp__core_close(hpp__core *core);

#endif
