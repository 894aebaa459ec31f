/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Owners on random graphs, compared with a search from each block that may be one; and what wins
 * when a class and a site name a block.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sanitizer.h"
#include "classes_fixture.h"
#include "failing_alloc.h"
#include "native/collector/types/types.h"
#include "own_image.h"
#include "symbol/demangle.h"

enum { MAX_BLOCKS = 24, MAX_EDGES = 60, N_SITES = 6, BLOCK_BYTES = 32 };

/* By site. */
static const hpp__site_type sites[N_SITES] = {
    {{"Session", 7}, true, HPP__NAMED_BY_VARIABLE},
    {{"Cache", 5}, true, HPP__NAMED_BY_CONTAINER},
    {{"node of std::map<int,Foo>", 25}, false, HPP__NAMED_BY_CONTAINER},
    {{"text of std::string", 19}, false, HPP__NAMED_BY_CONTAINER},
    {{"char", 4}, false, HPP__NAMED_BY_VARIABLE},
    {{"", 0}, false, HPP__NAMED_BY_SITE},
};

static hpp__site_type of_site(void *context, uint32_t site)
{
    (void)context;
    return sites[site];
}

static bool read_zeros(void *context, void *out, uint64_t address, size_t n_bytes)
{
    (void)context;
    (void)address;
    memset(out, 0, n_bytes);
    return true;
}

static hpp__image_block blocks[MAX_BLOCKS];
static hpp__graph_node nodes[MAX_BLOCKS + 1];
static uint32_t edges[MAX_EDGES];
static size_t n_blocks;

static void make_graph(void)
{
    size_t n_edges = 0;
    n_blocks = 1 + (size_t)rand() % (MAX_BLOCKS - 1);
    for (size_t i = 0; i < n_blocks; i++) {
        blocks[i] = (hpp__image_block){0x1000 + i * BLOCK_BYTES, 1 + (uint64_t)rand() % BLOCK_BYTES,
                                       (uint32_t)rand() % N_SITES, false};
        nodes[i] = (hpp__graph_node){.first_edge = n_edges};
        for (int n = rand() % 4; n > 0 && n_edges < MAX_EDGES; n--) {
            edges[n_edges++] = (uint32_t)((size_t)rand() % n_blocks);
        }
    }
    nodes[n_blocks] = (hpp__graph_node){.first_edge = n_edges};
}

/* Stores the distance of each block from one; SIZE_MAX where no pointers lead. */
static void measure(size_t from, size_t *distance)
{
    for (size_t i = 0; i < n_blocks; i++) {
        distance[i] = i == from ? 0 : SIZE_MAX;
    }
    for (size_t round = 0; round < n_blocks; round++) {
        for (size_t i = 0; i < n_blocks; i++) {
            for (uint64_t k = nodes[i].first_edge; k < nodes[i + 1].first_edge; k++) {
                size_t *to = &distance[edges[k]];
                if (distance[i] != SIZE_MAX && distance[i] + 1 < *to) {
                    *to = distance[i] + 1;
                }
            }
        }
    }
}

/* Writes the name that a block should have. */
static hpp__naming expect_name(size_t block, char *out, size_t out_bytes)
{
    const hpp__site_type *own = &sites[blocks[block].site];
    const char *owner = NULL;
    size_t nearest = SIZE_MAX;
    snprintf(out, out_bytes, "%s", own->type.data);
    if (own->is_object) {
        return own->naming;
    }
    for (size_t i = 0; i < n_blocks; i++) {
        size_t distance[MAX_BLOCKS];
        measure(i, distance);
        const char *name = sites[blocks[i].site].type.data;
        if (sites[blocks[i].site].is_object && distance[block] != SIZE_MAX &&
            (distance[block] < nearest ||
             (distance[block] == nearest && strcmp(name, owner) < 0))) {
            nearest = distance[block];
            owner = name;
        }
    }
    if (owner) {
        bool has_type = own->type.length > 0;
        snprintf(out, out_bytes, "%s%s%s", has_type ? own->type.data : "data of ",
                 has_type ? " in " : "", owner);
        return has_type ? own->naming : HPP__NAMED_BY_OWNER;
    }
    return own->naming;
}

Test(types, owners_are_the_nearest)
{
    hpf_error err;
    srand(11);
    for (int round = 0; round < CASES(1500); round++) {
        make_graph();
        hpp__image image = {.blocks = blocks, .n_blocks = n_blocks, .read = read_zeros};
        hpp__graph graph = {.nodes = nodes, .edges = edges, .n_blocks = n_blocks};
        hpp__types types;
        uint64_t bytes_by[HPP__N_NAMINGS] = {0};
        cr_assert_eq(hpp__types_init(&types, &image, &graph, of_site, NULL, &err), HPF_OK);
        for (size_t i = 0; i < n_blocks; i++) {
            char name[100];
            bytes_by[expect_name(i, name, sizeof name)] += blocks[i].size_bytes;
            hpf_str found = hpp__types_of(&types, i);
            cr_assert(hpf_str_is(found, name), "round %d, block %zu: \"%.*s\", expected \"%s\"",
                      round, i, (int)found.length, found.data, name);
        }
        cr_assert_arr_eq(types.bytes_by, bytes_by, sizeof bytes_by);
        hpp__types_finish(&types);
    }
}

/* ---- Classes and sites ---- */

typedef struct named_site {
    const char *type;
    hpp__naming naming;
} named_site;

static hpp__site_type of_named_site(void *context, uint32_t site)
{
    const named_site *named = context;
    (void)site;
    return (hpp__site_type){{named->type, strlen(named->type)}, true, named->naming};
}

Test(types, a_class_wins_unless_the_site_says_more)
{
    if (!hpp__demangle_is_built_in()) {
        cr_skip("libiberty is not built in");
    }
    static const struct {
        const char *of_class; /* in the fixture */
        named_site site;
        const char *type;
        hpp__naming naming;
    } cases[] = {
        {"shapes::Circle", {"", HPP__NAMED_BY_SITE}, "shapes::Circle", HPP__NAMED_BY_CLASS},
        {"shapes::Circle",
         {"shapes::Shape", HPP__NAMED_BY_CONTAINER},
         "shapes::Circle",
         HPP__NAMED_BY_CLASS},
        {"shapes::Plain[5]",
         {"array of std::vector<shapes::Plain>", HPP__NAMED_BY_CONTAINER},
         "array of std::vector<shapes::Plain>",
         HPP__NAMED_BY_CONTAINER},
        {"shapes::Plain[5]",
         {"array of std::vector<int>", HPP__NAMED_BY_CONTAINER},
         "shapes::Plain[5]",
         HPP__NAMED_BY_CLASS},
        {"shapes::Circle",
         {"Thing", HPP__NAMED_BY_VARIABLE},
         "shapes::Circle",
         HPP__NAMED_BY_CLASS},
    };
    size_t n;
    hpf_error err;
    const classes_object *objects = classes_objects(&n);
    hpp__image image = own_image();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const classes_object *object = objects;
        while (strcmp(object->type, cases[i].of_class) != 0) {
            object++;
        }
        hpp__image_block block = {(uintptr_t)object->block, object->size_bytes, 1, false};
        named_site site = cases[i].site;
        hpp__types types;
        image.blocks = &block;
        image.n_blocks = 1;
        cr_assert_eq(hpp__types_init(&types, &image, NULL, of_named_site, &site, &err), HPF_OK);
        hpf_str found = hpp__types_of(&types, 0);
        cr_expect(hpf_str_is(found, cases[i].type), "%.*s", (int)found.length, found.data);
        cr_expect_eq(types.bytes_by[cases[i].naming], object->size_bytes);
        hpp__types_finish(&types);
    }
}

Test(types, an_object_inside_names_a_block_that_nothing_else_does)
{
    if (!hpp__demangle_is_built_in()) {
        cr_skip("libiberty is not built in");
    }
    size_t n;
    hpf_error err;
    const classes_object *objects = classes_objects(&n);
    hpp__image image = own_image();
    while (!objects->is_inside) {
        objects++;
    }
    hpp__image_block block = {(uintptr_t)objects->block, objects->size_bytes, 1, false};
    image.blocks = &block;
    image.n_blocks = 1;
    for (int is_known = 0; is_known < 2; is_known++) {
        named_site site = {is_known ? "node of std::list<shapes::Circle>" : "",
                           is_known ? HPP__NAMED_BY_CONTAINER : HPP__NAMED_BY_SITE};
        hpp__types types;
        cr_assert_eq(hpp__types_init(&types, &image, NULL, of_named_site, &site, &err), HPF_OK);
        cr_expect(hpf_str_is(hpp__types_of(&types, 0),
                             is_known ? site.type : "block with shapes::Circle"));
        hpp__types_finish(&types);
    }
}

/* ---- Memory ---- */

enum { MOST_OBJECTS = 32 };

static hpp__image_block object_blocks[MOST_OBJECTS];
static hpp__graph_node object_nodes[MOST_OBJECTS + 1];
static uint32_t object_edges[MOST_OBJECTS];

static int by_address(const void *a, const void *b)
{
    const hpp__image_block *left = a, *right = b;
    return left->address < right->address ? -1 : left->address > right->address;
}

/* An image of the fixture's objects, in which each one leads to the next. */
static hpp__image chain_of_objects(hpp__graph *graph)
{
    size_t n;
    const classes_object *objects = classes_objects(&n);
    hpp__image image = own_image();
    for (size_t i = 0; i < n; i++) {
        object_blocks[i] = (hpp__image_block){(uintptr_t)objects[i].block, objects[i].size_bytes,
                                              i % N_SITES, false};
        object_nodes[i] = (hpp__graph_node){.first_edge = i};
        object_edges[i] = (uint32_t)((i + 1) % n);
    }
    object_nodes[n] = (hpp__graph_node){.first_edge = n};
    qsort(object_blocks, n, sizeof *object_blocks, by_address);
    image.blocks = object_blocks;
    image.n_blocks = n;
    *graph = (hpp__graph){.nodes = object_nodes, .edges = object_edges, .n_blocks = n};
    return image;
}

Test(types, every_failing_allocation_is_an_error_or_leaves_out_names)
{
    hpf_error err;
    hpp__graph graph;
    hpp__image image = chain_of_objects(&graph);
    uint64_t all_bytes = 0;
    for (size_t i = 0; i < image.n_blocks; i++) {
        all_bytes += image.blocks[i].size_bytes;
    }
    unsigned long n_failures = 0;
    for (int all_after = 0; all_after < 2; all_after++) {
        bool has_failed = true;
        for (unsigned long nth = 1; has_failed; nth++) {
            hpp__types types;
            failing_alloc_arm(nth, all_after);
            hpf_status status = hpp__types_init(&types, &image, &graph, of_site, NULL, &err);
            has_failed = failing_alloc_disarm();
            n_failures += has_failed;
            cr_assert(status == HPF_OK || (has_failed && status == HPF_ERR_MEMORY));
            uint64_t sum = 0;
            for (size_t i = 0; status == HPF_OK && i < HPP__N_NAMINGS; i++) {
                sum += types.bytes_by[i];
            }
            cr_assert(status != HPF_OK || sum == all_bytes);
            hpp__types_finish(&types);
        }
    }
    cr_assert_gt(n_failures, 100);
}
