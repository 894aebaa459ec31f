/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reading and writing `.aux` files (docs/formats/auxfile.md).
 *
 * The text is a stream of tokens; lines matter for messages only. Entries are in two tables, which
 * are sorted by name after reading, equal names in order of appearance.
 */
#include "hpfile/sink.h"
#include "classic/auxfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "hpfile/str.h"

#define MAX_NUMBER_BYTES 32

typedef struct entry {
    hpf_str name;
    size_t index; /* in order of appearance */
    int32_t order;
    double shade;
} entry;

typedef struct table {
    entry *entries;
    size_t n;
    size_t capacity;
} table;

struct hpr_auxfile {
    hpf_arena *arena;
    double x_range, y_range;
    table orders, shades;
};

typedef struct scanner {
    const char *text;
    size_t length;
    size_t at;
    uint32_t line;     /* of `at` */
    size_t line_start; /* where that line begins */
} scanner;

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Names are written with '_' for blanks, which end tokens. */
static char without_blank(char c)
{
    return is_blank(c) ? '_' : c;
}

static void skip_blanks(scanner *scan)
{
    for (; scan->at < scan->length && is_blank(scan->text[scan->at]); scan->at++) {
        if (scan->text[scan->at] == '\n') {
            scan->line++;
            scan->line_start = scan->at + 1;
        }
    }
}

static hpf_status complain(const scanner *scan, hpf_status status, hpf_error *err, const char *what)
{
    hpf_error_set(err, status, "%s", what);
    if (err) {
        err->offset = scan->at;
        err->line = scan->line;
        err->column = (uint32_t)(scan->at - scan->line_start) + 1;
    }
    return status;
}

/* Returns the next run of bytes that are not blank, empty at the end. */
static hpf_str scan_word(scanner *scan)
{
    size_t start;

    skip_blanks(scan);
    start = scan->at;
    while (scan->at < scan->length && !is_blank(scan->text[scan->at])) {
        scan->at++;
    }
    return (hpf_str){scan->text + start, scan->at - start};
}

typedef struct number {
    char text[MAX_NUMBER_BYTES + 1];
    bool has_point;
} number;

/* Finds the next number: up to 32 digits and points, the first a digit. Leaves the scanner in front
 * of it; returns false if there is none. */
static bool scan_number(scanner *scan, number *out)
{
    size_t length = 0;

    *out = (number){.has_point = false};
    skip_blanks(scan);
    while (scan->at + length < scan->length && length < MAX_NUMBER_BYTES) {
        char c = scan->text[scan->at + length];

        if ((c < '0' || c > '9') && (c != '.' || length == 0)) {
            break;
        }
        out->has_point = out->has_point || c == '.';
        out->text[length++] = c;
    }
    return length > 0;
}

/* Returns the number up to its second point, if it has one. strtod gets an exponent instead of a
 * point, which does not depend on the locale. */
static double number_as_double(const number *n)
{
    char text[MAX_NUMBER_BYTES + sizeof "e-32"];
    const char *point = strchr(n->text, '.');
    size_t n_whole = point ? (size_t)(point - n->text) : strlen(n->text);
    size_t n_decimals = point ? strcspn(point + 1, ".") : 0;

    memcpy(text, n->text, n_whole);
    memcpy(text + n_whole, point ? point + 1 : "", n_decimals);
    snprintf(text + n_whole + n_decimals, sizeof "e-32", "e-%zu", n_decimals);
    return strtod(text, NULL);
}

/* Returns the number as hp2ps does: at most 2^63 - 1, truncated to its lowest 32 bits. */
static int32_t number_as_whole(const number *n)
{
    int64_t value = 0;
    uint32_t low_bits;

    for (const char *c = n->text; *c; c++) {
        int64_t digit = *c - '0';

        value = value > (INT64_MAX - digit) / 10 ? INT64_MAX : value * 10 + digit;
    }
    low_bits = (uint32_t)((uint64_t)value & UINT32_MAX);
    return low_bits <= INT32_MAX ? (int32_t)low_bits : -(int32_t)(UINT32_MAX - low_bits) - 1;
}

static hpf_status read_float(scanner *scan, double *out, const char *complaint, hpf_error *err)
{
    number n;

    if (!scan_number(scan, &n) || !n.has_point) {
        return complain(scan, HPF_ERR_SYNTAX, err, complaint);
    }
    scan->at += strlen(n.text);
    *out = number_as_double(&n);
    return HPF_OK;
}

static hpf_status read_whole(scanner *scan, int32_t *out, const char *complaint, hpf_error *err)
{
    number n;

    if (!scan_number(scan, &n) || n.has_point) {
        return complain(scan, HPF_ERR_SYNTAX, err, complaint);
    }
    scan->at += strlen(n.text);
    *out = number_as_whole(&n);
    return HPF_OK;
}

static hpf_status add_entry(table *to, entry added, hpf_error *err)
{
    added.index = to->n;
    return HPF__ARRAY_PUSH(to->entries, to->n, to->capacity, added) ? HPF_OK
                                                                    : hpf_error_set_memory(err);
}

static hpf_status read_name(scanner *scan, hpr_auxfile *aux, hpf_str *out, const char *complaint,
                            hpf_error *err)
{
    hpf_str word = scan_word(scan);

    if (word.length == 0) {
        return complain(scan, HPF_ERR_SYNTAX, err, complaint);
    }
    *out = hpf_arena_str(aux->arena, word);
    return out->data ? HPF_OK : hpf_error_set_memory(err);
}

static hpf_status read_order(scanner *scan, hpr_auxfile *aux, hpf_error *err)
{
    entry order = {.index = 0};
    hpf_status status =
        read_name(scan, aux, &order.name, "a name must follow ORDER, the file ends", err);

    if (!status) {
        status =
            read_whole(scan, &order.order,
                       "a name and a whole number must follow ORDER, expected the number", err);
    }
    return status ? status : add_entry(&aux->orders, order, err);
}

static hpf_status read_shade(scanner *scan, hpr_auxfile *aux, hpf_error *err)
{
    entry shade = {.index = 0};
    hpf_status status =
        read_name(scan, aux, &shade.name, "a name must follow SHADE, the file ends", err);

    if (!status) {
        status = read_float(scan, &shade.shade,
                            "a name and a number with a decimal point must follow SHADE, "
                            "expected the number",
                            err);
    }
    return status ? status : add_entry(&aux->shades, shade, err);
}

static hpf_status read_statement(scanner *scan, hpr_auxfile *aux, hpf_error *err)
{
    scanner before = *scan;
    hpf_str word = scan_word(scan);

    if (hpf_str_is(word, "X_RANGE")) {
        return read_float(scan, &aux->x_range, "a number with a decimal point must follow X_RANGE",
                          err);
    }
    if (hpf_str_is(word, "Y_RANGE")) {
        return read_float(scan, &aux->y_range, "a number with a decimal point must follow Y_RANGE",
                          err);
    }
    if (hpf_str_is(word, "ORDER")) {
        return read_order(scan, aux, err);
    }
    if (hpf_str_is(word, "SHADE")) {
        return read_shade(scan, aux, err);
    }
    return complain(&before, HPF_ERR_SYNTAX, err, "expected X_RANGE, Y_RANGE, ORDER or SHADE");
}

static int compare_names(hpf_str a, hpf_str b)
{
    size_t common = a.length < b.length ? a.length : b.length;

    for (size_t i = 0; i < common; i++) {
        unsigned char left = (unsigned char)without_blank(a.data[i]);
        unsigned char right = (unsigned char)without_blank(b.data[i]);

        if (left != right) {
            return left < right ? -1 : 1;
        }
    }
    return (a.length > b.length) - (a.length < b.length);
}

static int compare_entries(const void *a, const void *b)
{
    const entry *left = a;
    const entry *right = b;
    int order = compare_names(left->name, right->name);

    return order ? order : (left->index > right->index) - (left->index < right->index);
}

/* Returns the first entry of the name, or NULL. */
static const entry *find(const table *in, hpf_str name)
{
    size_t first;
    HPF__ARRAY_BISECT(first, in->n, i, compare_names(in->entries[i].name, name) < 0);
    return first < in->n && compare_names(in->entries[first].name, name) == 0 ? &in->entries[first]
                                                                              : NULL;
}

static hpf_status parse(hpr_auxfile *aux, hpf_str text, hpf_error *err)
{
    scanner scan = {.text = text.data, .length = text.length, .line = 1};

    for (skip_blanks(&scan); scan.at < scan.length; skip_blanks(&scan)) {
        hpf_status status = read_statement(&scan, aux, err);

        if (status) {
            return status;
        }
    }
    table *const tables[] = {&aux->orders, &aux->shades};
    for (int i = 0; i < 2; i++) {
        HPF__ARRAY_SORT(tables[i]->entries, tables[i]->n, compare_entries);
    }
    return HPF_OK;
}

hpf_status hpr_auxfile_parse(hpr_auxfile **out, hpf_str text, hpf_error *err)
{
    hpr_auxfile *aux = calloc(1, sizeof *aux);
    hpf_status status;

    *out = NULL;
    if (!aux) {
        return hpf_error_set_memory(err);
    }
    aux->arena = hpf_arena_create();
    status = aux->arena ? parse(aux, text, err) : hpf_error_set_memory(err);
    if (status) {
        hpr_auxfile_destroy(aux);
        return status;
    }
    *out = aux;
    return HPF_OK;
}

void hpr_auxfile_destroy(hpr_auxfile *aux)
{
    if (aux) {
        hpf_arena_destroy(aux->arena);
        free(aux->orders.entries);
        free(aux->shades.entries);
        free(aux);
    }
}

double hpr__auxfile_x_range(const hpr_auxfile *aux)
{
    return aux->x_range;
}

double hpr__auxfile_y_range(const hpr_auxfile *aux)
{
    return aux->y_range;
}

bool hpr__auxfile_order(const hpr_auxfile *aux, hpf_str name, int32_t *order)
{
    const entry *found = find(&aux->orders, name);

    if (found) {
        *order = found->order;
    }
    return found != NULL;
}

bool hpr__auxfile_shade(const hpr_auxfile *aux, hpf_str name, double *shade)
{
    const entry *found = find(&aux->shades, name);

    if (found) {
        *shade = found->shade;
    }
    return found != NULL;
}

size_t hpr__auxfile_n_orders(const hpr_auxfile *aux)
{
    return aux->orders.n;
}

size_t hpr__auxfile_n_shades(const hpr_auxfile *aux)
{
    return aux->shades.n;
}

static void write_entry(hpf_sink *sink, const char *keyword, hpf_str name)
{
    hpf_sink_text(sink, keyword);
    for (size_t i = 0; i < name.length; i++) {
        char c = without_blank(name.data[i]);
        hpf_sink_write(sink, &c, 1);
    }
    hpf_sink_text(sink, " ");
}

void hpr_auxfile_write(const hpr_chart *chart, hpf_sink *sink)
{
    hpf_sink_text(sink, "X_RANGE ");
    hpf_sink_fixed(sink, chart->x.range, 2);
    hpf_sink_text(sink, "\nY_RANGE ");
    hpf_sink_fixed(sink, chart->y.range, 2);
    hpf_sink_text(sink, "\n");
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        write_entry(sink, "ORDER ", chart->bands[i].name);
        hpf_sink_whole(sink, i + 1);
        hpf_sink_text(sink, "\n");
    }
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        write_entry(sink, "SHADE ", chart->bands[i].name);
        hpf_sink_fixed(sink, chart->bands[i].classic_shade, 2);
        hpf_sink_text(sink, "\n");
    }
}
