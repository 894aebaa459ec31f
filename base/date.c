/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Days to dates and back, after Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"
 * (days_from_civil, civil_from_days): years begin in March, and come in eras of 400.
 */
#include "base/date.h"

#include <string.h>

#define LAST_SECOND   UINT64_C(253402300799) /* of the year 9999 */
#define DAY_SECONDS   86400u
#define ERA_DAYS      146097
#define DAYS_BEFORE_0 719468 /* from March 1 of the year 0 to 1970 */

static const char days[] = "ThuFriSatSunMonTueWed"; /* 1970 began on a Thursday */
static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

static void put_digits(char *to, unsigned number, int n)
{
    for (int i = n - 1; i >= 0; i--, number /= 10) {
        to[i] = (char)('0' + number % 10);
    }
}

void hpf__date_write(char *out, uint64_t unix_s)
{
    unix_s = unix_s < LAST_SECOND ? unix_s : LAST_SECOND;
    unsigned day = (unsigned)(unix_s / DAY_SECONDS);
    unsigned minute = (unsigned)(unix_s % DAY_SECONDS / 60);
    unsigned since = day + DAYS_BEFORE_0;
    unsigned era = since / ERA_DAYS;
    unsigned in_era = since % ERA_DAYS;
    unsigned year_of_era = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    unsigned in_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    unsigned month = (5 * in_year + 2) / 153; /* from March */
    unsigned day_of_month = in_year - (153 * month + 2) / 5 + 1;
    unsigned year = year_of_era + era * 400 + (month >= 10);
    memcpy(out, "Thu Jan  1 00:00 1970", HPF__DATE_BYTES);
    memcpy(out, days + day % 7 * 3, 3);
    memcpy(out + 4, months + (month + 2) % 12 * 3, 3);
    out[8] = day_of_month < 10 ? ' ' : (char)('0' + day_of_month / 10);
    put_digits(out + 9, day_of_month % 10, 1);
    put_digits(out + 11, minute / 60, 2);
    put_digits(out + 14, minute % 60, 2);
    put_digits(out + 17, year, 4);
}

/* `n` digits, of which the first may be a blank. */
static bool read_digits(const char *from, int n, unsigned *number)
{
    *number = 0;
    for (int i = 0; i < n; i++) {
        bool is_digit = from[i] >= '0' && from[i] <= '9';
        if (!is_digit && (i > 0 || from[i] != ' ')) {
            return false;
        }
        *number = *number * 10 + (is_digit ? (unsigned)(from[i] - '0') : 0);
    }
    return true;
}

static uint64_t day_of(unsigned year, unsigned month, unsigned day)
{
    unsigned from_march = (month + 9) % 12;
    year -= month <= 2;
    unsigned era = year / 400;
    unsigned year_of_era = year % 400;
    unsigned in_year = (153 * from_march + 2) / 5 + day - 1;
    unsigned in_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + in_year;
    return (uint64_t)era * ERA_DAYS + in_era - DAYS_BEFORE_0;
}

/* ":33" after hours and minutes, which ctime writes and GHC does not. */
static bool read_seconds(hpf_str text, unsigned *second)
{
    *second = 0;
    return text.length == 0 ||
           (*text.data == ':' && read_digits(text.data + 1, 2, second) && *second <= 60);
}

bool hpf__date_parse(hpf_str text, uint64_t *unix_s)
{
    unsigned day, hour, minute, second, year;
    unsigned month = 0;
    const char *t = text.data;
    size_t plain = HPF__DATE_BYTES - 1;
    if ((text.length != plain && text.length != plain + 3) || t[3] != ' ' || t[7] != ' ' ||
        t[10] != ' ' || t[13] != ':' || t[text.length - 5] != ' ') {
        return false;
    }
    while (month < 12 && memcmp(months + 3 * month, t + 4, 3) != 0) {
        month++;
    }
    if (!read_digits(t + 8, 2, &day) || !read_digits(t + 11, 2, &hour) ||
        !read_digits(t + 14, 2, &minute) ||
        !read_seconds((hpf_str){t + 16, text.length - plain}, &second) ||
        !read_digits(t + text.length - 4, 4, &year) || month == 12 || day < 1 || day > 31 ||
        hour > 23 || minute > 59 || year < 1970) {
        return false;
    }
    *unix_s = day_of(year, month + 1, day) * DAY_SECONDS + hour * 3600 + minute * 60 + second;
    return true;
}
