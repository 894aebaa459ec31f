/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A variable of main holds a list, one of a thread another one, of which main has had the end in a
 * variable that is over. After some samples main's list grows, and main returns. Other blocks are
 * lost, before and after.
 *
 *     returns PROFILE
 */
#include <pthread.h>
#include <stdlib.h>

#include "wait_for_sample.h"

typedef struct node {
    struct node *next;
    char text[92];
} node;

static node *push(node *list)
{
    node *fresh = malloc(sizeof *fresh);
    fresh->next = list;
    return fresh;
}

static void lose(int n)
{
    for (int i = 0; i < n; i++) {
        char *volatile lost = malloc(50);
        lost = NULL;
        (void)lost;
    }
}

static void sleep_on(void)
{
    usleep(50000); /* samples find the thread waiting */
}

static int from_thread[2], to_thread[2]; /* pipes */

static void *work(void *begin)
{
    node *mine = begin;
    char byte = 0;
    begin = NULL; /* it would hold the end, too */
    for (int i = 0; i < 200; i++) {
        mine = push(mine);
    }
    if (write(from_thread[1], &byte, 1) == 1 && read(to_thread[0], &byte, 1) == 1) {
        free(mine); /* never */
    }
    return NULL;
}

int main(int argc, char **argv)
{
    node *list = NULL;
    char byte;
    (void)argc;
    if (pipe(from_thread) == 0 && pipe(to_thread) == 0) {
        pthread_t thread;
        node *end = push(NULL);
        pthread_create(&thread, NULL, work, end);
    }
    if (read(from_thread[0], &byte, 1) != 1) {
        return 1;
    }
    for (int i = 0; i < 1000; i++) {
        list = push(list);
    }
    lose(40);
    for (int i = 0; i < 3; i++) {
        wait_for_sample(argv[1], sleep_on);
    }
    for (int i = 0; i < 500; i++) {
        list = push(list);
    }
    lose(20);
    return list->next == NULL;
}
