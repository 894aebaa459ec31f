/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the functions that `census run` offers to a program, without linking: each is a symbol that
 * may be missing. For census/mark.h and hpprof/native.h.
 *
 * The address is read from the global offset table. A weak symbol in C would work in position
 * independent code, the default; in other code, the linker would treat it as missing for good.
 */
#ifndef CENSUS_HOOK_H
#define CENSUS_HOOK_H

/* Sets `variable`, a pointer to a function, to the function `symbol`, or to NULL. */
#if defined(__x86_64__) && defined(__GNUC__)
#define CENSUS_FIND_HOOK(variable, symbol)                                                         \
    __asm__(".weak " #symbol "\n\tmovq " #symbol "@GOTPCREL(%%rip), %0" : "=r"(variable))
#elif defined(__aarch64__) && defined(__GNUC__)
#define CENSUS_FIND_HOOK(variable, symbol)                                                         \
    __asm__(".weak " #symbol "\n\tadrp %0, :got:" #symbol "\n\tldr %0, [%0, :got_lo12:" #symbol    \
            "]"                                                                                    \
            : "=r"(variable))
#else /* census run knows no other processors */
#define CENSUS_FIND_HOOK(variable, symbol) ((variable) = 0)
#endif

#endif
