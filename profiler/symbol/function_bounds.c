/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The table has an entry for each function: its start and its frame description entry (FDE), both
 * as signed 32-bit distances from the table. All linkers write it in this encoding.
 */
#include "function_bounds.h"

#include <gelf.h>
#include <string.h>

#include "base/array.h"

/* DW_EH_PE_... of the Linux Standard Base, core, 10.5.1. */
enum {
    PE_ABSPTR = 0x00,
    PE_UDATA4 = 0x03,
    PE_UDATA8 = 0x04,
    PE_SDATA4 = 0x0b,
    PE_SDATA8 = 0x0c,
    PE_PCREL = 0x10,
    PE_DATAREL = 0x30,
    PE_FORMAT_MASK = 0x0f,
    PE_UNKNOWN = 0xff,
};

/* Version, three encodings, distance to .eh_frame, number of entries. */
#define HEADER_BYTES 12

typedef struct table_entry {
    int32_t start;
    int32_t description;
} table_entry;

/* Copies bytes of the file; returns false if they are not all in it. */
static bool copy_bytes(const hpp__function_bounds *bounds, uint64_t offset, void *to, size_t n)
{
    bool is_inside = offset <= bounds->n_file && n <= bounds->n_file - offset;
    if (is_inside) {
        memcpy(to, bounds->file + offset, n);
    }
    return is_inside;
}

void hpp__function_bounds_read(hpp__function_bounds *bounds, Elf *elf)
{
    GElf_Phdr segment;
    uint8_t header[HEADER_BYTES];
    size_t n_segments = 0;
    *bounds = (hpp__function_bounds){0};
    bounds->file = (const uint8_t *)elf_rawfile(elf, &bounds->n_file);
    if (!bounds->file || elf_getphdrnum(elf, &n_segments) != 0) {
        return;
    }
    for (size_t i = 0; i < n_segments; i++) {
        if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_GNU_EH_FRAME ||
            !copy_bytes(bounds, segment.p_offset, header, sizeof header) || header[0] != 1 ||
            header[2] != PE_UDATA4 || header[3] != (PE_DATAREL | PE_SDATA4)) {
            continue;
        }
        uint32_t n;
        memcpy(&n, header + 8, sizeof n);
        if (n <= (bounds->n_file - segment.p_offset - sizeof header) / sizeof(table_entry)) {
            bounds->table_offset = segment.p_offset;
            bounds->table_address = segment.p_vaddr;
            bounds->n_entries = n;
        }
    }
}

static table_entry entry_at(const hpp__function_bounds *bounds, uint32_t index)
{
    table_entry entry = {0, 0};
    copy_bytes(bounds, bounds->table_offset + HEADER_BYTES + (uint64_t)index * sizeof entry, &entry,
               sizeof entry);
    return entry;
}

static const uint8_t *skip_leb128(const uint8_t *at, const uint8_t *end)
{
    while (at && at < end && *at & 0x80) {
        at++;
    }
    return at && at < end ? at + 1 : NULL;
}

/* Returns the encoding of addresses that a common information entry (CIE) names by 'R'; PE_ABSPTR
 * if it names none. */
static uint8_t address_encoding(const uint8_t *cie, const uint8_t *end)
{
    const uint8_t *augmentation = cie + 9; /* after length, id, version */
    const uint8_t *at = memchr(augmentation, 0, (size_t)(end - augmentation));
    if (!at || augmentation[0] != 'z') {
        return at && augmentation[0] == 0 ? PE_ABSPTR : PE_UNKNOWN;
    }
    at = skip_leb128(at + 1, end); /* code alignment */
    at = skip_leb128(at, end);     /* data alignment */
    at = skip_leb128(at, end);     /* return address: a byte, or LEB128 below 128 */
    at = skip_leb128(at, end);     /* length of the augmentation data */
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
            return PE_UNKNOWN;
        }
    }
    return PE_ABSPTR;
}

/* Reads the length from an FDE. It is in the same loaded segment as the table: distances in memory
 * are distances in the file. */
static bool read_length(const hpp__function_bounds *bounds, int64_t description, uint64_t *n_bytes)
{
    uint8_t fde[24], cie[64];
    uint32_t distance_to_cie, length32;
    uint64_t offset = bounds->table_offset + (uint64_t)description;
    if (!copy_bytes(bounds, offset, fde, sizeof fde)) {
        return false;
    }
    memcpy(&distance_to_cie, fde + 4, sizeof distance_to_cie);
    if (!copy_bytes(bounds, offset + 4 - distance_to_cie, cie, sizeof cie)) {
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

bool hpp__function_bounds_find(const hpp__function_bounds *bounds, uint64_t address,
                               uint64_t *start)
{
    uint64_t n_bytes;
    int64_t distance = (int64_t)(address - bounds->table_address);
    size_t n_before; /* entries that begin at the address or before */
    HPF__ARRAY_BISECT(n_before, bounds->n_entries, i, entry_at(bounds, i).start <= distance);
    if (n_before == 0) {
        return false;
    }
    table_entry found = entry_at(bounds, n_before - 1);
    *start = bounds->table_address + (uint64_t)(int64_t)found.start;
    return read_length(bounds, found.description, &n_bytes) && address - *start < n_bytes;
}
