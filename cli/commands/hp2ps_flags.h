/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The command line of hp2ps, read as hp2ps reads it (docs/hp2ps.md): one word, one flag, its
 * argument attached, whatever follows ignored.
 */
#ifndef CENSUS_HP2PS_FLAGS_H
#define CENSUS_HP2PS_FLAGS_H

#include <stdbool.h>

#include "hprender/render.h"

typedef struct hp2ps_flags {
    hpr_options options; /* without `classic.previous` */
    bool reuse;          /* -p: the .aux file of the last run counts */
    const char *format;  /* --format, which hp2ps has not; borrowed. NULL: PostScript */
    const char *file;    /* the profile, maybe without its suffix; borrowed. NULL: filter */
} hp2ps_flags;

/* Reads argv[1] and on. NULL when all is well, else the text that hp2ps complains of, in argv. */
const char *hp2ps_flags_parse(hp2ps_flags *out, int argc, char **argv);

#endif
