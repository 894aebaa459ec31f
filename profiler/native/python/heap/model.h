/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What is known of the blocks of CPython in an image: their types, and which belong together.
 * objects.h finds it, values.h and references.h use it.
 */
#ifndef HPP_NATIVE_PYTHON_HEAP_MODEL_H
#define HPP_NATIVE_PYTHON_HEAP_MODEL_H

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
    uint32_t item_bytes; /* of each item behind them; 0: none */
    uint32_t head_bytes; /* before the object */
    int32_t weak_offset; /* of the list of weak references, from the object; 0: none */
    int32_t dict_offset; /* of the dict of attributes; 0: none */
    uint32_t dict_type;  /* number of the type "dict of NAME"; 0: none yet */
    hpp__python_kind kind;
    bool is_class;          /* made at run time: its instances hold it */
    bool has_inline_values; /* its instances have attributes behind their basic bytes */
} hpp__python_type;

enum { HPP__PYTHON_MODULE_DICT = 16 }; /* of a module object: where its dict is */

/* Marks of a block, with the number of its type. */
#define HPP__PYTHON_IS_HELD   (UINT32_C(1) << 31) /* by its root, whatever else points to it */
#define HPP__PYTHON_NO_EDGES  (UINT32_C(1) << 30) /* its references count as a root's */
#define HPP__PYTHON_IS_PART   (UINT32_C(1) << 29) /* of an object: only objects refer to it */
#define HPP__PYTHON_IS_KEYS   (UINT32_C(1) << 28) /* and that of a dict */
#define HPP__PYTHON_IS_TABLE  (UINT32_C(1) << 27) /* and that of a set */
#define HPP__PYTHON_TYPE_MASK (HPP__PYTHON_IS_TABLE - 1)

typedef struct hpp__python {
    const hpp__image *image; /* borrowed, like the index */
    const hpp__block_index *index;
    const hpp_python_offsets *offsets;
    uint64_t runtime;  /* address of _PyRuntime */
    uint64_t main;     /* the dict of the module __main__; 0: unknown */
    hpf_str main_name; /* that its file gives this module; empty: unknown */
    bool is_ending;    /* the module is not listed any more */
    bool has_older;    /* objects that existed before the profile, and are no blocks */
    hpf_arena *arena;
    hpp__python_type *types; /* the first one is no type */
    size_t n_types, types_capacity;
    hpp__map type_at;    /* address -> number, or NOT_A_TYPE */
    uint32_t *of_block;  /* by number: its type's number, with marks; 0: no object */
    bool with_owners;    /* note them: they are needed for names of fields */
    hpp__map owners;     /* number of a block + 1 -> address of the object that it belongs to */
    hpp__map used_parts; /* number of a block + 1 -> first and last word in use: see used_part */
    hpp__text scratch;
} hpp__python;

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
    return !type || (word & ~HPP_PYTHON_REFERENCE_TAGS) ==
                        python->image->blocks[block].address + type->head_bytes;
}

#endif
