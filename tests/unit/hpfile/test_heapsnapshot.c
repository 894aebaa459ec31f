/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Snapshots as files: what is written is read back; files of V8 and broken ones.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "hpfile/str.h"
#include "hpfile/sink.h"
#include "rng.h"
#include "hpfile/heapsnapshot.h"
#include "hpfile/waste.h"

#define META(node_fields, node_types, edge_fields, edge_types)                                     \
    "{\"snapshot\":{\"meta\":{\"node_fields\":[" node_fields "],\"node_types\":[[" node_types      \
    "],\"string\",\"number\"],\"edge_fields\":[" edge_fields "],\"edge_types\":[[" edge_types      \
    "],\"node\"]},\"node_count\":3,\"extra\":[{}]},"
#define USUAL                                                                                      \
    META("\"type\",\"name\",\"id\",\"self_size\",\"edge_count\"",                                  \
         "\"synthetic\",\"object\",\"string\"", "\"type\",\"name_or_index\",\"to_node\"",          \
         "\"element\",\"weak\",\"shortcut\"")

static hpf_snapshot read_back;
static hpf_error err;
static unsigned columns; /* to read */

static hpf_status read_text(hpf_str text)
{
    hpf_source *source = NULL;
    hpf_snapshot_finish(&read_back);
    err = (hpf_error){0};
    cr_assert_eq(hpf_source_from_memory(&source, text, NULL, NULL), HPF_OK);
    hpf_status status = hpf_heapsnapshot_read(&read_back, source, columns, NULL, &err);
    hpf_source_destroy(source);
    return status;
}

static void tear_down(void)
{
    hpf_snapshot_finish(&read_back);
}

TestSuite(heapsnapshot, .fini = tear_down);

Test(heapsnapshot, restores_what_was_written)
{
    rng r = {21};
    for (int i = 0; i < 200; i++) {
        hpf_snapshot s = {0};
        uint32_t n = 1 + (uint32_t)rng_below(&r, 40);
        for (uint32_t v = 0; v < n; v++) {
            char name[32];
            int length = snprintf(name, sizeof name, "\"n\\%c\t%u\xff", (char)('a' + v % 3), v % 9);
            (void)!hpf_snapshot_add_node(&s, (hpf_str){name, (size_t)length},
                                         rng_next(&r) >> (8 + rng_below(&r, 50)),
                                         rng_below(&r, 2) > 0, NULL);
            for (uint64_t k = rng_below(&r, 4); k > 0; k--) {
                (void)!hpf_snapshot_add_edge(&s, (uint32_t)rng_below(&r, n), NULL);
            }
        }
        hpf_sink *sink = hpf_sink_to_memory();
        hpf_heapsnapshot_write(&s, sink);
        cr_assert(hpf_heapsnapshot_is(hpf_sink_bytes(sink)));
        cr_assert_eq(read_text(hpf_sink_bytes(sink)), HPF_OK, "%s", err.message);
        cr_assert_eq(read_back.n_nodes, n);
        cr_assert_eq(read_back.n_edges, s.n_edges);
        for (uint32_t v = 0; v < n; v++) {
            cr_assert_eq(read_back.sizes[v], s.sizes[v]);
            cr_assert_eq(read_back.is_object[v], s.is_object[v]);
            cr_assert_eq(read_back.first_edges[v + 1], s.first_edges[v + 1]);
            cr_assert(hpf_str_equal(hpf_snapshot_name(&read_back, v), hpf_snapshot_name(&s, v)));
        }
        for (uint32_t k = 0; k < s.n_edges; k++) {
            cr_assert_eq(read_back.targets[k], s.targets[k]);
        }
        hpf_sink_destroy(sink);
        hpf_snapshot_finish(&s);
    }
}

Test(heapsnapshot, reads_other_fields_and_leaves_out_references_that_hold_nothing)
{
    /* Fields in another order; the root has a shortcut, which counts, node 1 has one that does not,
     * and a weak reference. */
    hpf_str text =
        HPF_STR(META("\"name\",\"edge_count\",\"type\",\"self_size\"",
                     "\"synthetic\",\"object\",\"string\"", "\"to_node\",\"type\"",
                     "\"element\",\"weak\",\"shortcut\"") "\"nodes\":[0,1,0,0, 1,3,1,16,\n2,0,2,"
                                                          "40],\"edges\":[4,2, 8,1,8,2 , 8,0],"
                                                          "\"samples\":[],\"strings\":[\"\",\"Map\""
                                                          ",\"a \\u00e9 text\"]}");
    cr_assert_eq(read_text(text), HPF_OK, "%s", err.message);
    cr_assert_eq(read_back.n_nodes, 3);
    cr_assert_eq(read_back.n_edges, 2);
    cr_assert_eq(read_back.targets[0], 1);
    cr_assert_eq(read_back.targets[1], 2);
    cr_assert_eq(read_back.first_edges[2], 2);
    cr_assert_eq(read_back.sizes[2], 40);
    cr_assert(hpf_str_is(hpf_snapshot_name(&read_back, 1), "Map"));
    cr_assert(hpf_str_is(hpf_snapshot_name(&read_back, 2), "(string)"));
    cr_assert_not(read_back.is_object[0]);
    cr_assert(read_back.is_object[2]);
    cr_assert_null(read_back.ids);
    cr_assert_null(read_back.own_names);
    columns = HPF_HEAPSNAPSHOT_IDS | HPF_HEAPSNAPSHOT_OWN_NAMES;
    cr_assert_eq(read_text(text), HPF_OK, "%s", err.message);
    cr_assert_null(read_back.ids, "the file has none");
    cr_assert(hpf_str_is(hpf_snapshot_text(&read_back, read_back.own_names[1]), "Map"));
    cr_assert(hpf_str_is(hpf_snapshot_text(&read_back, read_back.own_names[2]), "a \xc3\xa9 text"));
}

Test(heapsnapshot, restores_ids_sites_and_the_process)
{
    hpf_snapshot s = {.process = UINT64_C(0xfedcba9876543210)};
    static const uint64_t ids[] = {0, 0, UINT64_C(0xffffffffffff1), 0, 33};
    static const char *const sites[] = {"", "", "", "make@a.c:1", ""};
    for (int i = 0; i < 5; i++) {
        cr_assert_eq(hpf_snapshot_add_node(&s, HPF_STR("x"), 8, i > 0, NULL), HPF_OK);
        cr_assert_eq(hpf_snapshot_set_origin(&s, ids[i], hpf_str_of(sites[i]), NULL), HPF_OK);
        cr_assert_eq(hpf_snapshot_add_edge(&s, (uint32_t)i, NULL), HPF_OK);
    }
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_heapsnapshot_write(&s, sink);
    columns = HPF_HEAPSNAPSHOT_IDS | HPF_HEAPSNAPSHOT_SITES;
    cr_assert_eq(read_text(hpf_sink_bytes(sink)), HPF_OK, "%s", err.message);
    cr_assert_eq(read_back.process, s.process);
    for (uint32_t i = 0; i < 5; i++) {
        uint64_t above = (UINT64_C(1) << 52) + 2 * i + 1;
        cr_assert_eq(read_back.ids[i], ids[i] ? ids[i] : above);
        cr_assert_eq(read_back.sites[i] != HPF_SNAPSHOT_NONE, *sites[i] != '\0');
        cr_assert_eq(read_back.targets[i], i);
    }
    cr_assert(hpf_str_is(hpf_snapshot_text(&read_back, read_back.sites[3]), sites[3]));
    columns = 0;
    cr_assert_eq(read_text(hpf_sink_bytes(sink)), HPF_OK, "%s", err.message);
    cr_assert(!read_back.ids && !read_back.sites);
    hpf_sink_destroy(sink);
    hpf_snapshot_finish(&s);
}

static void check_waste(const hpf_waste *found, const hpf_waste *expected)
{
    cr_assert_eq(found->kind, expected->kind);
    cr_assert(hpf_str_equal(found->type, expected->type));
    cr_assert(hpf_str_equal(found->site, expected->site));
    cr_assert_eq(found->n_blocks, expected->n_blocks);
    cr_assert_eq(found->n_empty, expected->n_empty);
    cr_assert_eq(found->bytes, expected->bytes);
    cr_assert_eq(found->all_bytes, expected->all_bytes);
}

Test(heapsnapshot, restores_waste)
{
    hpf_snapshot s = {0};
    cr_assert_eq(hpf_snapshot_add_node(&s, HPF_STR("(root)"), 0, false, NULL), HPF_OK);
    for (int i = 0; i < HPF_N_WASTE_KINDS; i++) {
        hpf_waste row = {
            (hpf_waste_kind)i, HPF_STR("a \"type\" \xff"), HPF_STR(""), 7, 3, UINT32_MAX, 1};
        row.site = i % 2 ? HPF_STR("make@a.c:1") : row.site;
        cr_assert_eq(hpf_snapshot_add_waste(&s, &row, NULL), HPF_OK);
    }
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_heapsnapshot_write(&s, sink);
    cr_assert_eq(read_text(hpf_sink_bytes(sink)), HPF_OK, "%s", err.message);
    cr_assert_eq(read_back.n_waste, HPF_N_WASTE_KINDS);
    for (size_t i = 0; i < read_back.n_waste; i++) {
        check_waste(&read_back.waste[i], &s.waste[i]);
    }
    cr_assert(hpf_str_is(hpf_snapshot_name(&read_back, 0), "(root)"));
    hpf_sink_destroy(sink);
    hpf_snapshot_finish(&s);
}

Test(heapsnapshot, finds_equal_strings)
{
    /* Node 3 is one more "x" that is longer; nodes 4 and 5 are no strings, or the only one. */
    columns = HPF_HEAPSNAPSHOT_OWN_NAMES;
    cr_assert_eq(
        read_text(HPF_STR(USUAL "\"nodes\":[0,0,1,0,0, 2,1,3,16,0, 2,1,5,16,0, 2,1,7,40,0, "
                                "1,1,9,16,0, 2,2,11,80,0],\"edges\":[],\"strings\":[\"\","
                                "\"x\",\"y\"]}")),
        HPF_OK, "%s", err.message);
    cr_assert_eq(hpf_snapshot_find_waste(&read_back, &err), HPF_OK);
    cr_assert_eq(read_back.n_waste, 1);
    const hpf_waste expected = {HPF_WASTE_EQUAL, HPF_STR("x"), HPF_STR(""), 2, 0, 32, 72};
    check_waste(&read_back.waste[0], &expected);
}

Test(heapsnapshot, finds_numbers_that_are_objects)
{
    columns = HPF_HEAPSNAPSHOT_OWN_NAMES;
    cr_assert_eq(
        read_text(HPF_STR(META(
            "\"type\",\"name\",\"id\",\"self_size\",\"edge_count\"",
            "\"synthetic\",\"object\",\"number\"", "\"type\",\"name_or_index\",\"to_node\"",
            "\"element\"") "\"nodes\":[0,0,1,0,0, 2,1,3,16,0, 2,1,5,16,0, 1,1,7,40,0],\"edges\":[],"
                           "\"strings\":[\"\",\"heap number\"]}")),
        HPF_OK, "%s", err.message);
    cr_assert_eq(hpf_snapshot_find_waste(&read_back, &err), HPF_OK);
    cr_assert_eq(read_back.n_waste, 1);
    const hpf_waste expected = {HPF_WASTE_BOXED, HPF_STR("(number)"), HPF_STR(""), 2, 0, 32, 32};
    check_waste(&read_back.waste[0], &expected);
}

Test(heapsnapshot, does_not_compare_strings_that_v8_has_cut)
{
    columns = HPF_HEAPSNAPSHOT_OWN_NAMES;
    for (int length = 1023; length <= 1024; length++) {
        char text[2000];
        char letters[1025];
        memset(letters, 'x', sizeof letters);
        int n = snprintf(text, sizeof text,
                         USUAL "\"nodes\":[0,0,1,0,0, 2,1,3,1040,0, 2,1,5,1040,0],\"edges\":[],"
                               "\"strings\":[\"\",\"%.*s\"]}",
                         length, letters);
        cr_assert_eq(read_text((hpf_str){text, (size_t)n}), HPF_OK, "%s", err.message);
        cr_assert_eq(hpf_snapshot_find_waste(&read_back, &err), HPF_OK);
        cr_expect_eq(read_back.n_waste, length < 1024);
    }
}

Test(heapsnapshot, sorts_waste_and_passes_unknown_kinds)
{
    cr_assert_eq(
        read_text(HPF_STR(
            "{\"snapshot\":{\"waste\":[[\"size\",\"b\",\"\",2,0,90,200],[\"new\",\"c\",\"\",1,0,1,"
            "1],"
            "[\"room\",\"d\",\"\",1,0,7,9],[\"size\",\"a\",\"\",1,0,0,99],[\"equal\",\"e\",\"\",1,"
            "0,8,"
            "9]],\"meta\":{\"node_fields\":[\"type\",\"name\",\"self_size\",\"edge_count\"],"
            "\"node_types\":[[\"object\"]],\"edge_fields\":[\"type\",\"to_node\"]}},"
            "\"nodes\":[0,0,0,0],\"edges\":[],\"strings\":[\"\"]}")),
        HPF_OK, "%s", err.message);
    cr_assert_eq(read_back.n_waste, 4);
    hpf_waste_sort(read_back.waste, read_back.n_waste);
    static const char *const types[] = {"e", "d", "a", "b"};
    for (size_t i = 0; i < 4; i++) {
        cr_assert(hpf_str_is(read_back.waste[i].type, types[i]));
    }
}

Test(heapsnapshot, reads_ids)
{
    columns = HPF_HEAPSNAPSHOT_IDS;
    cr_assert_eq(read_text(HPF_STR(USUAL "\"nodes\":[0,0,1,0,1, 1,1,77,16,0, 1,1,99999999999,40,0],"
                                         "\"edges\":[0,0,5],\"strings\":[\"\",\"Map\"]}")),
                 HPF_OK, "%s", err.message);
    static const uint64_t expected[] = {1, 77, UINT64_C(99999999999)};
    cr_assert_arr_eq(read_back.ids, expected, sizeof expected);
    cr_assert_eq(hpf_snapshot_connect(&read_back, &err), HPF_OK);
    cr_assert_eq(read_back.n_nodes, 4, "what the root does not reach is below (unreached)");
    cr_assert_eq(read_back.ids[3], 0, "which has no id");
}

/* Node 1 is the engine's, 2 a global object, 3 what both refer to, 4 the engine's alone. */
Test(heapsnapshot, leaves_out_what_the_engine_refers_to_in_the_page)
{
    hpf_str text =
        HPF_STR(USUAL "\"nodes\":[0,0,1,0,2, 0,0,3,0,2, 1,1,5,8,1, 1,1,7,8,0, 1,1,9,8,1],"
                      "\"edges\":[0,0,5, 2,0,10, 0,0,15, 0,1,20, 0,0,15, 0,0,5],"
                      "\"strings\":[\"\",\"x\"]}");
    cr_assert_eq(read_text(text), HPF_OK, "%s", err.message);
    static const uint32_t first_edges[] = {0, 2, 3, 4, 4, 5}, targets[] = {1, 2, 4, 3, 1};
    cr_assert_eq(read_back.n_edges, 5);
    cr_assert_arr_eq(read_back.first_edges, first_edges, sizeof first_edges);
    cr_assert_arr_eq(read_back.targets, targets, sizeof targets);
}

Test(heapsnapshot, refuses_broken_files)
{
    static const struct {
        const char *text;
        hpf_status status;
        const char *words;
    } cases[] = {
        {"[]", HPF_ERR_SYNTAX, "'{'"},
        {"{\"snapshot\":{\"waste\":[7]}}", HPF_ERR_SYNTAX, "'['"},
        {"{\"snapshot\":{\"waste\":[[\"room\",\"x\"]]}}", HPF_ERR_SYNTAX, "','"},
        {"{\"snapshot\":{\"waste\":[[\"room\",\"x\",\"\",1,0,-4,9]]}}", HPF_ERR_SYNTAX, "number"},
        {"{\"snapshot\":{\"waste\":[[\"room\",\"x\",\"\",1,0,4,9,1]]}}", HPF_ERR_SYNTAX, "']'"},
        {"{}", HPF_ERR_SYNTAX, "no heap snapshot"},
        {"{\"nodes\":[]}", HPF_ERR_ORDER, "types of nodes"},
        {USUAL "\"edges\":[]}", HPF_ERR_ORDER, "then nodes"},
        {USUAL "\"nodes\":[0,0,1,0,0]}", HPF_ERR_SYNTAX, "no heap snapshot"},
        {USUAL "\"nodes\":[],\"edges\":[],\"strings\":[]}", HPF_ERR_SYNTAX, "no heap snapshot"},
        {USUAL "\"nodes\":[0,0,1,0],", HPF_ERR_SYNTAX, "the last row lacks numbers"},
        {USUAL "\"nodes\":[0,0,1,0,-1],", HPF_ERR_SYNTAX, "expected a whole number"},
        {USUAL "\"nodes\":[0,0,1,0,0,]", HPF_ERR_SYNTAX, "expected a whole number"},
        {USUAL "\"nodes\":[0,0,1,0 0]", HPF_ERR_SYNTAX, "expected ',' or ']'"},
        {USUAL "\"nodes\":[0,0,1,0,0", HPF_ERR_SYNTAX, "expected ',' or ']'"},
        {USUAL "\"nodes\":[3,0,1,0,0]", HPF_ERR_RANGE, "unknown type"},
        {USUAL "\"nodes\":[0,0,1,99999999999999999999,0]", HPF_ERR_RANGE, "too large"},
        {USUAL "\"nodes\":[0,0,1,0,4294967295]", HPF_ERR_LIMIT, "4294967294"},
        {USUAL "\"nodes\":[0,0,1,9000000000000000000,0,0,0,3,9000000000000000000,0]", HPF_ERR_LIMIT,
         "2^63"},
        {USUAL "\"nodes\":[0,0,1,0,1],\"edges\":[]", HPF_ERR_SYNTAX, "fewer edges"},
        {USUAL "\"nodes\":[0,0,1,0,0],\"edges\":[0,0,0]", HPF_ERR_RANGE, "more edges"},
        {USUAL "\"nodes\":[0,0,1,0,1],\"edges\":[0,0,4]", HPF_ERR_RANGE, "leads to no node"},
        {USUAL "\"nodes\":[0,0,1,0,1],\"edges\":[0,0,5]", HPF_ERR_RANGE, "leads to no node"},
        {USUAL "\"nodes\":[0,1,1,0,0],\"edges\":[],\"strings\":[\"\"]}", HPF_ERR_RANGE,
         "node 0 has the string 1, of 1"},
        {META("\"type\",\"name\",\"self_size\",\"edge_count\",\"site\"", "\"object\"",
              "\"type\",\"to_node\"",
              "\"element\"") "\"nodes\":[0,0,0,0,1],\"edges\":[],\"strings\":"
                             "[\"\"]}",
         HPF_ERR_RANGE, "node 0 has the site 1, of 1"},
        {USUAL "\"nodes\":[0,0,1,0,0],\"edges\":[],\"strings\":[\"\" \"\"]}", HPF_ERR_SYNTAX,
         "',' or ']'"},
        {USUAL "\"nodes\":[0,0,1,0,0],\"edges\":[],\"strings\":[\"\"]} 1", HPF_ERR_SYNTAX,
         "the end"},
    };
    columns = HPF_HEAPSNAPSHOT_SITES;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpf_str text = {cases[i].text, strlen(cases[i].text)};
        cr_expect_eq(read_text(text), cases[i].status, "%zu: %s", i, err.message);
        cr_expect(strstr(err.message, cases[i].words), "%zu: %s", i, err.message);
        cr_expect_eq(read_back.n_nodes, 0);
    }
}
