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

typedef struct hpp__python_known_module {
    uint64_t dict;
    size_t name, n_name; /* in hpp__python_past.names */
} hpp__python_known_module;

/* What is known of an interpreter from earlier images, all zero at first. It ends by removing all
 * modules from its list, then it clears the variables of each. */
typedef struct hpp__python_past {
    uint64_t main;       /* the dict of the module __main__ of the first interpreter; 0: unknown */
    hpp__text main_name; /* that its file gives this module */
    hpp__python_known_module *modules;
    size_t n_modules, modules_capacity;
    hpp__text names;
} hpp__python_past;

void hpp__python_past_finish(hpp__python_past *past);

/* Finds the objects of an image. Without an interpreter of a known version, there are none. `past`
 * becomes that of the next image. `with_owners`: notes those of blocks that belong to an object.
 * Returns false without memory. Call hpp__python_finish in any case. */
bool hpp__python_init(hpp__python *python, const hpp__image *image, const hpp__block_index *index,
                      hpp__python_place place, bool with_owners, hpp__python_past *past);
void hpp__python_finish(hpp__python *python);

/* Returns the number of the type at an address, to which an object refers; 0 if there is none. */
uint32_t hpp__python_type_at(hpp__python *python, uint64_t address);

/* Gives a dict the type "dict of NAME". */
bool hpp__python_name_dict(hpp__python *python, uint64_t dict, hpf_str name);

#endif
