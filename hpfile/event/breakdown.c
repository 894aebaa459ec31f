/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The flags of GHC's run-time system, and the names of break-downs, in one table.
 */
#include "hpfile/breakdown.h"

#include "base/words.h"
#include "hpfile/str.h"

static const struct breakdown {
    const char *flag;
    const char *name;
    const char *native_name; /* of programs that are not GHC's; NULL: `name` */
} breakdowns[HPF_N_BREAKDOWNS] = {
    [HPF_BREAKDOWN_COST_CENTRE] = {"-hc", "cost-centre stack", "call stack"},
    [HPF_BREAKDOWN_MODULE] = {"-hm", "module", NULL},
    [HPF_BREAKDOWN_CLOSURE_DESCR] = {"-hd", "closure description", "allocation site"},
    [HPF_BREAKDOWN_TYPE] = {"-hy", "type", NULL},
    [HPF_BREAKDOWN_RETAINER] = {"-hr", "retainer set", NULL},
    [HPF_BREAKDOWN_BIOGRAPHY] = {"-hb", "biography", NULL},
    [HPF_BREAKDOWN_CLOSURE_TYPE] = {"-hT", "closure type", "kind"},
    [HPF_BREAKDOWN_INFO_TABLE] = {"-hi", "info table", NULL},
    [HPF_BREAKDOWN_ERA] = {"-he", "era", NULL},
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

const char *hpf_breakdown_native_name(hpf_breakdown breakdown)
{
    const char *native =
        (unsigned)breakdown < HPF_N_BREAKDOWNS ? breakdowns[breakdown].native_name : NULL;
    return native ? native : hpf_breakdown_name(breakdown);
}

/* Removes the next word from `*rest` and returns it; it is empty at the end. Blanks in double
 * quotes and after a backslash do not end a flag of the run-time system. */
static hpf_str next_word(hpf_str *rest, bool is_rts)
{
    size_t start = 0;
    while (start < rest->length && rest->data[start] == ' ') {
        start++;
    }
    bool is_quoted = false;
    size_t end = start;
    while (end < rest->length && (is_quoted || rest->data[end] != ' ')) {
        is_quoted ^= is_rts && rest->data[end] == '"';
        end += is_rts && rest->data[end] == '\\' && end + 1 < rest->length ? 2 : 1;
    }
    hpf_str word = {rest->data + start, end - start};
    *rest = hpf_str_from(*rest, end);
    return word;
}

hpf_breakdown hpf_breakdown_of_letter(char letter)
{
    letter = letter == 'R' ? 'r' : letter == 'L' ? 'b' : letter; /* their first names in GHC */
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

hpf_str hpf_native_part_of_job(hpf_str job)
{
    const hpf_str by = HPF_STR(HPF_NATIVE_JOB_BY);
    hpf_str found = HPF_STR("");
    for (size_t i = 0; i + by.length <= job.length; i++) {
        if (memcmp(job.data + i, by.data, by.length) == 0) {
            found = (hpf_str){job.data + i + by.length, job.length - i - by.length};
        }
    }
    return found;
}

/* Returns the break-down of a job that ends in HPF_NATIVE_JOB_BY, a native name and maybe a comma
 * and more, or NONE. */
static hpf_breakdown breakdown_of_native_job(hpf_str job)
{
    hpf_str rest = hpf_native_part_of_job(job), name = hpf__take_until(&rest, ',');
    hpf_breakdown found = HPF_BREAKDOWN_NONE;
    for (int b = 1; b < HPF_N_BREAKDOWNS; b++) {
        bool is_it = hpf_str_is(name, hpf_breakdown_native_name((hpf_breakdown)b));
        found = is_it ? (hpf_breakdown)b : found;
    }
    return found;
}

hpf_breakdown hpf_breakdown_of_job(hpf_str job)
{
    hpf_breakdown found = breakdown_of_native_job(job);
    bool is_rts = false;
    job = job.length ? job : HPF_STR("");
    hpf_str old_flag = job; /* GHC 5 wrote the program and one flag: "FOO -hr" */
    next_word(&old_flag, false);
    hpf_str second = next_word(&old_flag, false);
    if (next_word(&old_flag, false).length == 0 && breakdown_of_word(second)) {
        return breakdown_of_word(second);
    }
    for (hpf_str word = next_word(&job, is_rts); word.length > 0; word = next_word(&job, is_rts)) {
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

int hpf_restriction_of(hpf_breakdown selector)
{
    static const int fields[HPF_BREAKDOWN_IN_STACK + 1] = {
        [HPF_BREAKDOWN_MODULE] = HPF_RESTRICT_MODULE + 1,
        [HPF_BREAKDOWN_CLOSURE_DESCR] = HPF_RESTRICT_CLOSURE_DESCR + 1,
        [HPF_BREAKDOWN_TYPE] = HPF_RESTRICT_TYPE + 1,
        [HPF_BREAKDOWN_COST_CENTRE] = HPF_RESTRICT_COST_CENTRE + 1,
        [HPF_BREAKDOWN_IN_STACK] = HPF_RESTRICT_COST_CENTRE_STACK + 1,
        [HPF_BREAKDOWN_RETAINER] = HPF_RESTRICT_RETAINER + 1,
        [HPF_BREAKDOWN_BIOGRAPHY] = HPF_RESTRICT_BIOGRAPHY + 1,
    };
    return (unsigned)selector <= HPF_BREAKDOWN_IN_STACK ? fields[selector] - 1 : -1;
}

void hpf_restrictions_of_job(hpf_str job, hpf_str restrictions[HPF_N_RESTRICTIONS])
{
    job = job.length ? job : HPF_STR("");
    hpf_str native = hpf_native_part_of_job(job);
    bool is_rts = native.length > 0;
    job = is_rts ? native : job;
    for (hpf_str word = next_word(&job, is_rts); word.length > 0; word = next_word(&job, is_rts)) {
        is_rts = hpf_str_is(word, "+RTS") || (is_rts && !hpf_str_is(word, "-RTS"));
        word.length -= native.length && job.length && word.data[word.length - 1] == ',';
        if (!is_rts || word.length < 4 || memcmp(word.data, "-h", 2) != 0) {
            continue;
        }
        int field = hpf_restriction_of(hpf_breakdown_of_letter(word.data[2]));
        hpf_str list = hpf_str_from(word, 3);
        if (list.length > 1 && list.data[0] == '{' && list.data[list.length - 1] == '}') {
            list = (hpf_str){list.data + 1, list.length - 2};
        }
        if (field >= 0) {
            restrictions[field] = list;
        }
    }
}
