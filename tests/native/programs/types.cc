/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Blocks of known types. Each case prints what it holds, "type NAME BYTES", as the sizes that were
 * requested, and waits for the end of its standard input.
 */
extern "C" {
#include "case.h"
}

#include <cstdlib>
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
    say("type %s %zu\n", name, n_bytes);
}

/* Keeps everything until standard input ends. */
[[noreturn]] void finish()
{
    char byte;
    say("ready\n");
    while (read(0, &byte, 1) > 0) {
    }
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

/* ---- Classes ---- */

struct Shape {
    virtual ~Shape() = default;
    long area = 1;
};

struct Named {
    virtual ~Named() = default;
    long id = 2;
};

struct Circle : Shape {
    long radius = 3;
};

struct Label : Circle, Named {
    char letters[20] = "label";
};

struct Left : virtual Shape {
    long left = 1;
};

struct Right : virtual Shape {
    long right = 2;
};

struct Diamond : Left, Right {
    long both = 3;
};

template <typename T> struct Box : Shape {
    T content{};
};

struct Plain { /* elements that need no destructor: new[] does not keep their number */
    virtual long get() const
    {
        return value;
    }
    long value = 4;
};

int classes(char **)
{
    for (int i = 0; i < N; i++) {
        made(new Shape);
        made(new Circle);
        made(new Label);
        made(new Diamond);
        made(new Box<std::vector<int>>);
        made(new Circle[12]);
        made(new Plain[5]);
        static std::shared_ptr<Shape> shared[N];
        shared[i] = std::make_shared<Circle>();
    }
    type("(anonymous namespace)::Shape", N * sizeof(Shape));
    type("(anonymous namespace)::Circle", N * sizeof(Circle));
    type("(anonymous namespace)::Label", N * sizeof(Label));
    type("(anonymous namespace)::Diamond", N * sizeof(Diamond));
    type("(anonymous namespace)::Box<std::vector<int>>", N * sizeof(Box<std::vector<int>>));
    type("(anonymous namespace)::Circle[12]", N * (sizeof(size_t) + 12 * sizeof(Circle)));
    type("(anonymous namespace)::Plain[5]", N * 5 * sizeof(Plain));
    type("shared (anonymous namespace)::Circle",
         N * sizeof(
                 std::_Sp_counted_ptr_inplace<Circle, std::allocator<void>, __gnu_cxx::_S_atomic>));
    finish();
}

/* ---- Owners ---- */

struct Session {
    virtual ~Session() = default;
    std::map<int, Foo> foos;
    std::string text;
    void *raw;
    void **chain; /* leads to more */
};

struct Amounts {
    size_t nodes, texts, data;
};

/* A session with all that it owns. */
OWN_FRAME Amounts fill(Session *session)
{
    for (int i = 0; i < N; i++) {
        session->foos[i] = Foo{};
    }
    session->text.assign(1000, 'x');
    session->raw = std::malloc(500);
    session->chain = static_cast<void **>(std::calloc(10, sizeof(void *)));
    session->chain[9] = std::malloc(700);
    return {N * sizeof(std::_Rb_tree_node<Pair>), session->text.capacity() + 1, 500 + 80 + 700};
}

Amounts make_sessions()
{
    static Session *sessions[3];
    Amounts all = {0, 0, 0};
    for (Session *&session : sessions) {
        session = new Session;
        Amounts one = fill(session);
        all = {all.nodes + one.nodes, all.texts + one.texts, all.data + one.data};
    }
    type("(anonymous namespace)::Session", 3 * sizeof(Session));
    return all;
}

int owners(char **)
{
    Amounts all = make_sessions();
    type("node of std::map<int,Foo> in (anonymous namespace)::Session", all.nodes);
    type("text of std::string in (anonymous namespace)::Session", all.texts);
    type("data of (anonymous namespace)::Session", all.data);
    finish();
}

/* Without any symbol. (Texts are made by functions of the library, which has symbols.) */
int owners_stripped(char **)
{
    Amounts all = make_sessions();
    type("text of std::string in (anonymous namespace)::Session", all.texts);
    type("data of (anonymous namespace)::Session", all.nodes + all.data);
    finish();
}

const native_case cases[] = {
    {"containers", containers},           {"classes", classes}, {"owners", owners},
    {"owners_stripped", owners_stripped}, {nullptr, nullptr},
};

} // namespace

int main(int, char **argv)
{
    return run_case(cases, argv);
}
