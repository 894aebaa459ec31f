/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A program for `census cc`: a block below functions and a scope.
 */
#include <hpprof/scope.h>
#include <stdlib.h>

void *kept;

__attribute__((noinline)) static void part(void)
{
    kept = malloc(77);
}

__attribute__((noinline)) static void whole(void)
{
    HPP_SCC("named")
    {
        part();
    }
}

int main(void)
{
    whole();
    return kept == NULL;
}
