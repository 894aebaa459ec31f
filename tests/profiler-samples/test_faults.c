/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A program whose profiler runs out of memory, at every allocation in turn, goes on and gives the
 * same answer; and its profile, if there is one, can be read. The runtime's own heap is not asked
 * from malloc, so that only the profiler's allocations fail.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sanitizer.h"
#include "failing_alloc.h"

/* The main functions of samples/programs. */
int drag_main(int argc, char **argv);
int cache_main(int argc, char **argv);

typedef int program_main(int argc, char **argv);

enum { ALL_PASSED = 10, SOME_FAILED = 11 };

/* Runs a program in a child of its own, standard output to `output`. Returns ALL_PASSED or
 * SOME_FAILED, or whatever ended it. */
static int run(program_main *program, char *const options[2], unsigned long nth, bool all_after,
               int output)
{
    pid_t child = fork();
    if (child == 0) {
        char *argv[] = {"program", "60", "+RTS",  options[0], options[1],
                        "-i100",   "-p", "-oout", NULL};
        dup2(output, STDOUT_FILENO);
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        failing_alloc_arm(nth, all_after);
        int status = program(8, argv);
        bool failed = failing_alloc_disarm();
        fflush(stdout);
        _exit(status != 0 ? status : failed ? SOME_FAILED : ALL_PASSED);
    }
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Fails the allocations in turn until there are no more; returns about how many there were. */
static unsigned long fail_each(program_main *program, char *const options[2], bool all_after,
                               const char *expected)
{
    char directory[] = "/tmp/faultsXXXXXX";
    cr_assert_not_null(mkdtemp(directory));
    cr_assert_eq(chdir(directory), 0);
    unsigned long nth = 1;
    int end = SOME_FAILED;
    for (; end == SOME_FAILED; nth += CASE_STEP) {
        char answer[64] = "";
        int output = open("answer", O_RDWR | O_CREAT | O_TRUNC, 0600);
        end = run(program, options, nth, all_after, output);
        cr_assert(end == SOME_FAILED || end == ALL_PASSED, "allocation %lu: ended with %d", nth,
                  end);
        cr_assert_gt(pread(output, answer, sizeof answer - 1, 0), 0);
        cr_assert_str_eq(answer, expected, "allocation %lu", nth);
        close(output);
    }
    unlink("answer");
    unlink("out.hp");
    unlink("out.lines");
    unlink("out.life.hp");
    unlink("out.life.lines");
    unlink("out.prof");
    cr_assert_eq(chdir("/"), 0);
    cr_assert_eq(rmdir(directory), 0, "something else is left in %s", directory);
    return nth;
}

static void check(program_main *program, char *first, char *second, const char *expected)
{
    char *const options[2] = {first, second};
    unsigned long n_once = fail_each(program, options, false, expected);
    unsigned long n_all_after = fail_each(program, options, true, expected);
    cr_assert_gt(n_once, 10);
    cr_assert_gt(n_all_after, 10);
}

Test(faults, biography)
{
    check(drag_main, "-hb", "-xt", "60\n");
}

Test(faults, savings)
{
    check(drag_main, "--savings", "-R2", "60\n");
}

Test(faults, life)
{
    check(drag_main, "--life=I#", "-hb", "60\n");
}

Test(faults, retainers)
{
    check(cache_main, "-hr", "-R2", "333833500\n30\n");
}

Test(faults, cost_centres)
{
    check(cache_main, "-hc", "-L60", "333833500\n30\n");
}

Test(faults, both)
{
    check(cache_main, "-hr", "-hbdrag,void", "333833500\n30\n");
}
