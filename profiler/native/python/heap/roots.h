/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What holds the objects of CPython: the variables of modules ("module.name"), the rest of modules
 * ("module NAME"), classes ("module.Class"), and the functions that run in threads
 * ("module.function (frame of THREAD)").
 *
 * A module is held by its root only, though functions refer to its variables, too; and so is a
 * frame, though the frames that it called refer to it. What a class holds is held by its root, and
 * the instances of the class hold only the class.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_PYTHON_HEAP_ROOTS_H
#define HPP_NATIVE_PYTHON_HEAP_ROOTS_H

#include "older.h"
#include "native/collector/roots/roots.h"

typedef struct hpp__python_root {
    hpp__root_kind kind;
    hpf_str name;
    bool is_holder;               /* of blocks that others do not hold */
    size_t first_block, n_blocks; /* in `blocks` */
} hpp__python_root;

typedef struct hpp__python_roots {
    hpp__python *python; /* borrowed; blocks get marks */
    hpp__python_root *roots;
    uint32_t *blocks;
    size_t n_roots, n_blocks, roots_capacity, blocks_capacity;
    hpp__python_older older; /* that roots have led to */
} hpp__python_roots;

/* Finds the interpreter among the modules of `roots`, and marks it there; all 0 if there is none of
 * a known version. */
hpp__python_place hpp__python_find(hpp__roots *roots);

/* Lists the roots. `past` gets the modules; those that an interpreter that ends has removed are
 * roots while they have variables. Returns false without memory. Call hpp__python_roots_finish in
 * any case. */
bool hpp__python_roots_init(hpp__python_roots *roots, hpp__python *python, hpp__python_past *past);
void hpp__python_roots_finish(hpp__python_roots *roots);

#endif
