/* SPDX-License-Identifier: BSD-2-Clause
 *
 * As centres.c, for C++: exceptions that skip functions, constructors, and operator new.
 */
#include <cstdlib>
#include <stdexcept>
#include <vector>

#define NO_INLINE __attribute__((noinline))

void *kept[20];
void *parts;
static int n_kept;

struct Part {
    Part() : data(std::malloc(21))
    {
    }
    void *data;
};

NO_INLINE static void last(std::size_t n_bytes)
{
    kept[n_kept++] = ::operator new(n_bytes);
}

NO_INLINE static void thrower(int depth)
{
    if (depth > 0) {
        thrower(depth - 1);
    }
    last(33);
    throw std::runtime_error("far");
}

NO_INLINE static void other(int depth)
{
    last(std::size_t(depth));
}

NO_INLINE static void catches()
{
    static void (*volatile const functions[])(int) = {thrower, other};
    for (volatile int i = 0; i < 2; i = i + 1) {
        try {
            functions[i](44);
        } catch (const std::exception &) {
            last(55);
        }
    }
}

NO_INLINE static void fills(std::vector<char> &vector)
{
    vector.resize(66);
}

int main()
{
    std::vector<char> vector;
    parts = new Part[2];
    catches();
    fills(vector);
    last(77);
    std::quick_exit(vector.empty());
}
