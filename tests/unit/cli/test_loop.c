/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Descriptors that become ready, timers that expire, and entries that are removed in the same step.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "watch/loop/loop.h"

enum { PATIENCE_MS = 60000 };

typedef struct seen {
    loop *l;
    int n_calls;
    uint32_t events;
    int victim; /* removed when called; -1: none */
} seen;

static void note(void *context, uint32_t events)
{
    seen *s = context;
    s->n_calls++;
    s->events = events;
    loop_remove(s->l, s->victim);
}

typedef struct fixture {
    loop *l;
    int pipes[2][2];
    seen seen[2];
} fixture;

static void begin(fixture *f)
{
    f->l = loop_create();
    cr_assert(f->l);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(pipe(f->pipes[i]), 0);
        f->seen[i] = (seen){.l = f->l, .victim = -1};
        cr_assert(loop_add(f->l, f->pipes[i][0], EPOLLIN, note, &f->seen[i]));
    }
}

static void end(fixture *f)
{
    loop_destroy(f->l);
    for (int i = 0; i < 2; i++) {
        close(f->pipes[i][0]);
        close(f->pipes[i][1]);
    }
}

static void make_ready(const fixture *f, int i)
{
    cr_assert_eq(write(f->pipes[i][1], "x", 1), 1);
}

Test(loop, calls_only_ready_entries)
{
    fixture f;
    begin(&f);
    loop_step(f.l, 0);
    cr_assert_eq(f.seen[0].n_calls + f.seen[1].n_calls, 0);
    make_ready(&f, 1);
    loop_step(f.l, PATIENCE_MS);
    cr_assert_eq(f.seen[0].n_calls, 0);
    cr_assert_eq(f.seen[1].n_calls, 1);
    cr_assert_eq(f.seen[1].events, EPOLLIN);
    end(&f);
}

Test(loop, works_inside_another_poll)
{
    fixture f;
    begin(&f);
    struct pollfd outer = {.fd = loop_fd(f.l), .events = POLLIN};
    cr_assert_eq(poll(&outer, 1, 0), 0);
    make_ready(&f, 0);
    cr_assert_eq(poll(&outer, 1, PATIENCE_MS), 1);
    end(&f);
}

Test(loop, does_not_call_entry_removed_in_same_step)
{
    fixture f;
    begin(&f);
    f.seen[0].victim = f.pipes[1][0];
    f.seen[1].victim = f.pipes[0][0];
    make_ready(&f, 0);
    make_ready(&f, 1);
    loop_step(f.l, PATIENCE_MS);
    cr_assert_eq(f.seen[0].n_calls + f.seen[1].n_calls, 1);
    end(&f);
}

/* Replaces a descriptor that is ready in the same step by one with the same number. */
static void replace(void *context, uint32_t events)
{
    fixture *f = context;
    (void)events;
    loop_remove(f->l, f->pipes[0][0]);
    loop_remove(f->l, f->pipes[1][0]);
    cr_assert(loop_add(f->l, f->pipes[0][0], EPOLLIN, note, &f->seen[0]));
    cr_assert(loop_add(f->l, f->pipes[1][0], EPOLLIN, note, &f->seen[1]));
}

Test(loop, does_not_confuse_reused_descriptor)
{
    fixture f;
    begin(&f);
    for (int i = 0; i < 2; i++) {
        loop_remove(f.l, f.pipes[i][0]);
        cr_assert(loop_add(f.l, f.pipes[i][0], EPOLLIN, replace, &f));
        make_ready(&f, i);
    }
    loop_step(f.l, PATIENCE_MS);
    cr_assert_eq(f.seen[0].n_calls + f.seen[1].n_calls, 0);
    loop_step(f.l, PATIENCE_MS);
    cr_assert_eq(f.seen[0].n_calls, 1);
    cr_assert_eq(f.seen[1].n_calls, 1);
    end(&f);
}

Test(loop, changes_events)
{
    fixture f;
    begin(&f);
    make_ready(&f, 0);
    loop_change(f.l, f.pipes[0][0], 0);
    loop_step(f.l, 0);
    cr_assert_eq(f.seen[0].n_calls, 0);
    loop_change(f.l, f.pipes[0][0], EPOLLIN);
    loop_step(f.l, PATIENCE_MS);
    cr_assert_eq(f.seen[0].n_calls, 1);
    end(&f);
}

Test(loop, rejects_regular_files)
{
    fixture f;
    begin(&f);
    int fd = open("/proc/self/exe", O_RDONLY);
    cr_assert_not(loop_add(f.l, fd, EPOLLIN, note, &f.seen[0]));
    cr_assert_eq(errno, EPERM);
    close(fd);
    end(&f);
}

Test(loop, timers_expire_once_or_repeatedly)
{
    fixture f;
    begin(&f);
    int once = loop_add_timer(f.l, note, &f.seen[0]);
    int often = loop_add_timer(f.l, note, &f.seen[1]);
    cr_assert(once >= 0 && often >= 0);
    loop_step(f.l, 0);
    cr_assert_eq(f.seen[0].n_calls, 0);
    loop_arm(once, 1e-12, 0);
    loop_arm(often, 0, 0.002);
    for (double until = clock_now_s() + PATIENCE_MS / 1e3;
         f.seen[1].n_calls < 3 && clock_now_s() < until;) {
        loop_step(f.l, PATIENCE_MS);
    }
    cr_assert_eq(f.seen[0].n_calls, 1);
    cr_assert_eq(f.seen[0].events, 0);
    cr_assert_geq(f.seen[1].n_calls, 3);
    loop_arm(often, 0, 0);
    int n_calls = f.seen[1].n_calls;
    loop_step(f.l, 20);
    cr_assert_eq(f.seen[1].n_calls, n_calls);
    loop_remove(f.l, once);
    cr_assert_eq(fcntl(once, F_GETFD), -1);
    end(&f);
}

Test(loop, stops_on_request)
{
    fixture f;
    begin(&f);
    cr_assert_not(loop_is_stopped(f.l));
    loop_stop(f.l);
    cr_assert(loop_is_stopped(f.l));
    end(&f);
}
