/* SPDX-License-Identifier: BSD-2-Clause */
#include "program.h"

#include <ctype.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/descriptor.h"

enum {
    PIECE_BYTES = 1 << 16, /* of the file */
    MOST_TEXT_BYTES = 64,
    MOST_BYTES = 1 << 28,
    MOST_SECTIONS = 256,
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
    char package[16]; /* the same at the end of a text such as "ghc-boot-th-9.6.6" */
    bool has_label;   /* of the version, in the run-time system */
} found_texts;

/* Looks at a text, of which MOST_TEXT_BYTES can be read. */
static void look_at(found_texts *found, const char *text)
{
    static const char comment[] = "GHC ", label[] = "GHC version", package[] = "ghc-";
    char version[16];
    found->has_label |= memcmp(text, label, sizeof label) == 0;
    if (memcmp(text, comment, sizeof comment - 1) == 0) {
        (void)read_version(text + sizeof comment - 1, found->comment);
    } else if (found->text[0] == '\0' && read_version(text, version) && layout_of(version)) {
        memcpy(found->text, version, sizeof version);
    } else if (found->package[0] == '\0' && memcmp(text, package, sizeof package - 1) == 0) {
        size_t n = strnlen(text, MOST_TEXT_BYTES - 1), dash = n;
        while (text[dash] != '-') {
            dash--;
        }
        bool is_known =
            text[n] == '\0' && read_version(text + dash + 1, version) && layout_of(version);
        memcpy(found->package, version, is_known ? sizeof version : 0);
    }
}

/* Looks at the texts in a part of a file. `piece` has room for a piece of it, and two texts. */
static void look_in(found_texts *found, int fd, char *piece, uint64_t begin, uint64_t n_bytes)
{
    bool is_begin = true;
    while (n_bytes > 0 && found->comment[0] == '\0') {
        size_t n_wanted = n_bytes < PIECE_BYTES ? (size_t)n_bytes : PIECE_BYTES;
        ssize_t n_read = pread(fd, piece, n_wanted + MOST_TEXT_BYTES, (off_t)begin);
        if (n_read <= 0) {
            break;
        }
        memset(piece + n_read, 0, MOST_TEXT_BYTES);
        size_t n = n_wanted < (size_t)n_read ? n_wanted : (size_t)n_read;
        const char *text = piece, *piece_end = piece + n;
        while (text < piece_end && found->comment[0] == '\0') {
            if (is_begin && (*text == 'G' || *text == 'g' || isdigit((unsigned char)*text))) {
                look_at(found, text);
            }
            const char *end = memchr(text, '\0', (size_t)(piece_end - text));
            is_begin = end != NULL;
            text = is_begin ? end + 1 : piece_end;
        }
        begin += n;
        n_bytes -= n;
    }
}

static bool read_at(int fd, void *out, size_t n_bytes, uint64_t offset)
{
    return pread(fd, out, n_bytes, (off_t)offset) == (ssize_t)n_bytes;
}

/* Looks in the sections of an ELF file that have comments and constant texts; in all that is loaded
 * and not written to if there are no sections. A file may be damaged, or large: no more than
 * MOST_BYTES are read. */
static void look_at_file(found_texts *found, int fd, char *piece)
{
    Elf64_Ehdr file;
    char names[4096] = {0};
    uint64_t n_left = MOST_BYTES;
    if (!read_at(fd, &file, sizeof file, 0) || memcmp(file.e_ident, ELFMAG, SELFMAG) != 0) {
        return;
    }
    Elf64_Shdr sections[MOST_SECTIONS];
    size_t n_sections = file.e_shnum < MOST_SECTIONS ? file.e_shnum : MOST_SECTIONS;
    if (!read_at(fd, sections, n_sections * sizeof *sections, file.e_shoff)) {
        n_sections = 0;
    }
    if (file.e_shstrndx < n_sections) {
        (void)!pread(fd, names, sizeof names - 1, (off_t)sections[file.e_shstrndx].sh_offset);
    }
    for (size_t i = 0; i < n_sections && n_left > 0; i++) {
        const Elf64_Shdr *section = &sections[i];
        const char *name = section->sh_name < sizeof names ? names + section->sh_name : "";
        if (strcmp(name, ".comment") == 0 || strcmp(name, ".rodata") == 0) {
            uint64_t n = section->sh_size < n_left ? section->sh_size : n_left;
            look_in(found, fd, piece, section->sh_offset, n);
            n_left -= n;
        }
    }
    for (unsigned i = 0; file.e_shnum == 0 && i < file.e_phnum && n_left > 0; i++) {
        Elf64_Phdr segment;
        if (!read_at(fd, &segment, sizeof segment, file.e_phoff + i * sizeof segment)) {
            break;
        }
        if (segment.p_type == PT_LOAD && !(segment.p_flags & PF_W)) {
            uint64_t n = segment.p_filesz < n_left ? segment.p_filesz : n_left;
            look_in(found, fd, piece, segment.p_offset, n);
            n_left -= n;
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

static bool is_among(const hpp__other_programs *others, const struct stat *file)
{
    for (size_t i = 0; i < others->n && i < sizeof others->files / sizeof *others->files; i++) {
        const struct stat *other = &others->files[i];
        if (other->st_dev == file->st_dev && other->st_ino == file->st_ino &&
            other->st_ctim.tv_sec == file->st_ctim.tv_sec &&
            other->st_ctim.tv_nsec == file->st_ctim.tv_nsec) {
            return true;
        }
    }
    return false;
}

bool hpp__haskell_program_find(hpp__haskell_program *out, uint32_t process_id,
                               hpp__other_programs *others)
{
    char path[32];
    found_texts found = {.has_label = false};
    struct stat file;
    *out = (hpp__haskell_program){.layout = NULL};
    snprintf(path, sizeof path, "/proc/%u/exe", (unsigned)process_id);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool has_file = fd >= 0 && fstat(fd, &file) == 0;
    if (has_file && is_among(others, &file)) {
        close(fd);
        return false;
    }
    look_at_libraries(&found, process_id);
    char piece[PIECE_BYTES + 2 * MOST_TEXT_BYTES];
    if (fd >= 0 && found.comment[0] == '\0') {
        look_at_file(&found, fd, piece);
    }
    hpf__close(fd);
    bool has_comment = found.comment[0] != '\0';
    if (has_comment || found.has_label) {
        const char *version = has_comment     ? found.comment
                              : found.text[0] ? found.text
                                              : found.package;
        memcpy(out->version, version, sizeof out->version);
        out->layout = layout_of(out->version);
    } else if (has_file) {
        others->files[others->n++ % (sizeof others->files / sizeof *others->files)] = file;
    }
    return has_comment || found.has_label;
}
