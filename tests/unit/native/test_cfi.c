/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Unwind tables that are assembled byte by byte: versions, encodings, instructions, expressions,
 * and what is invalid in them.
 */
#include "native/target/unwind/cfi_entry.h"

#include <string.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

/* --- an object with one CIE and one FDE ------------------------------------------------------- */

enum { BEGIN = 0x400000, OTHER_BEGIN = BEGIN + 0x10000, FUNCTION_BYTES = 0x100 };

typedef struct parts {
    uint8_t version;
    const char *letters;
    bool is_long; /* with lengths of 8 bytes */
    uint8_t column[2];
    size_t n_column;
    const uint8_t *first_program, *program, *other; /* `other`: of an entry behind it */
    size_t n_first_program, n_program, n_other;
} parts;

static uint8_t image[4096];
static size_t n_image;
static hpp_cfi_tables tables;

static void put(const void *bytes, size_t n)
{
    memcpy(image + n_image, bytes, n);
    n_image += n;
}

static void put_number(uint64_t number, size_t n)
{
    put(&number, n);
}

/* Returns the place of the length, which end_record() fills in. */
static size_t begin_record(bool is_long)
{
    if (is_long) {
        put_number(UINT32_MAX, 4);
    }
    put_number(0, is_long ? 8 : 4);
    return n_image;
}

static void end_record(size_t body, bool is_long)
{
    size_t n = is_long ? 8 : 4;
    uint64_t length = n_image - body;
    memcpy(image + body - n, &length, n);
}

/* A header without a table, so that entries are searched one by one. Addresses in entries are of 8
 * bytes. */
static void assemble(const parts *p)
{
    n_image = 0;
    put((const uint8_t[]){1, 0x00, 0xff, 0xff}, 4); /* absolute address of the entries */
    put_number((uintptr_t)image + 12, 8);
    size_t cie = n_image;
    size_t body = begin_record(p->is_long);
    put_number(0, 4);
    put_number(p->version, 1);
    put(p->letters, strlen(p->letters) + 1);
    if (p->version == 4) {
        put((const uint8_t[]){8, 0}, 2);
    }
    put((const uint8_t[]){1, 0x78}, 2); /* factors 1 and -8 */
    put(p->column, p->n_column);
    if (p->letters[0] == 'z') {
        put((const uint8_t[]){1, 0x00}, 2); /* R: absolute addresses */
    }
    put(p->first_program, p->n_first_program);
    end_record(body, p->is_long);
    body = begin_record(p->is_long);
    put_number(n_image - cie, 4);
    put_number(BEGIN, 8);
    put_number(FUNCTION_BYTES, 8);
    if (p->letters[0] == 'z') {
        put((const uint8_t[]){1, 0x0b}, 2); /* data, which would be an invalid instruction */
    }
    put(p->program, p->n_program);
    end_record(body, p->is_long);
    if (p->n_other > 0) {
        body = begin_record(p->is_long);
        put_number(n_image - cie, 4);
        put_number(OTHER_BEGIN, 8);
        put_number(FUNCTION_BYTES, 8);
        put((const uint8_t[]){0}, p->letters[0] == 'z');
        put(p->other, p->n_other);
        end_record(body, p->is_long);
    }
    put_number(0, 4);
    tables = (hpp_cfi_tables){.header = (uintptr_t)image,
                              .n_spans = 1,
                              .spans = {{(uintptr_t)image, (uintptr_t)image + n_image}}};
}

static const uint8_t usual_start[] = {0x0c, 7, 8, 0x90, 1}; /* CFA = sp + 8, pc at CFA - 8 */

static const uint8_t nothing[] = {0};

static parts usual(void)
{
    return (parts){.version = 1,
                   .letters = "zR",
                   .column = {16},
                   .n_column = 1,
                   .first_program = usual_start,
                   .n_first_program = sizeof usual_start,
                   .program = nothing,
                   .n_program = 1};
}

static hpp_cfi_found row_at(hpp_cfi_row *row, const parts *p, uintptr_t offset)
{
    assemble(p);
    return hpp__cfi_row(row, &tables, BEGIN + offset);
}

static hpp_cfi_found row_of(hpp_cfi_row *row, const uint8_t *program, size_t n, uintptr_t offset)
{
    parts p = usual();
    p.program = program;
    p.n_program = n;
    return row_at(row, &p, offset);
}

#define ROW_OF(row, offset, ...)                                                                   \
    row_of(row, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), offset)

/* --- entries ---------------------------------------------------------------------------------- */

Test(cfi, versions_lengths_and_columns)
{
    static const struct {
        uint8_t version;
        bool is_long;
        uint8_t column[2];
        size_t n_column;
        hpp_cfi_found found;
    } cases[] = {
        {1, false, {16}, 1, HPP_CFI_FOUND},       {3, false, {16}, 1, HPP_CFI_FOUND},
        {4, false, {16}, 1, HPP_CFI_FOUND},       {1, true, {16}, 1, HPP_CFI_FOUND},
        {4, true, {16}, 1, HPP_CFI_FOUND},        {3, false, {0x90, 0}, 2, HPP_CFI_FOUND},
        {1, false, {0x90, 0}, 2, HPP_CFI_BROKEN}, {1, false, {17}, 1, HPP_CFI_BROKEN},
        {3, false, {17}, 1, HPP_CFI_BROKEN},      {0, false, {16}, 1, HPP_CFI_BROKEN},
        {2, false, {16}, 1, HPP_CFI_BROKEN},      {5, false, {16}, 1, HPP_CFI_BROKEN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        parts p = usual();
        hpp_cfi_row row;
        p.version = cases[i].version;
        p.is_long = cases[i].is_long;
        p.n_column = cases[i].n_column;
        memcpy(p.column, cases[i].column, 2);
        hpp_cfi_found found = row_at(&row, &p, 0);
        cr_assert(eq(int, found, cases[i].found), "case %zu", i);
        if (found == HPP_CFI_FOUND) {
            cr_assert(eq(int, row.return_register, 16), "case %zu", i);
            cr_assert(eq(i64, row.cfa_value, 8), "case %zu", i);
            cr_assert(eq(int, row.kind[16], HPP_CFI_AT_CFA), "case %zu", i);
            cr_assert(eq(i64, row.value[16], -8), "case %zu", i);
        }
    }
}

Test(cfi, pcs_of_a_function_and_around_it)
{
    parts p = usual();
    hpp_cfi_row row;
    cr_assert(eq(int, row_at(&row, &p, 0), HPP_CFI_FOUND));
    cr_assert(eq(u64, row.begin, BEGIN));
    cr_assert(eq(u64, row.end, BEGIN + FUNCTION_BYTES));
    cr_assert(eq(int, row_at(&row, &p, FUNCTION_BYTES - 1), HPP_CFI_FOUND));
    cr_assert(eq(int, row_at(&row, &p, FUNCTION_BYTES), HPP_CFI_NONE));
    cr_assert(eq(int, row_at(&row, &p, (uintptr_t)-1), HPP_CFI_NONE));
}

Test(cfi, other_part_of_a_function)
{
    static const uint8_t with_frame[] = {0x0e, 64}; /* CFA = sp + 64 */
    const struct {
        const uint8_t *program;
        size_t n_program;
        bool is_part;
    } cases[] = {{with_frame, sizeof with_frame, true},
                 {nothing, sizeof nothing, false}, /* another function */
                 {NULL, 0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        parts p = usual();
        hpp_cfi_entry function, part;
        p.other = cases[i].program;
        p.n_other = cases[i].n_program;
        assemble(&p);
        cr_assert(eq(int, hpp__cfi_entry_find(&function, &tables, BEGIN), HPP_CFI_FOUND));
        bool is_part = hpp__cfi_entry_other_part(&part, &tables, &function);
        cr_assert(eq(int, is_part, cases[i].is_part));
        if (is_part) {
            cr_assert(eq(u64, part.begin, OTHER_BEGIN));
        }
    }
}

Test(cfi, augmentations)
{
    parts p = usual();
    hpp_cfi_row row;
    p.letters = "";
    p.program = (const uint8_t[]){0x0e, 24};
    p.n_program = 2;
    cr_assert(eq(int, row_at(&row, &p, 0), HPP_CFI_FOUND));
    cr_assert(eq(i64, row.cfa_value, 24));
    cr_assert(not(row.is_signal));
    p.letters = "zRS";
    cr_assert(eq(int, row_at(&row, &p, 0), HPP_CFI_FOUND));
    cr_assert(row.is_signal);
    p.letters = "zRL"; /* L has no operand */
    cr_assert(eq(int, row_at(&row, &p, 0), HPP_CFI_BROKEN));
    p.letters = "eh";
    cr_assert(eq(int, row_at(&row, &p, 0), HPP_CFI_BROKEN));
}

Test(cfi, tables_that_are_cut)
{
    parts p = usual();
    hpp_cfi_row row;
    assemble(&p);
    size_t n = n_image;
    for (size_t i = 0; i < n - 4; i++) {
        tables.spans[0].end = (uintptr_t)image + i;
        cr_assert(ne(int, hpp__cfi_row(&row, &tables, BEGIN), HPP_CFI_FOUND), "%zu bytes", i);
    }
    tables.spans[0].end = (uintptr_t)image + n - 4; /* without the end mark */
    cr_assert(eq(int, hpp__cfi_row(&row, &tables, BEGIN), HPP_CFI_FOUND));
    image[0] = 2; /* version of the header */
    cr_assert(eq(int, hpp__cfi_row(&row, &tables, BEGIN), HPP_CFI_BROKEN));
    tables.header = 0;
    cr_assert(eq(int, hpp__cfi_row(&row, &tables, BEGIN), HPP_CFI_NONE));
}

/* A header with a table at the end of the object, after the entries of three functions. */
Test(cfi, sorted_tables)
{
    enum { N = 3, SPACING = 0x1000 };
    int32_t places[N + 1];
    parts p = usual();
    assemble(&p); /* for the CIE, which begins at 12 */
    n_image -= 4;
    uintptr_t code = (uintptr_t)image + 0x100000;
    for (unsigned i = 0; i < N; i++) {
        places[i] = (int32_t)n_image;
        size_t body = begin_record(false);
        put_number(n_image - 12, 4);
        put_number(code + i * SPACING, 8);
        put_number(FUNCTION_BYTES, 8);
        put((const uint8_t[]){0, 0x0e, (uint8_t)(16 + i)}, 3);
        end_record(body, false);
    }
    places[N] = 12;
    put((const uint8_t[]){0, 0, 0, 0}, 4);
    size_t header = n_image;
    put((const uint8_t[]){1, 0x1b, 0x03, 0x3b}, 4);
    put_number(0, 4);
    put_number(N, 4);
    for (unsigned i = 0; i < N; i++) {
        put_number((uint32_t)(code + i * SPACING - (uintptr_t)image - header), 4);
        put_number((uint32_t)((size_t)places[i] - header), 4);
    }
    tables = (hpp_cfi_tables){.header = (uintptr_t)image + header,
                              .n_spans = 2,
                              .spans = {{(uintptr_t)image, (uintptr_t)image + header},
                                        {(uintptr_t)image + header, (uintptr_t)image + n_image}}};
    hpp_cfi_row row;
    for (unsigned i = 0; i < N; i++) {
        uintptr_t begin = code + i * SPACING;
        for (uintptr_t at = 0; at < FUNCTION_BYTES; at += FUNCTION_BYTES - 1) {
            cr_assert(eq(int, hpp__cfi_row(&row, &tables, begin + at), HPP_CFI_FOUND), "%u", i);
            cr_assert(eq(i64, row.cfa_value, 16 + i));
            cr_assert(eq(u64, row.begin, begin));
        }
        cr_assert(eq(int, hpp__cfi_row(&row, &tables, begin - 1), HPP_CFI_NONE));
        cr_assert(eq(int, hpp__cfi_row(&row, &tables, begin + FUNCTION_BYTES), HPP_CFI_NONE));
    }
    uint32_t place = (uint32_t)((size_t)places[N] - header);
    memcpy(image + n_image - 4, &place, 4); /* a CIE */
    cr_assert(eq(int, hpp__cfi_row(&row, &tables, code + 2 * SPACING), HPP_CFI_BROKEN));
    place = 1 << 20;
    memcpy(image + n_image - 4, &place, 4); /* outside */
    cr_assert(eq(int, hpp__cfi_row(&row, &tables, code + 2 * SPACING), HPP_CFI_BROKEN));
    cr_assert(eq(int, hpp__cfi_row(&row, &tables, code + SPACING), HPP_CFI_FOUND));
    image[header + 8]++; /* a row more than there is */
    cr_assert(eq(int, hpp__cfi_row(&row, &tables, code + SPACING), HPP_CFI_BROKEN));
    image[header + 8] = 0; /* none: entries are searched, from 4 bytes after the header */
    cr_assert(eq(int, hpp__cfi_row(&row, &tables, code + SPACING), HPP_CFI_NONE));
    uint32_t entries = (uint32_t)((size_t)12 - (header + 4));
    memcpy(image + header + 4, &entries, 4);
    cr_assert(eq(int, hpp__cfi_row(&row, &tables, code + SPACING), HPP_CFI_FOUND));
    image[header + 3] = 0x1b; /* a table of another kind */
    image[header + 8] = N;
    cr_assert(eq(int, hpp__cfi_row(&row, &tables, code + SPACING), HPP_CFI_FOUND));
    cr_assert(eq(i64, row.cfa_value, 17));
}

Test(cfi, encodings_of_addresses)
{
    enum { BASE = 0x10000 };
    static const _Alignas(8)
        uint8_t bytes[] = {0xf1, 0xf2, 0xf3, 0x74, 0x75, 0x76, 0x77, 0x78, 0x81,
                           0x82, 0x03, 0x84, 0x85, 0x86, 0x87, 0x88, 0x91, 0x92};
    static const struct {
        uint8_t encoding;
        size_t at, n_read; /* n_read 0: fails */
        uintptr_t value;
    } cases[] = {
        {0x00, 0, 8, 0x78777675 * (uintptr_t)0x100000000 + 0x74f3f2f1},
        {0x04, 0, 8, 0x78777675 * (uintptr_t)0x100000000 + 0x74f3f2f1},
        {0x0c, 0, 8, 0x78777675 * (uintptr_t)0x100000000 + 0x74f3f2f1},
        {0x01, 8, 3, 0x01 + 0x02 * 128 + 0x03 * 128 * 128},
        {0x02, 0, 2, 0xf2f1},
        {0x03, 8, 4, 0x84038281},
        {0x09, 3, 1, (uintptr_t)-12},
        {0x0a, 0, 2, (uintptr_t)-0x0d0f},
        {0x0b, 8, 4, (uintptr_t)-0x7bfc7d7f},
        {0x12, 8, 2, (uintptr_t)bytes + 8 + 0x8281},
        {0x3a, 0, 2, BASE - 0x0d0f},
        {0x50, 0, 8, 0x78777675 * (uintptr_t)0x100000000 + 0x74f3f2f1},
        {0x50, 1, 15, 0x88878685 * (uintptr_t)0x100000000 + 0x84038281},
        {0x50, 7, 9, 0x88878685 * (uintptr_t)0x100000000 + 0x84038281},
        {0x50, 9, 0, 0},
        {0xff, 3, 0, 0},
        {0x20, 0, 0, 0}, /* relative to the text */
        {0x40, 0, 0, 0}, /* to the function */
        {0x05, 0, 0, 0},
        {0x00, 11, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpp_bytes from = {bytes + cases[i].at, bytes + sizeof bytes, false};
        uintptr_t value = hpp__cfi_pointer(&from, cases[i].encoding, BASE);
        cr_assert(eq(u64, value, cases[i].value), "case %zu", i);
        bool is_omitted = cases[i].encoding == 0xff;
        cr_assert(eq(int, from.failed, cases[i].n_read == 0 && !is_omitted), "case %zu", i);
        if (cases[i].n_read > 0) {
            cr_assert(eq(sz, (size_t)(from.at - bytes), cases[i].at + cases[i].n_read), "case %zu",
                      i);
        }
    }
}

/* --- instructions ----------------------------------------------------------------------------- */

Test(cfi, rows_begin_and_end_at_their_advances)
{
    hpp_cfi_row row;
    static const uint8_t program[] = {
        0x41, 0x0e, 16,                                       /* from 1 on */
        0x02, 2,    0x0e, 24,                                 /* 3 */
        0x03, 4,    0,    0x0e, 32,                           /* 7 */
        0x04, 8,    0,    0,    0,  0x0e, 40,                 /* 15 */
        0x1d, 16,   0,    0,    0,  0,    0,  0, 0, 0x0e, 48, /* 31 */
    };
    static const struct {
        uintptr_t begin, end;
        int64_t offset;
    } rows[] = {{0, 1, 8}, {1, 3, 16}, {3, 7, 24}, {7, 15, 32}, {15, 31, 40}, {31, 0x100, 48}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (uintptr_t at = rows[i].begin; at < rows[i].end; at++) {
            cr_assert(eq(int, row_of(&row, program, sizeof program, at), HPP_CFI_FOUND));
            cr_assert(eq(i64, row.cfa_value, rows[i].offset), "at %zu", (size_t)at);
            cr_assert(eq(u64, row.begin, BEGIN + rows[i].begin));
            cr_assert(eq(u64, row.end, BEGIN + rows[i].end));
        }
    }
}

Test(cfi, set_loc_goes_forward_only)
{
    hpp_cfi_row row;
    cr_assert(
        eq(int, ROW_OF(&row, 0x20, 0x01, 0x10, 0, 0x40, 0, 0, 0, 0, 0, 0x0e, 16), HPP_CFI_FOUND));
    cr_assert(eq(i64, row.cfa_value, 16));
    cr_assert(eq(u64, row.begin, BEGIN + 0x10));
    cr_assert(
        eq(int, ROW_OF(&row, 0x0f, 0x01, 0x10, 0, 0x40, 0, 0, 0, 0, 0, 0x0e, 16), HPP_CFI_FOUND));
    cr_assert(eq(i64, row.cfa_value, 8));
    cr_assert(eq(int, ROW_OF(&row, 0x20, 0x44, 0x01, 0, 0, 0x40, 0, 0, 0, 0, 0, 0x0e, 16),
                 HPP_CFI_BROKEN));
}

Test(cfi, rules_of_registers)
{
    static const struct {
        uint8_t program[8];
        size_t n;
        unsigned column;
        hpp_cfi_kind kind;
        int64_t value;
    } cases[] = {
        {{0x86, 2}, 2, 6, HPP_CFI_AT_CFA, -16},
        {{0x05, 6, 3}, 3, 6, HPP_CFI_AT_CFA, -24},
        {{0x11, 6, 0x7f}, 3, 6, HPP_CFI_AT_CFA, 8},
        {{0x2f, 6, 2}, 3, 6, HPP_CFI_AT_CFA, 16},
        {{0x14, 6, 2}, 3, 6, HPP_CFI_CFA_PLUS, -16},
        {{0x15, 6, 0x7e}, 3, 6, HPP_CFI_CFA_PLUS, 16},
        {{0x07, 16}, 2, 16, HPP_CFI_UNDEFINED, 0},
        {{0x08, 16}, 2, 16, HPP_CFI_SAME, 0},
        {{0x09, 6, 16}, 3, 6, HPP_CFI_IN_REGISTER, 16},
        {{0x09, 6, 17}, 3, 6, HPP_CFI_UNDEFINED, 17},
        {{0x86, 2, 0xc6}, 3, 6, HPP_CFI_SAME, 0},
        {{0x07, 16, 0x06, 16}, 4, 16, HPP_CFI_AT_CFA, -8},
        {{0x91, 2, 0x86, 3}, 4, 6, HPP_CFI_AT_CFA, -24}, /* column 17 is skipped */
        {{0x2e, 0x80, 1, 0x86, 3}, 5, 6, HPP_CFI_AT_CFA, -24},
        {{0x00, 0x86, 3}, 3, 6, HPP_CFI_AT_CFA, -24},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpp_cfi_row row;
        cr_assert(eq(int, row_of(&row, cases[i].program, cases[i].n, 0), HPP_CFI_FOUND), "case %zu",
                  i);
        cr_assert(eq(int, row.kind[cases[i].column], cases[i].kind), "case %zu", i);
        cr_assert(eq(i64, row.value[cases[i].column], cases[i].value), "case %zu", i);
    }
}

Test(cfi, rules_of_the_frame_address)
{
    hpp_cfi_row row;
    cr_assert(eq(int, ROW_OF(&row, 0, 0x0c, 6, 24), HPP_CFI_FOUND));
    cr_assert(eq(int, row.cfa_register, 6));
    cr_assert(eq(i64, row.cfa_value, 24));
    cr_assert(eq(int, ROW_OF(&row, 0, 0x0d, 16), HPP_CFI_FOUND));
    cr_assert(eq(int, row.cfa_register, 16));
    cr_assert(eq(i64, row.cfa_value, 8));
    cr_assert(eq(int, ROW_OF(&row, 0, 0x12, 6, 0x7e), HPP_CFI_FOUND));
    cr_assert(eq(int, row.cfa_register, 6));
    cr_assert(eq(i64, row.cfa_value, 16));
    cr_assert(eq(int, ROW_OF(&row, 0, 0x13, 0x7e), HPP_CFI_FOUND));
    cr_assert(eq(int, row.cfa_register, 7));
    cr_assert(eq(i64, row.cfa_value, 16));
    cr_assert(eq(int, ROW_OF(&row, 0, 0x0f, 1, 0x50), HPP_CFI_FOUND));
    cr_assert(row.cfa_is_expression);
    cr_assert(eq(u8, ((const uint8_t *)(uintptr_t)row.cfa_value)[1], 0x50));
    cr_assert(eq(int, ROW_OF(&row, 0, 0x0f, 1, 0x50, 0x0c, 6, 24), HPP_CFI_FOUND));
    cr_assert(not(row.cfa_is_expression));
}

Test(cfi, states_are_remembered)
{
    hpp_cfi_row row;
    cr_assert(eq(int,
                 ROW_OF(&row, 9, 0x0a, 0x41, 0x0e, 16, 0x0a, 0x41, 0x0e, 24, 0x0a, 0x0a, 0x41, 0x0b,
                        0x0b, 0x0b),
                 HPP_CFI_FOUND));
    cr_assert(eq(i64, row.cfa_value, 16));
    cr_assert(eq(u64, row.begin, BEGIN + 3));
    cr_assert(eq(int, ROW_OF(&row, 9, 0x0a, 0x0e, 16, 0x0b), HPP_CFI_FOUND));
    cr_assert(eq(i64, row.cfa_value, 8));
}

Test(cfi, invalid_programs)
{
    static const struct {
        uint8_t program[8];
        size_t n;
    } cases[] = {
        {{0x0b}, 1},                         /* nothing was remembered */
        {{0x0a, 0x0a, 0x0a, 0x0a, 0x0a}, 5}, /* too much */
        {{0x0c, 17, 8}, 3},                  /* no such register */
        {{0x0d, 17}, 2},
        {{0x0f, 1, 0x50, 0x0e, 8}, 5}, /* an offset to an expression */
        {{0x0f, 1, 0x50, 0x0d, 7}, 5},
        {{0x0f, 2, 0x50}, 3}, /* the end is missing */
        {{0x0e}, 1},
        {{0x3f, 0}, 2}, /* no such instruction */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpp_cfi_row row;
        cr_assert(eq(int, row_of(&row, cases[i].program, cases[i].n, 9), HPP_CFI_BROKEN),
                  "case %zu", i);
    }
    parts p = usual();
    hpp_cfi_row row;
    p.first_program = (const uint8_t[]){0xc6}; /* restores what has no first row */
    p.n_first_program = 1;
    cr_assert(eq(int, row_at(&row, &p, 0), HPP_CFI_BROKEN));
}

/* --- steps ------------------------------------------------------------------------------------ */

static const uint64_t words[] = {0x1111, 0x8877665544332211, 0x3333, 0x4444};

static bool read_word(uintptr_t *out, uintptr_t address, void *context)
{
    (void)context;
    if (address < (uintptr_t)words || address > (uintptr_t)(words + 3)) {
        return false;
    }
    memcpy(out, (const void *)address, 8);
    return true;
}

static hpp_cfi_registers registers_here(void)
{
    hpp_cfi_registers r = {.known = (uint64_t)1 << HPP_CFI_SP | (uint64_t)1 << HPP_CFI_PC |
                                    (uint64_t)1 << HPP_CFI_FP | 1u << 0};
    r.value[HPP_CFI_SP] = (uintptr_t)words;
    r.value[HPP_CFI_PC] = BEGIN;
    r.value[HPP_CFI_FP] = 1000;
    r.value[0] = 70;
    return r;
}

/* Computes fp by an expression, on whose stack the CFA is: `words` + 2. */
static hpp_cfi_step compute(uintptr_t *out, const uint8_t *bytes, size_t n)
{
    uint8_t program[64] = {0x0e, 16, 0x16, HPP_CFI_FP, (uint8_t)n};
    memcpy(program + 5, bytes, n);
    hpp_cfi_row row;
    cr_assert(eq(int, row_of(&row, program, 5 + n, 0), HPP_CFI_FOUND));
    /* The return address is what is computed: only it decides the outcome. */
    row.kind[HPP_CFI_RETURN] = row.kind[HPP_CFI_FP];
    row.value[HPP_CFI_RETURN] = row.value[HPP_CFI_FP];
    hpp_cfi_registers r = registers_here();
    hpp_cfi_step outcome = hpp__cfi_step_some(&r, &row, 0, read_word, NULL);
    *out = r.value[HPP_CFI_PC];
    return outcome;
}

Test(cfi, expressions)
{
    static const struct {
        uint8_t bytes[24];
        size_t n;
        uint64_t value;
    } cases[] = {
        {{0x33}, 1, 3},
        {{0x4f}, 1, 31},
        {{0x03, 1, 2, 3, 4, 5, 6, 7, 8}, 9, 0x0807060504030201},
        {{0x0e, 1, 2, 3, 4, 5, 6, 7, 8}, 9, 0x0807060504030201},
        {{0x0f, 1, 2, 3, 4, 5, 6, 7, 0xff}, 9, 0xff07060504030201},
        {{0x08, 0xff}, 2, 0xff},
        {{0x09, 0xff}, 2, UINT64_MAX},
        {{0x0a, 0x34, 0xf2}, 3, 0xf234},
        {{0x0b, 0x34, 0xf2}, 3, 0xfffffffffffff234},
        {{0x0c, 1, 2, 3, 0xf4}, 5, 0xf4030201},
        {{0x0d, 1, 2, 3, 0xf4}, 5, 0xfffffffff4030201},
        {{0x10, 0x80, 1}, 3, 128},
        {{0x11, 0x7f}, 2, UINT64_MAX},
        {{0x70, 5}, 2, 75},
        {{0x76, 0x7f}, 2, 999},
        {{0x92, 6, 0x7f}, 3, 999},
        {{0x80, 0}, 2, BEGIN},
        {{0x33, 0x35, 0x12}, 3, 5},
        {{0x33, 0x35, 0x12, 0x1e}, 4, 25},
        {{0x33, 0x35, 0x13}, 3, 3},
        {{0x33, 0x35, 0x14}, 3, 3},
        {{0x33, 0x34, 0x35, 0x15, 2}, 5, 3},
        {{0x33, 0x35, 0x16}, 3, 3},
        {{0x33, 0x35, 0x16, 0x1c}, 4, 2},
        {{0x31, 0x32, 0x34, 0x17}, 4, 2}, /* 4, 1, 2 */
        {{0x31, 0x32, 0x34, 0x17, 0x13}, 5, 1},
        {{0x31, 0x32, 0x34, 0x17, 0x13, 0x13}, 6, 4},
        {{0x09, 0xfb, 0x19}, 3, 5},
        {{0x35, 0x19}, 2, 5},
        {{0x30, 0x19}, 2, 0},
        {{0x3c, 0x3a, 0x1a}, 3, 8},
        {{0x09, 0xf4, 0x33, 0x1b}, 4, (uint64_t)-4},
        {{0x3c, 0x09, 0xff, 0x1b}, 4, (uint64_t)-12},
        {{0x3c, 0x35, 0x1c}, 3, 7},
        {{0x3d, 0x35, 0x1d}, 3, 3},
        {{0x3c, 0x35, 0x1e}, 3, 60},
        {{0x35, 0x1f}, 2, (uint64_t)-5},
        {{0x35, 0x20}, 2, ~(uint64_t)5},
        {{0x3c, 0x33, 0x21}, 3, 15},
        {{0x3c, 0x3a, 0x22}, 3, 22},
        {{0x35, 0x23, 0x80, 1}, 4, 133},
        {{0x35, 0x32, 0x24}, 3, 20},
        {{0x35, 0x08, 63, 0x24}, 4, (uint64_t)5 << 63},
        {{0x35, 0x08, 64, 0x24}, 4, 0},
        {{0x09, 0xfb, 0x08, 60, 0x25}, 5, 15},
        {{0x09, 0xfb, 0x08, 63, 0x25}, 5, 1},
        {{0x09, 0xfb, 0x08, 64, 0x25}, 5, 0},
        {{0x09, 0xfb, 0x31, 0x26}, 4, (uint64_t)-3},
        {{0x09, 0xfb, 0x08, 64, 0x26}, 5, UINT64_MAX},
        {{0x0f, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x08, 62, 0x26}, 12, 1},
        {{0x0f, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x08, 63, 0x26}, 12, 0},
        {{0x3c, 0x3a, 0x27}, 3, 6},
        {{0x33, 0x33, 0x29}, 3, 1},
        {{0x33, 0x34, 0x29}, 3, 0},
        {{0x09, 0xff, 0x31, 0x2a}, 4, 0},
        {{0x31, 0x31, 0x2a}, 3, 1},
        {{0x09, 0xff, 0x31, 0x2b}, 4, 0},
        {{0x31, 0x31, 0x2b}, 3, 0},
        {{0x32, 0x31, 0x2b}, 3, 1},
        {{0x09, 0xff, 0x31, 0x2c}, 4, 1},
        {{0x31, 0x31, 0x2c}, 3, 1},
        {{0x32, 0x31, 0x2c}, 3, 0},
        {{0x09, 0xff, 0x31, 0x2d}, 4, 1},
        {{0x31, 0x31, 0x2d}, 3, 0},
        {{0x33, 0x33, 0x2e}, 3, 0},
        {{0x33, 0x34, 0x2e}, 3, 1},
        {{0x33, 0x2f, 1, 0, 0x35, 0x36}, 6, 6},       /* skip */
        {{0x33, 0x31, 0x28, 1, 0, 0x35, 0x96}, 7, 3}, /* branch */
        {{0x33, 0x30, 0x28, 1, 0, 0x35, 0x96}, 7, 5},
        {{0x33, 0x2f, 1, 0, 0x35}, 5, 3},                   /* to the end */
        {{0x35, 0x31, 0x1c, 0x12, 0x28, 0xfa, 0xff}, 7, 0}, /* a loop */
        {{0x06}, 1, 0x3333},
        {{0x38, 0x1c, 0x94, 1}, 4, 0x11},
        {{0x38, 0x1c, 0x94, 4}, 4, 0x44332211},
        {{0x38, 0x1c, 0x94, 7}, 4, 0x77665544332211},
        {{0x38, 0x1c, 0x94, 8}, 4, 0x8877665544332211},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uintptr_t value;
        hpp_cfi_step outcome = compute(&value, cases[i].bytes, cases[i].n);
        cr_assert(eq(int, outcome, HPP_CFI_UP), "case %zu", i);
        cr_assert(eq(u64, value, cases[i].value), "case %zu", i);
    }
}

Test(cfi, invalid_expressions)
{
    static const struct {
        uint8_t bytes[8];
        size_t n;
        hpp_cfi_step outcome;
    } cases[] = {
        {{0x13}, 1, HPP_CFI_LOST},             /* empty at the end */
        {{0x13, 0x13, 0x33}, 3, HPP_CFI_LOST}, /* a pop too many */
        {{0x1c}, 1, HPP_CFI_LOST},
        {{0x14}, 1, HPP_CFI_LOST},
        {{0x15, 1}, 2, HPP_CFI_LOST},
        {{0x30, 0x1b}, 2, HPP_CFI_LOST}, /* division by zero */
        {{0x30, 0x1d}, 2, HPP_CFI_LOST},
        {{0x33, 0x06}, 2, HPP_CFI_LOST}, /* not mapped */
        {{0x94, 0}, 2, HPP_CFI_LOST},
        {{0x94, 9}, 2, HPP_CFI_LOST},
        {{0x0a, 1}, 2, HPP_CFI_LOST},                /* cut */
        {{0x2f, 1, 0}, 3, HPP_CFI_LOST},             /* after the end */
        {{0x2f, 0xfc, 0xff}, 3, HPP_CFI_LOST},       /* before the begin */
        {{0x2f, 0xfd, 0xff}, 3, HPP_CFI_LOST},       /* endless */
        {{0x12, 0x2f, 0xfc, 0xff}, 4, HPP_CFI_LOST}, /* the stack is full */
        {{0x71, 0}, 2, HPP_CFI_UNKNOWN},             /* a register that is not known */
        {{0x81, 0}, 2, HPP_CFI_UNKNOWN},             /* that has no column */
        {{0x92, 17, 0}, 3, HPP_CFI_UNKNOWN},
        {{0x07}, 1, HPP_CFI_LOST}, /* no such operation */
        {{0xf0}, 1, HPP_CFI_LOST},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uintptr_t value;
        cr_assert(eq(int, compute(&value, cases[i].bytes, cases[i].n), cases[i].outcome),
                  "case %zu", i);
        cr_assert(eq(u64, value, BEGIN), "case %zu: the registers change", i);
    }
}

Test(cfi, a_step_computes_the_wanted_registers)
{
    hpp_cfi_row row;
    /* fp at CFA - 16, rbx at CFA - 24 (not mapped), rax kept, rcx undefined, rdx = CFA + 8 */
    cr_assert(eq(int, ROW_OF(&row, 0, 0x0e, 16, 0x86, 2, 0x83, 3, 0x07, 2, 0x15, 1, 0x7f),
                 HPP_CFI_FOUND));
    hpp_cfi_registers r = registers_here();
    cr_assert(eq(int, hpp__cfi_step(&r, &row, read_word, NULL), HPP_CFI_UP));
    cr_assert(eq(u32, r.known, 1u << 0 | 1u << 1 | 1u << 6 | 1u << 7 | 1u << 16));
    cr_assert(eq(u64, r.value[0], 70));
    cr_assert(eq(u64, r.value[1], (uintptr_t)(words + 3)));
    cr_assert(eq(u64, r.value[6], words[0]));
    cr_assert(eq(u64, r.value[7], (uintptr_t)(words + 2)));
    cr_assert(eq(u64, r.value[16], words[1]));
    r = registers_here();
    cr_assert(eq(int, hpp__cfi_step_some(&r, &row, 1u << 1, read_word, NULL), HPP_CFI_UP));
    cr_assert(eq(u32, r.known, 1u << 1 | 1u << 7 | 1u << 16));
    cr_assert(eq(u64, r.value[7], (uintptr_t)(words + 2)));
}

Test(cfi, a_step_ends_or_fails)
{
    hpp_cfi_row row;
    hpp_cfi_registers r = registers_here();
    cr_assert(eq(int, ROW_OF(&row, 0, 0x07, 16), HPP_CFI_FOUND));
    cr_assert(eq(int, hpp__cfi_step(&r, &row, read_word, NULL), HPP_CFI_TOP));
    cr_assert(eq(int, ROW_OF(&row, 0, 0x0c, 3, 8), HPP_CFI_FOUND)); /* rbx is not known */
    cr_assert(eq(int, hpp__cfi_step(&r, &row, read_word, NULL), HPP_CFI_UNKNOWN));
    cr_assert(eq(int, ROW_OF(&row, 0, 0x0e, 48), HPP_CFI_FOUND)); /* not mapped */
    cr_assert(eq(int, hpp__cfi_step(&r, &row, read_word, NULL), HPP_CFI_LOST));
    cr_assert(eq(u64, r.value[HPP_CFI_SP], (uintptr_t)words));
    cr_assert(eq(int, ROW_OF(&row, 0, 0x08, 16), HPP_CFI_FOUND)); /* the pc is kept */
    cr_assert(eq(int, hpp__cfi_step(&r, &row, read_word, NULL), HPP_CFI_UP));
    cr_assert(eq(u64, r.value[HPP_CFI_PC], BEGIN));
    r = registers_here();
    cr_assert(
        eq(int, ROW_OF(&row, 0, 0x10, 16, 1, 0x06), HPP_CFI_FOUND)); /* at the address in a word */
    cr_assert(eq(int, hpp__cfi_step(&r, &row, read_word, NULL), HPP_CFI_LOST));
    cr_assert(eq(int, ROW_OF(&row, 0, 0x10, 16, 1, 0x96), HPP_CFI_FOUND)); /* at the CFA */
    cr_assert(eq(int, hpp__cfi_step(&r, &row, read_word, NULL), HPP_CFI_UP));
    cr_assert(eq(u64, r.value[HPP_CFI_PC], words[1]));
    r = registers_here();
    cr_assert(eq(int, ROW_OF(&row, 0, 0x14, 7, 2), HPP_CFI_FOUND)); /* sp = CFA - 16 */
    cr_assert(eq(int, hpp__cfi_step(&r, &row, read_word, NULL), HPP_CFI_UP));
    cr_assert(eq(u64, r.value[HPP_CFI_SP], (uintptr_t)words - 8));
    r = registers_here();
    cr_assert(eq(int, ROW_OF(&row, 0, 0x09, 16, 0), HPP_CFI_FOUND)); /* the pc is in rax */
    cr_assert(eq(int, hpp__cfi_step(&r, &row, read_word, NULL), HPP_CFI_UP));
    cr_assert(eq(u64, r.value[HPP_CFI_PC], 70));
}
