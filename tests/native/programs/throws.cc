// SPDX-License-Identifier: BSD-2-Clause
//
// Functions that throw and catch: in a library, and with -DIS_PROGRAM in the program itself.
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>

extern "C" int count_caught(int n);

namespace {

[[gnu::noinline]] void throw_below(int depth)
{
    if (depth == 0) {
        throw std::runtime_error("thrown below");
    }
    throw_below(depth - 1);
    asm volatile("");
}

[[gnu::noinline]] void throw_number()
{
    throw 42;
}

} // namespace

// Catches n exceptions of one kind, and one of another.
extern "C" int count_caught(int n)
{
    int n_caught = 0;
    for (int i = 0; i < n; i++) {
        try {
            throw_below(3);
        } catch (const std::exception &) {
            n_caught++;
        }
    }
    try {
        throw_number();
    } catch (int number) {
        n_caught += number == 42;
    }
    return n_caught;
}

#ifdef IS_PROGRAM
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

// throws N [fork]: then also in a child, once.
int main(int argc, char **argv)
{
    std::printf("%d\n", count_caught(argc > 1 ? std::atoi(argv[1]) : 1));
    if (argc > 2) {
        std::fflush(stdout);
        if (fork() == 0) {
            std::printf("%d\n", count_caught(1));
            std::fflush(stdout);
            _exit(0);
        }
        wait(NULL);
    }
    return 0;
}
#endif
