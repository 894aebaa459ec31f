/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The objects of a profile that needs them (-hr): the graph of an image, for one census, and what
 * is recorded of it: retainer passes, and blocks that no root reaches.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_COLLECTOR_PROFILE_OBJECTS_H
#define HPP_NATIVE_COLLECTOR_PROFILE_OBJECTS_H

#include "core/retainer_log.h"
#include "closure_heap.h"
#include "graph_heap.h"
#include "waste.h"

/* All zero: no objects are needed. */
typedef struct hpp__objects {
    hpp__graph_heap heap;
    hpp__graph graph; /* of the census that is being taken */
    hpp__graph_past past;
    hpp_type_figures types; /* of its blocks, if the heap has types */
    hpp__retainer_log log;
    hpp__alive *live; /* by group, at the last census */
    hpp__alive *lost; /* the same, at the census that lost most */
    size_t n_live, live_capacity, n_lost, lost_capacity;
    hpp__alive all_lost;
    hpp__waste waste, most_waste;  /* of the last image but the largest; of that */
    const hpp__waste *found_waste; /* one of them; NULL: none so far */
    uint64_t waste_of_bytes;       /* live in the largest image */
    uint64_t n_failed;             /* images without a census, and passes that were not recorded */
} hpp__objects;

/* Makes the graph of an image and presents it as the heap, with the open closures of a Haskell
 * heap, or NULL; `with_fields` for a snapshot of it. Returns false without memory, or if the image
 * is invalid. Call hpp__objects_close in any case. */
bool hpp__objects_open(hpp__objects *objects, const hpp__image *image, hpp_resolver *resolver,
                       hpp__closure_heap *closures, bool with_fields);

/* Returns what all open objects count for. */
uint64_t hpp__objects_bytes(const hpp__objects *objects);

/* Returns whether the open objects are a tenth more than those in which most waste was found. */
bool hpp__objects_have_grown(const hpp__objects *objects);

/* Looks for the waste in the image that was opened; not in a sample of the blocks. Without memory,
 * there is none. */
void hpp__objects_find_waste(hpp__objects *objects, const hpp__image *image);

/* Records the result of a census of the graph. */
void hpp__objects_record(hpp__objects *objects, hpp__output *output,
                         const hpp_census_result *result);

/* Writes the open objects as the heap snapshot `path`, and closes them. In other snapshots of the
 * process, their `addresses` identify them (hpp__image_addresses); NULL: nothing does. `resolver`
 * names members of structures. `process` is a number that another process has only by chance, not
 * 0. Errors: MEMORY; LIMIT; IO. */
hpf_status hpp__objects_write(hpp__objects *objects, const uint64_t *addresses,
                              hpp_resolver *resolver, uint64_t process, const char *path,
                              hpf_error *err);
void hpp__objects_close(hpp__objects *objects);
void hpp__objects_finish(hpp__objects *objects);

#endif
