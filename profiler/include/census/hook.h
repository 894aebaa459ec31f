/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How a program finds what `census run` offers it, without being linked to anything: by a symbol
 * that may be missing. For census/mark.h and hpprof/native.h.
 *
 * The address is read from the global offset table. A weak symbol in C would do the same in code
 * that is position independent, as it is by default; in other code the linker would take it for
 * missing once and for all.
 */
#ifndef CENSUS_HOOK_H
#define CENSUS_HOOK_H

/* Sets `variable`, a pointer to a function, to the function `symbol`, or to NULL. */
#if defined(__x86_64__) && defined(__GNUC__)
#define CENSUS_FIND_HOOK(variable, symbol)                                                         \
    __asm__(".weak " #symbol "\n\tmovq " #symbol "@GOTPCREL(%%rip), %0" : "=r"(variable))
#else /* census run knows no other processors */
#define CENSUS_FIND_HOOK(variable, symbol) ((variable) = 0)
#endif

#endif
