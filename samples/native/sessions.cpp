// SPDX-License-Identifier: BSD-2-Clause
//
// A server that keeps sessions, with two faults for docs/dominators.md and tests/tasks:
//
//   half-empty maps   each session reserves its hash map for the busiest user
//   equal texts       each session has a copy of the name of its browser
//
//   sessions [fixed]
//
// g++ -g -O1 -o sessions sessions.cpp
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <unistd.h>
#include <unordered_map>
#include <vector>

static bool is_fixed;

class Session {
  public:
    Session(int user, const std::string &browser) : user(user)
    {
        if (is_fixed) {
            static std::set<std::string> browsers;
            shared = &*browsers.insert(browser).first;
        } else {
            own = browser;
            pages.reserve(500);
        }
    }

    void visit(int page)
    {
        pages[page]++;
    }

  private:
    int user;
    std::string own;
    const std::string *shared = nullptr;
    std::unordered_map<int, long> pages; // visits
};

class Server {
  public:
    void log_in(int user)
    {
        static const char *const browsers[] = {
            "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15"};
        sessions.push_back(std::make_unique<Session>(user, browsers[user % 3]));
    }

    void handle(int user, int page)
    {
        sessions[static_cast<size_t>(user)]->visit(page);
    }

  private:
    std::vector<std::unique_ptr<Session>> sessions;
};

int main(int argc, char **argv)
{
    is_fixed = argc > 1 && std::strcmp(argv[1], "fixed") == 0;
    Server server;
    for (int user = 0; user < 3000; user++) {
        server.log_in(user);
        for (int page = 0; page < 5 + user % 60; page++) {
            server.handle(user, page * 7);
        }
    }
    std::printf("3000 sessions\n");
    std::fflush(stdout);
    _exit(0); // as a server that is killed
}
