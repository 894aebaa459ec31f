/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions of libc that access memory of their caller, and are not compiled by `census cc`: calls
 * of them come here (the linker's --wrap; the list is also in cli/commands/cc.c). One byte
 * represents all that a function accesses by a pointer, since they are in one block.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shadow.h"

/* WRAP(result, name, parameters, arguments, checks) */
#define WRAP(result, name, parameters, arguments, ...)                                             \
    result __real_##name parameters;                                                               \
    result __wrap_##name parameters;                                                               \
    result __wrap_##name parameters                                                                \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        return __real_##name arguments;                                                            \
    }
#define USE(pointer) hpp__shadow_check(pointer)
/* Of 0 bytes, nothing is accessed, and the pointer may be no block's. */
#define USE_N(pointer, n)                                                                          \
    if ((n) > 0)                                                                                   \
    hpp__shadow_check(pointer)

#define TO_FROM_N(name)                                                                            \
    WRAP(void *, name, (void *to, const void *from, size_t n), (to, from, n), USE_N(to, n);        \
         USE_N(from, n))
TO_FROM_N(memcpy)
TO_FROM_N(memmove)
TO_FROM_N(mempcpy)
WRAP(void *, memset, (void *to, int byte, size_t n), (to, byte, n), USE_N(to, n))
WRAP(int, memcmp, (const void *a, const void *b, size_t n), (a, b, n), USE_N(a, n); USE_N(b, n))
WRAP(void *, memchr, (const void *in, int byte, size_t n), (in, byte, n), USE_N(in, n))

#define OF_STRING(result, name) WRAP(result, name, (const char *text), (text), USE(text))
#define OF_CHARACTER(name)                                                                         \
    WRAP(char *, name, (const char *text, int character), (text, character), USE(text))
#define OF_TWO(result, name)                                                                       \
    WRAP(result, name, (const char *a, const char *b), (a, b), USE(a); USE(b))
#define OF_TWO_N(name)                                                                             \
    WRAP(int, name, (const char *a, const char *b, size_t n), (a, b, n), USE_N(a, n); USE_N(b, n))
#define TO_STRING(name)                                                                            \
    WRAP(char *, name, (char *to, const char *from), (to, from), USE(to); USE(from))
#define TO_STRING_N(name)                                                                          \
    WRAP(char *, name, (char *to, const char *from, size_t n), (to, from, n), USE_N(to, n);        \
         USE_N(from, n))
OF_STRING(size_t, strlen)
OF_STRING(char *, strdup)
WRAP(size_t, strnlen, (const char *text, size_t n), (text, n), USE_N(text, n))
WRAP(char *, strndup, (const char *text, size_t n), (text, n), USE_N(text, n))
OF_CHARACTER(strchr)
OF_CHARACTER(strrchr)
OF_CHARACTER(strchrnul)
OF_TWO(char *, strstr)
OF_TWO(char *, strpbrk)
OF_TWO(size_t, strspn)
OF_TWO(size_t, strcspn)
OF_TWO(int, strcmp)
OF_TWO(int, strcoll)
OF_TWO(int, strcasecmp)
OF_TWO_N(strncmp)
OF_TWO_N(strncasecmp)
TO_STRING(strcpy)
TO_STRING(stpcpy)
TO_STRING(strcat)
TO_STRING_N(strncpy)
TO_STRING_N(strncat)

/* With _FORTIFY_SOURCE. */
#define CHECKED(name)                                                                              \
    WRAP(void *, name, (void *to, const void *from, size_t n, size_t room), (to, from, n, room),   \
         USE_N(to, n);                                                                             \
         USE_N(from, n))
CHECKED(__memcpy_chk)
CHECKED(__memmove_chk)
CHECKED(__mempcpy_chk)
CHECKED(__strncpy_chk)
CHECKED(__strncat_chk)
WRAP(void *, __memset_chk, (void *to, int byte, size_t n, size_t room), (to, byte, n, room),
     USE_N(to, n))
WRAP(char *, __strcpy_chk, (char *to, const char *from, size_t room), (to, from, room), USE(to);
     USE(from))
WRAP(char *, __strcat_chk, (char *to, const char *from, size_t room), (to, from, room), USE(to);
     USE(from))

#define TRANSFER(name, type)                                                                       \
    WRAP(ssize_t, name, (int file, type *bytes, size_t n), (file, bytes, n), USE_N(bytes, n))
#define TRANSFER_AT(name, type)                                                                    \
    WRAP(ssize_t, name, (int file, type *bytes, size_t n, off_t at), (file, bytes, n, at),         \
         USE_N(bytes, n))
#define TRANSFER_PARTS(name)                                                                       \
    WRAP(ssize_t, name, (int file, const struct iovec *parts, int n), (file, parts, n),            \
         for (int i = 0; i < n; i++) USE_N(parts[i].iov_base, parts[i].iov_len))
TRANSFER(read, void)
TRANSFER(write, const void)
TRANSFER_AT(pread, void)
TRANSFER_AT(pwrite, const void)
TRANSFER_AT(pread64, void)
TRANSFER_AT(pwrite64, const void)
TRANSFER_PARTS(readv)
TRANSFER_PARTS(writev)
WRAP(ssize_t, recv, (int link, void *bytes, size_t n, int flags), (link, bytes, n, flags),
     USE_N(bytes, n))
WRAP(ssize_t, send, (int link, const void *bytes, size_t n, int flags), (link, bytes, n, flags),
     USE_N(bytes, n))
WRAP(ssize_t, recvfrom,
     (int link, void *bytes, size_t n, int flags, struct sockaddr *from, socklen_t *n_from),
     (link, bytes, n, flags, from, n_from), USE_N(bytes, n))
WRAP(ssize_t, sendto,
     (int link, const void *bytes, size_t n, int flags, const struct sockaddr *to, socklen_t n_to),
     (link, bytes, n, flags, to, n_to), USE_N(bytes, n))
WRAP(size_t, fread, (void *to, size_t size, size_t n, FILE *file), (to, size, n, file),
     USE_N(to, size *n))
WRAP(size_t, fwrite, (const void *from, size_t size, size_t n, FILE *file), (from, size, n, file),
     USE_N(from, size *n))
WRAP(char *, fgets, (char *to, int n, FILE *file), (to, n, file), USE_N(to, n))
WRAP(int, fputs, (const char *text, FILE *file), (text, file), USE(text))
OF_STRING(int, puts)
