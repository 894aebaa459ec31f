/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Blocks whose addresses go to variables of known types, in all ways: it prints what it holds of
 * each, as types.cc does.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "case.h"

struct node {
    struct node *next;
    char *name;
    long value;
};

struct leaf {
    long values[5];
};

struct inner {
    long before;
    struct leaf *leaf;
};

struct outer {
    long first;
    struct inner inner;
};

typedef struct {
    int numbers[9];
} unnamed;

union either {
    long number;
    double fraction;
};

typedef struct node *node_pointer;

struct node *head;
unnamed *numbers;
union either *either;

static void *checked_malloc(size_t n_bytes)
{
    void *block = malloc(n_bytes);
    must(block != NULL, "there is memory");
    return block;
}

OWN_FRAME static void declared(void)
{
    struct node *node = malloc(sizeof *node);
    node->next = head;
    head = node;
}

OWN_FRAME static void assigned(int n)
{
    struct node *node = NULL;
    for (int i = 0; i < n; i++) {
        node = checked_malloc(sizeof *node);
        node->value = i;
        node->next = head;
        head = node;
    }
}

OWN_FRAME static void global(void)
{
    numbers = malloc(sizeof *numbers);
    STAY();
    either = malloc(sizeof *either);
    STAY();
}

OWN_FRAME static void member(struct outer *outer)
{
    outer->inner.leaf = malloc(sizeof *outer->inner.leaf);
    STAY();
}

OWN_FRAME static struct leaf *returned(void)
{
    struct leaf *result = calloc(1, sizeof(struct leaf));
    STAY();
    return result;
}

OWN_FRAME static void by_typedef(void)
{
    node_pointer node = calloc(1, sizeof *node);
    made(node);
}

OWN_FRAME static void list_of_pointers(void)
{
    struct node **list = malloc(10 * sizeof *list);
    list[0] = head;
    made(list);
}

OWN_FRAME static void without_a_type(void)
{
    void *block = malloc(77);
    made(block);
}

OWN_FRAME static void passed_on(void)
{
    made(malloc(99));
}

int main(void)
{
    static struct outer outer;
    declared();
    assigned(6);
    global();
    member(made(&outer));
    outer.inner.leaf->values[0] = returned()->values[0];
    by_typedef();
    list_of_pointers();
    without_a_type();
    passed_on();
    say("type struct node %zu\n", 8 * sizeof(struct node));
    say("type unnamed %zu\n", sizeof(unnamed));
    say("type union either %zu\n", sizeof(union either));
    say("type struct leaf %zu\n", 2 * sizeof(struct leaf));
    say("type struct node * %zu\n", 10 * sizeof(struct node *));
    say("type without_a_type 77\n");
    say("type passed_on 99\n");
    char byte;
    say("ready\n");
    while (read(0, &byte, 1) > 0) {
    }
    _exit(0);
}
