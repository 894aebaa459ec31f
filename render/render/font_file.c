/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A short table of files and folders, and Fontconfig for the rest.
 */
#include "font_file.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

typedef struct family_files {
    const char *family;
    const char *regular, *bold;
} family_files;

/* Liberation Sans has the widths of Helvetica and Arial, and stands in for both. */
static const family_files known_families[] = {
    {"Liberation Sans", "LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf"},
    {"Helvetica", "LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf"},
    {"Arial", "LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf"},
    {"DejaVu Sans", "DejaVuSans.ttf", "DejaVuSans-Bold.ttf"},
};

static const char *const folders[] = {
    "/usr/share/fonts/truetype/liberation",
    "/usr/share/fonts/truetype/dejavu",
    "/usr/share/fonts/truetype/liberation2",
    "/usr/share/fonts/liberation-sans",
    "/usr/share/fonts/liberation-sans-fonts",
    "/usr/share/fonts/dejavu-sans-fonts",
    "/usr/share/fonts/liberation",
    "/usr/share/fonts/dejavu",
    "/usr/share/fonts/TTF",
};

#define N_FAMILIES (sizeof known_families / sizeof known_families[0])
#define N_FOLDERS  (sizeof folders / sizeof folders[0])

static bool find_in_folders(char *path, size_t n_bytes, const char *file)
{
    for (size_t i = 0; i < N_FOLDERS; i++) {
        int length = snprintf(path, n_bytes, "%s/%s", folders[i], file);
        if (length > 0 && (size_t)length < n_bytes && access(path, R_OK) == 0) {
            return true;
        }
    }
    return false;
}

bool hpr__font_file_known(char *path, size_t n_bytes, const char *family, bool bold)
{
    for (size_t i = 0; i < N_FAMILIES; i++) {
        const family_files *known = &known_families[i];
        if (strcmp(known->family, family) == 0) {
            return find_in_folders(path, n_bytes, bold ? known->bold : known->regular);
        }
    }
    return false;
}

FcConfig *hpr__font_config_create(const char *font_file)
{
    static const char outlines_only[] =
        "<fontconfig><selectfont><rejectfont>"
        "<pattern><patelt name=\"color\"><bool>true</bool></patelt></pattern>"
        "<pattern><patelt name=\"outline\"><bool>false</bool></patelt></pattern>"
        "</rejectfont></selectfont></fontconfig>";
    FcConfig *config = FcInitLoadConfig();
    if (!config) {
        return NULL;
    }
    FcConfigParseAndLoadFromMemory(config, (const FcChar8 *)outlines_only, FcFalse);
    if (!FcConfigBuildFonts(config)) {
        FcConfigDestroy(config);
        return NULL;
    }
    if (font_file) {
        FcConfigAppFontAddFile(config, (const FcChar8 *)font_file);
    }
    return config;
}

static FcPattern *match(FcConfig *config, const char *family, bool bold)
{
    FcPattern *wanted = FcPatternCreate();
    if (!wanted) {
        return NULL;
    }
    FcPatternAddString(wanted, FC_FAMILY, (const FcChar8 *)family);
    FcPatternAddInteger(wanted, FC_WEIGHT, bold ? FC_WEIGHT_BOLD : FC_WEIGHT_REGULAR);
    FcPatternAddBool(wanted, FC_VARIABLE, FcFalse);
    FcConfigSubstitute(config, wanted, FcMatchPattern);
    FcDefaultSubstitute(wanted);
    FcResult result;
    FcPattern *found = FcFontMatch(config, wanted, &result);
    FcPatternDestroy(wanted);
    return found;
}

/* Families that are no font's, but ask for any of a kind. */
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

/* The family of a font that is none of the family asked for; NULL if it is. A font has a name for
 * its family in each of several languages. */
static const char *substitute_of(FcPattern *found, const char *family)
{
    FcChar8 *name = NULL;
    FcChar8 *first = NULL;
    if (is_generic(family)) {
        return NULL;
    }
    for (int i = 0; FcPatternGetString(found, FC_FAMILY, i, &name) == FcResultMatch; i++) {
        if (strcasecmp((const char *)name, family) == 0) {
            return NULL;
        }
        first = first ? first : name;
    }
    return (const char *)first;
}

bool hpr__font_file_match(hpr__font_match *out, FcConfig *config, const char *family, bool bold)
{
    FcPattern *found = match(config, family, bold);
    *out = (hpr__font_match){.path = NULL};
    if (!found) {
        return false;
    }
    FcChar8 *file = NULL;
    const char *substitute = substitute_of(found, family);
    FcPatternGetInteger(found, FC_INDEX, 0, &out->face_index);
    if (FcPatternGetString(found, FC_FILE, 0, &file) == FcResultMatch) {
        out->path = strdup((const char *)file);
        out->substitute = substitute ? strdup(substitute) : NULL;
    }
    FcPatternDestroy(found);
    return out->path != NULL;
}
