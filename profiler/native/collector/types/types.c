/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One pass over the blocks finds what each one is by itself; a search in breadth from those with a
 * type of their own finds the owners of the others.
 */
#include "types.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/map.h"
#include "base/text.h"
#include "classes.h"
#include "hpfile/str.h"
#include "native/collector/roots/piece_reader.h"

enum { MAX_WORDS = 8192 /* of a block, to look for arrays in */ };

/* What is known of a block: as an owner, and as a part of another. Numbers of names, or NO_TYPE. */
typedef struct known_block {
    uint32_t type;
    uint32_t owner;    /* of an owner its own type, without the length of an array */
    uint32_t level;    /* pointers from the owner */
    bool is_python;    /* the owner's type is one of Python, which its parts have, too */
    bool is_structure; /* by its site */
} known_block;

typedef struct finder {
    hpp__types *types;
    const hpp__image *image;
    const hpp__graph *graph;
    bool has_python;
    hpp__type_of_site *of_site;
    void *context;
    hpp__classes classes;
    hpp__piece_reader reader;
    known_block *blocks;
    uint8_t *naming; /* by block */
    hpp__map parts;  /* type and owner -> number of the name of both, + 1 */
    hpp__text text;
    uint32_t *frontier, *next;
    size_t n_frontier, n_next, frontier_capacity, next_capacity;
} finder;

/* Returns the number of a name; NO_TYPE without memory. */
static uint32_t number_of(finder *f, hpf_str name)
{
    uint32_t number;
    bool is_new;
    return hpf__intern_add(&f->types->names, name, &number, &is_new) == HPF_OK ? number
                                                                               : HPP__NO_TYPE;
}

/* ---- A block by itself ---- */

/* Returns the name of an element: "Shape" of "Shape[12]". */
static hpf_str without_length(hpf_str name)
{
    size_t end = name.length;
    if (end > 0 && name.data[end - 1] == ']') {
        while (end > 0 && name.data[end - 1] != '[') {
            end--;
        }
        return end > 1 ? (hpf_str){name.data, end - 1} : name;
    }
    return name;
}

static bool mentions(hpf_str text, hpf_str word)
{
    for (size_t i = 0; i + word.length <= text.length; i++) {
        if (memcmp(text.data + i, word.data, word.length) == 0) {
            return true;
        }
    }
    return false;
}

static hpp__naming name_block(finder *f, size_t i)
{
    const hpp__image_block *block = &f->image->blocks[i];
    known_block *known = &f->blocks[i];
    hpp__site_type site = f->of_site(f->context, block->site);
    hpp__holding holding = HPP__HOLDS_NONE;
    size_t n_bytes = 0;
    const void *words = NULL;
    const hpp__python_type *python =
        f->has_python ? hpp__python_type_of(&f->graph->python, i) : NULL;
    if (python) {
        known->type = known->owner = number_of(f, python->name);
        known->is_python = true;
        return HPP__NAMED_BY_CLASS;
    }
    if (block->size_bytes >= sizeof(uint64_t)) {
        words = hpp__piece_reader_block(&f->reader, i, block->address, &n_bytes);
    }
    if (words) {
        size_t n_words = n_bytes / sizeof(uint64_t);
        holding =
            hpp__classes_of_block(&f->classes, &f->text, words,
                                  n_words < MAX_WORDS ? n_words : MAX_WORDS, block->size_bytes);
    }
    hpf_str class_name = hpp__text_str(&f->text);
    hpf_str element = without_length(class_name);
    if (holding == HPP__IS_OBJECT &&
        !(site.naming == HPP__NAMED_BY_CONTAINER && mentions(site.type, element))) {
        known->type = number_of(f, class_name);
        known->owner = number_of(f, element);
        return HPP__NAMED_BY_CLASS;
    }
    if (site.type.length > 0) {
        known->type = number_of(f, site.type);
        known->is_structure = site.is_object;
        known->owner = site.is_object && !f->has_python ? known->type : HPP__NO_TYPE;
        return site.naming;
    }
    if (holding == HPP__HOLDS_OBJECT) {
        hpp__text whole = {0};
        known->owner = number_of(f, class_name);
        hpp__text_add(&whole, HPF_STR("block with "));
        hpp__text_add(&whole, class_name);
        known->type = number_of(f, hpp__text_str(&whole));
        hpp__text_finish(&whole);
        return HPP__NAMED_BY_CLASS;
    }
    return HPP__NAMED_BY_SITE;
}

/* ---- Owners ---- */

/* Gives the blocks that `from` points to its owner, if they have none that is nearer. */
static bool own(finder *f, uint32_t from)
{
    const known_block *owner = &f->blocks[from];
    size_t n;
    const uint32_t *edges = hpp__graph_edges(f->graph, from, &n);
    for (size_t k = 0; k < n; k++) {
        known_block *block = &f->blocks[edges[k]];
        if (block->owner == HPP__NO_TYPE) {
            block->owner = owner->owner;
            block->is_python = owner->is_python;
            block->level = owner->level + 1;
            if (!HPF__ARRAY_PUSH(f->next, f->n_next, f->next_capacity, edges[k])) {
                return false;
            }
        } else if (block->level == owner->level + 1 && block->owner != owner->owner &&
                   hpf_str_compare(f->types->names.names[owner->owner],
                                   f->types->names.names[block->owner]) < 0) {
            block->owner = owner->owner;
            block->is_python = owner->is_python;
        }
    }
    return true;
}

/* Finds the owners of the blocks that those at the frontier lead to. */
static bool search(finder *f)
{
    while (f->n_frontier > 0) {
        f->n_next = 0;
        for (size_t i = 0; i < f->n_frontier; i++) {
            if (!own(f, f->frontier[i])) {
                return false;
            }
        }
        uint32_t *done = f->frontier;
        size_t capacity = f->frontier_capacity;
        f->frontier = f->next;
        f->frontier_capacity = f->next_capacity;
        f->n_frontier = f->n_next;
        f->next = done;
        f->next_capacity = capacity;
    }
    return true;
}

static bool find_owners(finder *f)
{
    size_t n = f->image->n_blocks;
    for (size_t i = 0; i < n; i++) {
        if (f->blocks[i].owner != HPP__NO_TYPE &&
            !HPF__ARRAY_PUSH(f->frontier, f->n_frontier, f->frontier_capacity, (uint32_t)i)) {
            return false;
        }
    }
    if (!search(f)) {
        return false;
    }
    /* Structures of an interpreter in C that no object of Python leads to. */
    for (size_t i = 0; f->has_python && i < n; i++) {
        if (f->blocks[i].owner == HPP__NO_TYPE && f->blocks[i].is_structure) {
            f->blocks[i].owner = f->blocks[i].type;
            if (!HPF__ARRAY_PUSH(f->frontier, f->n_frontier, f->frontier_capacity, (uint32_t)i)) {
                return false;
            }
        }
    }
    return search(f);
}

/* Returns the number of "TYPE in OWNER", or of "data of OWNER" without a type. */
static uint32_t name_part(finder *f, uint32_t type, uint32_t owner)
{
    uint64_t *known = hpp__map_add(&f->parts, (uint64_t)(type + 1) << 32 | (owner + 1));
    if (known && *known == 0) {
        const hpf_str *names = f->types->names.names;
        f->text.length = 0;
        hpp__text_add(&f->text, type == HPP__NO_TYPE ? HPF_STR("data of ") : names[type]);
        hpp__text_add(&f->text, type == HPP__NO_TYPE ? HPF_STR("") : HPF_STR(" in "));
        hpp__text_add(&f->text, names[owner]);
        *known = (uint64_t)number_of(f, hpp__text_str(&f->text)) + 1;
    }
    return known ? (uint32_t)(*known - 1) : type;
}

static uint32_t name_size(finder *f, uint64_t n_bytes)
{
    f->text.length = 0;
    hpp__text_add(&f->text, HPF_STR("block of "));
    hpp__text_add_number(&f->text, n_bytes);
    hpp__text_add(&f->text, HPF_STR(" bytes"));
    return number_of(f, hpp__text_str(&f->text));
}

/* ---- All ---- */

static bool find_types(finder *f)
{
    hpp__types *t = f->types;
    for (size_t i = 0; i < t->n_blocks; i++) {
        f->blocks[i] = (known_block){HPP__NO_TYPE, HPP__NO_TYPE, 0, false, false};
        f->naming[i] = (uint8_t)name_block(f, i);
    }
    if (f->graph && !find_owners(f)) {
        return false;
    }
    for (size_t i = 0; i < t->n_blocks; i++) {
        const known_block *known = &f->blocks[i];
        uint8_t naming = f->naming[i];
        bool is_part = known->level > 0;
        t->of_block[i] = !is_part           ? known->type
                         : known->is_python ? known->owner
                                            : name_part(f, known->type, known->owner);
        if (is_part && naming == HPP__NAMED_BY_SITE) {
            naming = HPP__NAMED_BY_OWNER;
        }
        if (t->of_block[i] == HPP__NO_TYPE && f->image->names_sizes) {
            t->of_block[i] = name_size(f, f->image->blocks[i].size_bytes);
        }
        t->bytes_by[naming] += f->image->blocks[i].size_bytes;
    }
    return !f->text.is_short;
}

hpf_status hpp__types_init(hpp__types *types, const hpp__image *image, const hpp__graph *graph,
                           hpp__type_of_site *of_site, void *context, hpf_error *err)
{
    size_t n = image->n_blocks;
    *types = (hpp__types){.of_block = malloc((n + 1) * sizeof *types->of_block), .n_blocks = n};
    finder f = {.types = types,
                .image = image,
                .graph = graph,
                .has_python = graph && graph->python.of_block,
                .of_site = of_site,
                .context = context,
                .blocks = malloc((n + 1) * sizeof *f.blocks),
                .naming = malloc(n + 1)};
    bool is_ready = hpp__piece_reader_init(&f.reader, image) && types->of_block && f.blocks &&
                    f.naming && hpp__classes_init(&f.classes, image);
    bool is_done = is_ready && find_types(&f);
    hpp__piece_reader_finish(&f.reader);
    hpp__classes_finish(&f.classes);
    hpp__map_finish(&f.parts);
    hpp__text_finish(&f.text);
    free(f.blocks);
    free(f.naming);
    free(f.frontier);
    free(f.next);
    return is_done ? HPF_OK : hpf_error_set_memory(err);
}

void hpp__types_finish(hpp__types *types)
{
    hpf__intern_finish(&types->names);
    free(types->of_block);
    *types = (hpp__types){0};
}
