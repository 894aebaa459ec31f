/* SPDX-License-Identifier: BSD-2-Clause
 *
 * .eh_frame_hdr is a sorted table of (first pc, entry), both relative to itself, for a binary
 * search; where a linker made none, the entries are looked through one by one.
 */
#include "cfi_entry.h"

enum {
    POINTER_FORMAT = 0x0f,
    POINTER_BASE = 0x70,
    POINTER_OMITTED = 0xff,
    POINTER_SORTED_TABLE = 0x3b, /* relative to the header, signed, 4 bytes */
};

/* An entry's bytes after its length, limited to the span that contains it. */
typedef struct record {
    hpp_bytes body;
    const uint8_t *next;
    uint64_t id;
    const uint8_t *id_place;
} record;

static bool bytes_from(hpp_bytes *out, const hpp_cfi_tables *tables, uintptr_t address)
{
    for (uint32_t i = 0; i < tables->n_spans; i++) {
        const hpp_cfi_span *span = &tables->spans[i];
        if (address >= span->low && address < span->end) {
            *out = (hpp_bytes){(const uint8_t *)address, (const uint8_t *)span->end, false};
            return true;
        }
    }
    return false;
}

static uintptr_t read_format(hpp_bytes *bytes, unsigned format)
{
    switch (format) {
    case 0x0: /* DW_EH_PE_absptr */
    case 0x4:
    case 0xc:
        return (uintptr_t)hpp__bytes_fixed(bytes, 8);
    case 0x1:
        return (uintptr_t)hpp__bytes_uleb(bytes);
    case 0x2:
        return (uintptr_t)hpp__bytes_fixed(bytes, 2);
    case 0x3:
        return (uintptr_t)hpp__bytes_fixed(bytes, 4);
    case 0x9:
        return (uintptr_t)hpp__bytes_sleb(bytes);
    case 0xa:
        return (uintptr_t)hpp__bytes_signed(bytes, 2);
    case 0xb:
        return (uintptr_t)hpp__bytes_signed(bytes, 4);
    default:
        return (uintptr_t)hpp__bytes_fail(bytes);
    }
}

uintptr_t hpp__cfi_pointer(hpp_bytes *bytes, uint8_t encoding, uintptr_t data_base)
{
    if (encoding == POINTER_OMITTED) {
        return 0;
    }
    if ((encoding & POINTER_BASE) == 0x50) { /* DW_EH_PE_aligned */
        hpp__bytes_skip(bytes, -(uintptr_t)bytes->at & 7);
        return (uintptr_t)hpp__bytes_fixed(bytes, 8);
    }
    uintptr_t place = (uintptr_t)bytes->at;
    uintptr_t value = read_format(bytes, encoding & POINTER_FORMAT);
    switch (encoding & POINTER_BASE) {
    case 0x00:
        return value;
    case 0x10: /* DW_EH_PE_pcrel */
        return place + value;
    case 0x30: /* DW_EH_PE_datarel */
        return data_base + value;
    default:
        return (uintptr_t)hpp__bytes_fail(bytes);
    }
}

/* Reads the record at an address. Returns false at the end of the entries, or if it is invalid. */
static bool read_record(record *out, const hpp_cfi_tables *tables, uintptr_t address)
{
    hpp_bytes bytes;
    if (!bytes_from(&bytes, tables, address)) {
        return false;
    }
    uint64_t length = hpp__bytes_fixed(&bytes, 4);
    if (length == UINT32_MAX) {
        length = hpp__bytes_fixed(&bytes, 8);
    }
    if (bytes.failed || length == 0 || length > hpp__bytes_left(&bytes)) {
        return false;
    }
    out->body = (hpp_bytes){bytes.at, bytes.at + length, false};
    out->next = out->body.end;
    out->id_place = bytes.at;
    out->id = hpp__bytes_fixed(&out->body, 4); /* after a length of any size */
    return !out->body.failed;
}

/* Reads what the letters of a CIE's augmentation announce. Returns false for unknown ones. */
static bool read_augmentation(hpp_cfi_entry *out, hpp_bytes *bytes, const uint8_t *letters)
{
    if (*letters == '\0') {
        return true;
    }
    if (*letters != 'z') {
        return false;
    }
    uint64_t length = hpp__bytes_uleb(bytes);
    if (length > hpp__bytes_left(bytes)) {
        return false;
    }
    hpp_bytes data = {bytes->at, bytes->at + length, false};
    bytes->at += length;
    for (letters++; *letters != '\0'; letters++) {
        switch (*letters) {
        case 'R':
            out->pointer_encoding = (uint8_t)hpp__bytes_fixed(&data, 1);
            break;
        case 'P': { /* the personality routine */
            uint8_t encoding = (uint8_t)hpp__bytes_fixed(&data, 1);
            hpp__cfi_pointer(&data, encoding, 0);
            break;
        }
        case 'L':
            hpp__bytes_fixed(&data, 1);
            break;
        case 'S':
            out->is_signal = true;
            break;
        default:
            break; /* without operands, or the last one that is known */
        }
    }
    return !data.failed;
}

static bool read_common(hpp_cfi_entry *out, bool *has_augmentation, record *cie)
{
    hpp_bytes *bytes = &cie->body;
    uint64_t version = hpp__bytes_fixed(bytes, 1);
    const uint8_t *letters = bytes->at;
    const uint8_t *letters_end = memchr(letters, '\0', hpp__bytes_left(bytes));
    if (cie->id != 0 || !letters_end || (version != 1 && version != 3 && version != 4)) {
        return false;
    }
    bytes->at = letters_end + 1;
    if (version == 4 && (hpp__bytes_fixed(bytes, 1) != 8 || hpp__bytes_fixed(bytes, 1) != 0)) {
        return false; /* addresses are not of 8 bytes, or have segments */
    }
    out->code_factor = hpp__bytes_uleb(bytes);
    out->data_factor = hpp__bytes_sleb(bytes);
    uint64_t column = version == 1 ? hpp__bytes_fixed(bytes, 1) : hpp__bytes_uleb(bytes);
    if (column >= HPP_CFI_N_REGISTERS) {
        return false;
    }
    out->return_register = (uint8_t)column;
    *has_augmentation = *letters == 'z';
    if (!read_augmentation(out, bytes, letters) || bytes->failed) {
        return false;
    }
    out->first_program = *bytes;
    return true;
}

/* Reads the FDE in `fde`, with its CIE. */
static bool read_entry(hpp_cfi_entry *out, const hpp_cfi_tables *tables, record *fde)
{
    *out = (hpp_cfi_entry){0};
    record cie;
    bool has_augmentation;
    if (!read_record(&cie, tables, (uintptr_t)fde->id_place - (uintptr_t)fde->id) ||
        !read_common(out, &has_augmentation, &cie)) {
        return false;
    }
    hpp_bytes *bytes = &fde->body;
    out->begin = hpp__cfi_pointer(bytes, out->pointer_encoding, tables->header);
    out->end = out->begin + read_format(bytes, out->pointer_encoding & POINTER_FORMAT);
    if (has_augmentation) {
        hpp__bytes_skip(bytes, hpp__bytes_uleb(bytes));
    }
    out->program = *bytes;
    out->next = (uintptr_t)fde->next;
    return !bytes->failed && out->end >= out->begin;
}

static hpp_cfi_found find_one_by_one(hpp_cfi_entry *out, const hpp_cfi_tables *tables,
                                     uintptr_t address, uintptr_t pc)
{
    record each;
    while (read_record(&each, tables, address)) {
        address = (uintptr_t)each.next;
        if (each.id == 0) {
            continue; /* a CIE */
        }
        if (!read_entry(out, tables, &each)) {
            return HPP_CFI_BROKEN;
        }
        if (pc >= out->begin && pc < out->end) {
            return HPP_CFI_FOUND;
        }
    }
    return HPP_CFI_NONE;
}

static int32_t table_number(const uint8_t *table, uint64_t row, unsigned column)
{
    int32_t number;
    memcpy(&number, table + 8 * row + 4 * (size_t)column, 4);
    return number;
}

static hpp_cfi_found find_sorted(hpp_cfi_entry *out, const hpp_cfi_tables *tables,
                                 const uint8_t *table, uint64_t n_rows, uintptr_t pc)
{
    int64_t wanted = (int64_t)(pc - tables->header);
    uint64_t low = 0;
    uint64_t high = n_rows;
    while (low <
           high) { /* rows before `low` begin at or before the pc, those from `high` on after it */
        uint64_t middle = low + (high - low) / 2;
        if (table_number(table, middle, 0) <= wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) {
        return HPP_CFI_NONE;
    }
    record fde;
    uintptr_t place = tables->header + (uintptr_t)(intptr_t)table_number(table, low - 1, 1);
    if (!read_record(&fde, tables, place) || fde.id == 0 || !read_entry(out, tables, &fde)) {
        return HPP_CFI_BROKEN;
    }
    return pc >= out->begin && pc < out->end ? HPP_CFI_FOUND : HPP_CFI_NONE;
}

hpp_cfi_found hpp__cfi_entry_find(hpp_cfi_entry *out, const hpp_cfi_tables *tables, uintptr_t pc)
{
    hpp_bytes bytes;
    if (tables->header == 0) {
        return HPP_CFI_NONE;
    }
    if (!bytes_from(&bytes, tables, tables->header) || hpp__bytes_fixed(&bytes, 1) != 1) {
        return HPP_CFI_BROKEN;
    }
    uint8_t frames_encoding = (uint8_t)hpp__bytes_fixed(&bytes, 1);
    uint8_t count_encoding = (uint8_t)hpp__bytes_fixed(&bytes, 1);
    uint8_t table_encoding = (uint8_t)hpp__bytes_fixed(&bytes, 1);
    uintptr_t frames = hpp__cfi_pointer(&bytes, frames_encoding, tables->header);
    uint64_t n_rows = hpp__cfi_pointer(&bytes, count_encoding, tables->header);
    if (bytes.failed) {
        return HPP_CFI_BROKEN;
    }
    if (table_encoding == POINTER_SORTED_TABLE && n_rows > 0) {
        return n_rows <= hpp__bytes_left(&bytes) / 8
                   ? find_sorted(out, tables, bytes.at, n_rows, pc)
                   : HPP_CFI_BROKEN;
    }
    return find_one_by_one(out, tables, frames, pc);
}

bool hpp__cfi_entry_other_part(hpp_cfi_entry *out, const hpp_cfi_tables *tables,
                               const hpp_cfi_entry *function)
{
    record fde;
    hpp_cfi_row of_call, of_part;
    return read_record(&fde, tables, function->next) && fde.id != 0 &&
           read_entry(out, tables, &fde) &&
           hpp__cfi_row(&of_call, tables, function->begin) == HPP_CFI_FOUND &&
           hpp__cfi_row(&of_part, tables, out->begin) == HPP_CFI_FOUND &&
           (of_part.cfa_register != of_call.cfa_register || of_part.cfa_value != of_call.cfa_value);
}
