/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/font_config.h"

#include <string.h>
#include <strings.h>

static hpf_status add_font_file(FcConfig *config, const char *path, hpf_error *err)
{
    FcBool is_added = FcConfigAppFontAddFile(config, (const FcChar8 *)path);
    FcFontSet *added = is_added ? FcConfigGetFonts(config, FcSetApplication) : NULL;
    for (int i = 0; added && i < added->nfont; i++) {
        FcPattern *font = added->fonts[i];
        FcBool has_outlines = FcFalse, has_colour = FcFalse;
        FcPatternGetBool(font, FC_OUTLINE, 0, &has_outlines);
        FcPatternGetBool(font, FC_COLOR, 0, &has_colour);
        if (has_outlines && !has_colour) {
            /* With its own name only, an installed font of the same family might be chosen. */
            FcValue alias = {.type = FcTypeString, .u.s = (const FcChar8 *)HPR__FONT_FILE_FAMILY};
            FcPatternAdd(font, FC_FAMILY, alias, FcFalse);
            return HPF_OK;
        }
    }
    return hpf_error_set(err, HPF_ERR_ARGUMENT,
                         "%.100s cannot be used as a font: expected a readable TrueType or "
                         "OpenType file with outlines",
                         path);
}

hpf_status hpr__font_config_create(FcConfig **out, const char *font_file, hpf_error *err)
{
    static const char outlines_only[] =
        "<fontconfig><selectfont><rejectfont>"
        "<pattern><patelt name=\"color\"><bool>true</bool></patelt></pattern>"
        "<pattern><patelt name=\"outline\"><bool>false</bool></patelt></pattern>"
        "</rejectfont></selectfont></fontconfig>";
    FcConfig *config = FcInitLoadConfig();
    if (!config) {
        return hpf_error_set_memory(err);
    }
    FcConfigParseAndLoadFromMemory(config, (const FcChar8 *)outlines_only, FcFalse);
    hpf_status status = FcConfigBuildFonts(config) ? HPF_OK : hpf_error_set_memory(err);
    if (status == HPF_OK && font_file) {
        status = add_font_file(config, font_file, err);
    }
    if (status != HPF_OK) {
        FcConfigDestroy(config);
        return status;
    }
    *out = config;
    return HPF_OK;
}

bool hpr__font_config_has_fonts(FcConfig *config)
{
    FcFontSet *system = FcConfigGetFonts(config, FcSetSystem);
    FcFontSet *added = FcConfigGetFonts(config, FcSetApplication);
    return (system && system->nfont > 0) || (added && added->nfont > 0);
}

static bool is_generic(const char *family)
{
    static const char *const generic[] = {"sans",      "sans-serif", "serif",   "mono",
                                          "monospace", "cursive",    "fantasy", "system-ui"};
    for (size_t i = 0; i < sizeof generic / sizeof generic[0]; i++) {
        if (strcasecmp(family, generic[i]) == 0) {
            return true;
        }
    }
    return false;
}

const char *hpr__font_family(const FcPattern *font, const char *asked, bool *is_asked)
{
    FcChar8 *name = NULL;
    const char *family = "";
    *is_asked = !asked || is_generic(asked);
    for (int i = 0; FcPatternGetString(font, FC_FAMILY, i, &name) == FcResultMatch; i++) {
        *is_asked |= asked && strcasecmp((const char *)name, asked) == 0;
        if (!family[0] && strcmp((const char *)name, HPR__FONT_FILE_FAMILY) != 0) {
            family = (const char *)name;
        }
    }
    return family;
}
