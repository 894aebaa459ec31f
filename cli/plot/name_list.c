/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads and splits lists of names.
 */
#include "name_list.h"

#include <stdlib.h>
#include <string.h>

#include "hpfile/source.h"

#include "diag.h"

/* Fills the list from its text, without empty names. */
static hpf_status split(name_list *list, char separator, hpf_error *err)
{
    const char *bytes = list->text.bytes;
    size_t n_bytes = list->text.length;
    for (size_t begin = 0, end; begin < n_bytes; begin = end + 1) {
        const char *found = memchr(bytes + begin, separator, n_bytes - begin);
        end = found ? (size_t)(found - bytes) : n_bytes;
        hpf_str name = {bytes + begin, end - begin};
        name.length -= name.length > 0 && bytes[end - 1] == '\r';
        if (name.length > 0 && !HPF__ARRAY_PUSH(list->names, list->n, list->capacity, name)) {
            return hpf_error_set_memory(err);
        }
    }
    return HPF_OK;
}

bool name_list_split(name_list *out, const char *text)
{
    hpf_error err;
    *out = (name_list){0};
    hpf_status status = hpf__buffer_append(&out->text, text, strlen(text))
                            ? split(out, ',', &err)
                            : hpf_error_set_memory(&err);
    if (status != HPF_OK) {
        diag_say("%s", err.message);
        name_list_finish(out);
    }
    return status == HPF_OK;
}

bool name_list_read(name_list *out, const char *path)
{
    hpf_source *source = NULL;
    hpf_str piece;
    hpf_error err;
    *out = (name_list){0};
    if (!path) {
        return true;
    }
    hpf_status status = hpf_source_open(&source, path, NULL, &err);
    while (status == HPF_OK && (status = hpf_source_next(source, &piece, &err)) == HPF_OK) {
        if (!hpf__buffer_append(&out->text, piece.data, piece.length)) {
            status = hpf_error_set_memory(&err);
        }
    }
    status = status == HPF_END ? split(out, '\n', &err) : status;
    hpf_source_destroy(source);
    if (status != HPF_OK) {
        diag_error(path, &err);
        name_list_finish(out);
    }
    return status == HPF_OK;
}

void name_list_finish(name_list *list)
{
    free(list->names);
    hpf__buffer_finish(&list->text);
    *list = (name_list){0};
}
