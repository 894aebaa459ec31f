/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds out whether the preload library can be loaded into a program, by the rules of the kernel
 * and the loader. System V ABI, chapters 4 and 5; execve(2), "Interpreter scripts"; ld.so(8),
 * "Secure-execution mode".
 *
 * Used by the collector, and in the profiled program, also after vfork: it reads files by bare
 * system calls into the stack, and changes neither errno nor any variable.
 */
#ifndef HPP_NATIVE_LOADING_LOADING_H
#define HPP_NATIVE_LOADING_LOADING_H

#include <stdbool.h>

typedef enum hpp_loading {
    HPP_LOADABLE,
    HPP_LOADING_UNREADABLE,   /* its file cannot be read */
    HPP_LOADING_USER,         /* it changes its user at start */
    HPP_LOADING_GROUP,        /* it changes its group at start */
    HPP_LOADING_CAPABILITIES, /* it gains capabilities at start */
    HPP_LOADING_NO_PROGRAM,   /* neither an ELF file nor text */
    HPP_LOADING_32_BIT,
    HPP_LOADING_MACHINE,  /* of another processor */
    HPP_LOADING_NO_START, /* an ELF file that cannot be started */
    HPP_LOADING_STATIC,   /* it has no loader */
    HPP_LOADING_LIBC,     /* its loader is not glibc's */
    HPP_LOADING_OLD_LIBC, /* its loader is of a glibc that lacks functions that the library needs */
    HPP_LOADING_SANITIZER /* its own allocator must come first, and owns the address space */
} hpp_loading;

enum { HPP_LOADER_PATH_BYTES = 256 };

/* The shell that runs text without a first line #!, as execvp does. */
#define HPP_SHELL "/bin/sh"

/* Checks the program at `path`, relative to an open directory or AT_FDCWD, or if `path` is "" the
 * program that is open as `directory`. A script is checked by its interpreter. Stores the path of
 * the loader if there is one, else "". */
hpp_loading hpp__loading_check(int directory, const char *path, char loader[HPP_LOADER_PATH_BYTES]);

/* Returns whether a value of LD_PRELOAD names the runtime of a sanitizer. */
bool hpp__loading_names_sanitizer(const char *list);

#endif
