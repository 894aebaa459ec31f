/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the flags of an object and its shape say together.
 */
#ifndef HPP_OBJECT_H
#define HPP_OBJECT_H

#include "hpprof/heap.h"

/* The flags of an object, with those that others imply. */
static inline uint32_t hpp__object_flags(const hpp_object *object)
{
    uint32_t flags = object->flags | object->shape->flags;
    if (flags & (HPP_STACK | HPP_WEAK)) {
        flags |= HPP_INHERENTLY_USED | HPP_RETAINER;
    }
    if (flags & HPP_DEAD_WEAK) {
        flags |= HPP_INHERENTLY_USED;
    }
    return flags;
}

#endif
