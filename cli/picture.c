/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Fonts by name or by path.
 */
#include "picture.h"

#include <string.h>
#include <unistd.h>

#include "diag.h"

hpr_fonts *picture_fonts(const char *font, const char *fallback)
{
    if (font && (strchr(font, '/') || access(font, R_OK) == 0)) {
        return hpr_fonts_create(NULL, font);
    }
    hpr_fonts *fonts = hpr_fonts_create(font ? font : fallback, NULL);
    const char *substitute = fonts && font ? hpr_fonts_substitute(fonts) : NULL;
    if (substitute) {
        diag_say("warning: there is no font '%s' here: '%s' stands in for it", font, substitute);
    }
    return fonts;
}
