/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What can be read of the text of a `.prof`: lines of retainer sets.
 */
#include "hpfile/prof.h"

#include <string.h>

#include "base/words.h"
#include "hpfile/str.h"

/* Removes the end of the line. */
static hpf_str trimmed(hpf_str line)
{
    while (line.length > 0 &&
           (line.data[line.length - 1] == '\n' || line.data[line.length - 1] == '\r')) {
        line.length--;
    }
    return line;
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
    if (!hpf__take_word(&line, "SET ") || !hpf__take_whole(&line, 10, &number) ||
        !hpf__take_word(&line, " = {") || !drop_last(&line, '}')) {
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
    if (hpf__take_word(&line, "ROOT <")) {
        *out = (hpf_prof_holding){.retainer = line, .is_root = true};
        return drop_last(&out->retainer, '>') ? HPF_OK : HPF_END;
    }
    if (!hpf__take_word(&line, "HELD ") || !hpf__take_whole(&line, 10, &holding.size_bytes) ||
        !hpf__take_word(&line, " bytes, ") || !hpf__take_whole(&line, 10, &holding.n_objects) ||
        !hpf__take_word(&line, " objects: <")) {
        return HPF_END;
    }
    for (size_t i = 0; i + n_between < line.length; i++) {
        if (memcmp(line.data + i, between, n_between) == 0) {
            holding.retainer = (hpf_str){line.data, i};
            holding.by = (hpf_str){line.data + i + n_between, line.length - i - n_between};
            if (hpf__take_word(&holding.by, "{") && !drop_last(&holding.by, '}')) {
                return HPF_END;
            }
            *out = holding;
            return HPF_OK;
        }
    }
    return HPF_END;
}
