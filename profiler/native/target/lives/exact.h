/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The exact biography of programs that `census cc` compiled. Before each access, their code checks
 * a shadow of the memory (native/target/compiled/shadow.h), and reports the address if the shadow
 * is set. The shadow of a block is set when its creation has ended, and again in each era that
 * follows one in which the block was used; the first report of an era records the use and clears
 * the shadow. So a block costs one report in each era.
 *
 * What a thread does with a block before it allocates the next one, or before the end of the next
 * era, is its creation and not a use.
 *
 * A life is a word in a table by address, next to the table of blocks.h: the eras of the birth and
 * the last use. In the same table, blocks of more than a KiB have their beginning at each KiB.
 *
 * Each census wants an era; the next birth, death, report, mark or tick begins it. Uses until then
 * belong to the era before.
 *
 * Threads: any, also signal handlers; nothing waits.
 */
#ifndef HPP_NATIVE_TARGET_LIVES_EXACT_H
#define HPP_NATIVE_TARGET_LIVES_EXACT_H

#include "native/target/counting/blocks.h"
#include "native/target/counting/process_state.h"
#include "sampler.h"

/* Returns whether the process is profiled in this way. */
static inline bool hpp__exact_is_on(void)
{
    return atomic_load_explicit(&hpp__alive_page.is_alive, memory_order_acquire) & HPP_ALIVE_EXACT;
}

/* Follows the lives of all blocks from now on. The process is alive. */
void hpp__exact_start(void);

/* Records a use of the block that contains an address, and clears its shadow. */
void hpp__exact_use(uintptr_t address);

/* Begins the life of a block that has been entered in the table of blocks. */
void hpp__exact_begin(const void *block);

/* Ends the life of a block that will be removed from that table, if it is there. */
void hpp__exact_end(const void *block);

/* Begins the era that the collector wants, if that is another one. */
void hpp__exact_keep_up(void);

/* In a forked child with a window of its own: all blocks are born again. */
void hpp__exact_forked(void);

/* Enters the era that the collector wants, in both kinds of biographies. */
static inline void hpp__keep_up_with_eras(void)
{
    hpp__sampler_keep_up();
    if (hpp__exact_is_on()) {
        hpp__exact_keep_up();
    }
}

#endif
