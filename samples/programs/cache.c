/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Objects other than thunks: a top-level constant that is kept alive by code that refers to it,
 * weak pointers to large objects, and dead weak pointers.
 *
 *   squares = map square [1 .. 1000]              -- a CAF
 *   main = do first; second
 *   first = sum squares                           -- squares is alive as long as first can run
 *   second = a cache: n keys, each with 32 kB of bytes that are alive as long as their key
 *
 *   census  when                                           squares   keys alive
 *      1    first is running, squares is evaluated          alive        -
 *      2    second has created all keys                     dead         n
 *      3    every other key is released                     dead       n / 2
 */
#define HPP_MODULE "Main"
#include "lazy/prelude.h"

enum { VALUE_BYTES = 32 * 1024, N_SQUARES = 1000 };

/* ---- The constant ---- */

static lz_object *square(lz_runtime *rt, lz_object **slots)
{
    int64_t x = lz_int_value(lz_eval(rt, slots[0]));
    return lz_int(rt, x * x);
}

static lz_object *squares(lz_runtime *rt, lz_object **slots)
{
    static const lz_info info = LZ_STATIC_FUNCTION_INFO("square", 1, 0, square, NULL);
    static lz_static function = {.object = {.info = &info}};
    (void)slots;
    lz_object *numbers = lz_enum_from_to(rt, lz_int(rt, 1), lz_int(rt, N_SQUARES));
    return lz_map(rt, &function.object, numbers);
}

static const lz_info squares_info = LZ_CAF_INFO("squares", 0, squares, NULL);
static lz_static squares_caf = {.object = {.info = &squares_info}, .centre = &lz_main_caf};

static lz_object *first(lz_runtime *rt, lz_object **slots)
{
    lz_object **eaten = &slots[1];
    HPP_SCC_HERE("first");
    *eaten = lz_eval(rt, &squares_caf.object);
    lz_print(rt, lz_int(rt, lz_sum(rt, eaten)));
    lz_census(rt);
    return lz_nil();
}

/* ---- The cache ---- */

/* Creates a list of keys, with values in weak pointers, which the runtime keeps. A list of the weak
 * pointers is kept, too, to count how many are alive. */
static lz_object *second(lz_runtime *rt, lz_object **slots)
{
    lz_object **keys = &slots[1], **weaks = &slots[2], **odd_keys = &slots[3];
    HPP_SCC_HERE("second");
    *keys = *weaks = *odd_keys = lz_nil();
    for (int64_t n = lz_int_value(lz_eval(rt, slots[0])); n > 0; n--) {
        lz_object *key = lz_int(rt, n);
        *keys = lz_cons(rt, key, *keys);
        *weaks = lz_cons(rt, lz_weak(rt, key, lz_bytes(rt, VALUE_BYTES)), *weaks);
        *odd_keys = n % 2 == 1 ? lz_cons(rt, key, *odd_keys) : *odd_keys;
    }
    lz_census(rt);
    *keys = NULL;
    lz_census(rt);
    int64_t n_alive = 0;
    while (lz_is_cons(rt, weaks)) {
        n_alive += lz_weak_value(lz_head(*weaks)) != NULL;
        *weaks = lz_tail(*weaks);
    }
    lz_print(rt, lz_int(rt, n_alive));
    return lz_nil();
}

/* The code of main does not refer to `squares`, so it is dead after `first` has returned. */
static lz_object *run(lz_runtime *rt, lz_object **slots)
{
    static const lz_info first_info = LZ_STATIC_FUNCTION_INFO("first", 1, 1, first, &squares_caf);
    static const lz_info second_info = LZ_STATIC_FUNCTION_INFO("second", 1, 3, second, NULL);
    static lz_static first_function = {.object = {.info = &first_info}};
    static lz_static second_function = {.object = {.info = &second_info}};
    HPP_SCC_HERE("main");
    lz_call(rt, &first_function.object, slots[0], NULL);
    lz_call(rt, &second_function.object, slots[0], NULL);
    return lz_nil();
}

int main(int argc, char **argv)
{
    static const lz_info info = LZ_STATIC_FUNCTION_INFO("main", 1, 0, run, NULL);
    return lz_main(argc, argv, &info, 100);
}
