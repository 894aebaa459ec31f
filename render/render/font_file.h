/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where fonts lie. Asking the system's font configuration costs more than drawing a small profile,
 * so the files of two families that almost every system has are looked for by path first.
 */
#ifndef HPRENDER_FONT_FILE_H
#define HPRENDER_FONT_FILE_H

#include <fontconfig/fontconfig.h>
#include <stdbool.h>
#include <stddef.h>

/* The system's fonts, less those that cannot be embedded as outlines (bitmaps and colour glyphs),
 * and with `font_file` unless that is NULL. NULL when there is no memory. */
FcConfig *hpr__font_config_create(const char *font_file);

/* The path of a font file of `family` in a place where systems put it. False when there is none,
 * or `path` is too short. */
bool hpr__font_file_known(char *path, size_t n_bytes, const char *family, bool bold);

/* A font that was found; the texts are to be freed. */
typedef struct hpr__font_match {
    char *path;
    int face_index;
    char *substitute; /* its family when that is another than the one asked for, else NULL */
} hpr__font_match;

/* The font that `config` says is closest to `family`. False when there is none. */
bool hpr__font_file_match(hpr__font_match *out, FcConfig *config, const char *family, bool bold);

#endif
