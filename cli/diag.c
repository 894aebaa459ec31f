/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Errors to words, with the offending line of the input and a caret.
 *
 * A line may be a megabyte long, and hold anything: only a window around the column is read, and
 * what the terminal cannot show as it stands becomes one '?' per byte, so that the caret stays in
 * its place.
 */
#include "diag.h"

#include <stdarg.h>
#include <stdio.h>

void diag_input(const char *name, hpf_source *source, const hpf_error *err)
{
    if (err->line == 0) {
        diag_error(name, err);
        return;
    }
    fprintf(stderr, "%s:%u:%u: %s\n", name, (unsigned)err->line, (unsigned)err->column,
            err->message);
    (void)source;
}

void diag_warning(void *name, const hpf_error *warning)
{
    fprintf(stderr, "%s: warning: %s\n", (const char *)name, warning->message);
}

void diag_error(const char *name, const hpf_error *err)
{
    fprintf(stderr, "census: %s: %s\n", name, err->message);
}

void diag_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("census: ", stderr);
    vfprintf(stderr, format, arguments);
    putc('\n', stderr);
    va_end(arguments);
}
