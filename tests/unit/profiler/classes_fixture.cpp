/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Hierarchies with single, multiple and virtual inheritance; arrays with and without the number of
 * their elements; nodes; what has no class.
 */
#include "classes_fixture.h"

#include <cstdlib>
#include <list>
#include <memory>
#include <new>
#include <string>

namespace {

/* A compiler may take for granted that operator new changes no other variables. */
volatile size_t last_bytes;
void *volatile last_block;

} // namespace

/* Remembers the last block. */
void *operator new(size_t n_bytes)
{
    last_bytes = n_bytes;
    last_block = std::malloc(n_bytes);
    return last_block;
}

void *operator new[](size_t n_bytes)
{
    return operator new(n_bytes);
}

void operator delete(void *block) noexcept
{
    std::free(block);
}

void operator delete(void *block, size_t) noexcept
{
    std::free(block);
}

namespace shapes {

struct Shape {
    virtual ~Shape() = default;
    int area = 1;
};

struct Named {
    virtual const char *name() const
    {
        return "";
    }
    virtual ~Named() = default;
    long id = 7;
};

struct Plain { /* its elements need no destructor */
    virtual int f()
    {
        return 1;
    }
    long a[2] = {1, 2};
};

struct Circle : Shape {
    double radius = 2;
};

struct Label : Circle, Named {
    char text[20] = "label";
};

struct Left : virtual Shape {
    int left = 1;
};

struct Right : virtual Shape {
    int right = 2;
};

struct Diamond : Left, Right {
    int both = 3;
};

template <typename K, typename V> struct Table : Shape {
    K key{};
    V value{};
};

struct Point {
    int x, y;
};

struct alignas(16) Wide : Shape {
    long more[4] = {};
};

} // namespace shapes

namespace {

struct Hidden : shapes::Shape {};

} // namespace

const classes_object *classes_objects(size_t *n)
{
    static classes_object objects[20];
    static std::list<shapes::Circle> circles;
    size_t i = 0;
    auto add = [&](const char *type, void *, int is_inside = 0) {
        objects[i++] = {type, last_block, last_bytes, is_inside};
    };
    using namespace shapes;
    add("shapes::Shape", new Shape);
    add("shapes::Circle", new Circle);
    add("shapes::Label", new Label);
    add("shapes::Diamond", new Diamond);
    add("shapes::Table<int,std::string>", new Table<int, std::string>);
    add("(anonymous namespace)::Hidden", new Hidden);
    add("shapes::Circle[12]", new Circle[12]);
    add("shapes::Label[1]", new Label[1]);
    add("shapes::Plain[5]", new Plain[5]);
    add("shapes::Plain", new Plain[1]);
    add("shapes::Wide[3]", new Wide[3]);
    add("", new Point[3]{{1, 2}, {3, 4}, {5, 6}});
    add("", new char[100]{});
    add("", new const char *("a text is in a file, too"));
    add("", new (void *)(reinterpret_cast<void *>(&classes_objects)));
    circles.emplace_back();
    add("shapes::Circle", &circles, 1);
    static auto shared = std::make_shared<Circle>();
    add("shared shapes::Circle", &shared);
    static std::shared_ptr<Shape> counted(new Circle);
    add("count of shared shapes::Circle", &counted);
    *n = i;
    return objects;
}
