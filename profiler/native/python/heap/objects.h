/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The objects of CPython in an image: a live block is one if the word after its reference count is
 * the address of a type object. Types are known by their own types, whose last one is `type`. What
 * CPython stores before an object (the head for its garbage collector, the dict of its attributes,
 * weak references) follows from its type.
 *
 * Nothing that is read is trusted: addresses are looked up, sizes are checked against blocks. An
 * image may have objects that are half made, or that wait in a free list: these have no reference
 * count, and are blocks without a type.
 *
 * Source: the headers and Objects/ of CPython 3.9 to 3.13.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_PYTHON_HEAP_OBJECTS_H
#define HPP_NATIVE_PYTHON_HEAP_OBJECTS_H

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "native/collector/roots/block_index.h"
#include "native/python/layouts.h"

/* What is particular about the references in an object of a type. */
typedef enum hpp__python_kind {
    HPP__PYTHON_PLAIN, /* all words that point to objects */
    HPP__PYTHON_TYPE,
    HPP__PYTHON_DICT,
    HPP__PYTHON_LIST,
    HPP__PYTHON_SET,
    HPP__PYTHON_DEQUE,
    HPP__PYTHON_GENERATOR,
    HPP__PYTHON_FRAME,
    HPP__PYTHON_TEXT,
    HPP__PYTHON_NUMBER, /* numbers and bytes: none */
    HPP__PYTHON_BUFFER, /* has numbers or bytes in a block of their own */
    HPP__PYTHON_CODE,
    HPP__PYTHON_WEAK,
    HPP__PYTHON_MODULE,
} hpp__python_kind;

typedef struct hpp__python_type {
    hpf_str name; /* "module.Class"; of built-in types "dict" */
    uint64_t address;
    uint64_t basic_bytes;
    uint32_t head_bytes; /* before the object */
    int32_t weak_offset; /* of the list of weak references, from the object; 0: none */
    int32_t dict_offset; /* of the dict of attributes; 0: none */
    uint32_t dict_type;  /* number of the type "dict of NAME"; 0: none yet */
    hpp__python_kind kind;
    bool is_class; /* made at run time: its instances hold it */
} hpp__python_type;

/* Marks of a block, with the number of its type. */
#define HPP__PYTHON_IS_HELD   (UINT32_C(1) << 31) /* by its root, whatever else points to it */
#define HPP__PYTHON_NO_EDGES  (UINT32_C(1) << 30) /* its references count as a root's */
#define HPP__PYTHON_IS_PART   (UINT32_C(1) << 29) /* of an object: only objects refer to it */
#define HPP__PYTHON_TYPE_MASK (HPP__PYTHON_IS_PART - 1)

typedef struct hpp__python {
    const hpp__image *image; /* borrowed, like the index */
    const hpp__block_index *index;
    const hpp_python_offsets *offsets;
    uint64_t runtime; /* address of _PyRuntime */
    hpf_arena *arena;
    hpp__python_type *types; /* the first one is no type */
    size_t n_types, types_capacity;
    hpp__map type_at;    /* address -> number, or NOT_A_TYPE */
    uint32_t *of_block;  /* by number: its type's number, with marks; 0: no object */
    hpp__map used_parts; /* number of a block + 1 -> first and last word in use: see used_part */
    hpp__text scratch;
} hpp__python;

/* Where CPython is in the image. */
typedef struct hpp__python_place {
    uint64_t runtime, type; /* addresses of _PyRuntime and PyType_Type */
    uint32_t version;       /* as PY_VERSION_HEX; the release does not matter */
} hpp__python_place;

/* Finds the objects of an image. Without an interpreter of a known version, there are none. Returns
 * false without memory. Call hpp__python_finish in any case. */
bool hpp__python_init(hpp__python *python, const hpp__image *image, const hpp__block_index *index,
                      hpp__python_place place);
void hpp__python_finish(hpp__python *python);

/* Returns the type of a block; NULL if it is no object. */
static inline const hpp__python_type *hpp__python_type_of(const hpp__python *python, size_t block)
{
    uint32_t number = python->of_block ? python->of_block[block] & HPP__PYTHON_TYPE_MASK : 0;
    return number > 0 ? &python->types[number] : NULL;
}

/* Returns whether `word` is a reference to a block, which contains that address: one to an object
 * points to its beginning. */
static inline bool hpp__python_refers(const hpp__python *python, uint64_t word, uint32_t block)
{
    const hpp__python_type *type = hpp__python_type_of(python, block);
    return !type || word == python->image->blocks[block].address + type->head_bytes;
}

/* Stores which part of a block has references: its first bytes, but not the words of which the bit
 * is set in `*skipped`. `words` are those at its beginning. */
uint64_t hpp__python_extent(const hpp__python *python, size_t block, const uint64_t *words,
                            size_t n_words, uint64_t *skipped);

/* ---- Objects by their addresses ---- */

/* Returns the number of the block of an object, or HPP__NO_BLOCK. */
uint32_t hpp__python_block(const hpp__python *python, uint64_t object);

/* Reads a word; returns 0 if it cannot be read. */
uint64_t hpp__python_word(const hpp__python *python, uint64_t address);

/* Appends the text of a str as UTF-8, at most 200 characters. Returns false if it is none. */
bool hpp__python_text(const hpp__python *python, uint64_t object, hpp__text *out);

/* Visits the entries of a dict, until a visit returns false. Returns false if it cannot be read. */
typedef bool hpp__python_visit(void *context, uint64_t key, uint64_t value);
bool hpp__python_each(const hpp__python *python, uint64_t dict, hpp__python_visit *visit,
                      void *context);

/* Returns the value of a key in a dict; 0 if there is none. */
uint64_t hpp__python_get(const hpp__python *python, uint64_t dict, const char *key);

/* Returns where the entries of a dict are stored: the address of its keys. */
uint64_t hpp__python_keys(const hpp__python *python, uint64_t dict);

/* Gives a dict the type "dict of NAME". */
bool hpp__python_name_dict(hpp__python *python, uint64_t dict, hpf_str name);

#endif
