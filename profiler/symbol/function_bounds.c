/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The table has an entry for each function: its start and its frame description (FDE), both as
 * signed 32-bit distances from the section. All linkers write it in this one encoding.
 */
#include "function_bounds.h"

#include <stdlib.h>
#include <string.h>

/* DW_EH_PE_... of the Linux Standard Base, core, 10.5.1. */
enum {
    PE_UDATA4 = 0x03,
    PE_SDATA4 = 0x0b,
    PE_UDATA8 = 0x04,
    PE_SDATA8 = 0x0c,
    PE_ABSPTR = 0x00,
    PE_PCREL = 0x10,
    PE_DATAREL = 0x30,
    PE_FORMAT_MASK = 0x0f,
};

/* version, three encodings, distance to .eh_frame, number of entries. */
#define HEADER_BYTES 12

static void read_table(hpp__frame_table *table, const hpp__elf *elf)
{
    uint8_t header[HEADER_BYTES];
    uint32_t n;
    const Elf64_Phdr *frames = &elf->frames;
    table->is_read = true;
    if (!elf->file || frames->p_filesz < sizeof header ||
        !hpp__file_read(elf->file, frames->p_offset, header, sizeof header) || header[0] != 1 ||
        header[2] != PE_UDATA4 || header[3] != (PE_DATAREL | PE_SDATA4)) {
        return;
    }
    memcpy(&n, header + 8, sizeof n);
    if (n <= (frames->p_filesz - sizeof header) / sizeof *table->entries) {
        void *entries =
            hpp__file_copy(elf->file, frames->p_offset + sizeof header, n * sizeof *table->entries);
        table->entries = entries;
        table->n_entries = entries ? n : 0;
        table->has_failed = !entries;
    }
}

void hpp__frame_table_finish(hpp__frame_table *table)
{
    free(table->entries);
    *table = (hpp__frame_table){0};
}

/* The last entry that starts at or before `distance`, or NULL. */
static const hpp__frame_entry *find_entry(const hpp__frame_table *table, int64_t distance)
{
    uint32_t low = 0, high = table->n_entries; /* the first entry behind is in there */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (table->entries[middle].start <= distance) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? &table->entries[low - 1] : NULL;
}

/* ---- The length of a function, in its description ---- */

/* The length of a common description's first parts; only the encoding of addresses matters. */
static const uint8_t *skip_leb128(const uint8_t *at, const uint8_t *end)
{
    while (at < end && *at & 0x80) {
        at++;
    }
    return at < end ? at + 1 : NULL;
}

/* The encoding of addresses that a CIE names by 'R'; absolute without. 0xff: not understood. */
static uint8_t address_encoding(const uint8_t *cie, const uint8_t *end)
{
    const uint8_t *augmentation = cie + 9; /* length, id, version */
    const uint8_t *at = memchr(augmentation, 0, (size_t)(end - augmentation));
    if (!at || augmentation[0] != 'z') {
        return at && augmentation[0] == 0 ? PE_ABSPTR : 0xff;
    }
    at = skip_leb128(at + 1, end);         /* code alignment */
    at = at ? skip_leb128(at, end) : NULL; /* data alignment */
    at = at ? skip_leb128(at, end) : NULL; /* return address: a byte, or LEB128 below 128 */
    at = at ? skip_leb128(at, end) : NULL; /* length of what follows */
    for (const uint8_t *letter = augmentation + 1; at && at < end && *letter; letter++) {
        switch (*letter) {
        case 'R':
            return *at;
        case 'L':
            at++;
            break;
        case 'P':
            at += 1 + ((*at & PE_FORMAT_MASK) == PE_ABSPTR || (*at & 7) == PE_UDATA8 ? 8 : 4);
            break;
        case 'S':
        case 'B':
            break;
        default:
            return 0xff;
        }
    }
    return PE_ABSPTR;
}

/* Reads the FDE at a virtual address; like the header, it is in the same loaded piece of the file:
 * distances in memory are distances in the file. */
static bool read_length(const hpp__elf *elf, int64_t description, uint64_t *n_bytes)
{
    uint8_t fde[24], cie[64];
    uint32_t back, length32;
    uint64_t offset = elf->frames.p_offset + (uint64_t)description;
    if (!hpp__file_read(elf->file, offset, fde, sizeof fde)) {
        return false;
    }
    memcpy(&back, fde + 4, sizeof back);
    if (!hpp__file_read(elf->file, offset + 4 - back, cie, sizeof cie)) {
        return false;
    }
    switch (address_encoding(cie, cie + sizeof cie)) {
    case PE_PCREL | PE_SDATA4:
    case PE_PCREL | PE_UDATA4:
    case PE_UDATA4:
    case PE_SDATA4:
        memcpy(&length32, fde + 12, sizeof length32);
        *n_bytes = length32;
        return true;
    case PE_ABSPTR:
    case PE_PCREL | PE_UDATA8:
    case PE_PCREL | PE_SDATA8:
        memcpy(n_bytes, fde + 16, sizeof *n_bytes);
        return true;
    default:
        return false;
    }
}

bool hpp__function_bounds(hpp__frame_table *table, const hpp__elf *elf, uint64_t address,
                          hpp__bounds *out)
{
    uint64_t n_bytes;
    if (!table->is_read) {
        read_table(table, elf);
    }
    const hpp__frame_entry *found = find_entry(table, (int64_t)(address - elf->frames.p_vaddr));
    if (!found || !read_length(elf, found->description, &n_bytes)) {
        return false;
    }
    uint64_t start = elf->frames.p_vaddr + (uint64_t)(int64_t)found->start;
    if (address - start >= n_bytes) {
        return false;
    }
    *out = (hpp__bounds){start, start + n_bytes};
    return true;
}
