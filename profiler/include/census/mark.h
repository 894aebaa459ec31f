/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Marks in a heap profile, from within the program:
 *
 *   #include <census/mark.h>
 *   census_mark("loaded");
 *
 * Under `census run` the mark stands in the profile at the moment of the call. Elsewhere it does
 * nothing, and costs a load and a branch. Nothing is linked: the function is found at run time.
 * Programs that cannot include this header can be marked from outside: `census mark PID TEXT`.
 *
 * The text is one line of UTF-8, copied; what is beyond 119 bytes is cut. A profile holds up to
 * 4096 marks of each process. Threads: any, also in signal handlers.
 */
#ifndef CENSUS_MARK_H
#define CENSUS_MARK_H

#include <census/hook.h>

static inline void census_mark(const char *text)
{
    void (*mark)(const char *mark_text);
    CENSUS_FIND_HOOK(mark, census_mark_text);
    if (mark) {
        mark(text);
    }
}

#endif
