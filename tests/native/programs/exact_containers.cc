/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiled by `census c++`: containers that are used once after their creation, and such that are
 * not. Called as `exact_containers BASE`, with the BASE of `census run -o`; prints the bytes of
 * both.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unistd.h>
#include <unordered_map>
#include <vector>

static size_t all_bytes;

/* Counts what containers allocate. */
template <class T> struct Counted {
    using value_type = T;
    Counted() = default;
    template <class U> Counted(const Counted<U> &)
    {
    }
    T *allocate(size_t n)
    {
        all_bytes += n * sizeof(T);
        return static_cast<T *>(std::malloc(n * sizeof(T)));
    }
    void deallocate(T *block, size_t)
    {
        std::free(block);
    }
    bool operator==(const Counted &) const
    {
        return true;
    }
    bool operator!=(const Counted &) const
    {
        return false;
    }
};

using Text = std::basic_string<char, std::char_traits<char>, Counted<char>>;
using Map = std::map<int, int, std::less<int>, Counted<std::pair<const int, int>>>;

struct Shape {
    virtual ~Shape() = default;
    virtual int area() const = 0;
    char name[100] = {};
};

struct Square : Shape {
    int area() const override
    {
        return 4;
    }
};

Shape *volatile used_shape, *volatile void_shape;

template <class Use> static size_t bytes_of(Use make)
{
    size_t before = all_bytes;
    make();
    std::free(std::malloc(1)); /* the creation is over */
    return all_bytes - before;
}

static int count_samples(const char *path)
{
    static char line[4096];
    int n = 0;
    FILE *file = std::fopen(path, "r");
    while (file && std::fgets(line, sizeof line, file)) {
        n += std::strncmp(line, "END_SAMPLE", 10) == 0;
    }
    if (file) {
        std::fclose(file);
    }
    return n;
}

static void wait_for_samples(const std::string &path, int n)
{
    int begin = count_samples(path.c_str());
    while (count_samples(path.c_str()) < begin + n) {
        usleep(1000);
    }
}

int main(int argc, char **argv)
{
    static std::vector<int, Counted<int>> used_vector, void_vector;
    static Text used_text, void_text;
    static Map used_map, void_map;
    static std::list<long, Counted<long>> used_list, void_list;
    static std::deque<char, Counted<char>> used_deque;
    static std::unordered_map<int, int, std::hash<int>, std::equal_to<int>,
                              Counted<std::pair<const int, int>>>
        used_table;
    static volatile long sink;
    std::string path = std::string(argc > 1 ? argv[1] : "") + ".hp";
    size_t unused = 0;
    bytes_of([] { used_vector.resize(1000); });
    unused += bytes_of([] { void_vector.resize(2000); });
    bytes_of([] { used_text.assign(300, 'a'); });
    unused += bytes_of([] { void_text.assign(500, 'b'); });
    bytes_of([] { used_map[1] = 2; });
    unused += bytes_of([] { void_map[1] = 2; });
    bytes_of([] { used_list.push_back(3); });
    unused += bytes_of([] { void_list.push_back(4); });
    bytes_of([] { used_deque.push_back('c'); });
    bytes_of([] { used_table[5] = 6; });
    used_shape = new Square;
    void_shape = new Square;
    std::free(std::malloc(1));
    wait_for_samples(path, 2);
    sink = used_vector[999];
    sink = sink + (used_text == "aaa");
    sink = sink + used_map.find(1)->second;
    sink = sink + used_list.front();
    sink = sink + used_deque.front();
    used_deque.push_back('d');
    for (int i = 0; i < 2; i++) {
        sink =
            sink + used_table.find(5)->second + long(used_table.bucket_size(used_table.bucket(5)));
    }
    sink = sink + used_shape->area();
    wait_for_samples(path, 3);
    /* A deque allocates before it has elements. */
    std::printf("own %zu %zu\n", all_bytes - unused, unused);
    std::fflush(stdout);
    std::_Exit(0);
}
