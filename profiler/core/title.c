/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Titles as GHC's run-time system writes them.
 */
#include "title.h"

#include <stdio.h>
#include <time.h>

hpf_str hpp__title_program(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    return (hpf_str){name, strlen(name)};
}

void hpp__title_add_word(hpp__text *title, const char *word)
{
    hpp__text_add(title, HPF_STR(" "));
    hpp__text_add(title, (hpf_str){word, strlen(word)});
}

void hpp__title_add_options(hpp__text *title, const hpf_str *options, size_t n_options)
{
    hpp__text_add(title, HPF_STR(" +RTS"));
    for (size_t i = 0; i < n_options; i++) {
        hpp__text_add(title, HPF_STR(" "));
        hpp__text_add(title, options[i]);
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
