/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Two tables: by address, a cache of sets of eight words, each an address and a number; by
 * contents, numbers only, whose records are in the window.
 */
#include "codes.h"

#include <string.h>

#include "native/window/window_writer.h"

enum {
    SET_BITS = 11,
    SET_WORDS = 8,
    NUMBER_BITS = 20, /* in a word of the cache; above it, the address in units of 8 */
    FIRST_CONTENT_BITS = 10,
    CONTENT_BITS = 17,
    MAX_PROBES = 64,
    MAX_TABLE_BYTES = 1 << 20, /* of lines: longer tables are not read further */
};

_Static_assert(HPP_MAX_CODES <= 1 << NUMBER_BITS, "numbers fit");

_Atomic uint32_t hpp__codes_deaths;

typedef struct code_set {
    _Atomic uint64_t word[SET_WORDS];  /* 0: free */
    _Atomic uint32_t birth[SET_WORDS]; /* number of deaths before it was stored */
    _Atomic uint32_t lines[SET_WORDS]; /* hash of its table of lines, if no frees are noticed */
} code_set;

static HPP_LARGE code_set sets[1 << SET_BITS];
static HPP_LARGE _Atomic uint32_t by_content[1 << CONTENT_BITS];
static _Atomic uint32_t content_mask = (1 << FIRST_CONTENT_BITS) - 1; /* of the part in use */

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_int(int32_t *out, hpp_memory *memory, uintptr_t address)
{
    uintptr_t word;
    bool is_read = hpp__memory_read(&word, memory, address);
    *out = is_read ? (int32_t)(uint32_t)word : 0;
    return is_read;
}

static bool has_type(hpp_memory *memory, uintptr_t object, uintptr_t type)
{
    uintptr_t found;
    return object != 0 && object % 8 == 0 &&
           hpp__memory_read(&found, memory,
                            object + hpp__python.offsets->object_bytes - sizeof(found)) &&
           found == type;
}

/* Reads an object that another points to. */
static bool read_object(uintptr_t *out, hpp_memory *memory, uintptr_t at, uintptr_t type)
{
    return hpp__memory_read(out, memory, at) && has_type(memory, *out, type);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* A text being built: bytes beyond `max` are left out. */
typedef struct builder {
    char *bytes;
    size_t n, max;
} builder;

/* A character that does not fit ends the text. */
static bool add_character(builder *b, uint32_t c)
{
    unsigned n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    if (b->n + n > b->max) {
        return false;
    }
    static const uint8_t first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (unsigned i = n - 1; i > 0; i--, c >>= 6) {
        b->bytes[b->n + i] = (char)(0x80 | (c & 0x3f));
    }
    b->bytes[b->n] = (char)(first[n] | c);
    b->n += n;
    return true;
}

/* Copies a str that is compact, as all names are; its last characters if `from_end`. Surrogates,
 * by which paths hold bytes that are not UTF-8, become question marks. Returns its length. */
static size_t copy_text(char *out, size_t max, uintptr_t text, bool from_end, hpp_memory *memory)
{
    uintptr_t length;
    int32_t state;
    uintptr_t fields = text + hpp__python.offsets->object_bytes;
    if (!hpp__memory_read(&length, memory, fields) ||
        !read_int(&state, memory, fields + HPP_PYTHON_TEXT_STATE - HPP_PYTHON_OBJECT_BYTES)) {
        return 0;
    }
    hpp_python_text_form form = hpp__python_text_form((uint32_t)state);
    if (form.width == 0) {
        return 0;
    }
    uintptr_t data = text + (form.is_ascii ? hpp__python.offsets->ascii_bytes
                                           : hpp__python.offsets->compact_bytes);
    builder b = {out, 0, max};
    size_t most = form.is_ascii ? max : max / 4;
    size_t i = from_end && length > most ? length - most : 0;
    for (; i < length; i++) {
        int32_t c;
        if (!read_int(&c, memory, data + i * form.width)) {
            break;
        }
        uint32_t character = form.width == 1   ? (uint32_t)c & 0xff
                             : form.width == 2 ? (uint32_t)c & 0xffff
                                               : (uint32_t)c;
        bool is_valid = character < 0xd800 || (character > 0xdfff && character <= 0x10ffff);
        if (!add_character(&b, is_valid ? character : '?')) {
            break;
        }
    }
    return b.n;
}

/* Fills a record from a code object. */
static bool describe(hpp_window_code *out, uintptr_t code, hpp_memory *memory)
{
    const hpp_python_offsets *at = hpp__python.offsets;
    bool has_qualified = at->code_qualified_name != HPP_PYTHON_NONE;
    uintptr_t name;
    uintptr_t file;
    int32_t line;
    if (!has_type(memory, code, hpp__python.code_type) ||
        !read_object(&name, memory,
                     code + (has_qualified ? at->code_qualified_name : at->code_name),
                     hpp__python.text_type) ||
        !read_object(&file, memory, code + at->code_file, hpp__python.text_type) ||
        !read_int(&line, memory, code + at->code_first_line)) {
        return false;
    }
    enum { MAX_NAME = 120 };
    *out = (hpp_window_code){.first_line = line > 0 ? (uint32_t)line : 0};
    out->n_name = (uint16_t)copy_text(out->texts, MAX_NAME, name, false, memory);
    out->n_file = (uint16_t)copy_text(out->texts + out->n_name, sizeof(out->texts) - out->n_name,
                                      file, true, memory);
    return out->n_name > 0;
}

/* ---- by contents ----------------------------------------------------------------------------- */

static hpp_window_code *record_of(uint32_t number)
{
    hpp_window_code *chunk =
        hpp__window_chunk(&hpp__window->code_pages[number / HPP_CODES_PER_CHUNK],
                          HPP_CODES_PER_CHUNK * sizeof(*chunk) / HPP_WINDOW_PAGE_BYTES);
    return chunk != NULL ? &chunk[number % HPP_CODES_PER_CHUNK] : NULL;
}

static uint64_t hash_of(const hpp_window_code *code)
{
    uint64_t hash = code->first_line * 0x9e3779b97f4a7c15 + code->n_name;
    for (unsigned i = 0; i < (unsigned)code->n_name + code->n_file; i++) {
        hash = (hash ^ (uint8_t)code->texts[i]) * 0x100000001b3;
    }
    return hash ^ hash >> 32;
}

static bool is_same(const hpp_window_code *a, const hpp_window_code *b)
{
    return a->first_line == b->first_line && a->n_name == b->n_name && a->n_file == b->n_file &&
           memcmp(a->texts, b->texts, (size_t)a->n_name + a->n_file) == 0;
}

/* Stores a new record. Returns its number, or 0. */
static uint32_t add_record(const hpp_window_code *code)
{
    uint32_t number = hpp__window_next(&hpp__window->head.n_codes, HPP_MAX_CODES);
    hpp_window_code *record = number != UINT32_MAX ? record_of(number) : NULL;
    if (record == NULL) {
        return 0;
    }
    record->first_line = code->first_line;
    record->n_name = code->n_name;
    record->n_file = code->n_file;
    memcpy(record->texts, code->texts, (size_t)code->n_name + code->n_file);
    atomic_store_explicit(&record->is_complete, 1, memory_order_release);
    return number;
}

/* Returns the number of a description, or 0 and where it belongs, NULL: nowhere. */
static uint32_t find_content(_Atomic uint32_t **place, const hpp_window_code *code, uint32_t mask)
{
    uint64_t hash = hash_of(code);
    *place = NULL;
    for (uint64_t i = hash; i < hash + MAX_PROBES && *place == NULL; i++) {
        _Atomic uint32_t *slot = &by_content[i & mask];
        uint32_t number = atomic_load_explicit(slot, memory_order_acquire);
        if (number != 0 && is_same(record_of(number), code)) {
            return number;
        }
        *place = number == 0 ? slot : NULL;
    }
    return 0;
}

static void enter_content(_Atomic uint32_t *place, uint32_t number)
{
    uint32_t none = 0;
    if (place != NULL) {
        atomic_compare_exchange_strong(place, &none, number);
    }
}

/* Uses more of the table, so that few pages of it are touched in small programs. Entries of the
 * smaller part stay, and are in the way only. */
static HPP_NO_INLINE void grow_content(uint32_t mask, uint32_t n_numbers)
{
    for (uint32_t number = 1; number <= n_numbers; number++) {
        const hpp_window_code *record = record_of(number);
        _Atomic uint32_t *place;
        if (record != NULL && atomic_load(&record->is_complete) &&
            find_content(&place, record, mask) == 0) {
            enter_content(place, number);
        }
    }
    atomic_store(&content_mask, mask);
}

/* Returns the number of a description. Two threads may store one twice, which does no harm; so does
 * one that finds no place. */
static uint32_t intern(const hpp_window_code *code)
{
    uint32_t mask = atomic_load(&content_mask);
    _Atomic uint32_t *place;
    uint32_t number = find_content(&place, code, mask);
    if (number != 0) {
        return number;
    }
    number = add_record(code);
    if (number != 0) {
        enter_content(place, number);
    }
    if (number > mask / 4 && mask < (1 << CONTENT_BITS) - 1) {
        grow_content(2 * mask + 1, number);
    }
    return number;
}

bool hpp__codes_is_import(uint32_t number)
{
    static const char import[] = "<frozen importlib";
    const hpp_window_code *record = record_of(number);
    return record->n_file > sizeof(import) &&
           memcmp(record->texts + record->n_name, import, sizeof(import) - 1) == 0;
}

/* ---- tables of lines ------------------------------------------------------------------------- */

/* The table of lines, all of which can be read. */
typedef struct table {
    const uint8_t *at, *end;
    bool failed;
} table;

static bool open_table(table *out, uintptr_t code, hpp_memory *memory)
{
    uintptr_t bytes;
    uintptr_t length;
    uintptr_t word;
    if (!read_object(&bytes, memory, code + hpp__python.offsets->code_lines,
                     hpp__python.bytes_type) ||
        !hpp__memory_read(&length, memory, bytes + hpp__python.offsets->object_bytes)) {
        return false;
    }
    length = length < MAX_TABLE_BYTES ? length : MAX_TABLE_BYTES;
    uintptr_t data =
        bytes + hpp__python.offsets->object_bytes + HPP_PYTHON_BYTES_DATA - HPP_PYTHON_OBJECT_BYTES;
    for (uintptr_t i = 0; i < length; i += HPP_WINDOW_PAGE_BYTES) {
        if (!hpp__memory_read(&word, memory, data + i)) {
            return false;
        }
    }
    if (length > 0 && !hpp__memory_read(&word, memory, data + length - 1)) {
        return false;
    }
    *out = (table){(const uint8_t *)data, (const uint8_t *)data + length, false};
    return true;
}

/* Returns a hash of the table of a code object. */
static uint32_t hash_of_lines(uintptr_t code, hpp_memory *memory)
{
    table lines;
    if (!open_table(&lines, code, memory)) {
        return 0;
    }
    uint64_t hash = (uint64_t)(lines.end - lines.at);
    uint64_t word = 0;
    for (size_t n; (n = (size_t)(lines.end - lines.at)) > 0; lines.at += n) {
        n = n < sizeof(word) ? n : sizeof(word);
        memcpy(&word, lines.at, n);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

/* ---- by address ------------------------------------------------------------------------------ */

static code_set *set_of(uintptr_t code)
{
    return &sets[code * 0x9e3779b97f4a7c15 >> (64 - SET_BITS)];
}

/* Returns the index of a code object in its set; SET_WORDS: it has no number. */
static unsigned find_code(const code_set *set, uintptr_t code)
{
    unsigned i = 0;
    while (i < SET_WORDS &&
           atomic_load_explicit(&set->word[i], memory_order_acquire) >> NUMBER_BITS != code / 8) {
        i++;
    }
    return i;
}

/* Stores a number. An address that has to go counts as dead: whoever remembers it would not learn
 * of its death later. */
static void keep(uintptr_t code, uint32_t number, hpp_memory *memory)
{
    code_set *set = set_of(code);
    uint64_t word = (uint64_t)code / 8 << NUMBER_BITS | number;
    uint32_t lines = 0;
    if (hpp__python.mark_block != NULL) {
        hpp__python.mark_block((const void *)code);
    } else {
        lines = hash_of_lines(code, memory);
    }
    for (unsigned i = 0; i < SET_WORDS; i++) {
        uint64_t none = 0;
        if (atomic_load(&set->word[i]) == 0) {
            atomic_store(&set->birth[i], atomic_load(&hpp__codes_deaths));
            atomic_store(&set->lines[i], lines);
            if (atomic_compare_exchange_strong(&set->word[i], &none, word)) {
                return;
            }
        }
    }
    unsigned i = number % SET_WORDS;
    atomic_store(&set->birth[i], atomic_fetch_add(&hpp__codes_deaths, 1) + 1);
    atomic_store(&set->lines[i], lines);
    atomic_store(&set->word[i], word);
}

HPP_COLD void hpp__codes_freed(uintptr_t address)
{
    code_set *set = set_of(address);
    unsigned i = find_code(set, address);
    uint64_t word = i < SET_WORDS ? atomic_load(&set->word[i]) : 0;
    if (word >> NUMBER_BITS == address / 8 &&
        atomic_compare_exchange_strong(&set->word[i], &word, 0)) {
        atomic_fetch_add(&hpp__codes_deaths, 1);
    }
}

static uint32_t number_in(const code_set *set, unsigned i)
{
    return (uint32_t)set->word[i] & ((1 << NUMBER_BITS) - 1);
}

/* Returns whether the code object at an address is still the one that is in the set. If no frees
 * are noticed, compares their contents. */
static bool is_alive(const code_set *set, unsigned i, uintptr_t code, hpp_memory *memory)
{
    hpp_window_code now;
    return hpp__python.mark_block != NULL ||
           (describe(&now, code, memory) && is_same(record_of(number_in(set, i)), &now) &&
            atomic_load(&set->lines[i]) == hash_of_lines(code, memory));
}

uint32_t hpp__codes_number(uintptr_t code, hpp_memory *memory)
{
    const code_set *set = set_of(code);
    unsigned i = find_code(set, code);
    if (i < SET_WORDS && is_alive(set, i, code, memory)) {
        return number_in(set, i);
    }
    hpp__codes_freed(code);
    hpp_window_code described;
    uint32_t number = describe(&described, code, memory) ? intern(&described) : 0;
    if (number != 0) {
        keep(code, number, memory);
    }
    return number;
}

bool hpp__codes_lived_slowly(uintptr_t code, uint32_t deaths, hpp_memory *memory)
{
    const code_set *set = set_of(code);
    unsigned i = find_code(set, code);
    return i < SET_WORDS && set->birth[i] <= deaths && is_alive(set, i, code, memory);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static inline uint8_t next_byte(table *t)
{
    t->failed = t->failed || t->at >= t->end;
    return t->failed ? 0 : *t->at++;
}

/* Numbers of six bits a byte, least first. */
static uint32_t next_varint(table *t)
{
    uint32_t value = 0;
    uint8_t byte = 0x40;
    for (unsigned shift = 0; byte & 0x40 && shift < 30 && !t->failed; shift += 6) {
        byte = next_byte(t);
        value |= (uint32_t)(byte & 0x3f) << shift;
    }
    return value;
}

static int32_t next_signed(table *t)
{
    uint32_t value = next_varint(t);
    return value & 1 ? -(int32_t)(value >> 1) : (int32_t)(value >> 1);
}

/* Each returns the line of the byte `offset` of the instructions, or -1. */

static int64_t line_by_lnotab(table *t, int64_t line, int64_t offset)
{
    int64_t address = 0;
    while (t->at < t->end && !t->failed) {
        address += next_byte(t);
        if (address > offset) {
            break;
        }
        line += (int8_t)next_byte(t);
    }
    return line;
}

static int64_t line_by_linetable(table *t, int64_t line, int64_t offset)
{
    int64_t end = 0;
    while (t->at < t->end && !t->failed) {
        end += next_byte(t);
        int8_t delta = (int8_t)next_byte(t);
        line += delta == INT8_MIN ? 0 : delta;
        if (end > offset) {
            return delta == INT8_MIN ? -1 : line;
        }
    }
    return -1;
}

static int64_t line_by_locations(table *t, int64_t line, int64_t offset)
{
    enum { LONG = 14, NO_COLUMNS = 13, NONE = 15, ONE_LINE_FIRST = 10, ONE_LINE_LAST = 12 };
    int64_t end = 0;
    while (t->at < t->end && !t->failed) {
        uint8_t head = next_byte(t);
        unsigned kind = head >> 3 & 15;
        end += 2 * ((head & 7) + 1);
        if (kind == LONG || kind == NO_COLUMNS) {
            line += next_signed(t);
        } else if (kind >= ONE_LINE_FIRST && kind <= ONE_LINE_LAST) {
            line += kind - ONE_LINE_FIRST;
        }
        if (end > offset) {
            return kind == NONE ? -1 : line;
        }
        while (t->at < t->end && !(*t->at & 0x80)) {
            t->at++;
        }
    }
    return -1;
}

/* Finds a place in the copies of its instructions. At the start of a function, the place is the
 * instruction before the first. */
static bool find_in_copies(int64_t *out, hpp_python_place place, hpp_memory *memory)
{
    enum { MAX_COPIES = 1 << 16, BEFORE_FIRST = -2 };
    const hpp_python_offsets *at = hpp__python.offsets;
    uintptr_t copies, n, length, begin;
    if (!hpp__memory_read(&copies, memory, place.code + at->code_copies) || copies == 0 ||
        !hpp__memory_read(&n, memory, copies) ||
        !hpp__memory_read(&length, memory, place.code + at->object_bytes)) {
        return false;
    }
    bool is_found = false;
    for (size_t i = 0; i < n && i < MAX_COPIES; i++) {
        if (!hpp__memory_read(&begin, memory, copies + (1 + i) * sizeof(begin))) {
            return false;
        }
        uintptr_t offset = place.instruction - begin;
        if (begin != 0 && offset / 2 < length && offset <= INT32_MAX) {
            *out = (int64_t)offset;
            return true;
        }
        if (begin != 0 && (intptr_t)offset == BEFORE_FIRST) {
            *out = BEFORE_FIRST;
            is_found = true;
        }
    }
    return is_found;
}

/* Stores the number of the byte of the instructions at a place. */
static bool find_offset(int64_t *out, hpp_python_place place, hpp_memory *memory)
{
    const hpp_python_offsets *at = hpp__python.offsets;
    switch (at->lines) {
    case HPP_PYTHON_LNOTAB:
        *out = (int32_t)(uint32_t)place.instruction;
        return true;
    case HPP_PYTHON_LINETABLE:
        *out = 2 * (int64_t)(int32_t)(uint32_t)place.instruction;
        return true;
    default:
        if (at->code_copies != HPP_PYTHON_NONE) {
            return find_in_copies(out, place, memory);
        }
        *out = (int64_t)(place.instruction - place.code - at->code_instructions);
        return *out >= -2 && *out < INT32_MAX;
    }
}

uint32_t hpp__codes_line(hpp_python_place place, hpp_memory *memory)
{
    const hpp_python_offsets *at = hpp__python.offsets;
    int32_t first = 0;
    int64_t offset;
    table t;
    read_int(&first, memory, place.code + at->code_first_line);
    if (!find_offset(&offset, place, memory) || offset < 0 || !open_table(&t, place.code, memory)) {
        return (uint32_t)first;
    }
    int64_t line = at->lines == HPP_PYTHON_LNOTAB      ? line_by_lnotab(&t, first, offset)
                   : at->lines == HPP_PYTHON_LINETABLE ? line_by_linetable(&t, first, offset)
                                                       : line_by_locations(&t, first, offset);
    return line > 0 && line <= INT32_MAX && !t.failed ? (uint32_t)line : (uint32_t)first;
}

bool hpp__codes_is_before_start(hpp_python_place place, hpp_memory *memory)
{
    const hpp_python_offsets *at = hpp__python.offsets;
    int32_t first_traceable;
    int64_t offset;
    return at->code_first_traceable != HPP_PYTHON_NONE && find_offset(&offset, place, memory) &&
           read_int(&first_traceable, memory, place.code + at->code_first_traceable) &&
           offset < 2 * (int64_t)first_traceable;
}

bool hpp__codes_check(hpp_python_place place, hpp_memory *memory)
{
    const hpp_python_offsets *at = hpp__python.offsets;
    hpp_window_code described;
    table t;
    int64_t offset;
    uintptr_t instructions = place.code;
    uintptr_t length;
    if (!describe(&described, place.code, memory) || described.n_file == 0 ||
        !open_table(&t, place.code, memory) || !find_offset(&offset, place, memory)) {
        return false;
    }
    bool is_apart = at->lines != HPP_PYTHON_LOCATIONS; /* the instructions are other bytes */
    return (!is_apart || read_object(&instructions, memory, place.code + at->code_instructions,
                                     hpp__python.bytes_type)) &&
           hpp__memory_read(&length, memory, instructions + at->object_bytes) &&
           offset < (int64_t)(is_apart ? length : 2 * length);
}
