/* SPDX-License-Identifier: BSD-2-Clause
 *
 * By hand, since strptime reads the month names of a locale.
 */
#include "output/iso_date.h"

#include <stdio.h>
#include <string.h>

typedef struct date {
    int year, month, day, hour, minute, second;
} date;

static int month_number(const char *name)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (int i = 0; i < 12; i++) {
        if (strncmp(names + (size_t)i * 3, name, 3) == 0) {
            return i + 1;
        }
    }
    return 0;
}

static bool read_ctime(date *d, const char *text)
{
    char month[4] = "";
    char rest[16] = "";
    int n =
        sscanf(text, "%*3s %3s %2d %2d:%2d%15[: 0-9]", month, &d->day, &d->hour, &d->minute, rest);
    d->month = month_number(month);
    return n == 5 && (sscanf(rest, ":%2d %4d", &d->second, &d->year) == 2 ||
                      sscanf(rest, " %4d", &d->year) == 1);
}

static bool read_iso(date *d, const char *text)
{
    return sscanf(text, "%4d-%2d-%2d%*1[ T]%2d:%2d:%2d", &d->year, &d->month, &d->day, &d->hour,
                  &d->minute, &d->second) >= 5;
}

static bool is_sane(const date *d)
{
    return d->year >= 1900 && d->year <= 9999 && d->month >= 1 && d->month <= 12 && d->day >= 1 &&
           d->day <= 31 && d->hour >= 0 && d->hour <= 23 && d->minute >= 0 && d->minute <= 59 &&
           d->second >= 0 && d->second <= 60;
}

bool hpr__iso_date(char out[HPR__ISO_DATE_BYTES], const char *text)
{
    date d = {0};
    if (!read_iso(&d, text)) {
        d = (date){0};
        if (!read_ctime(&d, text)) {
            return false;
        }
    }
    if (!is_sane(&d)) {
        return false;
    }
    int n = snprintf(out, HPR__ISO_DATE_BYTES, "%04d-%02d-%02dT%02d:%02d:%02d", d.year, d.month,
                     d.day, d.hour, d.minute, d.second);
    return n == HPR__ISO_DATE_BYTES - 1;
}
