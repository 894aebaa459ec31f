/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Status codes and the error value that every fallible function of the project fills.
 *
 * Errors: a fallible function returns an hpf_status and takes `hpf_error *err` last; NULL if the
 * caller does not want the details. The caller owns the struct. Nothing is allocated and nothing is
 * global, so an error can be reported from any thread and without memory.
 */
#ifndef HPFILE_ERROR_H
#define HPFILE_ERROR_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define HPF_BEGIN_DECLS extern "C" {
#define HPF_END_DECLS   }
#else
#define HPF_BEGIN_DECLS
#define HPF_END_DECLS
#endif

HPF_BEGIN_DECLS

#if defined(__GNUC__)
#define HPF_API              __attribute__((visibility("default")))
#define HPF_MUST_USE         __attribute__((warn_unused_result))
#define HPF_PRINTF(fmt, arg) __attribute__((format(printf, fmt, arg)))
#define HPF_NORETURN         __attribute__((noreturn))
#else
#define HPF_API
#define HPF_MUST_USE
#define HPF_PRINTF(fmt, arg)
#define HPF_NORETURN
#endif

typedef enum hpf_status {
    HPF_OK = 0,
    HPF_MORE,            /* not an error: more input is needed */
    HPF_END,             /* not an error: there is no more */
    HPF_ERR_IO,          /* a system error; see os_errno */
    HPF_ERR_MEMORY,      /* out of memory */
    HPF_ERR_SYNTAX,      /* invalid input */
    HPF_ERR_ORDER,       /* valid syntax in the wrong place (time goes back, END without BEGIN) */
    HPF_ERR_RANGE,       /* a number is out of range */
    HPF_ERR_VERSION,     /* an unsupported version of the format */
    HPF_ERR_LIMIT,       /* a documented limit was exceeded */
    HPF_ERR_ARGUMENT,    /* an invalid argument */
    HPF_ERR_UNSUPPORTED, /* not built in */
} hpf_status;

typedef struct hpf_error {
    hpf_status status; /* HPF_OK, or the reason */
    int os_errno;      /* errno when status is HPF_ERR_IO, else 0 */
    uint64_t offset;   /* of the first offending byte, from 0 */
    uint32_t line;     /* from 1; 0 when the error has no place in a text */
    uint32_t column;   /* from 1, in bytes; 0 like line */
    char message[160]; /* one line: what is wrong and what was expected, without file name and
                          newline */
} hpf_error;

/* Returns the name of a status in lower case words ("syntax error"): static, never NULL. */
HPF_API const char *hpf_status_name(hpf_status status);

/* Fills `err` (unless NULL) and returns `status`, so that a function can fail with `return
 * hpf_error_set(...)`. Sets the place to 0, and cuts the message at 159 bytes. */
HPF_API hpf_status hpf_error_set(hpf_error *err, hpf_status status, const char *format, ...)
    HPF_PRINTF(3, 4);

/* Fills `err` for a failed system call: status HPF_ERR_IO, `os_errno`, and its text appended after
 * ": ". Returns HPF_ERR_IO. */
HPF_API hpf_status hpf_error_set_os(hpf_error *err, int os_errno, const char *format, ...)
    HPF_PRINTF(3, 4);

/* Fills `err` with "out of memory" and returns HPF_ERR_MEMORY. */
HPF_API hpf_status hpf_error_set_memory(hpf_error *err);

HPF_END_DECLS
#endif
