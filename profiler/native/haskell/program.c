/* SPDX-License-Identifier: BSD-2-Clause */
#include "program.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/descriptor.h"

enum {
    PIECE_BYTES = 1 << 20, /* of the file */
    MOST_TEXT_BYTES = 32,
};

/* Reads a text such as "9.0.2" with its NUL. */
static bool read_version(const char *text, char out[16])
{
    size_t n = 0, n_dots = 0;
    while (n < 15 && (isdigit((unsigned char)text[n]) || text[n] == '.')) {
        n_dots += text[n] == '.';
        out[n] = text[n];
        n++;
    }
    bool is_version = n_dots >= 2 && text[n] == '\0';
    out[is_version ? n : 0] = '\0';
    return is_version;
}

/* Returns the layout of a version, "9.0" of "9.0.2", or NULL. */
static const hpp_haskell_layout *layout_of(const char *version)
{
    const hpp_haskell_layout *found = NULL;
    for (size_t i = 0; i < sizeof hpp__haskell_layouts / sizeof *hpp__haskell_layouts; i++) {
        const hpp_haskell_layout *layout = &hpp__haskell_layouts[i];
        size_t n = strlen(layout->version);
        found = strncmp(version, layout->version, n) == 0 && version[n] == '.' ? layout : found;
    }
    return found;
}

/* What a file has. */
typedef struct found_texts {
    char comment[16]; /* the version in GHC's comment */
    char text[16];    /* the first text by itself that is a known version: others look like one */
    bool has_label;   /* of the version, in the run-time system */
} found_texts;

/* Looks at the texts that begin in the first `n` bytes of a piece. */
static void look_at(found_texts *found, const char *piece, size_t n)
{
    static const char comment[] = "GHC ", label[] = "GHC version";
    char version[16];
    for (size_t i = 0; i < n && found->comment[0] == '\0'; i++) {
        const char *text = piece + i + 1;
        if (piece[i] != '\0' || (*text != 'G' && !isdigit((unsigned char)*text))) {
            continue;
        }
        found->has_label |= memcmp(text, label, sizeof label) == 0;
        if (memcmp(text, comment, sizeof comment - 1) == 0) {
            (void)read_version(text + sizeof comment - 1, found->comment);
        } else if (found->text[0] == '\0' && read_version(text, version) && layout_of(version)) {
            memcpy(found->text, version, sizeof version);
        }
    }
}

/* Looks for the run-time system among the loaded libraries: libHSrts_thr-ghc9.0.2.so. */
static void look_at_libraries(found_texts *found, uint32_t process_id)
{
    char line[PATH_MAX + 128];
    snprintf(line, sizeof line, "/proc/%u/maps", (unsigned)process_id);
    FILE *maps = fopen(line, "re");
    while (maps && found->comment[0] == '\0' && fgets(line, sizeof line, maps)) {
        char *name = strstr(line, "/libHSrts"), *version = name ? strstr(name, "-ghc") : NULL;
        char *end = version ? strstr(version, ".so") : NULL;
        if (end) {
            *end = '\0';
            (void)read_version(version + strlen("-ghc"), found->comment);
        }
    }
    if (maps) {
        fclose(maps);
    }
}

bool hpp__haskell_program_find(hpp__haskell_program *out, uint32_t process_id)
{
    char path[32];
    found_texts found = {.has_label = false};
    look_at_libraries(&found, process_id);
    snprintf(path, sizeof path, "/proc/%u/exe", (unsigned)process_id);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *piece = fd >= 0 ? calloc(1, PIECE_BYTES + MOST_TEXT_BYTES) : NULL;
    ssize_t n = 0;
    for (off_t at = 0; piece && found.comment[0] == '\0'; at += PIECE_BYTES) {
        n = pread(fd, piece, PIECE_BYTES + MOST_TEXT_BYTES, at);
        if (n <= 0) {
            break;
        }
        memset(piece + n, 0, (size_t)(PIECE_BYTES + MOST_TEXT_BYTES - n));
        look_at(&found, piece, n < PIECE_BYTES ? (size_t)n : PIECE_BYTES);
    }
    free(piece);
    hpf__close(fd);
    *out = (hpp__haskell_program){.layout = NULL};
    bool has_comment = found.comment[0] != '\0';
    if (has_comment || found.has_label) {
        memcpy(out->version, has_comment ? found.comment : found.text, sizeof out->version);
        out->layout = layout_of(out->version);
    }
    return has_comment || found.has_label;
}
