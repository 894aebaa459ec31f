/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What can be read of the text of a `.prof`: lines of retainer sets; and what labels mean.
 */
#include "prof/prof.h"

#include <string.h>

#include "hpfile/str.h"

bool hpf_prof_hides(hpf_str label, hpf_str srcloc)
{
    static const char *const labels[] = {"GC", "SYSTEM", "IDLE", "DONT_CARE", "OVERHEAD_of"};
    bool found = false;
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        found |= hpf_str_is(label, labels[i]);
    }
    return found && hpf_str_is(srcloc, "<built-in>");
}

static bool skip(hpf_str *line, const char *text)
{
    size_t length = strlen(text);
    if (line->length < length || memcmp(line->data, text, length) != 0) {
        return false;
    }
    *line = (hpf_str){line->data + length, line->length - length};
    return true;
}

hpf_status hpf_prof_read_set(uint64_t *id, hpf_str *text, hpf_str line)
{
    while (line.length > 0 &&
           (line.data[line.length - 1] == '\n' || line.data[line.length - 1] == '\r')) {
        line.length--;
    }
    if (!skip(&line, "SET ")) {
        return HPF_END;
    }
    uint64_t number = 0;
    size_t n_digits = 0;
    for (; n_digits < line.length && n_digits < 19; n_digits++) {
        char c = line.data[n_digits];
        if (c < '0' || c > '9') {
            break;
        }
        number = number * 10 + (uint64_t)(c - '0');
    }
    line = (hpf_str){line.data + n_digits, line.length - n_digits};
    if (n_digits == 0 || !skip(&line, " = {") || line.length == 0 ||
        line.data[line.length - 1] != '}') {
        return HPF_END;
    }
    *id = number;
    *text = (hpf_str){line.data, line.length - 1};
    return HPF_OK;
}
