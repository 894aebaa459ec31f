/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which field of an object of CPython a reference is: an attribute, a variable of a module, a key
 * of a small dict, a member in C, an item of a list or tuple. The blocks that belong to an object
 * (model.h, `owners`) are objects of a snapshot, too: an instance has "__dict__", that has "(keys)"
 * or "(values)", and these have the attributes.
 *
 * Source: Include/structmember.h (tp_members), Include/internal/pycore_dict.h of CPython 3.9
 * to 3.15.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_PYTHON_HEAP_FIELDS_H
#define HPP_NATIVE_PYTHON_HEAP_FIELDS_H

#include "base/intern.h"
#include "values.h"

/* A field is a number: an index or, with this bit, the number of a name; or it is not known. */
#define HPP__FIELD_IS_NAMED (UINT32_C(1) << 31)
#define HPP__FIELD_UNKNOWN  UINT32_MAX

typedef struct hpp__python_fields {
    hpp__python *python; /* borrowed; with owners */
    hpf__intern *names;  /* borrowed */
    hpp__map texts;      /* address of a str -> its field, plus 1 */
    hpp__map members;    /* type, offset -> field of a member, plus 1 */
    /* The block that belongs to an object of which the last question was. */
    size_t part;
    hpp__python_kind owner;
    hpp__python_entries entries;
    uint64_t items; /* of a list: their address */
    bool has_part, has_values;
} hpp__python_fields;

void hpp__python_fields_finish(hpp__python_fields *fields);

/* Returns the field at a word of a block of CPython; UNKNOWN also without memory. */
uint32_t hpp__python_field(hpp__python_fields *fields, size_t block, uint64_t word);

#endif
