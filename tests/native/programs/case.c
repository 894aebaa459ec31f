/* SPDX-License-Identifier: BSD-2-Clause
 *
 * See case.h.
 */
#include "case.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int run_case(const native_case *cases, char **argv)
{
    for (; argv[1] && cases->name; cases++) {
        if (strcmp(cases->name, argv[1]) == 0) {
            return cases->run(argv + 2);
        }
    }
    must(0, "the name of a case is needed");
    return 2;
}

static void put(int fd, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t n = write(fd, text, length);
        if (n <= 0) {
            _exit(99);
        }
        text += n;
        length -= (size_t)n;
    }
}

void say(const char *format, ...)
{
    char text[500];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    must(length >= 0 && (size_t)length < sizeof text, "a short line");
    put(1, text, (size_t)length);
}

void must(int holds, const char *what)
{
    if (!holds) {
        put(2, "must hold: ", 11);
        put(2, what, strlen(what));
        put(2, "\n", 1);
        _exit(98);
    }
}

void *made(void *block)
{
    void *volatile seen = block;
    must(seen != NULL, "memory is given");
    return seen;
}

OWN_FRAME size_t keep(size_t n, size_t size_bytes)
{
    for (size_t i = 0; i < n; i++) {
        char *block = made(malloc(size_bytes));
        if (size_bytes > 0) {
            block[0] = block[size_bytes - 1] = 'k';
        }
    }
    return n * size_bytes;
}

const char *own_path(void)
{
    static char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    must(n > 0, "the program knows its path");
    path[n] = '\0';
    return path;
}

int next_descriptor(void)
{
    int fd = open("/dev/null", O_RDONLY);
    must(fd >= 0, "/dev/null opens");
    close(fd);
    return fd;
}

uint32_t next_number(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}
