/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions with frames of several shapes. Defines NAME(call_deeply): calls itself until `depth` is
 * 0, in frames of three shapes, and then `at_end`.
 */
#include <alloca.h>
#include <stdint.h>
#include <string.h>

__attribute__((noinline)) void NAME(call_deeply)(unsigned depth, void (*at_end)(void));

static __attribute__((noinline)) void NAME(call_in_large_frame)(unsigned depth,
                                                                void (*at_end)(void))
{
    volatile char large[40000];
    large[depth] = 1;
    NAME(call_deeply)(depth, at_end);
    large[depth + 1] = large[depth];
}

/* The size of the frame is known only when it runs, and one variable is aligned. */
static __attribute__((noinline)) void NAME(call_in_any_frame)(unsigned depth, void (*at_end)(void))
{
    _Alignas(128) volatile char aligned[128];
    volatile char *any = alloca(depth * 40 + 1);
    any[depth] = aligned[depth] = 1;
    NAME(call_deeply)(depth, at_end);
    any[depth] = aligned[depth + 1];
}

void NAME(call_deeply)(unsigned depth, void (*at_end)(void))
{
    volatile unsigned kept = depth;
    if (kept == 0) {
        at_end();
    } else if (depth % 3 == 0) {
        NAME(call_in_large_frame)(depth - 1, at_end);
    } else if (depth % 3 == 1) {
        NAME(call_in_any_frame)(depth - 1, at_end);
    } else {
        NAME(call_deeply)(depth - 1, at_end);
    }
    kept++;
}
