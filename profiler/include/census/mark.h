/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sets marks in a heap profile from within the program:
 *
 *   #include <census/mark.h>
 *   census_mark("loaded");
 *
 * Without `census run`, a call costs a load and a branch. Nothing is linked: the function is found
 * at run time. `census mark PID TEXT` does the same from outside.
 *
 * The text is one line of UTF-8; it is copied, and cut after 119 bytes. A profile holds up to 4096
 * marks per process. Threads: any, also signal handlers.
 */
#ifndef CENSUS_MARK_H
#define CENSUS_MARK_H

#include <census/hook.h>

/* Marks this moment in the profile with `text`. */
static inline void census_mark(const char *text)
{
    void (*mark)(const char *mark_text);
    CENSUS_FIND_HOOK(mark, census_mark_text);
    if (mark) {
        mark(text);
    }
}

#endif
