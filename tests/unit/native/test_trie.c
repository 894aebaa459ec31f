/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Nodes and sites: equal contents have one number, even if the table grows, in other threads, and
 * if the window must not grow.
 */
#include "native/window/trie.h"

#include <pthread.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "native/window/window_writer.h"

enum { N = 20000, MIB = 1 << 20 };

static void begin(void)
{
    const char *reason;
    cr_assert(ge(int, hpp__window_make(&reason, 64 * MIB), 0));
}

TestSuite(trie, .init = begin);

/* Returns the i-th of many nodes, each of which differs from another in one part only. */
static uint32_t nth_node(uint32_t i)
{
    return hpp__trie_node(i / 64, 0x400000 + i % 4 * 0x1000000000000, (uint16_t)(i / 4 % 4),
                          (uint16_t)(i / 16 % 4));
}

Test(trie, equal_contents_share_a_node)
{
    uint32_t nodes[N];
    for (uint32_t i = 0; i < N; i++) {
        nodes[i] = nth_node(i);
        cr_assert(eq(u32, nodes[i], i + 1));
    }
    for (uint32_t i = 0; i < N; i++) {
        cr_assert(eq(u32, nth_node(i), nodes[i]));
        const hpp_window_node *node = hpp__trie_look(nodes[i]);
        cr_assert(eq(u32, node->parent, i / 64));
        cr_assert(eq(u64, node->address, 0x400000 + i % 4 * 0x1000000000000));
        cr_assert(eq(u16, node->module_index, (uint16_t)(i / 4 % 4)));
        cr_assert(eq(u16, node->flags, (uint16_t)(i / 16 % 4)));
    }
    cr_assert(eq(u32, hpp__window->head.n_nodes, N + 1));
}

Test(trie, equal_nodes_and_calls_share_a_site)
{
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < N; i++) {
            uint32_t site = hpp__trie_site(i / 4, (hpp_call)(i % 4));
            cr_assert(eq(u32, site, HPP_FIRST_SITE + i));
            cr_assert(eq(u32, hpp__trie_site_node(site), i / 4));
        }
    }
    cr_assert(eq(u32, hpp__window->head.n_sites, HPP_FIRST_SITE + N));
}

Test(trie, finds_only_existing_nodes_without_growth)
{
    static const uint32_t controls[] = {HPP_CONTROL_NO_NEW_STACKS, HPP_CONTROL_NO_NEW_BLOCKS};
    uint32_t node = nth_node(0), site = hpp__trie_site(node, 1);
    for (int i = 0; i < 2; i++) {
        hpp__window->head.control = controls[i];
        cr_expect(eq(u32, nth_node(0), node));
        cr_expect(eq(u32, nth_node(1), 0));
        cr_expect(eq(u32, hpp__trie_site(node, 1), site));
        cr_expect(eq(u32, hpp__trie_site(node, 2), 0));
    }
    hpp__window->head.control = 0;
    cr_expect(eq(u32, nth_node(1), node + 1));
}

static void *add_all(void *nodes)
{
    for (uint32_t i = 0; i < N; i++) {
        ((uint32_t *)nodes)[i] = nth_node(i);
    }
    return NULL;
}

/* Two threads may create a node twice, but then agree on one of them. */
Test(trie, threads_agree_on_nodes)
{
    static uint32_t nodes[2][N];
    pthread_t thread;
    cr_assert(eq(int, pthread_create(&thread, NULL, add_all, nodes[0]), 0));
    add_all(nodes[1]);
    cr_assert(eq(int, pthread_join(thread, NULL), 0));
    for (uint32_t i = 0; i < N; i++) {
        uint32_t node = nth_node(i);
        cr_assert(ne(u32, node, 0));
        for (int k = 0; k < 2; k++) {
            const hpp_window_node *a = hpp__trie_look(node), *b = hpp__trie_look(nodes[k][i]);
            cr_assert(eq(u32, a->parent, b->parent));
            cr_assert(eq(u64, a->address, b->address));
            cr_assert(eq(u16, a->module_index, b->module_index));
            cr_assert(eq(u16, a->flags, b->flags));
        }
    }
}

/* The last entries that fit are found, and the first that does not is refused. */
Test(trie, full_window_rejects_nodes)
{
    uint32_t n = 0;
    while (hpp__trie_node(7, n, 0, 0) != 0) {
        n++;
    }
    cr_assert(gt(u32, n, 2 * MIB));
    cr_expect(eq(u32, hpp__trie_node(7, n - 1, 0, 0), n));
    cr_expect(eq(u32, hpp__trie_node(7, n, 0, 0), 0));
}
