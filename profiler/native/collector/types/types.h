/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The types of all blocks of an image. The first of these that is known names a block:
 *
 * 1. its class, if it begins with the vtable of one (classes.h), unless the site says more: that it
 *    is the array of a container of this class;
 * 2. what its site allocates: a part of a container, an object of a smart pointer, or the type of
 *    the variable that the address was stored in;
 * 3. the class of an object further inside: "block with Shape";
 * 4. its owner: "data of Session".
 *
 * The owner of a block is the nearest object of a class or structure from which pointers lead to
 * it: over the fewest pointers, of equally near ones that whose type comes first by its name. Parts
 * of containers have an owner, too: "node of std::map<int,Foo> in Session".
 *
 * Objects of Python come before all of these: they have their types, and so have their parts.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_COLLECTOR_TYPES_TYPES_H
#define HPP_NATIVE_COLLECTOR_TYPES_TYPES_H

#include "base/intern.h"
#include "native/collector/graph/graph.h"

/* By what a block is named. */
typedef enum hpp__naming {
    HPP__NAMED_BY_SITE, /* it has no type */
    HPP__NAMED_BY_CLASS,
    HPP__NAMED_BY_CONTAINER,
    HPP__NAMED_BY_VARIABLE,
    HPP__NAMED_BY_OWNER,
    HPP__N_NAMINGS
} hpp__naming;

/* What the site of an allocation says of its blocks. */
typedef struct hpp__site_type {
    hpf_str type;       /* empty: nothing */
    bool is_object;     /* of a class or structure, which may own other blocks */
    hpp__naming naming; /* CONTAINER or VARIABLE if there is a type */
} hpp__site_type;
typedef hpp__site_type hpp__type_of_site(void *context, uint32_t site);

#define HPP__NO_TYPE UINT32_MAX

typedef struct hpp__types {
    hpf__intern names;
    uint32_t *of_block; /* by number in the image: number of a name, or NO_TYPE */
    size_t n_blocks;
    uint64_t bytes_by[HPP__N_NAMINGS]; /* sizes of the blocks that are named so */
} hpp__types;

/* Finds the types of all blocks. `graph` belongs to the image; without one (NULL) blocks have no
 * owners. Errors: MEMORY. Call hpp__types_finish in any case. */
hpf_status hpp__types_init(hpp__types *types, const hpp__image *image, const hpp__graph *graph,
                           hpp__type_of_site *of_site, void *context, hpf_error *err);
void hpp__types_finish(hpp__types *types);

/* Returns the type of a block; empty if it has none. Valid as long as the types. */
static inline hpf_str hpp__types_of(const hpp__types *types, size_t block)
{
    uint32_t number = types->of_block[block];
    return number == HPP__NO_TYPE ? HPF_STR("") : types->names.names[number];
}

#endif
