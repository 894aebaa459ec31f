/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Filling the error struct, and the names of statuses.
 */
#include "hpfile/error.h"

#include <stdio.h>
#include <string.h>

const char *hpf_status_name(hpf_status status)
{
    switch (status) {
    case HPF_OK:
        return "ok";
    case HPF_MORE:
        return "more input needed";
    case HPF_END:
        return "end of input";
    case HPF_ERR_IO:
        return "input or output error";
    case HPF_ERR_MEMORY:
        return "out of memory";
    case HPF_ERR_SYNTAX:
        return "syntax error";
    case HPF_ERR_ORDER:
        return "out of order";
    case HPF_ERR_RANGE:
        return "out of range";
    case HPF_ERR_VERSION:
        return "unknown version";
    case HPF_ERR_LIMIT:
        return "limit exceeded";
    case HPF_ERR_ARGUMENT:
        return "bad argument";
    case HPF_ERR_UNSUPPORTED:
        return "not supported";
    }
    return "unknown status";
}

HPF_PRINTF(3, 0)
static void fill(hpf_error *err, hpf_status status, const char *format, va_list arguments)
    HPF_PRINTF(3, 0);

static void fill(hpf_error *err, hpf_status status, const char *format, va_list arguments)
{
    memset(err, 0, sizeof *err);
    err->status = status;
    vsnprintf(err->message, sizeof err->message, format, arguments);
}

hpf_status hpf_error_set(hpf_error *err, hpf_status status, const char *format, ...)
{
    if (err) {
        va_list arguments;
        va_start(arguments, format);
        fill(err, status, format, arguments);
        va_end(arguments);
    }
    return status;
}

hpf_status hpf_error_set_os(hpf_error *err, int os_errno, const char *format, ...)
{
    if (err) {
        va_list arguments;
        va_start(arguments, format);
        fill(err, HPF_ERR_IO, format, arguments);
        va_end(arguments);
        err->os_errno = os_errno;
        size_t used = strlen(err->message);
        snprintf(err->message + used, sizeof err->message - used, ": %s", strerror(os_errno));
    }
    return HPF_ERR_IO;
}

hpf_status hpf_error_set_memory(hpf_error *err)
{
    return hpf_error_set(err, HPF_ERR_MEMORY, "out of memory");
}
