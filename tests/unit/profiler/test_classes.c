/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Classes of C++ in the memory of the test itself, and in memory that is damaged in every way.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "classes_fixture.h"
#include "native/collector/types/classes.h"
#include "own_image.h"
#include "symbol/demangle.h"

Test(classes, of_objects_arrays_and_nodes)
{
    if (!hpp__demangle_is_built_in()) {
        cr_skip("libiberty is not built in");
    }
    size_t n;
    const classes_object *objects = classes_objects(&n);
    hpp__image image = own_image();
    hpp__classes classes;
    hpp__text name = {0};
    cr_assert(hpp__classes_init(&classes, &image));
    for (int round = 0; round < 2; round++) { /* the second time they are known */
        for (size_t i = 0; i < n; i++) {
            const classes_object *object = &objects[i];
            hpp__holding holding = hpp__classes_of_block(
                &classes, &name, object->block, object->size_bytes / 8, object->size_bytes);
            hpf_str text = hpp__text_str(&name);
            cr_expect(hpf_str_is(text, object->type), "%zu: \"%.*s\", expected \"%s\"", i,
                      (int)text.length, text.data, object->type);
            cr_expect_eq(holding, object->is_inside ? HPP__HOLDS_OBJECT
                                  : object->type[0] ? HPP__IS_OBJECT
                                                    : HPP__HOLDS_NONE);
        }
    }
    hpp__text_finish(&name);
    hpp__classes_finish(&classes);
}

/* ---- Made memory ---- */

/* A file at 0x10000 with a vtable of class "4Good" at 0x10010, its type_info at 0x10020, the class
 * of that at 0x10040, whose type_info is at 0x10050. */
enum { BASE = 0x10000, SIZE = 0x200 };

static uint64_t made[SIZE / 8];

static bool read_made(void *context, void *out, uint64_t address, size_t n_bytes)
{
    (void)context;
    if (address < BASE || address > BASE + SIZE || n_bytes > BASE + SIZE - address) {
        return false;
    }
    memcpy(out, (const char *)made + (address - BASE), n_bytes);
    return true;
}

static void make(void)
{
    memset(made, 0, sizeof made);
    made[1] = BASE + 0x20;  /* of the vtable 0x10010: its type_info */
    made[4] = BASE + 0x40;  /* that begins like an object of its class */
    made[5] = BASE + 0x80;  /* name */
    made[7] = BASE + 0x50;  /* of the vtable 0x10040 */
    made[10] = BASE + 0x40; /* a class has a class */
    made[11] = BASE + 0xa0;
    memcpy(&made[16], "4Good", 6);
    memcpy(&made[20], "N10__cxxabiv117__class_type_infoE", 34);
}

static bool is_good(void)
{
    static const hpp__image_map map = {
        .begin = BASE, .end = BASE + SIZE, .is_readable = true, .path = "/bin/good"};
    hpp__image image = {.maps = &map, .n_maps = 1, .read = read_made};
    hpp__classes classes;
    cr_assert(hpp__classes_init(&classes, &image));
    hpf_str name = hpp__classes_find(&classes, BASE + 0x10);
    cr_assert(name.length == 0 || hpf_str_is(name, "Good"), "%.*s", (int)name.length, name.data);
    for (uint64_t word = BASE - 16; word < BASE + SIZE + 16; word++) {
        hpf_str other = hpp__classes_find(&classes, word);
        bool may_be = word == BASE + 0x10 || word == BASE + 0x40;
        cr_assert(may_be || other.length == 0);
    }
    bool good = name.length > 0;
    hpp__classes_finish(&classes);
    return good;
}

Test(classes, every_part_of_a_class_must_be_right)
{
    if (!hpp__demangle_is_built_in()) {
        cr_skip("libiberty is not built in");
    }
    make();
    cr_assert(is_good());
    static const struct {
        size_t index;
        uint64_t value;
    } changes[] = {
        {0, 8},
        {0, UINT64_MAX - 7},
        {1, BASE + 0x24},
        {1, BASE + SIZE},
        {1, 0},
        {4, BASE + 0x48},
        {4, BASE + 0x10},
        {5, BASE + SIZE},
        {5, BASE + 0x80 + 6},
        {5, BASE + 0xa0 + 3},
        {7, BASE + 0x58},
        {10, UINT64_MAX},
        {11, BASE + 0x80},
        {16, 0x206f6f4734},
        {16, 0x01646f6f4734},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        make();
        made[changes[i].index] = changes[i].value;
        /* The class of classes need not have a class itself. */
        cr_expect(is_good() == (changes[i].index == 10), "change %zu", i);
    }
    make();
    memset(&made[16], 'a', sizeof made - 16 * sizeof *made); /* a name that does not end */
    cr_expect_not(is_good());
    make();
    memcpy(&made[16], "*4Good", 7); /* of one unit only */
    cr_expect(is_good());
}

Test(classes, random_memory_has_no_class)
{
    srand(5);
    hpp__text name = {0};
    for (int round = 0; round < 3000; round++) {
        for (size_t i = 0; i < SIZE / 8; i++) {
            made[i] = rand() % 4 ? (uint64_t)(BASE + rand() % (SIZE + 32)) & ~UINT64_C(7)
                                 : (uint64_t)rand() % 3;
        }
        is_good();
        static const hpp__image_map map = {
            .begin = BASE, .end = BASE + SIZE, .is_readable = true, .path = "/bin/good"};
        hpp__image image = {.maps = &map, .n_maps = 1, .read = read_made};
        hpp__classes classes;
        cr_assert(hpp__classes_init(&classes, &image));
        size_t n_words = (size_t)rand() % (SIZE / 8);
        hpp__classes_of_block(&classes, &name, made, n_words, n_words * 8 + (size_t)rand() % 64);
        hpp__classes_finish(&classes);
    }
    hpp__text_finish(&name);
}
