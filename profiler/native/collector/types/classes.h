/* SPDX-License-Identifier: BSD-2-Clause
 *
 * C++ classes of objects in the memory of a process, by the Itanium C++ ABI (2.5, 2.9): the first
 * word of an object with virtual functions points into a vtable, and the word before that address
 * points to the type_info with the name of the class. Loaded objects keep all of it when they are
 * stripped.
 *
 * Nothing that is read is trusted: a vtable, its type_info, and the class of that type_info must be
 * in files that the process has mapped.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_COLLECTOR_TYPES_CLASSES_H
#define HPP_NATIVE_COLLECTOR_TYPES_CLASSES_H

#include "base/map.h"
#include "base/text.h"
#include "base/arena.h"
#include "native/collector/image/image.h"

/* The classes of one image. */
typedef struct hpp__classes {
    const hpp__image *image; /* borrowed */
    hpf_arena *arena;
    const hpp__image_map **files; /* mappings of files, sorted */
    size_t n_files, files_capacity;
    hpp__map by_vtable; /* address that objects have -> hpf_str, or 1: no vtable */
    hpp__map metas;     /* the same of type_infos -> 1: no class, 2: one of the ABI's */
    hpp__text scratch;
} hpp__classes;

/* Initialises classes. Returns false without memory; call hpp__classes_finish in any case. */
bool hpp__classes_init(hpp__classes *classes, const hpp__image *image);
void hpp__classes_finish(hpp__classes *classes);

/* Returns the name of the class whose complete objects begin with `word`; empty if there is none.
 * Valid as long as the classes. */
hpf_str hpp__classes_find(hpp__classes *classes, uint64_t word);

/* How a block holds objects of a class. */
typedef enum hpp__holding {
    HPP__HOLDS_NONE,
    HPP__IS_OBJECT,    /* "Shape", or an array, "Shape[12]" */
    HPP__HOLDS_OBJECT, /* an object is in its first words, but not at its beginning */
} hpp__holding;

/* Replaces `out` by the class of a block. `words` are its first `n_words` words, fewer than it has
 * if it is long. */
hpp__holding hpp__classes_of_block(hpp__classes *classes, hpp__text *out, const uint64_t *words,
                                   size_t n_words, uint64_t size_bytes);

#endif
