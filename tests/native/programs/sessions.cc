// SPDX-License-Identifier: BSD-2-Clause
//
// Objects of classes and containers that hold each other. Prints its process id, the sizes of the
// classes and "ready", and ends with its standard input.
#include <cstdio>
#include <map>
#include <memory>
#include <unistd.h>
#include <vector>

struct Session {
    virtual ~Session() = default;
    std::vector<int> numbers;
};

struct Admin : Session {
    std::unique_ptr<Session> other;
};

static std::map<int, std::unique_ptr<Session>> sessions;

static void fill()
{
    for (int i = 0; i < 100; i++) {
        std::unique_ptr<Session> session(i % 10 ? new Session : new Admin);
        session->numbers.resize(50);
        sessions[i] = std::move(session);
    }
    auto other = std::make_unique<Session>();
    other->numbers.resize(50);
    static_cast<Admin &>(*sessions[0]).other = std::move(other);
}

int main()
{
    char c;
    fill();
    std::printf("%d\nsizes %zu %zu\nready\n", static_cast<int>(getpid()), sizeof(Session),
                sizeof(Admin));
    std::fflush(stdout);
    while (read(STDIN_FILENO, &c, 1) == 1) {
    }
    return 0;
}
