/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What can be read of the text of a `.prof`: lines of retainer sets.
 */
#include "hpfile/prof.h"

#include <string.h>

#include "hpfile/str.h"

static bool skip(hpf_str *line, const char *text)
{
    size_t length = strlen(text);
    if (line->length < length || memcmp(line->data, text, length) != 0) {
        return false;
    }
    *line = hpf_str_from(*line, length);
    return true;
}

/* Removes the end of the line. */
static hpf_str trimmed(hpf_str line)
{
    while (line.length > 0 &&
           (line.data[line.length - 1] == '\n' || line.data[line.length - 1] == '\r')) {
        line.length--;
    }
    return line;
}

/* Reads up to 19 digits. Returns false if there is none. */
static bool read_whole(hpf_str *line, uint64_t *number)
{
    size_t n_digits = 0;
    *number = 0;
    for (; n_digits < line->length && n_digits < 19; n_digits++) {
        char c = line->data[n_digits];
        if (c < '0' || c > '9') {
            break;
        }
        *number = *number * 10 + (uint64_t)(c - '0');
    }
    *line = hpf_str_from(*line, n_digits);
    return n_digits > 0;
}

/* Removes the last character of a line if it is `last`. */
static bool drop_last(hpf_str *line, char last)
{
    bool is_there = line->length > 0 && line->data[line->length - 1] == last;
    line->length -= is_there;
    return is_there;
}

hpf_status hpf_prof_read_set(uint64_t *id, hpf_str *text, hpf_str line)
{
    uint64_t number;
    line = trimmed(line);
    if (!skip(&line, "SET ") || !read_whole(&line, &number) || !skip(&line, " = {") ||
        !drop_last(&line, '}')) {
        return HPF_END;
    }
    *id = number;
    *text = line;
    return HPF_OK;
}

hpf_status hpf_prof_read_holding(hpf_prof_holding *out, hpf_str line)
{
    static const char between[] = "> by ";
    const size_t n_between = sizeof between - 1;
    hpf_prof_holding holding = {0};
    line = trimmed(line);
    if (skip(&line, "ROOT <")) {
        *out = (hpf_prof_holding){.retainer = line, .is_root = true};
        return drop_last(&out->retainer, '>') ? HPF_OK : HPF_END;
    }
    if (!skip(&line, "HELD ") || !read_whole(&line, &holding.size_bytes) ||
        !skip(&line, " bytes, ") || !read_whole(&line, &holding.n_objects) ||
        !skip(&line, " objects: <")) {
        return HPF_END;
    }
    for (size_t i = 0; i + n_between < line.length; i++) {
        if (memcmp(line.data + i, between, n_between) == 0) {
            holding.retainer = (hpf_str){line.data, i};
            holding.by = (hpf_str){line.data + i + n_between, line.length - i - n_between};
            if (skip(&holding.by, "{") && !drop_last(&holding.by, '}')) {
                return HPF_END;
            }
            *out = holding;
            return HPF_OK;
        }
    }
    return HPF_END;
}
