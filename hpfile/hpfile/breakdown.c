/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The flags of GHC's run-time system, as one table.
 */
#include "hpfile/breakdown.h"

#include "hpfile/str.h"

static const struct breakdown {
    char letter;
    const char *name;
} breakdowns[HPF_N_BREAKDOWNS] = {
    [HPF_BREAKDOWN_COST_CENTRE] = {'c', "cost-centre stack"},
    [HPF_BREAKDOWN_MODULE] = {'m', "module"},
    [HPF_BREAKDOWN_CLOSURE_DESCR] = {'d', "closure description"},
    [HPF_BREAKDOWN_TYPE] = {'y', "type"},
    [HPF_BREAKDOWN_RETAINER] = {'r', "retainer set"},
    [HPF_BREAKDOWN_BIOGRAPHY] = {'b', "biography"},
    [HPF_BREAKDOWN_CLOSURE_TYPE] = {'T', "closure type"},
    [HPF_BREAKDOWN_INFO_TABLE] = {'i', "info table"},
    [HPF_BREAKDOWN_ERA] = {'e', "era"},
};

char hpf_breakdown_letter(hpf_breakdown breakdown)
{
    return (unsigned)breakdown < HPF_N_BREAKDOWNS ? breakdowns[breakdown].letter : '\0';
}

const char *hpf_breakdown_name(hpf_breakdown breakdown)
{
    return (unsigned)breakdown < HPF_N_BREAKDOWNS ? breakdowns[breakdown].name : NULL;
}

/* The next word of `*rest`, blanks between; empty at the end. */
static hpf_str next_word(hpf_str *rest)
{
    size_t start = 0;
    while (start < rest->length && rest->data[start] == ' ') {
        start++;
    }
    size_t end = start;
    while (end < rest->length && rest->data[end] != ' ') {
        end++;
    }
    hpf_str word = {rest->data + start, end - start};
    *rest = (hpf_str){rest->data + end, rest->length - end};
    return word;
}

static hpf_breakdown breakdown_of_word(hpf_str word)
{
    hpf_breakdown found = HPF_BREAKDOWN_NONE;
    if (word.length == 3 && word.data[0] == '-' && word.data[1] == 'h') {
        for (int i = 1; i < HPF_N_BREAKDOWNS; i++) {
            found = breakdowns[i].letter == word.data[2] ? (hpf_breakdown)i : found;
        }
    }
    return found;
}

hpf_breakdown hpf_breakdown_of_job(hpf_str job)
{
    hpf_breakdown found = HPF_BREAKDOWN_NONE;
    bool is_rts = false;
    job = job.length ? job : HPF_STR("");
    for (hpf_str word = next_word(&job); word.length > 0; word = next_word(&job)) {
        if (hpf_str_is(word, "+RTS")) {
            is_rts = true;
        } else if (hpf_str_is(word, "-RTS")) {
            is_rts = false;
        } else if (is_rts) {
            hpf_breakdown given = breakdown_of_word(word);
            found = given ? given : found;
        }
    }
    return found;
}
