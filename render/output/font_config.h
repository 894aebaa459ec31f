/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The fonts of the system, as fontconfig sees them.
 */
#ifndef HPR_FONT_CONFIG_H
#define HPR_FONT_CONFIG_H

#include <fontconfig/fontconfig.h>
#include <stdbool.h>

#include "hpfile/error.h"

/* The family name under which a configuration offers the font file that was given to it. */
#define HPR__FONT_FILE_FAMILY "census font file"

/* Loads the system's configuration, less all bitmap and colour fonts: cairo embeds those as Type 3.
 * A `font_file`, unless NULL, is added as HPR__FONT_FILE_FAMILY. The caller destroys the
 * configuration. Errors: MEMORY; ARGUMENT for a file that is not an outline font. */
HPF_MUST_USE hpf_status hpr__font_config_create(FcConfig **out, const char *font_file,
                                                hpf_error *err);

/* Returns whether there is any font. */
bool hpr__font_config_has_fonts(FcConfig *config);

/* Returns the family name of a font, which belongs to it. `is_asked` becomes whether `asked`, which
 * may be NULL, is one of its names, which may be in several languages, or no font's name but a kind
 * of fonts, like "serif". */
const char *hpr__font_family(const FcPattern *font, const char *asked, bool *is_asked);

#endif
