/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Titles as GHC's run-time system writes them, and titles of native programs.
 */
#include "title.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/names.h"
#include "hpfile/breakdown.h"

hpf_str hpp__title_program(const char *path)
{
    return hpf__base_name(hpf_str_of(path));
}

void hpp__title_add_word(hpp__text *title, const char *word)
{
    hpp__text_add(title, HPF_STR(" "));
    hpp__text_add(title, hpf_str_of(word));
}

void hpp__title_add_options(hpp__text *title, const hpf_str *options, size_t n_options)
{
    hpp__text_add(title, HPF_STR(" +RTS"));
    for (size_t i = 0; i < n_options; i++) {
        hpp__text_add(title, HPF_STR(" "));
        hpp__text_add(title, options[i]);
    }
}

void hpp__title_add_breakdown(hpp__text *title, const hpp_options *options)
{
    hpf_breakdown breakdown =
        options->census->breakdown ? options->census->breakdown : HPF_BREAKDOWN_COST_CENTRE;
    const char *name = hpf_breakdown_native_name(breakdown);
    hpp__text_add(title, HPF_STR(HPF_NATIVE_JOB_BY));
    hpp__text_add(title, hpf_str_of(name));
    for (size_t i = 0; i < options->n_words; i++) {
        hpf_str word = options->words[i];
        if (word.length > 3 && hpf_str_begins(word, "-h")) { /* a restriction */
            hpp__text_add(title, HPF_STR(", "));
            hpp__text_add(title, word);
        }
    }
}

/* The names of days and months do not depend on the program's locale. */
void hpp__title_date(char *out, size_t n_bytes)
{
    static const char days[] = "SunMonTueWedThuFriSat";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    time_t now = time(NULL);
    struct tm local;
    char clock[16];
    if (!localtime_r(&now, &local)) {
        memset(&local, 0, sizeof local);
    }
    strftime(clock, sizeof clock, "%d %H:%M %Y", &local);
    snprintf(out, n_bytes, "%.3s %.3s %s", days + 3 * local.tm_wday, months + 3 * local.tm_mon,
             clock);
}
