/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads and splits lists of names.
 */
#include "name_list.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "hpfile/source.h"

#include "diag.h"

/* Fills the list from its text, without empty names. */
static hpf_status split(name_list *list, char separator, hpf_error *err)
{
    for (hpf_str rest = {list->text.bytes, list->text.length}; rest.length > 0;) {
        hpf_str name = hpf__take_until(&rest, separator);
        name.length -= name.length > 0 && name.data[name.length - 1] == '\r';
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
        if (!hpf__buffer_add(&out->text, piece)) {
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

/* ---- colours ---- */

enum { N_DIGITS = 6, NAME_AT = N_DIGITS + 2 };

static int digit_of(char c)
{
    return c >= '0' && c <= '9'                     ? c - '0'
           : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                    : -1;
}

/* Reads a colour component from two digits. */
static bool read_part(double *out, const char *digits)
{
    int high = digit_of(digits[0]);
    int low = digit_of(digits[1]);
    *out = (16 * high + low) / 255.0;
    return high >= 0 && low >= 0;
}

static bool read_pin(hpr_pin *out, hpf_str line)
{
    if (line.length <= NAME_AT || line.data[0] != '#' ||
        !isblank((unsigned char)line.data[NAME_AT - 1])) {
        return false;
    }
    out->name = (hpf_str){line.data + NAME_AT, line.length - NAME_AT};
    return read_part(&out->colour.red, line.data + 1) &&
           read_part(&out->colour.green, line.data + 3) &&
           read_part(&out->colour.blue, line.data + 5);
}

static bool is_remark(hpf_str line)
{
    return line.data[0] == '#' && (line.length == 1 || isblank((unsigned char)line.data[1]));
}

bool colour_list_read(colour_list *out, const char *path)
{
    *out = (colour_list){0};
    if (!name_list_read(&out->lines, path)) {
        return false;
    }
    out->pins = calloc(out->lines.n + 1, sizeof *out->pins);
    for (size_t i = 0; out->pins && i < out->lines.n; i++) {
        hpf_str line = out->lines.names[i];
        if (is_remark(line)) {
            continue;
        }
        if (!read_pin(&out->pins[out->n++], line)) {
            diag_say("%s: expected \"#rrggbb NAME\", found '%.*s'", path,
                     (int)(line.length < 60 ? line.length : 60), line.data);
            colour_list_finish(out);
            return false;
        }
    }
    if (!out->pins) {
        diag_say("out of memory");
        colour_list_finish(out);
    }
    return out->pins != NULL;
}

void colour_list_finish(colour_list *list)
{
    free(list->pins);
    name_list_finish(&list->lines);
    *list = (colour_list){0};
}
