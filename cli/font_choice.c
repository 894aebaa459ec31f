/* SPDX-License-Identifier: BSD-2-Clause */
#include "font_choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hpfile/version.h"

#include "diag.h"

hpf_status font_choice_open(hpr_fonts **out, const char *font, hpf_error *err)
{
    if (font && (strchr(font, '/') || access(font, R_OK) == 0)) {
        return hpr_fonts_create(out, NULL, font, err);
    }
    hpf_status status = hpr_fonts_create(out, font, NULL, err);
    if (status == HPF_OK && hpr_fonts_substitute(*out)) {
        diag_say("warning: font '%s' is not installed, using '%s'", font,
                 hpr_fonts_substitute(*out));
    }
    return status;
}

/* Returns SOURCE_DATE_EPOCH as ISO 8601, or NULL. */
static const char *source_date(void)
{
    static char date[32];
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    char *end;
    if (!epoch || !epoch[0]) {
        return NULL;
    }
    time_t seconds = (time_t)strtoll(epoch, &end, 10);
    struct tm utc;
    if (*end || !gmtime_r(&seconds, &utc) ||
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0) {
        diag_say("warning: SOURCE_DATE_EPOCH is ignored: expected a number of seconds, not '%s'",
                 epoch);
        return NULL;
    }
    return date;
}

hpr_output font_choice_output(hpr_fonts *fonts, double dpi)
{
    static char software[40];
    snprintf(software, sizeof software, "heapcensus %s", hpf_version());
    return (hpr_output){
        .size = sizeof(hpr_output),
        .dpi = dpi,
        .software = software,
        .fonts = fonts,
        .date = source_date(),
    };
}
