/* SPDX-License-Identifier: BSD-2-Clause
 *
 * C++: exceptions, all operators new and delete, static objects, which live before and after main,
 * and threads.
 */
extern "C" {
#include "case.h"
}

#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

template <typename T> T *seen(T *object)
{
    T *volatile p = object;
    return p;
}

/* ---- exceptions ------------------------------------------------------------------------------ */

const char message[] = "a message that is longer than any string within a string";

struct Guard {
    std::unique_ptr<char[]> memory{new char[300]};
    ~Guard()
    {
        delete[] seen(new char[10]);
    }
};

OWN_FRAME void throw_below(int depth)
{
    Guard guard;
    if (depth == 0) {
        throw std::runtime_error(message);
    }
    throw_below(depth - 1);
    STAY();
}

OWN_FRAME std::size_t keep_after_throw()
{
    seen(new char[123]);
    return 123;
}

int throws(char **)
{
    std::size_t live = 0;
    for (int i = 0; i < 500; i++) {
        try {
            throw_below(i % 30);
        } catch (const std::exception &e) {
            must(std::string(e.what()) == message, "the message arrives");
            live += keep_after_throw();
        }
    }
    say("live keep_after_throw %zu\nthrough throw_below 0\n", live);
    return 0;
}

/* ---- operators ------------------------------------------------------------------------------- */

struct alignas(256) Aligned {
    char content[512];
};

OWN_FRAME std::size_t keep_new()
{
    seen(new int[25]);
    seen(new Aligned);
    seen(new Aligned[3]);
    seen(new (std::nothrow) char[40]);
    seen(::operator new(60));
    seen(::operator new (64, std::align_val_t{64}));
    return 100 + 512 + 3 * 512 + 40 + 60 + 64;
}

void delete_all()
{
    Aligned *one = seen(new Aligned), *many = seen(new Aligned[2]);
    must(reinterpret_cast<std::uintptr_t>(one) % 256 == 0, "objects are aligned");
    delete one;
    delete[] many;
    ::operator delete (seen(::operator new(70)), std::size_t{70});
    ::operator delete[](seen(::operator new[](80)), std::size_t{80});
    ::operator delete (seen(::operator new (128, std::align_val_t{128})), std::size_t{128},
                       std::align_val_t{128});
    ::operator delete(seen(::operator new(90, std::nothrow)), std::nothrow);
}

template <typename Make> void must_throw(Make make)
{
    bool is_thrown = false;
    try {
        seen(make());
    } catch (const std::bad_alloc &) {
        is_thrown = true;
    }
    must(is_thrown, "operator new throws");
}

void fail_to_make()
{
    volatile std::size_t most = SIZE_MAX / 2;
    must_throw([&] { return ::operator new(most); });
    must_throw([&] { return ::operator new[](most); });
    must_throw([&] { return ::operator new[](most, std::align_val_t{64}); });
    must(::operator new(most, std::nothrow) == nullptr, "or says so");
}

int makes(char **)
{
    for (int i = 0; i < 200; i++) {
        delete_all();
    }
    fail_to_make();
    say("live keep_new %zu\n", keep_new());
    return 0;
}

/* Prints what each operator was asked for, which may be less than what it gets from the allocator. */
int counts(char **)
{
    seen(new char[100000]);
    seen(::operator new[](3000));
    seen(new (std::nothrow) char[7000]);
    seen(new (std::align_val_t{64}) char[5000]);
    seen(::operator new[](1001, std::align_val_t{128}, std::nothrow));
    seen(::operator new(900, std::align_val_t{64}));
    seen(::operator new(17));
    seen(std::aligned_alloc(64, 6400));
    say("call new[] %d\ncall new %d\ncall aligned %d\n", 116001, 917, 6400);
    return 0;
}

/* ---- containers and threads ------------------------------------------------------------------ */

OWN_FRAME void fill_and_drop(int n)
{
    std::map<std::string, std::vector<int>> table;
    for (int i = 0; i < n; i++) {
        table["a key that needs memory " + std::to_string(i % 97)].push_back(i);
    }
    must(table.size() == 97, "all keys are there");
}

int contains(char **)
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; i++) {
        threads.emplace_back(fill_and_drop, 5000);
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    say("through fill_and_drop 0\nlive keep %zu\n", keep(4, 44));
    return 0;
}

/* ---- objects with static life ---------------------------------------------------------------- */

bool is_told;
std::size_t kept_at_the_end;

struct Static {
    std::vector<char> content = std::vector<char>(1000);
    OWN_FRAME ~Static()
    {
        if (is_told) {
            kept_at_the_end += keep(2, 500);
            say("live keep %zu\n", kept_at_the_end);
        }
    }
};

Static before_main;

int outlives(char **)
{
    static Static in_function;
    is_told = true;
    in_function.content.resize(5000);
    before_main.content.resize(7000);
    return 0;
}

const native_case cases[] = {
    {"throws", throws},     {"counts", counts},     {"makes", makes},
    {"contains", contains}, {"outlives", outlives}, {nullptr, nullptr},
};

} // namespace

int main(int, char **argv)
{
    return run_case(cases, argv);
}
