/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Objects of classes of C++, for tests in C.
 */
#ifndef CLASSES_FIXTURE_H
#define CLASSES_FIXTURE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct classes_object {
    const char *type; /* of the block; "": none */
    void *block;
    size_t size_bytes;
    int is_inside; /* the object does not begin with the block */
} classes_object;

/* Allocates objects, which remain. Stores their number. */
const classes_object *classes_objects(size_t *n);

#ifdef __cplusplus
}
#endif
#endif
