/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tries the usual places one by one. See "Debugging Information in Separate Files" in the manual of
 * GDB.
 */
#include "debug_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debuginfod.h"
#include "hpfile/source.h"
#include "text.h"

#define LINK_BYTES_MAX       4096u
#define DEBUG_DATA_BYTES_MAX ((size_t)256 << 20)

static void add_text(hpp__text *path, const char *piece)
{
    hpp__text_add(path, (hpf_str){piece, strlen(piece)});
}

/* The path with a NUL; NULL when there is no memory. */
static const char *terminated(hpp__text *path)
{
    hpp__text_add(path, (hpf_str){"", 1});
    return path->is_short ? NULL : path->data;
}

static bool open_at(hpp__elf *out, hpp__files *pool, const char *path)
{
    return path && hpp__elf_open(out, hpp__file_open(pool, path));
}

static bool open_with_build_id(hpp__elf *out, hpp__files *pool, const char *path,
                               const hpp__debug_search *search)
{
    if (!open_at(out, pool, path)) {
        return false;
    }
    if (!hpp__elf_has_build_id(out, search->build_id, search->n_build_id)) {
        hpp__elf_finish(out);
        return false;
    }
    return true;
}

/* FOLDER/.build-id/ab/cdef....debug */
static bool open_by_build_id(hpp__elf *out, hpp__files *pool, const hpp__debug_search *search)
{
    hpp__text path = {0};
    if (search->n_build_id < 2) {
        return false;
    }
    add_text(&path, search->folder);
    add_text(&path, "/.build-id/");
    for (size_t i = 0; i < search->n_build_id; i++) {
        char byte[4];
        snprintf(byte, sizeof byte, "%02x%s", search->build_id[i], i == 0 ? "/" : "");
        add_text(&path, byte);
    }
    add_text(&path, ".debug");
    bool found = open_with_build_id(out, pool, terminated(&path), search);
    hpp__text_finish(&path);
    return found;
}

/* ---- By debug link ---- */

typedef struct debug_link {
    char name[LINK_BYTES_MAX];
    uint32_t checksum; /* of all bytes of the debug file */
} debug_link;

static bool read_link(debug_link *out, const hpp__elf *elf)
{
    const Elf64_Shdr *section = hpp__elf_section_named(elf, ".gnu_debuglink");
    if (!section || section->sh_size < 8 || section->sh_size > sizeof out->name ||
        !hpp__file_read(elf->file, section->sh_offset, out->name, (size_t)section->sh_size)) {
        return false;
    }
    memcpy(&out->checksum, out->name + section->sh_size - 4, sizeof out->checksum);
    out->name[section->sh_size - 4] = 0;
    return out->name[0] && !strchr(out->name, '/');
}

/* The CRC of ISO 3309, four bits at a time. */
static uint32_t add_to_checksum(uint32_t sum, const unsigned char *bytes, size_t n)
{
    static const uint32_t steps[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                       0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                       0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    for (size_t i = 0; i < n; i++) {
        sum ^= bytes[i];
        sum = sum >> 4 ^ steps[sum & 15];
        sum = sum >> 4 ^ steps[sum & 15];
    }
    return sum;
}

static bool has_checksum(hpp__file *file, uint32_t checksum)
{
    unsigned char piece[16384];
    uint32_t sum = UINT32_MAX;
    for (uint64_t at = 0, n_left = hpp__file_bytes(file); n_left > 0;) {
        size_t n = n_left < sizeof piece ? (size_t)n_left : sizeof piece;
        if (!hpp__file_read(file, at, piece, n)) {
            return false;
        }
        sum = add_to_checksum(sum, piece, n);
        at += n;
        n_left -= n;
    }
    return ~sum == checksum;
}

/* A build id says it quickly; only without one the checksum must. */
static bool open_linked(hpp__elf *out, hpp__files *pool, const char *path,
                        const hpp__debug_search *search, uint32_t checksum)
{
    if (!open_at(out, pool, path)) {
        return false;
    }
    bool is_it = search->n_build_id > 0 && out->n_build_id > 0
                     ? hpp__elf_has_build_id(out, search->build_id, search->n_build_id)
                     : has_checksum(out->file, checksum);
    if (!is_it) {
        hpp__elf_finish(out);
    }
    return is_it;
}

static bool open_by_link(hpp__elf *out, hpp__files *pool, const hpp__debug_search *search)
{
    debug_link link;
    if (!search->elf || !read_link(&link, search->elf)) {
        return false;
    }
    char *real = realpath(search->path, NULL);
    char *slash = real ? strrchr(real, '/') : NULL;
    bool found = false;
    if (slash) {
        *slash = 0;
        const char *places[][3] = {
            {"", real, "/"}, {"", real, "/.debug/"}, {search->folder, real, "/"}};
        for (size_t i = 0; i < sizeof places / sizeof places[0] && !found; i++) {
            hpp__text path = {0};
            for (size_t k = 0; k < 3; k++) {
                add_text(&path, places[i][k]);
            }
            add_text(&path, link.name);
            found = open_linked(out, pool, terminated(&path), search, link.checksum);
            hpp__text_finish(&path);
        }
    }
    free(real);
    return found;
}

static bool open_from_server(hpp__elf *out, hpp__files *pool, const hpp__debug_search *search)
{
    if (!search->with_debuginfod || search->n_build_id == 0) {
        return false;
    }
    char *path = hpp__debuginfod_fetch(search->build_id, search->n_build_id);
    bool found = path && open_with_build_id(out, pool, path, search);
    free(path);
    return found;
}

bool hpp__debug_file_open(hpp__elf *out, hpp__files *pool, const hpp__debug_search *search)
{
    return open_by_build_id(out, pool, search) || open_by_link(out, pool, search) ||
           open_from_server(out, pool, search);
}

/* ---- Mini debug information ---- */

static bool inflate(hpp__text *out, hpf_str compressed)
{
    hpf_source *source = NULL;
    hpf_str piece;
    hpf_status status = hpf_source_from_memory(&source, compressed, NULL, NULL);
    while (status == HPF_OK && (status = hpf_source_next(source, &piece, NULL)) == HPF_OK) {
        hpp__text_add(out, piece);
        if (out->is_short || out->length > DEBUG_DATA_BYTES_MAX) {
            status = HPF_ERR_LIMIT;
        }
    }
    hpf_source_destroy(source);
    return status == HPF_END;
}

bool hpp__debug_data_open(hpp__elf *out, const hpp__elf *elf)
{
    const Elf64_Shdr *section = hpp__elf_section_named(elf, ".gnu_debugdata");
    char *compressed = section ? hpp__elf_section_copy(elf, section) : NULL;
    if (!compressed) {
        return false;
    }
    hpp__text inflated = {0};
    bool done = inflate(&inflated, (hpf_str){compressed, (size_t)section->sh_size});
    free(compressed);
    if (!done) {
        hpp__text_finish(&inflated);
        return false;
    }
    return hpp__elf_open(out, hpp__file_from_memory(inflated.data, inflated.length));
}
