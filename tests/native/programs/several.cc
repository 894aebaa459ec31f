// SPDX-License-Identifier: BSD-2-Clause
//
// Two classes of objects with different holders, functions and uses. Prints the bytes of each class before "ready",
// after four samples of the profile whose path is given. Until the standard input ends, sessions are read, and a request
// is made and freed, with which the program looks for uses; pages are never used.
#include "wait_for_sample.h"

#include <cstdio>
#include <poll.h>
#include <unistd.h>
#include <vector>

constexpr int N = 200;

struct Session {
    virtual ~Session() = default;
    char state[1200];
};

struct Page {
    virtual ~Page() = default;
    char text[3000];
};
std::vector<Session *> sessions;
std::vector<Page *> cache;

[[gnu::noinline]] static void open_session()
{
    sessions.push_back(new Session);
}

[[gnu::noinline]] static void load_page()
{
    cache.push_back(new Page);
}

[[gnu::noinline]] static void make_request()
{
    const std::vector<char> request(1000);
    *const_cast<volatile char *>(request.data());
}

[[gnu::noinline]] static int read_sessions()
{
    int sum = 0;
    for (const Session *session : sessions) {
        sum += *static_cast<const volatile char *>(&session->state[0]);
    }
    return sum;
}

static void work()
{
    read_sessions();
    make_request();
}

int main(int argc, char **argv)
{
    const char *profile = argc > 1 ? argv[1] : "";
    for (int i = 0; i < N; i++) {
        open_session();
        load_page();
    }
    for (int i = 0; i < 4; i++) {
        wait_for_sample(profile, work);
    }
    printf("type Session %zu\ntype Page %zu\nready\n", N * sizeof(Session), N * sizeof(Page));
    fflush(stdout);
    pollfd input = {STDIN_FILENO, POLLIN, 0};
    while (poll(&input, 1, 1) == 0) {
        work();
    }
    _exit(0);
}
