/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Looks for uses of sampled blocks in the page table of a program, for steps that come late
 * (lives/sampler.h).
 *
 * Threads: one thread at a time; the program may go on meanwhile.
 */
#ifndef HPP_NATIVE_COLLECTOR_IMAGE_WATCHED_PAGES_H
#define HPP_NATIVE_COLLECTOR_IMAGE_WATCHED_PAGES_H

#include "native/window/window_reader.h"

/* Notes in a window, whose file is `file`, which blocks are in the page table of a process at the
 * end of `era`, and in `control` that it has looked. Notes nothing if it may not read the table. */
void hpp__watched_pages_look(hpp__window_reader *reader, hpp_window_head *control, int file,
                             uint32_t process_id, uint32_t era);

/* Looks again after an image of the end of `era` if the program has taken a step during the last
 * look, and not the next one. The image did not show what is found, so it is of the next era. */
void hpp__watched_pages_look_again(hpp__window_reader *reader, hpp_window_head *control, int file,
                                   uint32_t process_id, uint32_t era);

#endif
