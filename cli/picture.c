/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Fonts by name or by path.
 */
#include "picture.h"

#include <string.h>
#include <unistd.h>

hpr_fonts *picture_fonts(const char *font, const char *fallback)
{
    if (font && (strchr(font, '/') || access(font, R_OK) == 0)) {
        return hpr_fonts_create(NULL, font);
    }
    return hpr_fonts_create(font ? font : fallback, NULL);
}
