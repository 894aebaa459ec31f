/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lists and functions on them, as a compiler would generate them: each thunk is a class of objects
 * (its free variables) and a function (its code), after its definition in the lazy language.
 */
#define HPP_MODULE "Prelude"
#include "prelude.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- Lists ----------------------------------------------------------------------------------- */

static const lz_info cons_info = LZ_CONSTRUCTOR_INFO(":", "[]", 2, 2);
static const lz_info nil_info = {
    .kind = LZ_CONSTRUCTOR,
    .shape = LZ_SHAPE("[]", "[]", "CONSTR_NOCAF_STATIC", HPP_STATIC),
};

lz_object *lz_nil(void)
{
    static lz_static nil = {.object = {.info = &nil_info}};
    return &nil.object;
}

lz_object *lz_cons(lz_runtime *rt, lz_object *head, lz_object *tail)
{
    return lz_new(rt, &cons_info, head, tail, NULL);
}

lz_object *lz_head(lz_object *cons)
{
    return lz_refs(cons)[0];
}

lz_object *lz_tail(lz_object *cons)
{
    return lz_refs(cons)[1];
}

bool lz_is_cons(lz_runtime *rt, lz_object **list)
{
    *list = lz_eval(rt, *list);
    return (*list)->info == &cons_info;
}

/* ---- Lazy functions -------------------------------------------------------------------------- */

/* [from .. to] = if from > to then [] else from : [from + 1 .. to] */
static lz_object *enum_from_to(lz_runtime *rt, lz_object **slots)
{
    lz_object **from = &slots[0], **to = &slots[1];
    *from = lz_eval(rt, *from);
    *to = lz_eval(rt, *to);
    int64_t n = lz_int_value(*from);
    if (n > lz_int_value(*to)) {
        return lz_nil();
    }
    return lz_cons(rt, *from, lz_enum_from_to(rt, lz_int(rt, n + 1), *to));
}

lz_object *lz_enum_from_to(lz_runtime *rt, lz_object *from, lz_object *to)
{
    static const lz_info info = LZ_THUNK_INFO("enumFromTo", 2, 0, enum_from_to);
    return lz_new(rt, &info, from, to, NULL);
}

/* init' x rest = case rest of [] -> []; y : ys -> x : init' y ys */
static lz_object *init_rest(lz_runtime *rt, lz_object **slots)
{
    static const lz_info info = LZ_THUNK_INFO("init'", 2, 0, init_rest);
    lz_object **x = &slots[0], **rest = &slots[1];
    if (!lz_is_cons(rt, rest)) {
        return lz_nil();
    }
    return lz_cons(rt, *x, lz_new(rt, &info, lz_head(*rest), lz_tail(*rest), NULL));
}

/* init (x : xs) = init' x xs */
static lz_object *init(lz_runtime *rt, lz_object **slots)
{
    static const lz_info info = LZ_THUNK_INFO("init'", 2, 0, init_rest);
    lz_object **list = &slots[0];
    if (!lz_is_cons(rt, list)) {
        lz_raise(rt, "init: empty list");
    }
    return lz_new(rt, &info, lz_head(*list), lz_tail(*list), NULL);
}

lz_object *lz_init(lz_runtime *rt, lz_object *list)
{
    static const lz_info info = LZ_THUNK_INFO("init", 1, 0, init);
    return lz_new(rt, &info, list, NULL, NULL);
}

/* f x, suspended */
static lz_object *apply(lz_runtime *rt, lz_object **slots)
{
    slots[0] = lz_eval(rt, slots[0]);
    return lz_call(rt, slots[0], slots[1], NULL);
}

/* map f xs = case xs of [] -> []; y : ys -> f y : map f ys */
static lz_object *map(lz_runtime *rt, lz_object **slots)
{
    static const lz_info apply_info = LZ_THUNK_INFO("sat", 2, 0, apply);
    lz_object **f = &slots[0], **list = &slots[1];
    if (!lz_is_cons(rt, list)) {
        return lz_nil();
    }
    return lz_cons(rt, lz_new(rt, &apply_info, *f, lz_head(*list), NULL),
                   lz_map(rt, *f, lz_tail(*list)));
}

lz_object *lz_map(lz_runtime *rt, lz_object *function, lz_object *list)
{
    static const lz_info info = LZ_THUNK_INFO("map", 2, 0, map);
    return lz_new(rt, &info, function, list, NULL);
}

/* x + y. The slot of x is cleared after its evaluation, so that it retains nothing. */
static lz_object *plus(lz_runtime *rt, lz_object **slots)
{
    int64_t x = lz_int_value(lz_eval(rt, slots[0]));
    slots[0] = NULL;
    int64_t y = lz_int_value(lz_eval(rt, slots[1]));
    return lz_int(rt, x + y);
}

lz_object *lz_plus(lz_runtime *rt, lz_object *x, lz_object *y)
{
    static const lz_info info = LZ_THUNK_INFO("+", 2, 0, plus);
    return lz_new(rt, &info, x, y, NULL);
}

lz_object *lz_plus_function(void)
{
    static const lz_info info = LZ_STATIC_FUNCTION_INFO("+", 2, 0, plus, NULL);
    static lz_static function = {.object = {.info = &info}};
    return &function.object;
}

/* f x y, suspended: a step of a lazy fold */
static lz_object *apply_to_two(lz_runtime *rt, lz_object **slots)
{
    slots[0] = lz_eval(rt, slots[0]);
    return lz_call(rt, slots[0], slots[1], slots[2]);
}

/* foldl f z xs = case xs of [] -> z; y : ys -> foldl f (f z y) ys */
static lz_object *foldl(lz_runtime *rt, lz_object **slots)
{
    static const lz_info apply_info = LZ_THUNK_INFO("sat", 3, 0, apply_to_two);
    lz_object **f = &slots[0], **z = &slots[1], **list = &slots[2];
    while (lz_is_cons(rt, list)) {
        *z = lz_new(rt, &apply_info, *f, *z, lz_head(*list));
        *list = lz_tail(*list);
    }
    return *z;
}

lz_object *lz_foldl(lz_runtime *rt, lz_object *function, lz_object *start, lz_object *list)
{
    static const lz_info info = LZ_THUNK_INFO("foldl", 3, 0, foldl);
    return lz_new(rt, &info, function, start, list);
}

/* ---- Strict functions ------------------------------------------------------------------------ */

/* Returns the last element. The slot always holds the current cell. */
lz_object *lz_last(lz_runtime *rt, lz_object **list)
{
    if (!lz_is_cons(rt, list)) {
        lz_raise(rt, "last: empty list");
    }
    for (;;) {
        /* The slot keeps the current cell alive while its tail is evaluated. */
        lz_object *tail = lz_eval(rt, lz_tail(*list));
        if (tail == lz_nil()) {
            return lz_eval(rt, lz_head(*list));
        }
        *list = tail;
    }
}

int64_t lz_length(lz_runtime *rt, lz_object **list)
{
    int64_t n = 0;
    while (lz_is_cons(rt, list)) {
        *list = lz_tail(*list);
        n++;
    }
    return n;
}

int64_t lz_sum(lz_runtime *rt, lz_object **list)
{
    int64_t sum = 0;
    while (lz_is_cons(rt, list)) {
        /* Advance the slot first: evaluating the element must not retain the current cell. */
        lz_object *head = lz_head(*list);
        *list = lz_tail(*list);
        sum += lz_int_value(lz_eval(rt, head));
    }
    return sum;
}

void lz_print(lz_runtime *rt, lz_object *number)
{
    printf("%" PRId64 "\n", lz_int_value(lz_eval(rt, number)));
}
