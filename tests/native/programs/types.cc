/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Blocks of known types. Each case prints what it holds at its end, "type NAME<tab>BYTES", as the
 * sizes that were requested, and ends without destroying anything.
 */
extern "C" {
#include "case.h"
}

#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unistd.h>
#include <unordered_map>
#include <unordered_set>
#include <vector>

struct Foo {
    long a[5];
    bool operator<(const Foo &other) const
    {
        return a[0] < other.a[0];
    }
};

namespace {

void type(const char *name, size_t n_bytes)
{
    say("type %s\t%zu\n", name, n_bytes);
}

[[noreturn]] void finish()
{
    _exit(0);
}

/* ---- Containers ---- */

enum { N = 40 };
using Pair = std::pair<const int, Foo>;

struct Containers {
    std::map<int, Foo> map;
    std::multimap<int, Foo> multimap;
    std::set<Foo> set;
    std::unordered_map<int, Foo> unordered_map;
    std::unordered_set<long> unordered_set;
    std::list<Foo> list;
    std::forward_list<Foo> forward_list;
    std::vector<Foo> vector;
    std::string string;
    std::vector<std::shared_ptr<Foo>> shared;
    std::deque<Foo> deque;
};

int containers(char **)
{
    static Containers c;
    c.shared.reserve(N);
    for (int i = 0; i < N; i++) {
        Foo foo = {{i, 0, 0, 0, 0}};
        c.map[i] = foo;
        c.multimap.emplace(i / 2, foo);
        c.set.insert(foo);
        c.unordered_map[i] = foo;
        c.unordered_set.insert(i);
        c.list.push_back(foo);
        c.forward_list.push_front(foo);
        c.vector.push_back(foo);
        c.string += "some more text";
        c.shared.push_back(std::make_shared<Foo>(foo));
        c.deque.push_back(foo);
    }
    type("node of std::map<int,Foo>", N * sizeof(std::_Rb_tree_node<Pair>));
    type("node of std::multimap<int,Foo>", N * sizeof(std::_Rb_tree_node<Pair>));
    type("node of std::set<Foo>", N * sizeof(std::_Rb_tree_node<Foo>));
    type("node of std::unordered_map<int,Foo>", N * sizeof(std::__detail::_Hash_node<Pair, false>));
    type("buckets of std::unordered_map<int,Foo>", c.unordered_map.bucket_count() * sizeof(void *));
    type("node of std::unordered_set<long>", N * sizeof(std::__detail::_Hash_node<long, false>));
    type("buckets of std::unordered_set<long>", c.unordered_set.bucket_count() * sizeof(void *));
    type("node of std::list<Foo>", N * sizeof(std::_List_node<Foo>));
    type("node of std::forward_list<Foo>", N * sizeof(std::_Fwd_list_node<Foo>));
    type("array of std::vector<Foo>", c.vector.capacity() * sizeof(Foo));
    type("array of std::vector<std::shared_ptr<Foo>>", N * sizeof(std::shared_ptr<Foo>));
    type("text of std::string", c.string.capacity() + 1);
    type("shared Foo",
         N * sizeof(std::_Sp_counted_ptr_inplace<Foo, std::allocator<void>, __gnu_cxx::_S_atomic>));
    /* As many chunks as there are bytes for: an empty one is made in advance by no function. */
    size_t per_chunk = std::__deque_buf_size(sizeof(Foo));
    type("chunk of std::deque<Foo>", (N / per_chunk + 1) * per_chunk * sizeof(Foo));
    type("index of std::deque<Foo>", 8 * sizeof(void *));
    finish();
}

const native_case cases[] = {
    {"containers", containers},
    {nullptr, nullptr},
};

} // namespace

int main(int, char **argv)
{
    return run_case(cases, argv);
}
