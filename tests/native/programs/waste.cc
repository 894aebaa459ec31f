// SPDX-License-Identifier: BSD-2-Clause
//
// Wastes memory, and prints what: "waste KIND BLOCKS EMPTY BYTES FUNCTION TYPE" lines. Waits for
// the end of its standard input. Containers are in blocks, in a global variable and on the stack.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <unistd.h>
#include <unordered_map>
#include <unordered_set>
#include <vector>

struct Session {
    virtual ~Session() = default;
    std::unordered_map<int, long> seen;
    std::vector<double> times;
    std::vector<bool> marks;
    std::string text;
    std::deque<int> queue;
};

struct Sum {
    const char *kind, *place; // function and type
    long blocks, empty, bytes;
};

static std::vector<Session *> sessions;
static std::unordered_set<long> global;

static void count(Sum &sum, size_t used, size_t room)
{
    if (2 * used < room) {
        sum.blocks++;
        sum.empty += used == 0;
        sum.bytes += static_cast<long>(room - used);
    }
}

static void print(const Sum &sum)
{
    std::printf("waste %s %ld %ld %ld %s\n", sum.kind, sum.blocks, sum.empty, sum.bytes, sum.place);
}

static void make_sessions()
{
    Sum maps = {"room", "make_sessions buckets of std::unordered_map<int,long> in Session", 0, 0,
                0};
    Sum vectors = {"room", "make_sessions array of std::vector<double> in Session", 0, 0, 0};
    Sum bits = {"room", "make_sessions array of std::vector<bool> in Session", 0, 0, 0};
    Sum strings = {"room", "make_sessions text of std::string in Session", 0, 0, 0};
    Sum deques = {"room", "Session::Session index of std::deque<int> in Session", 0, 0, 0};
    for (int i = 0; i < 200; i++) {
        Session *s = new Session;
        sessions.push_back(s);
        s->seen.reserve(static_cast<size_t>(i % 50 * 20));
        for (int k = 0; k < i % 7 * 20; k++) {
            s->seen[k] = k + i * 1000;
        }
        if (s->seen.bucket_count() > 1) {
            count(maps, s->seen.size() * 8, s->seen.bucket_count() * 8);
        }
        s->times.reserve(100);
        s->times.resize(static_cast<size_t>(i % 101), i + 0.5);
        count(vectors, s->times.size() * 8, s->times.capacity() * 8);
        s->marks.reserve(static_cast<size_t>(1 + i * 10));
        s->marks.resize(static_cast<size_t>(i % 30 * 30));
        count(bits, (s->marks.size() + 7) / 8, s->marks.capacity() / 8);
        s->text.reserve(static_cast<size_t>(100 + i));
        s->text.assign(static_cast<size_t>(i), 'a');
        count(strings, s->text.size(), s->text.capacity());
        for (int k = 0; k < i; k++) {
            s->queue.push_back(k);
        }
        for (int k = 0; k < i * 2 / 3; k++) {
            s->queue.pop_front();
        }
        size_t first = static_cast<size_t>(i * 2 / 3) % 128, n = s->queue.size();
        size_t chunks = (first + n) / 128 + 1;
        count(deques, n * 4, chunks * 512);
    }
    print(maps);
    print(vectors);
    print(bits);
    print(strings);
    print(deques);
}

struct Number {
    long low, high;
};

static std::vector<Number *> numbers;
static std::vector<char *> buffers;
static std::vector<long *> boxes;

static void make_boxes()
{
    for (long i = 0; i < 500; i++) {
        boxes.push_back(new long(i));
    }
    std::printf("waste boxed 500 0 %zu make_boxes make_boxes\n", 500 * sizeof(long));
}

static void make_numbers()
{
    Sum sum = {"equal", "make_numbers make_numbers", 0, 0, 0};
    for (long i = 0; i < 1000; i++) {
        numbers.push_back(new Number{i % 10 + 1, 77});
        sum.blocks += i >= 10;
    }
    sum.bytes = sum.blocks * static_cast<long>(sizeof(Number));
    print(sum);
}

// Blocks that are not zeroed do not count, nor do those with something in their second half.
static void make_buffers()
{
    Sum sum = {"unwritten", "make_buffers make_buffers", 0, 0, 0};
    for (size_t i = 0; i < 20; i++) {
        size_t size = 1000 + i * 30000, used = 1 + i * 10000;
        char *buffer = static_cast<char *>(std::calloc(1, size));
        buffers.push_back(buffer);
        std::memset(buffer, 'x', used);
        if (i % 4 == 3) {
            buffer[size - 1] = 'y';
        } else {
            count(sum, used, size);
        }
        sum.empty = 0;
    }
    print(sum);
}

int main()
{
    char c;
    std::vector<short> local;
    make_sessions();
    make_numbers();
    make_boxes();
    make_buffers();
    global.reserve(5000);
    global.insert(7);
    local.reserve(3000);
    local.push_back(1);
    std::printf("waste room 1 0 %zu main buckets of std::unordered_set<long>\n",
                (global.bucket_count() - 1) * 8);
    std::printf("waste room 1 0 %zu main array of std::vector<short>\nready\n",
                local.capacity() * 2 - 2);
    std::fflush(stdout);
    while (read(STDIN_FILENO, &c, 1) == 1) {
    }
    _exit(local[0] != 1); // with all containers
}
