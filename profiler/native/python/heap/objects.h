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

#include "model.h"

/* Where CPython is in the image. */
typedef struct hpp__python_place {
    uint64_t runtime, type; /* addresses of _PyRuntime and PyType_Type */
    uint32_t version;       /* as PY_VERSION_HEX; the release does not matter */
} hpp__python_place;

/* Finds the objects of an image. Without an interpreter of a known version, there are none.
 * `main_name` is the name of the module __main__ in the image before, or empty, and gets that of
 * this one; an interpreter that ends has cleared its variables, and it stays. Returns false without
 * memory. Call hpp__python_finish in any case. */
bool hpp__python_init(hpp__python *python, const hpp__image *image, const hpp__block_index *index,
                      hpp__python_place place, hpp__text *main_name);
void hpp__python_finish(hpp__python *python);

/* Gives a dict the type "dict of NAME". */
bool hpp__python_name_dict(hpp__python *python, uint64_t dict, hpf_str name);

#endif
