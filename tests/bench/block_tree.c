/* SPDX-License-Identifier: BSD-2-Clause
 *
 * block_tree N: allocates N blocks of 24 bytes, a tree of nodes that each hold a block of numbers,
 * and aborts.
 */
#include <stdlib.h>

typedef struct node {
    struct node *left, *right;
    long *numbers;
} node;

node *volatile root; /* a variable that holds all */

static node *make(long n_nodes)
{
    static long n_made;
    if (n_nodes == 0) {
        return NULL;
    }
    node *made = malloc(sizeof *made);
    long *numbers = malloc(3 * sizeof *numbers);
    if (!made || !numbers) {
        exit(1);
    }
    numbers[0] = n_made++;
    numbers[1] = 7;
    numbers[2] = 3 * n_made;
    long n_left = (n_nodes - 1) / 2;
    *made = (node){make(n_left), make(n_nodes - 1 - n_left), numbers};
    return made;
}

int main(int argc, char **argv)
{
    root = make(argc > 1 ? atol(argv[1]) / 2 : 0);
    abort();
}
