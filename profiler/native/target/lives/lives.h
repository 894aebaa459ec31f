/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The biography of blocks: when they were born, first used, last used, and freed. (Park and Marlow,
 * "Implementation of Lag/Drag/Void/Use Profiling".)
 *
 * Time is counted in eras; each census ends one. A block is lag from its birth until its first use,
 * use until its last use, then drag until its death; a block that is never used is void. What each
 * census saw of this is known only later, so the window has differences: for each site and era, by
 * how many bytes each phase grows or shrinks from that era on. The collector adds them up at the
 * end.
 *
 * Each change of a life is recorded when it happens, as if the block died with the next census. So
 * the window needs nothing of the private state of living blocks, and is complete however the
 * program ends:
 *
 *   birth in era b           b: +void
 *   first use in f           b: -void +lag         f: -lag +use
 *   last use was in l        l + 1: -use +drag     as soon as it is known (hpp__life_rest)
 *   used again, after that   l + 1: -drag +use
 *   death in d               d: -void, -use or -drag
 *
 * A block whose last use was not yet found to be the last one counts as used until it is.
 *
 * Threads: any, also signal handlers; nothing waits. A life is used by one thread at a time.
 */
#ifndef HPP_NATIVE_TARGET_LIVES_LIVES_H
#define HPP_NATIVE_TARGET_LIVES_LIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "native/window/life_table.h"
#include "native/window/window_writer.h"

/* Returns the era that the program is in. Eras begin with 1. */
static inline uint32_t hpp__lives_era(void)
{
    return atomic_load_explicit(&hpp__window->head.era, memory_order_relaxed);
}

/* Begins a life in `era`. */
hpp_life hpp__life_begin(uint32_t site, uint64_t bytes, uint32_t era);

/* Records a use in `era`, not before the last use. */
void hpp__life_use(hpp_life *life, uint32_t era);

/* Records that a block was not used since its last use; `era` is the current one. */
void hpp__life_rest(hpp_life *life, uint32_t era);

/* Records the death of a block in `era`. */
void hpp__life_end(hpp_life *life, uint32_t era);

/* Reports the last use of a block that has died, if it was in the last image of the collector,
 * which may not have known that use. */
void hpp__life_report(const hpp_life *life, uintptr_t address);

#endif
