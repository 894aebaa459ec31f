/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From a word to a vtable, to a type_info, to a name; each address is read once.
 */
#include "classes.h"

#include <stdlib.h>

#include "base/array.h"
#include "containers.h"
#include "hpfile/str.h"
#include "native/collector/roots/piece_reader.h"
#include "symbol/demangle.h"

enum {
    WORD_BYTES = 8,
    MAX_NAME_BYTES = HPP__NAME_MAX_BYTES,
    MAX_DEPTH_WORDS = 8, /* where an object inside a block may begin */
};

#define NO_CLASS 1

/* What precedes the address of a vtable that objects have. */
typedef struct vtable_head {
    int64_t to_top; /* from the word to the beginning of the complete object: 0 or less */
    uint64_t type_info;
} vtable_head;

typedef struct type_info {
    uint64_t meta; /* as an object it begins with a vtable, too */
    uint64_t name;
} type_info;

/* ---- Memory ---- */

/* Returns the mapping of a file that contains an address, or NULL. */
static const hpp__image_map *file_at(const hpp__classes *c, uint64_t address)
{
    size_t first;
    HPF__ARRAY_BISECT(first, c->n_files, i, c->files[i]->end <= address);
    return first < c->n_files && c->files[first]->begin <= address ? c->files[first] : NULL;
}

static bool read_from_file(const hpp__classes *c, void *out, uint64_t address, size_t n_bytes)
{
    return address % WORD_BYTES == 0 && file_at(c, address) &&
           hpp__image_read(c->image, out, address, n_bytes);
}

static bool is_name_byte(unsigned char byte)
{
    return byte > ' ' && byte <= '~';
}

/* Appends the name at an address. Returns false if it is empty, too long, or not in a file. */
static bool read_name(const hpp__classes *c, hpp__text *out, uint64_t address)
{
    return file_at(c, address) &&
           hpp__image_text(c->image, out, address, MAX_NAME_BYTES, is_name_byte);
}

/* ---- Classes ---- */

static bool read_head(const hpp__classes *c, uint64_t vtable, vtable_head *head, type_info *info)
{
    return vtable >= sizeof *head && read_from_file(c, head, vtable - sizeof *head, sizeof *head) &&
           read_from_file(c, info, head->type_info, sizeof *info);
}

/* Returns whether objects that begin with `meta` are type_infos of classes: their own class is one
 * of the C++ run-time library's. */
static bool is_meta(hpp__classes *c, uint64_t meta)
{
    static const char *const names[] = {"N10__cxxabiv117__class_type_infoE",
                                        "N10__cxxabiv120__si_class_type_infoE",
                                        "N10__cxxabiv121__vmi_class_type_infoE"};
    uint64_t *known = meta ? hpp__map_add(&c->metas, meta) : NULL;
    if (!known) {
        return false;
    }
    if (*known == 0) {
        vtable_head head;
        type_info info;
        c->scratch.length = 0;
        bool is_named = read_head(c, meta, &head, &info) && read_name(c, &c->scratch, info.name);
        *known = NO_CLASS;
        for (size_t i = 0; is_named && i < sizeof names / sizeof *names; i++) {
            *known += hpf_str_is(hpp__text_str(&c->scratch), names[i]);
        }
    }
    return *known != NO_CLASS;
}

/* Returns the name of the class of a vtable, or NULL. */
static const hpf_str *read_class(hpp__classes *c, uint64_t vtable)
{
    static const char said[] = "typeinfo name for ";
    vtable_head head;
    type_info info;
    if (!read_head(c, vtable, &head, &info) || head.to_top != 0 || !is_meta(c, info.meta)) {
        return NULL;
    }
    hpp__text symbol = {0}, name = {0};
    const hpf_str *kept = NULL;
    hpp__text_add(&symbol, HPF_STR("_ZTS"));
    if (read_name(c, &symbol, info.name) && !symbol.is_short) {
        if (symbol.data[4] == '*') { /* the name is not unique: compared by address */
            memmove(symbol.data + 4, symbol.data + 5, --symbol.length - 4);
        }
        hpp__demangle(&name, hpp__text_str(&symbol));
    }
    if (hpf_str_begins(hpp__text_str(&name), said)) {
        memmove(name.data, name.data + sizeof said - 1, name.length -= sizeof said - 1);
        hpp__container_class(&name);
        hpf_str *copy = hpf_arena_alloc(c->arena, sizeof *copy);
        if (copy && !name.is_short) {
            *copy = hpf_arena_str(c->arena, hpp__text_str(&name));
            kept = copy->data ? copy : NULL;
        }
    }
    hpp__text_finish(&symbol);
    hpp__text_finish(&name);
    return kept;
}

hpf_str hpp__classes_find(hpp__classes *c, uint64_t word)
{
    hpf_str none = {"", 0};
    if (c->n_files == 0 || word < c->files[0]->begin || word >= c->files[c->n_files - 1]->end ||
        word % WORD_BYTES != 0 || !file_at(c, word)) {
        return none;
    }
    uint64_t *known = hpp__map_add(&c->by_vtable, word);
    if (!known) {
        return none;
    }
    if (*known == 0) {
        const hpf_str *name = read_class(c, word);
        *known = name ? (uintptr_t)name : NO_CLASS;
    }
    return *known == NO_CLASS ? none : *(const hpf_str *)(uintptr_t)*known;
}

/* ---- Blocks ---- */

static void set_array(hpp__text *out, hpf_str name, uint64_t n)
{
    out->length = 0;
    hpp__text_add(out, name);
    hpp__text_add(out, HPF_STR("["));
    hpp__text_add_number(out, n);
    hpp__text_add(out, HPF_STR("]"));
}

/* Returns the number of objects in an array that fills the block: all begin with the same word. 1
 * if it is no array. */
static uint64_t count_repeated(const uint64_t *words, size_t n_words, uint64_t size_bytes)
{
    size_t stride = 1;
    while (stride < n_words && words[stride] != words[0]) {
        stride++;
    }
    if (stride == n_words || size_bytes % (stride * WORD_BYTES) != 0) {
        return 1;
    }
    for (size_t i = stride; i < n_words; i += stride) {
        if (words[i] != words[0]) {
            return 1;
        }
    }
    return size_bytes / (stride * WORD_BYTES);
}

/* Returns whether objects begin at `words[first]`, after their number: an array from new[]. */
static bool has_cookie(const uint64_t *words, size_t n_words, uint64_t size_bytes, size_t first)
{
    if (first >= n_words || size_bytes <= first * WORD_BYTES || words[first - 1] == 0) {
        return false;
    }
    uint64_t n = words[first - 1];
    uint64_t n_bytes = size_bytes - first * WORD_BYTES;
    uint64_t stride = n_bytes / n;
    if (n_bytes % n != 0 || stride % WORD_BYTES != 0 || stride == 0) {
        return false;
    }
    size_t second = first + (size_t)(stride / WORD_BYTES);
    return n == 1 || second >= n_words || words[second] == words[first];
}

hpp__holding hpp__classes_of_block(hpp__classes *c, hpp__text *out, const uint64_t *words,
                                   size_t n_words, uint64_t size_bytes)
{
    out->length = 0;
    hpf_str name = n_words > 0 ? hpp__classes_find(c, words[0]) : HPF_STR("");
    if (name.length > 0) {
        uint64_t n = count_repeated(words, n_words, size_bytes);
        if (n > 1) {
            set_array(out, name, n);
        } else {
            hpp__text_add(out, name);
        }
        return HPP__IS_OBJECT;
    }
    size_t end = n_words < MAX_DEPTH_WORDS ? n_words : MAX_DEPTH_WORDS;
    for (size_t i = 1; i < end; i++) {
        name = hpp__classes_find(c, words[i]);
        if (name.length == 0) {
            continue;
        }
        if (i <= 2 && has_cookie(words, n_words, size_bytes, i)) {
            set_array(out, name, words[i - 1]);
            return HPP__IS_OBJECT;
        }
        hpp__text_add(out, name);
        return HPP__HOLDS_OBJECT;
    }
    return HPP__HOLDS_NONE;
}

/* ---- Life ---- */

bool hpp__classes_init(hpp__classes *c, const hpp__image *image)
{
    *c = (hpp__classes){.image = image, .arena = hpf_arena_create()};
    for (size_t i = 0; c->arena && i < image->n_maps; i++) {
        const hpp__image_map *map = &image->maps[i];
        if (map->is_readable && !map->is_shared && map->path[0] == '/' &&
            !HPF__ARRAY_PUSH(c->files, c->n_files, c->files_capacity, map)) {
            return false;
        }
    }
    return c->arena != NULL;
}

void hpp__classes_finish(hpp__classes *c)
{
    free(c->files);
    hpp__map_finish(&c->by_vtable);
    hpp__map_finish(&c->metas);
    hpp__text_finish(&c->scratch);
    hpf_arena_destroy(c->arena);
    *c = (hpp__classes){0};
}
