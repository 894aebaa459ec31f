// SPDX-License-Identifier: BSD-2-Clause
//
// A server, a variable of main: its cache grows, its log leaks, and half way it makes a report of
// many rows. At times it sleeps, in frames that earlier calls have used: it prints "sample", and
// waits for a byte. It counts what each of them allocates by allocators, prints what is held at the
// end and the most bytes of the report ("held HOLDER BYTES"), then "ready", and ends with its
// standard input.
#include <cstdio>
#include <string>
#include <unistd.h>
#include <unordered_map>
#include <vector>

enum Owner { CACHE, LOG, REPORT, N_OWNERS };
enum { N_PAGES = 1009 };
static std::size_t held[N_OWNERS];

template <class T, Owner owner> struct Counted {
    using value_type = T;
    template <class U> struct rebind {
        using other = Counted<U, owner>;
    };
    Counted() = default;
    template <class U> Counted(const Counted<U, owner> &)
    {
    }
    T *allocate(std::size_t n)
    {
        held[owner] += n * sizeof(T);
        return static_cast<T *>(::operator new(n * sizeof(T)));
    }
    void deallocate(T *block, std::size_t n)
    {
        held[owner] -= n * sizeof(T);
        ::operator delete(block);
    }
    bool operator==(const Counted &) const
    {
        return true;
    }
};

template <Owner owner>
using Text = std::basic_string<char, std::char_traits<char>, Counted<char, owner>>;

struct Line {
    Text<LOG> text;
    Line *unused;
};

static bool has_byte()
{
    char c;
    return read(STDIN_FILENO, &c, 1) == 1;
}

static void sleep_until_sample()
{
    static const char line[] = "sample\n";
    if (write(STDOUT_FILENO, line, sizeof line - 1) > 0) {
        has_byte();
    }
}

class Server {
    std::unordered_map<int, Text<CACHE>, std::hash<int>, std::equal_to<int>,
                       Counted<std::pair<const int, Text<CACHE>>, CACHE>>
        cache;
    Line *last = nullptr;

    static Text<CACHE> render(int page)
    {
        Text<CACHE> text;
        for (int i = 0; i < 40; i++) {
            text += "<p>" + Text<CACHE>(10, static_cast<char>('a' + page % 26)) + "</p>";
        }
        return text;
    }

    void note(int request)
    {
        Line *line = Counted<Line, LOG>().allocate(1);
        last = new (line) Line{Text<LOG>(60, static_cast<char>('a' + request % 26)), nullptr};
    }

  public:
    // While a table grows, there is a moment in which no variable has it: the old one is freed, and
    // the new one not stored yet.
    Server()
    {
        cache.reserve(N_PAGES);
    }

    ~Server()
    {
        last = nullptr;
    }

    void handle(int request)
    {
        note(request);
        auto page = cache.find(request * request % N_PAGES);
        if (page == cache.end()) {
            cache.emplace(request * request % N_PAGES, render(request));
        }
    }

    // Returns the most bytes of its rows.
    std::size_t report()
    {
        std::vector<Text<REPORT>, Counted<Text<REPORT>, REPORT>> rows;
        rows.reserve(10000);
        for (int i = 0; i < 10000; i++) {
            rows.emplace_back(static_cast<std::size_t>(100), 'x');
            if (i % 1000 == 0) {
                sleep_until_sample();
            }
        }
        return held[REPORT];
    }

    std::size_t last_bytes() const
    {
        return sizeof *last + last->text.capacity() + 1;
    }
};

int main()
{
    Server server;
    std::size_t most = 0;
    for (int request = 0; request < 2000; request++) {
        server.handle(request);
        most = request == 1000 ? server.report() : most;
        if (request % 100 == 99) {
            sleep_until_sample();
        }
    }
    std::printf("held server_in_main %zu\n", held[CACHE] + server.last_bytes());
    std::printf("held UNREACHED %zu\n", held[LOG] - server.last_bytes());
    std::printf("held rows_in_Server::report %zu\nready\n", most);
    std::fflush(stdout);
    while (has_byte()) {
    }
}
