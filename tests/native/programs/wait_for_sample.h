/* SPDX-License-Identifier: BSD-2-Clause
 *
 * For programs that must know that a sample of them was taken.
 */
#ifndef CENSUS_TESTS_NATIVE_WAIT_FOR_SAMPLE_H
#define CENSUS_TESTS_NATIVE_WAIT_FOR_SAMPLE_H

#include <census/mark.h>

#include <fcntl.h>
#include <stdbool.h>
#include <sys/types.h>
#include <unistd.h>

/* Returns whether the profile at `path` has a sample after its mark number `n_marks`. */
static bool has_sample(const char *path, int n_marks)
{
    static char bytes[1 << 16];
    int n_found = 0;
    bool is_found = false, was_line_end = true;
    int file = open(path, O_RDONLY);
    for (ssize_t got; file >= 0 && (got = read(file, bytes, sizeof bytes)) > 0;) {
        for (ssize_t i = 0; i < got; i++) {
            n_found += was_line_end && bytes[i] == 'M';
            is_found = is_found || (was_line_end && bytes[i] == 'E' && n_found == n_marks);
            was_line_end = bytes[i] == '\n';
        }
    }
    if (file >= 0) {
        close(file);
    }
    return is_found;
}

/* Sets a mark, and waits until the profile of this process, at `path`, has a sample that was taken
 * after it; a sample that is only written later does not count. Works `meanwhile`. Then sets
 * another mark: later uses of blocks are uses after the sample. Exits if census has ended. */
static void wait_for_sample(const char *path, void (*meanwhile)(void))
{
    static pid_t process, parent;
    static int n_marks; /* of this process */
    n_marks = process == getpid() ? n_marks + 1 : 1;
    parent = process == getpid() ? parent : getppid();
    process = getpid();
    census_mark("a sample follows");
    do {
        meanwhile();
        usleep(1000);
        if (getppid() != parent) {
            _exit(1);
        }
    } while (!has_sample(path, n_marks));
    census_mark("the sample was taken");
    n_marks++;
}

#endif
