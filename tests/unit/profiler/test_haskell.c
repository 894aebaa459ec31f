/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The heap of a Haskell program that is made here, word by word: one megablock, two generations, a
 * thread whose stack leads to the closures. Then the same with words that a hostile program could
 * have stored.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "sanitizer.h"
#include "native/haskell/bindings.h"
#include "native/haskell/references.h"
#include "symbol/haskell_symbol.h"

enum {
    MEGABLOCK = HPP_HASKELL_MEGABLOCK_BYTES,
    CODE_BYTES = 4096,
    DATA_BYTES = 8192,
    GENERATION = 232,
    STACK_WORDS = 64,
};
static const uint64_t heap_at = UINT64_C(0x4200000000), code_at = UINT64_C(0x400000);
static const uint64_t data_at = UINT64_C(0x600000);

/* The memory of the program. */
static struct {
    unsigned char heap[MEGABLOCK], code[CODE_BYTES], data[DATA_BYTES];
} memory;

static unsigned char *at(uint64_t address, size_t n_bytes)
{
    const struct {
        uint64_t begin;
        size_t n_bytes;
        unsigned char *bytes;
    } parts[] = {{heap_at, MEGABLOCK, memory.heap},
                 {code_at, CODE_BYTES, memory.code},
                 {data_at, DATA_BYTES, memory.data}};
    for (size_t i = 0; i < 3; i++) {
        uint64_t place = address - parts[i].begin;
        if (address >= parts[i].begin && place <= parts[i].n_bytes &&
            n_bytes <= parts[i].n_bytes - place) {
            return parts[i].bytes + place;
        }
    }
    return NULL;
}

static bool read_memory(void *context, void *out, uint64_t address, size_t n_bytes)
{
    (void)context;
    const unsigned char *bytes = at(address, n_bytes);
    if (bytes) {
        memcpy(out, bytes, n_bytes);
    }
    return bytes != NULL;
}

static const hpp__image_map maps[] = {
    {.begin = 0x400000, .end = 0x401000, .is_readable = true, .is_executable = true, .path = "/p"},
    {.begin = 0x600000, .end = 0x602000, .is_readable = true, .is_writable = true, .path = "/p"},
    {.begin = 0x4200000000,
     .end = 0x4200100000,
     .is_readable = true,
     .is_writable = true,
     .path = ""},
};
static const hpp__image image = {.maps = maps, .n_maps = 3, .read = read_memory};

static void put(uint64_t address, uint64_t word)
{
    memcpy(at(address, sizeof word), &word, sizeof word);
}

/* Stores an info table before `address`, with a name for a constructor. */
static void put_info(uint64_t address, hpp_haskell_type type, uint32_t n_pointers,
                     uint32_t n_others, const char *name)
{
    uint64_t name_at = address + 8;
    put(address - 24, name ? 8 : 0);
    put(address - 16, (uint64_t)n_others << 32 | n_pointers);
    put(address - 8, type);
    if (name) {
        strcpy((char *)at(name_at, strlen(name) + 1), name);
    }
}

static uint64_t block_at(size_t block)
{
    return heap_at + block * HPP_HASKELL_BLOCK_BYTES;
}

static void put_group(size_t block, uint64_t generation, uint32_t n_blocks, uint16_t flags,
                      uint64_t n_bytes)
{
    const hpp_haskell_descriptor d = {.start = block_at(block),
                                      .free = block_at(block) + n_bytes,
                                      .generation = generation,
                                      .flags = flags,
                                      .n_blocks = n_blocks};
    memcpy(memory.heap + block * HPP_HASKELL_DESCRIPTOR_BYTES, &d, sizeof d);
}

/* Info tables, and objects. The list [a, a] of the pair a, twice a static one, is reached by a
 * frame; `lost` is not. */
static const uint64_t frame = code_at + 64, stop = code_at + 128, thread_info = code_at + 192;
static const uint64_t stack_info = code_at + 256, cons = code_at + 320, pair = code_at + 448;
static const uint64_t array_info = code_at + 576, link_info = code_at + 640;
static const uint64_t young = data_at, old = data_at + GENERATION, capability = data_at + 1024;
static const uint64_t end_of_list = data_at + 4096, variable = data_at + 4160;
static const uint64_t variable_info = code_at + 704, variable_code = code_at + 768;

static void make_heap(void)
{
    memset(&memory, 0, sizeof memory);
    put_info(frame, HPP_HASKELL_RET_SMALL, 2 | 1 << 7, 0, NULL); /* of two words, one a pointer */
    put_info(stop, HPP_HASKELL_STOP_FRAME, 0, 0, NULL);
    put_info(thread_info, HPP_HASKELL_TSO, 0, 0, NULL);
    put_info(stack_info, HPP_HASKELL_STACK, 0, 0, NULL);
    put_info(cons, HPP_HASKELL_CONSTR_2_0, 2, 0, "ghc-prim:GHC.Types.:");
    put_info(pair, HPP_HASKELL_CONSTR, 2, 1, "main:Main.Pair");
    put_info(array_info, HPP_HASKELL_ARR_WORDS, 0, 0, NULL);
    put_info(link_info, HPP_HASKELL_IND, 1, 0, NULL);
    put_info(variable_info, HPP_HASKELL_IND_STATIC, 1, 0, NULL);
    put(young + 120, old); /* to the next generation */
    put(old, 1);
    put(old + 120, old);
    uint64_t objects = block_at(4), pinned = block_at(6);
    put_group(4, old, 2, HPP_HASKELL_IS_EVACUATED, 4096);
    put_group(6, old, 1, HPP_HASKELL_IS_PINNED | HPP_HASKELL_IS_LARGE, 64);
    put_group(8, young, 1, 0, 0); /* where objects are allocated */
    uint64_t thread = objects, stack = thread + 120, list = stack + 8 * (3 + STACK_WORDS);
    uint64_t tail = list + 24, one = tail + 24, link = one + 32, lost = link + 16;
    put(old + 104, thread);
    put(thread, thread_info);
    put(thread + 24, stack);
    put(thread + 32, 1);
    put(thread + 48, 7); /* its number */
    put(thread + 72, capability);
    put(stack, stack_info);
    put(stack + 8, STACK_WORDS);
    uint64_t sp = stack + 8 * (3 + STACK_WORDS - 4);
    put(stack + 16, sp);
    put(sp, frame);
    put(sp + 8, list | 2);
    put(sp + 16, lost); /* no pointer, as the frame says */
    put(sp + 24, stop);
    put(list, cons);
    put(list + 8, link);
    put(list + 16, tail | 2);
    put(tail, cons);
    put(tail + 8, one | 1);
    put(tail + 16, end_of_list | 1);
    put(one, pair);
    put(one + 8, pinned);
    put(one + 16, list | 2); /* a ring */
    put(link, link_info);
    put(link + 8, one | 1);
    put(lost, cons);
    put(lost + 8, one);
    put(lost + 16, list);
    put(pinned, array_info);
    put(pinned + 8, 41); /* bytes: six words */
    put(end_of_list, pair);
    put(end_of_list + 8, variable);
    put(variable, variable_info); /* it was evaluated */
    put(variable + 8, link);
    put(variable + 24, variable_code);
}

static uint64_t bytes_of(const char *name, const hpp__haskell_census *taken)
{
    uint64_t n_bytes = 0;
    for (size_t i = 0; i < taken->closures.n_infos; i++) {
        hpp__text text = {0};
        hpp__haskell_closure_name(&taken->closures, &taken->closures.infos[i], &text);
        bool is_it = text.length == strlen(name) && memcmp(text.data, name, text.length) == 0;
        n_bytes += is_it ? taken->closures.infos[i].n_bytes : 0;
        hpp__text_finish(&text);
    }
    return n_bytes;
}

static hpp__haskell_census census;

static hpp__haskell_found take_with(hpp__haskell_names *names)
{
    static const hpp__haskell_variables none = {.stables = 0};
    return hpp__haskell_census_take(&census, &image, &hpp__haskell_layouts[0], &none, names);
}

static hpp__haskell_found take(void)
{
    return take_with(NULL);
}

Test(haskell, counts_what_a_stack_reaches_once)
{
    make_heap();
    cr_assert_eq(take(), HPP__HASKELL_FOUND);
    cr_assert_eq(bytes_of("ghc-prim:GHC.Types.:", &census), 48);
    cr_assert_eq(bytes_of("main:Main.Pair", &census), 32);
    cr_assert_eq(bytes_of("ARR_WORDS", &census), 64);
    cr_assert_eq(bytes_of("STACK", &census), 8 * (3 + STACK_WORDS));
    cr_assert_eq(bytes_of("TSO", &census), 120);
    cr_assert_eq(bytes_of("IND", &census), 0);
    cr_assert_eq(census.pinned_rest_bytes, 4096 - 64);
    cr_assert_eq(census.unreached_bytes, 4096 - 120 - 8 * (3 + STACK_WORDS) - 48 - 32);
    cr_assert_eq(census.marking.n_invalid, 0);
    hpp__haskell_census_finish(&census);
}

Test(haskell, a_thread_that_runs_is_recognised)
{
    make_heap();
    put(capability + 896, block_at(4));
    cr_assert_eq(take(), HPP__HASKELL_RUNNING);
    hpp__haskell_census_finish(&census);
}

Test(haskell, closures_that_overlap_end_the_search)
{
    make_heap();
    const size_t first = 16, n = 64;
    put_group(first, old, n, HPP_HASKELL_IS_EVACUATED, n * HPP_HASKELL_BLOCK_BYTES);
    uint64_t begin = block_at(first), end = block_at(first + n);
    for (uint64_t place = begin; place + 64 < end; place += 32) { /* stacks up to the end */
        put(place, stack_info);
        put(place + 8, (end - place) / 8 - 3);
        put(place + 16, place + 24);
        put(place + 24, place + 32);
    }
    put(block_at(4) + 24, begin); /* the stack of the thread */
    cr_assert_eq(take(), HPP__HASKELL_UNFIT);
    cr_assert_leq(census.marking.n_bytes, MEGABLOCK + n * HPP_HASKELL_BLOCK_BYTES);
    hpp__haskell_census_finish(&census);
}

Test(haskell, closures_that_a_young_collection_has_moved)
{
    make_heap();
    uint64_t list = block_at(4) + 120 + 8 * (3 + STACK_WORDS), moved = block_at(7);
    put_group(7, young, 1, HPP_HASKELL_IS_EVACUATED, 24);
    memcpy(at(moved, 24), at(list, 24), 24);
    put(list, moved | 1);
    put(young + 152, heap_at + 7 * HPP_HASKELL_DESCRIPTOR_BYTES); /* blocks of before */
    cr_assert_eq(take(), HPP__HASKELL_FOUND);
    cr_assert_eq(bytes_of("ghc-prim:GHC.Types.:", &census), 48);
    hpp__haskell_census_finish(&census);
}

Test(haskell, a_collection_of_all_is_recognised)
{
    make_heap();
    put(old + 152, heap_at + 4 * HPP_HASKELL_DESCRIPTOR_BYTES);
    cr_assert_eq(take(), HPP__HASKELL_COLLECTING);
    hpp__haskell_census_finish(&census);
}

Test(haskell, other_layouts_do_not_fit)
{
    make_heap();
    put(young + 120, old + 8);
    cr_assert_eq(take(), HPP__HASKELL_UNFIT);
    hpp__haskell_census_finish(&census);
    memset(memory.heap, 0, sizeof memory.heap);
    cr_assert_eq(take(), HPP__HASKELL_NO_HEAP);
    hpp__haskell_census_finish(&census);
}

static void check_symbol(const char *symbol, const char *package, const char *module,
                         const char *name)
{
    hpp__haskell_symbol found;
    const hpp__text *const texts[] = {&found.package, &found.module, &found.name};
    const char *const expected[] = {package, module, name};
    cr_assert(hpp__haskell_symbol_decode(&found, hpf_str_of(symbol)), "%s", symbol);
    for (int i = 0; i < 3; i++) {
        cr_assert(hpf_str_is(hpp__text_str(texts[i]), expected[i]), "%s: %.*s", symbol,
                  (int)texts[i]->length, texts[i]->data);
    }
    hpp__haskell_symbol_finish(&found);
}

Test(haskell, symbols_are_decoded)
{
    check_symbol("Main_main_info", "", "Main", "main");
    check_symbol("containerszm0zi6zi4zi1_DataziMapziInternal_zdwinsertWith_info",
                 "containers-0.6.4.1", "Data.Map.Internal", "$winsertWith");
    check_symbol("base_GHCziBase_zpzp_slow", "base", "GHC.Base", "++");
    check_symbol("ghczmprim_GHCziTuple_Z3T_con_info", "ghc-prim", "GHC.Tuple", "(,,)");
    check_symbol("ghczmprim_GHCziPrim_Z2H_info", "ghc-prim", "GHC.Prim", "(#,#)");
    check_symbol("Main_azufzqz3b1U_info", "", "Main", "a_f'\xce\xb1");
    check_symbol("Main_zzZZZCZMZN_entry", "", "Main", "zZ:[]");
    check_symbol("Main_az7Uz20U_info", "", "Main", "a??");
}

Test(haskell, other_symbols_are_left)
{
    static const char *const others[] = {
        "",
        "main",
        "stg_ap_2_upd_info",
        "stg_PAP_info",
        "_info",
        "__info",
        "Main_info",
        "Main__info",
        "Main_a_b_c_d_info",
        "a_main_info",
        "Main_az_info",
        "Main_azB_info",
        "Main_Z99999999999999999999T_info",
        "Main_Z3X_info",
        "Main_z110000U_info",
        "Main_zd_closure",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        hpp__haskell_symbol found;
        cr_assert(!hpp__haskell_symbol_decode(&found, hpf_str_of(others[i])), "%s", others[i]);
        hpp__haskell_symbol_finish(&found);
    }
}

/* ---- Bindings ---- */

static const uint64_t list_at = data_at, first_node = data_at + 64, second_node = data_at + 1024;
static const uint64_t texts_at = data_at + 4096;

static const hpp_haskell_layout *layout_with(uint16_t binding_bytes)
{
    const hpp_haskell_layout *layout = hpp__haskell_layouts;
    while (layout->binding_bytes != binding_bytes) {
        layout++;
    }
    return layout;
}

/* Appends texts, each with its NUL. Returns the number of its first byte. */
static uint32_t put_text(const char *text)
{
    static uint32_t n;
    uint32_t begin = n;
    strcpy((char *)at(texts_at + begin, strlen(text) + 1), text);
    n += (uint32_t)strlen(text) + 1;
    return begin;
}

static void put_texts(uint64_t address, const uint32_t *texts, size_t n)
{
    memcpy(at(address, n * sizeof *texts), texts, n * sizeof *texts);
}

/* Returns "NAME in MODULE at FILE:LINE", "-" if it is not known. */
static const char *binding_of(hpp__haskell_bindings *bindings, uint64_t info)
{
    static char text[200];
    hpp__haskell_binding found;
    if (!hpp__haskell_bindings_find(bindings, &image, info, &found)) {
        return "-";
    }
    snprintf(text, sizeof text, "%s in %s at %s:%u", found.name.data, found.module.data,
             found.file.data, found.line);
    return text;
}

static void check_bindings(uint16_t binding_bytes)
{
    hpp__haskell_bindings bindings = {0};
    hpp__haskell_bindings_read(&bindings, &image, layout_with(binding_bytes), list_at);
    cr_assert_str_eq(binding_of(&bindings, frame), "step.add in Main at src/Main.hs:12");
    cr_assert_str_eq(binding_of(&bindings, stop), "go in Data.Queue at Queue.hs:3");
    cr_assert_str_eq(binding_of(&bindings, cons), "-", "has no name");
    cr_assert_str_eq(binding_of(&bindings, pair), "-", "is not there");
    hpp__haskell_bindings_finish(&bindings);
}

Test(haskell, bindings_of_9_6)
{
    memset(&memory, 0, sizeof memory);
    const uint32_t none = put_text(""), main_module = put_text("Main"),
                   queue = put_text("Data.Queue");
    const uint32_t add = put_text("step.add"), go = put_text("go"),
                   span = put_text("(12,5)-(14,9)");
    const uint32_t main_file = put_text("src/Main.hs"), file = put_text("Queue.hs"),
                   line = put_text("3:1-20");
    put(list_at, first_node);
    const uint64_t node[] = {second_node, texts_at, 2, frame},
                   other[] = {first_node, texts_at, 1, stop};
    memcpy(at(first_node, sizeof node), node, sizeof node); /* the second leads back to the first */
    put_texts(first_node + 32,
              (const uint32_t[]){none, none, none, add, main_module, main_file, span, 0}, 8);
    put(first_node + 64, cons);
    put_texts(first_node + 72,
              (const uint32_t[]){none, none, none, none, main_module, none, none, 0}, 8);
    memcpy(at(second_node, sizeof other), other, sizeof other);
    put_texts(second_node + 32, (const uint32_t[]){none, none, none, go, queue, file, line, 0}, 8);
    check_bindings(40);
    put(first_node + 16, UINT64_C(1) << 60); /* entries */
    put(second_node + 8, 1);                 /* the address of the texts */
    hpp__haskell_bindings bindings = {0};
    hpp__haskell_bindings_read(&bindings, &image, layout_with(40), list_at);
    cr_assert_str_eq(binding_of(&bindings, frame), "-");
    cr_assert_str_eq(binding_of(&bindings, stop), "-");
    hpp__haskell_bindings_finish(&bindings);
}

Test(haskell, bindings_of_9_10)
{
    memset(&memory, 0, sizeof memory);
    const uint32_t none = put_text(""), main_module = put_text("Main"),
                   queue = put_text("Data.Queue");
    const uint32_t add = put_text("step.add"), go = put_text("go"), span = put_text("12:5-30");
    const uint32_t main_file = put_text("src/Main.hs"), file = put_text("Queue.hs"),
                   line = put_text("3:1-20");
    const uint64_t tables = data_at + 2048, entries = data_at + 2100;
    put(list_at, first_node);
    const uint64_t node[] = {second_node, 0, 2, tables, entries, 48, texts_at, 500};
    const uint64_t other[] = {0, 0, 1, tables + 16, entries + 48, 24, texts_at, 500};
    memcpy(at(first_node, sizeof node), node, sizeof node);
    put_texts(first_node + sizeof node, (const uint32_t[]){none, main_module}, 2);
    memcpy(at(second_node, sizeof other), other, sizeof other);
    put_texts(second_node + sizeof other, (const uint32_t[]){none, queue}, 2);
    put(tables, frame);
    put(tables + 8, cons);
    put(tables + 16, stop);
    put_texts(entries, (const uint32_t[]){none, 0, none, add, main_file, span}, 6);
    put_texts(entries + 24, (const uint32_t[]){none, 0, none, none, none, none}, 6);
    put_texts(entries + 48, (const uint32_t[]){none, 0, none, go, file, line}, 6);
    check_bindings(24);
}

/* ---- References ---- */

static char seen[4096];
static uint32_t n_seen;

/* Appends " | 120" for a closure, " | 2:thread 7" for a root, " >1" for a reference. */
static void see(const char *before, uint64_t number, hpf_str name)
{
    size_t n = strlen(seen);
    snprintf(seen + n, sizeof seen - n, " %s%llu%s%.*s", before, (unsigned long long)number,
             name.length > 0 ? ":" : "", (int)name.length, name.data);
}

static bool see_closure(void *context, uint64_t n_bytes, uint32_t kind)
{
    (void)context;
    cr_assert_lt(kind, hpp__haskell_census_unreached(&census) + 2);
    see("| ", n_bytes, HPF_STR(""));
    n_seen++;
    return true;
}

static bool see_reference(void *context, uint32_t to)
{
    (void)context;
    see(">", to, HPF_STR(""));
    return true;
}

static bool see_root(void *context, hpp__haskell_root root, hpf_str name)
{
    (void)context;
    see("| ", root, name);
    return true;
}

static bool see_all(void)
{
    const hpp__haskell_visitor visitor = {
        .closure = see_closure, .reference = see_reference, .root = see_root};
    seen[0] = '\0';
    n_seen = 0;
    return hpp__haskell_references_visit(&census, &visitor);
}

Test(haskell, closures_refer_to_closures)
{
    hpf_error err;
    hpp__haskell_names names = {0};
    cr_assert_eq(hpp_resolver_create(&names.resolver, NULL, &err), HPF_OK);
    make_heap();
    cr_assert_eq(take_with(&names), HPP__HASKELL_FOUND);
    cr_assert(see_all());
    cr_assert_str_eq(seen, " | 120 >1 | 536 >2 | 24 >4 >3 | 24 >4 | 32 >5 >2 | 64 | 3360 | 4032"
                           " | 2:thread 7 >0 | 0:CAF at p+0x300 >4 | 4:UNREACHED >6 | 4:PINNED >7");
    hpp__haskell_census_finish(&census);
    hpp_resolver_destroy(names.resolver);
    hpp__haskell_names_finish(&names);
}

static bool refuse(void *context, uint64_t n_bytes, uint32_t kind)
{
    (void)context, (void)n_bytes, (void)kind;
    return ++n_seen < 2;
}

Test(haskell, a_visitor_ends_the_walk)
{
    const hpp__haskell_visitor visitor = {
        .closure = refuse, .reference = see_reference, .root = see_root};
    make_heap();
    cr_assert_eq(take(), HPP__HASKELL_FOUND);
    seen[0] = '\0';
    n_seen = 0;
    cr_assert(!hpp__haskell_references_visit(&census, &visitor));
    cr_assert_eq(n_seen, 2);
    cr_assert_str_eq(seen, " >1");
    hpp__haskell_census_finish(&census);
}

/* Each word may have any value that is near to a valid one, or none of these. */
Test(haskell, hostile_words_are_not_followed)
{
    hpf_error err;
    hpp__haskell_names names = {0};
    cr_assert_eq(hpp_resolver_create(&names.resolver, NULL, &err), HPF_OK);
    uint64_t random = 1;
    const uint64_t places[] = {heap_at, code_at, data_at};
    const uint64_t bytes[] = {block_at(7) - heap_at, 1024, 2048};
    for (int round = 0; round < CASES(3000); round++) {
        make_heap();
        for (int i = 0; i < 1 + round % 8; i++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            size_t part = random >> 33 & 3;
            part = part == 3 ? 0 : part;
            uint64_t place = places[part] + (random >> 36) % (bytes[part] / 8) * 8;
            uint64_t word = random >> 20 & 1   ? heap_at + (random >> 40) % MEGABLOCK
                            : random >> 21 & 1 ? random >> 56
                            : random >> 22 & 1 ? code_at + (random >> 50) / 8 * 64
                                               : random;
            put(place, word);
        }
        hpp__haskell_found found = take_with(&names);
        cr_assert(found != HPP__HASKELL_FOUND || census.marking.n_bytes < UINT64_C(1) << 52);
        if (found == HPP__HASKELL_FOUND) {
            cr_assert(see_all());
            cr_assert_eq(n_seen, census.marking.n_closures + 2);
        }
        hpp__haskell_census_finish(&census);
    }
    hpp_resolver_destroy(names.resolver);
    hpp__haskell_names_finish(&names);
}
