/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Objects of known types from known functions. Prints "part FUNCTION TYPE BYTES" for each pair,
 * then "ready", and waits for the end of its standard input.
 */
extern "C" {
#include "case.h"
}

#include <cstdlib>
#include <unistd.h>

struct Shape {
    virtual ~Shape() = default;
    long area = 1;
};

struct Circle : Shape {
    long radius[3] = {};
};

struct node {
    node *next;
    long value;
};

enum { N_CALLS = 50 };

static Shape *shapes[4 * N_CALLS];
static node *list;
static int n_shapes;

/* Both functions allocate shapes; the first also allocates circles. */
OWN_FRAME static void draw(bool is_round)
{
    shapes[n_shapes++] = is_round ? new Circle : new Shape;
    STAY();
}

OWN_FRAME static void copy()
{
    shapes[n_shapes++] = new Shape;
    STAY();
}

OWN_FRAME static void push()
{
    node *n = static_cast<node *>(std::malloc(sizeof *n));
    n->next = list;
    list = n;
    STAY();
}

OWN_FRAME static void parse()
{
    for (int i = 0; i < N_CALLS; i++) {
        draw(i % 5 == 0);
        push();
    }
}

OWN_FRAME static void clone()
{
    for (int i = 0; i < N_CALLS; i++) {
        copy();
        push();
        push();
    }
}

static void part(const char *path, const char *type, size_t n_bytes)
{
    say("part %s %s %zu\n", path, type, n_bytes);
}

int main()
{
    char byte;
    parse();
    clone();
    part("parse;draw", "Circle", N_CALLS / 5 * sizeof(Circle));
    part("parse;draw", "Shape", (N_CALLS - N_CALLS / 5) * sizeof(Shape));
    part("parse;push", "node", N_CALLS * sizeof(node));
    part("clone;copy", "Shape", N_CALLS * sizeof(Shape));
    part("clone;push", "node", 2 * N_CALLS * sizeof(node));
    say("ready\n");
    while (read(0, &byte, 1) > 0) {
    }
    _exit(0);
}
