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

hpf_status hpf_prof_read_set(uint64_t *id, hpf_str *text, hpf_str line)
{
    uint64_t number;
    line = trimmed(line);
    if (!hpf__take_word(&line, "SET ") || !hpf__take_whole(&line, 10, &number) ||
        !hpf__take_word(&line, " = {") || !hpf__drop_end(&line, "}")) {
        return HPF_END;
    }
    *id = number;
    *text = line;
    return HPF_OK;
}

hpf_status hpf_prof_read_holding(hpf_prof_holding *out, hpf_str line)
{
    hpf_prof_holding holding = {0};
    line = trimmed(line);
    if (hpf__take_word(&line, "ROOT <")) {
        *out = (hpf_prof_holding){.retainer = line, .is_root = true};
        return hpf__drop_end(&out->retainer, ">") ? HPF_OK : HPF_END;
    }
    if (!hpf__take_word(&line, "HELD ") || !hpf__take_whole(&line, 10, &holding.size_bytes) ||
        !hpf__take_word(&line, " bytes, ") || !hpf__take_whole(&line, 10, &holding.n_objects) ||
        !hpf__take_word(&line, " objects: <")) {
        return HPF_END;
    }
    if (!hpf__divide(line, "> by ", &holding.retainer, &holding.by) || holding.by.length == 0 ||
        (hpf__take_word(&holding.by, "{") && !hpf__drop_end(&holding.by, "}"))) {
        return HPF_END;
    }
    *out = holding;
    return HPF_OK;
}
