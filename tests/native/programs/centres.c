/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiled by `census cc`: allocations below known stacks of functions and scopes. test_cc.py has
 * the bytes of each stack.
 */
#include <hpprof/scope.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_INLINE __attribute__((noinline))

void *kept[200];
static int n_kept;

static inline void *inlined(size_t n_bytes)
{
    return kept[n_kept++] = malloc(n_bytes);
}

/* Folded: all levels are one stack. */
NO_INLINE static int recursive(int depth)
{
    kept[n_kept++] = malloc(100);
    return depth == 0 ? 0 : recursive(depth - 1);
}

/* even calls odd calls even: the stack alternates between two. */
static int odd(int depth);
NO_INLINE static int even(int depth)
{
    kept[n_kept++] = malloc(7);
    return depth == 0 || odd(depth - 1);
}

NO_INLINE static int odd(int depth)
{
    kept[n_kept++] = malloc(9);
    return depth != 0 && even(depth - 1);
}

/* Without the entries and exits, both calls would be jumps, and `last` the caller of malloc. */
NO_INLINE static void *last(size_t n_bytes)
{
    return kept[n_kept++] = malloc(n_bytes);
}

NO_INLINE static void *tail(size_t n_bytes)
{
    return last(n_bytes);
}

/* ---- jumps: one call in a loop, whose functions end by longjmp --------------------------------
 */

static jmp_buf jump;

NO_INLINE static void first_jumper(void)
{
    last(50);
    longjmp(jump, 1);
}

NO_INLINE static void second_jumper(void)
{
    last(60);
    longjmp(jump, 1);
}

NO_INLINE static void jumps(void)
{
    static void (*volatile const functions[])(void) = {first_jumper, second_jumper, first_jumper};
    for (volatile int i = 0; i < 3; i++) {
        if (setjmp(jump) == 0) {
            functions[i]();
        }
    }
    kept[n_kept++] = malloc(70);
}

/* ---- other code in between --------------------------------------------------------------------
 */

NO_INLINE static int compare(const void *left, const void *right)
{
    last(11);
    return *(const char *)left - *(const char *)right;
}

static void on_signal(int number)
{
    (void)number;
    last(13);
}

NO_INLINE static void *thread(void *argument)
{
    last(17);
    return argument;
}

/* ---- scopes -----------------------------------------------------------------------------------
 */

NO_INLINE static int scopes(int argument)
{
    HPP_SCC("outer")
    {
        last(19);
        HPP_SCC("inner")
        {
            last(23);
        }
        if (argument > 0) {
            last(29);
            return argument; /* leaves the scope */
        }
    }
    return 0;
}

NO_INLINE static const hpp_ccs *captured(void)
{
    HPP_SCC_HERE("made here");
    return hpp_ccs_current();
}

NO_INLINE static void under(const hpp_ccs *stack)
{
    HPP_UNDER(stack)
    {
        last(31);
    }
    last(37);
}

int main(void)
{
    char text[] = "ba";
    pthread_t other;
    inlined(10);
    recursive(5);
    even(3);
    tail(6);
    jumps();
    qsort(text, 2, 1, compare);
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    pthread_create(&other, NULL, thread, NULL);
    pthread_join(other, NULL);
    scopes(1);
    under(captured());
    pid_t child = fork();
    if (child == 0) {
        tail(41);
        exit(0);
    }
    waitpid(child, NULL, 0);
    kept[n_kept++] = malloc(5);
    return kept[0] == NULL;
}
