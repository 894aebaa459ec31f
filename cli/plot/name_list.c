/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads and splits lists of names.
 */
#include "name_list.h"

#include <stdlib.h>
#include <string.h>

#include "hpfile/source.h"

#include "diag.h"

/* Reads the whole source. */
static hpf_status read_all(name_list *list, size_t *n_bytes, hpf_source *source, hpf_error *err)
{
    hpf_str piece;
    hpf_status status;
    while ((status = hpf_source_next(source, &piece, err)) == HPF_OK) {
        char *longer = realloc(list->bytes, *n_bytes + piece.length);
        if (!longer) {
            return hpf_error_set_memory(err);
        }
        list->bytes = longer;
        memcpy(longer + *n_bytes, piece.data, piece.length);
        *n_bytes += piece.length;
    }
    return status == HPF_END ? HPF_OK : status;
}

static size_t count_names(const char *bytes, size_t n_bytes, char separator)
{
    size_t n = 1;
    for (size_t i = 0; i < n_bytes; i++) {
        n += bytes[i] == separator;
    }
    return n;
}

static hpf_status split(name_list *list, size_t n_bytes, char separator, hpf_error *err)
{
    list->names = calloc(count_names(list->bytes, n_bytes, separator), sizeof *list->names);
    if (!list->names) {
        return hpf_error_set_memory(err);
    }
    for (size_t begin = 0, end; begin < n_bytes; begin = end + 1) {
        const char *found = memchr(list->bytes + begin, separator, n_bytes - begin);
        end = found ? (size_t)(found - list->bytes) : n_bytes;
        size_t length = end - begin;
        length -= length > 0 && list->bytes[begin + length - 1] == '\r';
        if (length > 0) {
            list->names[list->n++] = (hpf_str){list->bytes + begin, length};
        }
    }
    return HPF_OK;
}

bool name_list_split(name_list *out, const char *text)
{
    hpf_error err;
    *out = (name_list){.bytes = strdup(text)};
    hpf_status status =
        out->bytes ? split(out, strlen(text), ',', &err) : hpf_error_set_memory(&err);
    if (status != HPF_OK) {
        diag_say("%s", err.message);
        name_list_finish(out);
    }
    return status == HPF_OK;
}

bool name_list_read(name_list *out, const char *path)
{
    hpf_source *source = NULL;
    size_t n_bytes = 0;
    hpf_error err;
    *out = (name_list){0};
    if (!path) {
        return true;
    }
    hpf_status status = hpf_source_open(&source, path, NULL, &err);
    if (status == HPF_OK) {
        status = read_all(out, &n_bytes, source, &err);
    }
    if (status == HPF_OK) {
        status = split(out, n_bytes, '\n', &err);
    }
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
    free(list->bytes);
    *list = (name_list){0};
}
