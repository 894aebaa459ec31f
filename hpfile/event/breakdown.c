/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The flags of GHC's run-time system in one table.
 */
#include "event/breakdown.h"

#include "hpfile/str.h"

static const struct breakdown {
    const char *flag;
    const char *name;
} breakdowns[HPF_N_BREAKDOWNS] = {
    [HPF_BREAKDOWN_COST_CENTRE] = {"-hc", "cost-centre stack"},
    [HPF_BREAKDOWN_MODULE] = {"-hm", "module"},
    [HPF_BREAKDOWN_CLOSURE_DESCR] = {"-hd", "closure description"},
    [HPF_BREAKDOWN_TYPE] = {"-hy", "type"},
    [HPF_BREAKDOWN_RETAINER] = {"-hr", "retainer set"},
    [HPF_BREAKDOWN_BIOGRAPHY] = {"-hb", "biography"},
    [HPF_BREAKDOWN_CLOSURE_TYPE] = {"-hT", "closure type"},
    [HPF_BREAKDOWN_INFO_TABLE] = {"-hi", "info table"},
    [HPF_BREAKDOWN_ERA] = {"-he", "era"},
};

const char *hpf_breakdown_flag(hpf_breakdown breakdown)
{
    return (unsigned)breakdown < HPF_N_BREAKDOWNS ? breakdowns[breakdown].flag : NULL;
}

char hpf_breakdown_letter(hpf_breakdown breakdown)
{
    const char *flag = hpf_breakdown_flag(breakdown);
    return flag ? flag[2] : breakdown == HPF_BREAKDOWN_IN_STACK ? 'C' : '\0';
}

const char *hpf_breakdown_name(hpf_breakdown breakdown)
{
    return (unsigned)breakdown < HPF_N_BREAKDOWNS ? breakdowns[breakdown].name : NULL;
}

/* Removes the next word from `*rest` and returns it; it is empty at the end. */
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

hpf_breakdown hpf_breakdown_of_letter(char letter)
{
    int i = 1;
    while (i < HPF_N_BREAKDOWNS && breakdowns[i].flag[2] != letter) {
        i++;
    }
    return i < HPF_N_BREAKDOWNS ? (hpf_breakdown)i
           : letter == 'C'      ? HPF_BREAKDOWN_IN_STACK
                                : HPF_BREAKDOWN_NONE;
}

/* Returns the break-down of a word such as "-hc", or NONE. */
static hpf_breakdown breakdown_of_word(hpf_str word)
{
    bool is_flag = word.length == 3 && memcmp(word.data, "-h", 2) == 0 && word.data[2] != 'C';
    return is_flag ? hpf_breakdown_of_letter(word.data[2]) : HPF_BREAKDOWN_NONE;
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
