/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A C++ program with a known graph: a class with two bases, of which pointers to the second are in
 * the middle of the objects, containers, and texts in memory that had other pointers before. It
 * prints what holders.c prints. With an argument, it ends at once ("returns", "exits"), with a
 * thousand blocks in a container that is destroyed then.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#define NO_INLINE __attribute__((noinline))

enum { N_SHAPES = 100, N_NAMES = 50, NAME_LENGTH = 40, N_KEPT = 1000, KEPT_BYTES = 1000, ROOM = 100 };

struct Named {
    virtual ~Named() = default;
    long number = 0;
};

struct Drawn {
    virtual ~Drawn() = default;
    std::unique_ptr<Drawn> inside;
};

struct Shape : Named, Drawn {
    long corners[3] = {};
};

struct Scene {
    std::unique_ptr<Drawn> shapes[N_SHAPES];
};

static std::unique_ptr<Drawn> outermost;
static std::unique_ptr<Scene> scene;
static std::map<int, std::string> names;
static std::string *volatile worn;
static std::string jotted;
static std::vector<void *> spare;
static std::vector<void *> *volatile initial = new std::vector<void *>;
static std::vector<char *> kept; /* its destructor frees none of them */

static NO_INLINE std::unique_ptr<Drawn> make_shape()
{
    return std::unique_ptr<Drawn>(new Shape);
}

static NO_INLINE void nest_shapes()
{
    for (int i = 0; i < N_SHAPES; i++) {
        std::unique_ptr<Drawn> shape = make_shape();
        shape->inside = std::move(outermost);
        outermost = std::move(shape);
    }
}

static NO_INLINE std::unique_ptr<Scene> make_scene()
{
    return std::unique_ptr<Scene>(new Scene);
}

static NO_INLINE void set_scene()
{
    scene = make_scene();
    for (std::unique_ptr<Drawn> &shape : scene->shapes) {
        shape = make_shape();
    }
}

static NO_INLINE void add_names()
{
    for (int i = 0; i < N_NAMES; i++) {
        names[i] = std::string(NAME_LENGTH, 'n');
    }
}

/* The place for short texts, which the text does not use, still has a pointer. */
static NO_INLINE void write_over(void *pointer)
{
    void *memory = ::operator new(sizeof(std::string));
    for (size_t i = 0; i < sizeof(std::string) / sizeof(void *); i++) {
        static_cast<void *volatile *>(memory)[i] = pointer;
    }
    worn = new (memory) std::string(NAME_LENGTH, 'w');
}

/* Behind the letters and behind the last element, the memory still has a pointer. */
static NO_INLINE void leave_behind(void *pointer)
{
    jotted.reserve(ROOM * sizeof pointer - 1);
    jotted.assign(NAME_LENGTH, 'j');
    spare.reserve(ROOM);
    spare.push_back(nullptr);
    void *volatile *text = reinterpret_cast<void **>(&jotted[0]);
    void *volatile *array = spare.data();
    for (int i = NAME_LENGTH / 8 + 1; i < ROOM; i++) {
        text[i] = array[i] = pointer;
    }
}

/* Overwrites what earlier calls have left on the stack. */
static NO_INLINE void clear_stack()
{
    volatile char stale[1 << 16];
    for (volatile char &c : stale) {
        c = 0;
    }
}

static NO_INLINE void keep()
{
    kept.reserve(N_KEPT);
    for (int i = 0; i < N_KEPT; i++) {
        kept.push_back(new char[KEPT_BYTES]);
    }
    write_over(std::malloc(1));
}

static NO_INLINE void exit_from_within()
{
    std::exit(3);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        keep();
        clear_stack();
        if (std::strcmp(argv[1], "exits") == 0) {
            exit_from_within();
        }
        return 0;
    }
    nest_shapes();
    set_scene();
    add_names();
    write_over(outermost.get());
    leave_behind(outermost.get());
    clear_stack();
    /* A node of the map: colour and three pointers, key and value. */
    std::printf("held outermost %zu\n", N_SHAPES * sizeof(Shape));
    std::printf("held scene %zu\n", sizeof(Scene));
    std::printf("held make_scene %zu\n", N_SHAPES * sizeof(Shape));
    std::printf("held names %zu\n",
                N_NAMES * (32 + sizeof(std::pair<const int, std::string>) + NAME_LENGTH + 1));
    std::printf("held worn %zu\n", sizeof(std::string));
    std::printf("held write_over %d\n", NAME_LENGTH + 1);
    std::printf("held jotted %zu\n", ROOM * sizeof(void *));
    std::printf("held spare %zu\n", ROOM * sizeof(void *));
    std::printf("held initial %zu\n", sizeof *initial);
    std::printf("ready\n");
    std::fflush(stdout);
    while (std::getchar() != EOF) {
    }
}
