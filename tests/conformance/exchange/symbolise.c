/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Prints "ADDRESS..." of stacks, return addresses with the innermost first, and its mappings.
 */
#include <stdint.h>
#include <stdio.h>
#include <unwind.h>

static _Unwind_Reason_Code put(struct _Unwind_Context *context, void *unused)
{
    (void)unused;
    uintmax_t address = _Unwind_GetIP(context);
    if (address > 0) {
        printf(" 0x%jx", address);
    }
    return _URC_NO_REASON;
}

static inline __attribute__((always_inline)) void print_stack(void)
{
    _Unwind_Backtrace(put, NULL);
    puts("");
}

__attribute__((noinline)) static void first(void)
{
    print_stack();
}

__attribute__((noinline)) static void second(void)
{
    first();
    print_stack();
}

int main(void)
{
    char line[1000];
    FILE *maps = fopen("/proc/self/maps", "r");
    first();
    second();
    while (maps && fgets(line, sizeof line, maps)) {
        fputs(line, stdout);
    }
    return 0;
}
