/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The command line of hp2ps, parsed as hp2ps does (docs/hp2ps.md): each word is one flag with its
 * argument attached, and the rest of the word is ignored.
 */
#ifndef CENSUS_HP2PS_FLAGS_H
#define CENSUS_HP2PS_FLAGS_H

#include <stdbool.h>

#include "hprender/render.h"

typedef struct hp2ps_flags {
    hpr_options options; /* without `classic.previous` */
    bool reuse;          /* -p: use the .aux file of the last run */
    const char *format;  /* --format, an extension; borrowed. NULL: PostScript */
    const char *file;    /* the profile, with or without suffix; borrowed. NULL: filter */
} hp2ps_flags;

/* Parses argv[1] and following. Returns NULL, or the text in argv that hp2ps complains about. */
const char *hp2ps_flags_parse(hp2ps_flags *out, int argc, char **argv);

#endif
