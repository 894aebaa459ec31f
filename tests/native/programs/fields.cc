/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Structures with members of all kinds, each of which leads to a block of a size of its own, which is
 * printed with the name of the member, after the process id. Waits for the end of its input.
 */
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

extern "C" struct plain {
    struct plain *next;
    char *texts[3];
    union {
        long number;
        void *either;
    };
    struct {
        int x;
        void *inner;
    } nested;
    unsigned few : 3;
    __extension__ void *items[]; /* more than its size */
};

namespace app {

struct Named {
    virtual ~Named() = default;
    void *label = nullptr;
};

struct Session : Named {
    static inline long n_made;
    short number = 0;
    std::string text;
    std::vector<long> history;
    std::unique_ptr<long[]> owned;
    std::map<int, long> table;
    plain *link = nullptr;
};

} // namespace app

static app::Session *session;
static app::Session *several;
static plain *first;

static size_t next_size = 1000;

/* Returns a block, and prints what leads to it. */
static void *make(const char *path)
{
    next_size += 8;
    std::printf("%s %zu\n", path, next_size);
    return std::calloc(1, next_size);
}

int main()
{
    std::printf("%d\n", static_cast<int>(getpid()));
    session = new app::Session;
    session->label = make("label");
    session->text.assign(2000, 'x');
    session->history.resize(300);
    session->owned.reset(new long[400]);
    std::printf("text 2001\nhistory 2400\nowned 3200\n");
    first = static_cast<plain *>(std::calloc(1, sizeof(plain) + 4 * sizeof(void *)));
    session->link = first;
    std::printf("link %zu\n", sizeof(plain) + 4 * sizeof(void *));
    first->next = static_cast<plain *>(make("next"));
    first->texts[2] = static_cast<char *>(make("texts[2]"));
    first->either = make("number"); /* the first member of the union */
    first->nested.inner = make("nested.inner");
    first->items[1] = make("items[1]");
    several = new app::Session[3];
    several[2].label = make("[2].label");
    std::printf("ready\n");
    std::fflush(stdout);
    while (std::getchar() != EOF) {
    }
    delete session;
    delete[] several;
    return 0;
}
