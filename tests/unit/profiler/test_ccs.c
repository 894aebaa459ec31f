/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Cost-centre stacks: the rules of pushing, appending and folding, scopes and how they end,
 * threads, and what the guide's examples come to.
 *
 * Criterion runs each test in a process of its own: each begins with MAIN alone.
 */
#define HPP_MODULE "Main"
#include <criterion/criterion.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ccs/ccs.h"
#include "ccs/ccs_thread.h"
#include "hpprof/scope.h"
#include "failing_alloc.h"

#define CENTRE(name) static hpp_cc name = HPP_CC_INIT(#name, "Main", "t.c:1", 0)
CENTRE(a);
CENTRE(b);
CENTRE(c);
CENTRE(d);
static hpp_cc caf = HPP_CC_INIT("CAF", "Main", "<entire-module>", HPP_CC_CAF);
static hpp_cc other_caf = HPP_CC_INIT("CAF", "Other", "<entire-module>", HPP_CC_CAF);

/* "<a,b>", outermost first, without MAIN. */
static const char *words_of(const hpp_ccs *ccs)
{
    static char text[4][500];
    static int turn;
    char *out = text[turn++ % 4];
    char *end = out + 499;
    *end = '\0';
    for (; hpp_ccs_parent(ccs); ccs = hpp_ccs_parent(ccs)) {
        const char *label = hpp_ccs_centre(ccs)->label;
        bool is_last = hpp_ccs_parent(hpp_ccs_parent(ccs)) == NULL;
        end -= strlen(label);
        memcpy(end, label, strlen(label));
        if (!is_last) {
            *--end = ',';
        }
    }
    return end;
}

/* A stack of the centres given, from MAIN. */
static const hpp_ccs *stack_of(hpp_cc *one, hpp_cc *two, hpp_cc *three, hpp_cc *four)
{
    const hpp_ccs *ccs = hpp_ccs_builtin(HPP_CCS_MAIN);
    hpp_cc *centres[] = {one, two, three, four};
    for (int i = 0; i < 4 && centres[i]; i++) {
        ccs = hpp_ccs_push(ccs, centres[i]);
    }
    return ccs;
}

static uint64_t entries_of(const hpp_ccs *ccs)
{
    return hpp_ccs_costs(ccs).entries;
}

#define expect_stack(ccs, wanted) cr_assert_str_eq(words_of(ccs), wanted)
#define expect_current(wanted)    expect_stack(hpp_ccs_current(), wanted)

/* ---- pushing ---- */

/* A thread without memory has a place for its data that counts nothing. */
Test(ccs, a_thread_without_memory_is_lost_once)
{
    cr_assert_eq(hpp_ccs_losses().threads, 0);
    failing_alloc_arm(1, true);
    for (int i = 0; i < 3; i++) {
        HPP_SCC("f")
        {
            HPP_SCC("g")
            {
            }
        }
    }
    cr_assert(failing_alloc_disarm());
    cr_assert_eq(hpp_ccs_losses().threads, 1);
}

/* The first push must find that there is no room, and make some. */
Test(ccs, a_thread_without_scopes_has_an_outermost_frame_and_no_room)
{
    const hpp__thread *t = (const hpp__thread *)(const void *)hpp_this_thread;
    cr_assert_null(t->fast.current);
    cr_assert_eq(t->fast.top, t->end);
    cr_assert_eq(t->fast.top[-1].address, UINTPTR_MAX);
}

Test(ccs, equal_stacks_are_equal_pointers)
{
    cr_assert_eq(stack_of(&a, &b, NULL, NULL), stack_of(&a, &b, NULL, NULL));
    cr_assert_neq(stack_of(&a, &b, NULL, NULL), stack_of(&b, &a, NULL, NULL));
    cr_assert_eq(hpp_ccs_parent(stack_of(&a, &b, NULL, NULL)), stack_of(&a, NULL, NULL, NULL));
    cr_assert_eq(hpp_ccs_parent(stack_of(&a, NULL, NULL, NULL)), hpp_ccs_builtin(HPP_CCS_MAIN));
}

Test(ccs, ids_are_dense_and_parents_come_first)
{
    stack_of(&a, &b, &c, NULL);
    stack_of(&b, &a, NULL, NULL);
    cr_assert_eq(hpp_ccs_count(), HPP_N_BUILTINS + 5);
    for (uint32_t id = 1; id <= hpp_ccs_count(); id++) {
        const hpp_ccs *ccs = hpp_ccs_by_id(id);
        cr_assert_eq(hpp_ccs_id(ccs), id);
        cr_assert(id == 1 || hpp_ccs_id(hpp_ccs_parent(ccs)) < id);
    }
    cr_assert_null(hpp_ccs_by_id(0));
    cr_assert_null(hpp_ccs_by_id(hpp_ccs_count() + 1));
}

Test(ccs, recursion_is_folded)
{
    const hpp_ccs *ab = stack_of(&a, &b, NULL, NULL);
    cr_assert_eq(hpp_ccs_push(ab, &b), ab, "direct recursion");
    cr_assert_eq(hpp_ccs_push(ab, &a), stack_of(&a, NULL, NULL, NULL), "mutual recursion");
    const hpp_ccs *abcd = stack_of(&a, &b, &c, &d);
    cr_assert_eq(hpp_ccs_push(abcd, &b), ab, "the stack is cut back");
    cr_assert_eq(hpp_ccs_count(), HPP_N_BUILTINS + 4, "and no stack is made");
}

static void fib(int n)
{
    HPP_SCC("fib")
    {
        if (n >= 2) {
            fib(n - 1);
            fib(n - 2);
        }
    }
}

/* The guide's first example: main = print (fib 30), here fib 20. */
Test(ccs, fib_example_of_the_ghc_guide)
{
    HPP_SCC("main")
    {
        fib(20);
    }
    expect_current("");
    cr_assert_eq(hpp_ccs_count(), HPP_N_BUILTINS + 2);
    const hpp_ccs *main_stack = hpp_ccs_by_id(HPP_N_BUILTINS + 1);
    const hpp_ccs *fib_stack = hpp_ccs_by_id(HPP_N_BUILTINS + 2);
    expect_stack(fib_stack, "main,fib");
    cr_assert_eq(entries_of(main_stack), 1);
    cr_assert_eq(entries_of(fib_stack), 21891); /* calls of fib 20 */
}

/* The second: main = print (f 30 + g 30), g n = fib (n `div` 2). 2692537 and 1973 entries. */
Test(ccs, f_and_g_example_of_the_ghc_guide)
{
    HPP_SCC("main")
    {
        HPP_SCC("main.f")
        {
            fib(30);
        }
        HPP_SCC("main.g")
        {
            fib(15);
        }
    }
    static const struct {
        const char *stack;
        uint64_t entries;
    } wanted[] = {{"main", 1},
                  {"main,main.f", 1},
                  {"main,main.f,fib", 2692537},
                  {"main,main.g", 1},
                  {"main,main.g,fib", 1973}};
    for (uint32_t i = 0; i < 5; i++) {
        const hpp_ccs *ccs = hpp_ccs_by_id(HPP_N_BUILTINS + 1 + i);
        expect_stack(ccs, wanted[i].stack);
        cr_assert_eq(entries_of(ccs), wanted[i].entries);
    }
    cr_assert_eq(hpp_ccs_count(), HPP_N_BUILTINS + 5);
}

static void even(int n);

static void odd(int n)
{
    HPP_SCC("odd")
    {
        if (n > 0) {
            even(n - 1);
        }
    }
}

static void even(int n)
{
    HPP_SCC("even")
    {
        if (n > 0) {
            odd(n - 1);
        }
    }
}

Test(ccs, mutual_recursion_makes_two_stacks)
{
    even(1000);
    expect_current("");
    cr_assert_eq(hpp_ccs_count(), HPP_N_BUILTINS + 2);
    cr_assert_eq(entries_of(hpp_ccs_by_id(HPP_N_BUILTINS + 1)), 501);
    cr_assert_eq(entries_of(hpp_ccs_by_id(HPP_N_BUILTINS + 2)), 500);
}

enum { N_STACKS = 20000 };
static hpp_cc many_centres[N_STACKS];
static const hpp_ccs *many_stacks[N_STACKS];

static void *push_again(void *n_wrong)
{
    for (int i = 0; i < N_STACKS; i++) {
        const hpp_ccs *parent = i < 100 ? hpp_ccs_builtin(HPP_CCS_MAIN) : many_stacks[i % 100];
        *(int *)n_wrong += hpp_ccs_push(parent, &many_centres[i]) != many_stacks[i];
    }
    return NULL;
}

/* A thread that has pushed nothing yet finds the stacks of another, however many there are. */
Test(ccs, a_new_thread_finds_all_stacks)
{
    for (int i = 0; i < N_STACKS; i++) {
        const hpp_ccs *parent = i < 100 ? hpp_ccs_builtin(HPP_CCS_MAIN) : many_stacks[i % 100];
        many_centres[i] = (hpp_cc)HPP_CC_INIT("x", "M", "", 0);
        many_stacks[i] = hpp_ccs_push(parent, &many_centres[i]);
    }
    int n_wrong = 0;
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, push_again, &n_wrong), 0);
    pthread_join(thread, NULL);
    cr_expect_eq(n_wrong, 0);
    cr_expect_eq(hpp_ccs_count(), HPP_N_BUILTINS + N_STACKS);
}

Test(ccs, many_children_of_one_stack)
{
    static hpp_cc centres[5000];
    const hpp_ccs *main_stack = hpp_ccs_builtin(HPP_CCS_MAIN);
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < 5000; i++) {
            if (turn == 0) {
                centres[i] = (hpp_cc)HPP_CC_INIT("x", "M", "", 0);
            }
            hpp_ccs_set(main_stack);
            hpp_ccs_enter(&centres[i]);
            cr_assert_eq(hpp_ccs_centre(hpp_ccs_current()), &centres[i]);
        }
    }
    cr_assert_eq(hpp_ccs_count(), HPP_N_BUILTINS + 5000);
    for (uint32_t id = HPP_N_BUILTINS + 1; id <= hpp_ccs_count(); id++) {
        cr_assert_eq(entries_of(hpp_ccs_by_id(id)), 2);
    }
    cr_assert_eq(hpp_ccs_losses().stacks, 0);
}

/* ---- appending ---- */

Test(ccs, append_drops_the_common_prefix)
{
    const hpp_ccs *none = hpp_ccs_builtin(HPP_CCS_MAIN);
    const hpp_ccs *one = stack_of(&a, NULL, NULL, NULL);
    const hpp_ccs *two = stack_of(&a, &b, NULL, NULL);
    const hpp_ccs *three = stack_of(&a, &b, &c, NULL);
    expect_stack(hpp_ccs_append(three, none), "a,b,c");
    expect_stack(hpp_ccs_append(three, stack_of(&d, NULL, NULL, NULL)), "a,b,c,d");
    expect_stack(hpp_ccs_append(three, two), "a,b,c");
    expect_stack(hpp_ccs_append(two, three), "a,b,c");
    expect_stack(hpp_ccs_append(three, stack_of(&a, &b, &d, NULL)), "a,b,c,d");
    expect_stack(hpp_ccs_append(one, stack_of(&a, &b, &c, &d)), "a,b,c,d");
    expect_stack(hpp_ccs_append(none, three), "a,b,c");
    expect_stack(hpp_ccs_append(three, three), "a,b,c");
}

Test(ccs, append_folds_what_it_pushes)
{
    expect_stack(hpp_ccs_append(stack_of(&a, &c, NULL, NULL), stack_of(&a, &b, &c, NULL)), "a,c");
    expect_stack(hpp_ccs_append(stack_of(&b, &a, NULL, NULL), stack_of(&a, &b, NULL, NULL)), "b");
}

Test(ccs, stacks_below_cafs_have_no_common_prefix_with_main)
{
    const hpp_ccs *caf_stack = hpp_ccs_of_caf(&caf);
    const hpp_ccs *in_caf = hpp_ccs_push(hpp_ccs_push(caf_stack, &a), &b);
    const hpp_ccs *in_other = hpp_ccs_push(hpp_ccs_of_caf(&other_caf), &a);
    const hpp_ccs *ac = stack_of(&a, &c, NULL, NULL);
    cr_assert_eq(hpp_ccs_append(ac, caf_stack), ac, "a function of a CAF runs under its caller");
    expect_stack(hpp_ccs_append(stack_of(&d, NULL, NULL, NULL), in_caf), "d,a,b");
    expect_stack(hpp_ccs_append(ac, in_caf), "a,b");
    expect_stack(hpp_ccs_append(in_other, in_caf), "CAF,a,b");
    expect_stack(hpp_ccs_append(in_caf, stack_of(&c, NULL, NULL, NULL)), "CAF,a,b,c");
    cr_assert_eq(hpp_ccs_parent(caf_stack), hpp_ccs_builtin(HPP_CCS_MAIN));
}

Test(ccs, entering_a_function_counts_no_entry)
{
    hpp_ccs_set(stack_of(&a, NULL, NULL, NULL));
    hpp_ccs_enter_function(stack_of(&a, &b, NULL, NULL));
    expect_current("a,b");
    cr_assert_eq(entries_of(hpp_ccs_current()), 0);
    hpp_ccs_enter(&c);
    cr_assert_eq(entries_of(hpp_ccs_current()), 1);
}

Test(ccs, thunks_run_under_the_stack_that_created_them)
{
    const hpp_ccs *thunk = NULL;
    HPP_SCC_OF(&a)
    {
        thunk = hpp_ccs_current();
    }
    HPP_SCC_OF(&b)
    {
        HPP_UNDER(thunk)
        {
            expect_current("a");
            hpp_ccs_allocated(100);
            HPP_SCC_OF(&c)
            {
                expect_current("a,c");
            }
        }
        expect_current("b");
    }
    cr_assert_eq(hpp_ccs_costs(thunk).allocated_bytes, 100);
    cr_assert_eq(entries_of(thunk), 1, "evaluation is no entry");
}

/* ---- how scopes end ---- */

static int leave_by_return(void)
{
    HPP_SCC("f")
    {
        HPP_SCC("g")
        {
            return 7;
        }
    }
    return 0;
}

Test(ccs, return_and_goto_and_break_end_scopes)
{
    HPP_SCC("outer")
    {
        cr_assert_eq(leave_by_return(), 7);
        expect_current("outer");
        HPP_SCC("x")
        {
            HPP_SCC("y")
            {
                goto out;
            }
        }
    out:
        expect_current("outer");
        HPP_SCC("z")
        {
            break;
        }
        expect_current("outer");
        HPP_SCC("w")
        {
            continue;
        }
        expect_current("outer");
    }
    expect_current("");
}

Test(ccs, scope_as_declaration_leaves_break_to_the_loop)
{
    int turns = 0;
    for (int i = 0; i < 10; i++) {
        HPP_SCC_HERE("turn");
        expect_current("turn");
        turns++;
        if (i % 2 == 0) {
            continue;
        }
        if (i == 5) {
            break;
        }
    }
    cr_assert_eq(turns, 6);
    expect_current("");
}

/* ---- longjmp ---- */

static hpp_jmp_buf marked_jump;
static jmp_buf plain_jump;

__attribute__((noinline)) static void jump_marked(void)
{
    HPP_SCC("inner")
    {
        hpp_longjmp(&marked_jump, 3);
    }
}

Test(ccs, marked_jump_restores_the_stack_at_once)
{
    HPP_SCC("outer")
    {
        int value = setjmp(HPP_JMP_MARK(&marked_jump));
        if (value == 0) {
            HPP_SCC("same function")
            {
                jump_marked();
            }
        }
        expect_current("outer");
        HPP_SCC("after")
        {
            expect_current("outer,after");
        }
    }
    expect_current("");
}

Test(ccs, saved_stack_can_be_restored_after_a_foreign_jump)
{
    HPP_SCC("outer")
    {
        hpp_ccs_mark mark = hpp_ccs_save();
        if (setjmp(plain_jump) == 0) {
            HPP_SCC("lost")
            {
                longjmp(plain_jump, 1);
            }
        }
        hpp_ccs_restore(mark);
        expect_current("outer");
    }
}

__attribute__((noinline)) static void jump_from_below(int depth)
{
    volatile char room[200] = {0};
    HPP_SCC("deep")
    {
        if (depth > 0) {
            jump_from_below(depth - 1);
        }
        longjmp(plain_jump, 1 + room[0]);
    }
}

__attribute__((noinline)) static void catch_jump(int depth)
{
    if (setjmp(plain_jump) == 0) {
        jump_from_below(depth);
    }
}

Test(ccs, plain_jump_is_detected_by_the_next_scope)
{
    catch_jump(5);
    HPP_SCC("next")
    {
        expect_current("next");
    }
    expect_current("");
}

Test(ccs, scope_around_a_plain_jump_restores_its_stack)
{
    HPP_SCC("outer")
    {
        catch_jump(5);
    }
    expect_current("");
}

__attribute__((noinline)) static void work(int i)
{
    HPP_SCC("work")
    {
        expect_current("loop,work");
        if (i % 3 == 0) {
            HPP_SCC("part")
            {
                longjmp(plain_jump, 1);
            }
        }
        longjmp(plain_jump, 1);
    }
}

__attribute__((noinline)) static void other_work(void)
{
    HPP_SCC("other")
    {
        expect_current("loop,other");
    }
}

/* Each call has its frame where the one that was jumped out of had its. */
Test(ccs, jumps_out_of_equal_frames_are_detected)
{
    HPP_SCC("loop")
    {
        for (volatile int i = 0; i < 1000; i++) {
            if (setjmp(plain_jump) == 0) {
                work(i);
            }
            other_work();
        }
    }
    expect_current("");
}

__attribute__((noinline)) static void recurse_in_scopes(int depth)
{
    HPP_SCC("recursion")
    {
        if (depth > 0) {
            recurse_in_scopes(depth - 1);
        }
    }
}

Test(ccs, deep_recursion_and_a_jump_out_of_it)
{
    recurse_in_scopes(20000);
    expect_current("");
    catch_jump(10000);
    HPP_SCC("next")
    {
        expect_current("next");
    }
}

/* ---- costs ---- */

Test(ccs, allocation_goes_to_the_current_stack_or_the_one_given)
{
    hpp_ccs_allocated(1);
    HPP_SCC_OF(&a)
    {
        hpp_ccs_allocated(10);
        hpp_ccs_allocated_by(hpp_ccs_builtin(HPP_CCS_PINNED), 100);
        hpp_ccs_tick();
        hpp_ccs_tick();
    }
    cr_assert_eq(hpp_ccs_costs(hpp_ccs_builtin(HPP_CCS_MAIN)).allocated_bytes, 1);
    cr_assert_eq(hpp_ccs_costs(stack_of(&a, NULL, NULL, NULL)).allocated_bytes, 10);
    cr_assert_eq(hpp_ccs_costs(stack_of(&a, NULL, NULL, NULL)).ticks, 2);
    cr_assert_eq(hpp_ccs_costs(hpp_ccs_builtin(HPP_CCS_PINNED)).allocated_bytes, 100);
}

Test(ccs, entries_of_uncounted_centres_are_not_counted)
{
    static hpp_cc quiet = HPP_CC_INIT("quiet", "Main", "t.c:1", HPP_CC_UNCOUNTED);
    hpp_ccs_enter(&quiet);
    hpp_ccs_enter(&a);
    cr_assert_eq(entries_of(stack_of(&quiet, NULL, NULL, NULL)), 0);
    cr_assert_eq(entries_of(hpp_ccs_current()), 1);
}

Test(ccs, known_centres_are_listed_newest_first)
{
    hpp_cc_declare(&d);
    hpp_ccs_enter(&a);
    hpp_cc_declare(&d);
    cr_assert_eq(hpp_cc_newest(), &a);
    cr_assert_eq(hpp_cc_newest()->next, &d);
    int n = 0;
    for (const hpp_cc *centre = hpp_cc_newest(); centre; centre = centre->next) {
        n++;
    }
    cr_assert_eq(n, HPP_N_BUILTINS + 2);
}

/* ---- threads ---- */

enum { N_THREADS = 8, N_TURNS = 20000 };

static void *enter_scopes(void *unused)
{
    (void)unused;
    for (int i = 0; i < N_TURNS; i++) {
        HPP_SCC("thread")
        {
            hpp_ccs_allocated(8);
            fib(3);
        }
    }
    expect_current("");
    return NULL;
}

Test(ccs, threads_share_stacks_and_lose_no_counts)
{
    for (int round = 0; round < 2; round++) {
        pthread_t threads[N_THREADS];
        for (int i = 0; i < N_THREADS; i++) {
            cr_assert_eq(pthread_create(&threads[i], NULL, enter_scopes, NULL), 0);
        }
        for (int i = 0; i < 100; i++) {
            hpp_ccs_costs(hpp_ccs_builtin(HPP_CCS_MAIN));
        }
        for (int i = 0; i < N_THREADS; i++) {
            pthread_join(threads[i], NULL);
        }
    }
    cr_assert_eq(hpp_ccs_count(), HPP_N_BUILTINS + 2);
    const hpp_ccs *thread = hpp_ccs_by_id(HPP_N_BUILTINS + 1);
    cr_assert_eq(entries_of(thread), 2 * N_THREADS * N_TURNS);
    cr_assert_eq(hpp_ccs_costs(thread).allocated_bytes, 8 * 2 * N_THREADS * N_TURNS);
    cr_assert_eq(entries_of(hpp_ccs_by_id(HPP_N_BUILTINS + 2)), 5 * 2 * N_THREADS * N_TURNS);
}

static void *end_inside_scopes(void *unused)
{
    (void)unused;
    HPP_SCC("ending")
    {
        pthread_exit(NULL);
    }
    return NULL;
}

Test(ccs, thread_may_end_inside_a_scope)
{
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        cr_assert_eq(pthread_create(&thread, NULL, end_inside_scopes, NULL), 0);
        pthread_join(thread, NULL);
    }
    cr_assert_eq(entries_of(hpp_ccs_by_id(HPP_N_BUILTINS + 1)), 3);
}

/* ---- in words ---- */

Test(ccs, stack_is_printed_as_xc_does)
{
    int ends[2];
    char text[200];
    cr_assert_eq(pipe(ends), 0);
    hpp_ccs_print(stack_of(&a, &b, &c, NULL), ends[1]);
    hpp_ccs_print(hpp_ccs_builtin(HPP_CCS_MAIN), ends[1]);
    close(ends[1]);
    ssize_t n = read(ends[0], text, sizeof text - 1);
    text[n] = '\0';
    cr_assert_str_eq(text, "Main.c,\n  called from Main.b,\n  called from Main.a\nMAIN.MAIN\n");
}

Test(ccs, stacks_name_the_producer_of_an_object)
{
    const hpp_ccs *ab = stack_of(&a, &b, NULL, NULL);
    cr_assert_eq(hpp_ccs_stacks.label(ab, NULL).length, 1);
    cr_assert_eq(*hpp_ccs_stacks.label(ab, NULL).data, 'b');
    cr_assert_eq(hpp_ccs_stacks.module(ab, NULL).length, 4);
    cr_assert_eq(hpp_ccs_stacks.parent(ab, NULL), stack_of(&a, NULL, NULL, NULL));
    cr_assert_eq(hpp_ccs_stacks.id(ab, NULL), hpp_ccs_id(ab));
}
