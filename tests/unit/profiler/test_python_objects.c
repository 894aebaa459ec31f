/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Types and roots of a small heap of CPython, made by hand for three versions that differ much; and
 * of the same heap with damages: lists that are circles, sizes of gigabytes, random words. Whatever
 * is read, the work is bounded by the size of the heap.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#include "native/python/heap/roots.h"
#include "rng.h"
#include "native/python/heap/references.h"

enum {
    BASE = 0x100000,
    N_WORDS = 4096,
    N_STATIC_WORDS = 2048, /* the first ones: data of the interpreter; the others are blocks */
    MAX_BLOCKS = 64,
    GC_HEAD = 16,
    MAX_READS = 20000, /* the undamaged heap takes some hundreds */
    READY = 1 << 12,
    HEAP_TYPE = 1 << 9,
    HAS_GC = 1 << 14,
    IS_LIST = 1 << 25,
    IS_TEXT = 1 << 28,
    IS_DICT = 1 << 29,
    ASCII_STATE = 1 << 6 | 1 << 5 | 1 << 2,
};
#define IS_TYPE (UINT64_C(1) << 31)

static uint64_t memory[N_WORDS];
static hpp__image_block blocks[MAX_BLOCKS];
static size_t n_blocks, n_static_bytes, n_heap_bytes, n_reads;
static const hpp_python_offsets *at;
static uint32_t version;

/* Addresses of what was made. */
static struct {
    uint64_t type, text, dict, list, code, module, frame, object; /* built-in types */
    uint64_t session_class, session, cache, cache_list, shop, keys;
    uint64_t runtime, interpreter, threads[2], frames[2];
} made;

/* ---- The heap ---- */

static bool read_memory(void *context, void *out, uint64_t address, size_t n_bytes)
{
    (void)context;
    n_reads++;
    if (address < BASE || n_bytes > sizeof memory || address - BASE > sizeof memory - n_bytes) {
        return false;
    }
    memcpy(out, (const char *)memory + (address - BASE), n_bytes);
    return true;
}

static void set(uint64_t address, uint64_t word)
{
    memory[(address - BASE) / 8] = word;
}

/* Stores an int, which may be the upper half of a word. */
static void set_int(uint64_t address, uint32_t number)
{
    memcpy((char *)memory + (address - BASE), &number, sizeof number);
}

static uint64_t make_static(size_t n_bytes)
{
    uint64_t address = BASE + n_static_bytes;
    n_static_bytes += (n_bytes + 15) / 16 * 16;
    cr_assert(le(sz, n_static_bytes, (size_t)N_STATIC_WORDS * 8));
    return address;
}

static uint64_t make_block(size_t n_bytes)
{
    uint64_t address = BASE + (uint64_t)N_STATIC_WORDS * 8 + n_heap_bytes;
    n_heap_bytes += (n_bytes + 15) / 16 * 16;
    cr_assert(le(sz, n_heap_bytes, (size_t)(N_WORDS - N_STATIC_WORDS) * 8));
    blocks[n_blocks++] = (hpp__image_block){address, n_bytes, 1, false};
    return address;
}

/* Makes an object in a block, after its head for the garbage collector if it has one. */
static uint64_t make_object(uint64_t type, size_t n_bytes, bool has_gc)
{
    uint64_t object = make_block(n_bytes + (has_gc ? GC_HEAD : 0)) + (has_gc ? GC_HEAD : 0);
    set(object, 1);
    set(object + 8, type);
    return object;
}

static uint64_t make_text(const char *text)
{
    size_t length = strlen(text);
    uint64_t object = make_object(made.text, at->ascii_bytes + length + 1, false);
    set(object + 16, length);
    set_int(object + 32, ASCII_STATE);
    memcpy((char *)memory + (object + at->ascii_bytes - BASE), text, length);
    return object;
}

static void fill_type(uint64_t type, const char *name, uint64_t flags)
{
    uint64_t c_name = make_static(strlen(name) + 1);
    memcpy((char *)memory + (c_name - BASE), name, strlen(name));
    set(type, 1);
    set(type + 8, made.type);
    set(type + HPP_PYTHON_TYPE_NAME, c_name);
    set(type + HPP_PYTHON_TYPE_BASIC_BYTES, 16);
    set(type + HPP_PYTHON_TYPE_FLAGS, flags | READY);
}

static uint64_t make_type(const char *name, uint64_t flags)
{
    uint64_t type = make_static(416);
    fill_type(type, name, flags);
    return type;
}

/* Makes a dict with two keys. Stores the address of its keys in `made`. */
static uint64_t make_dict(const char *const keys[2], const uint64_t values[2])
{
    enum { N_INDICES = 8, ENTRY_WORDS = 3 };
    bool is_old = at->minor < 11;
    uint64_t head_bytes = is_old ? 40 : 32;
    uint64_t dict = make_object(made.dict, 48, true);
    made.keys = make_block(head_bytes + N_INDICES + 2 * ENTRY_WORDS * 8);
    set(dict + 32, made.keys);
    set(made.keys, 1);
    set(made.keys + 8, is_old ? N_INDICES : 3 | 3 << 8); /* size, or its logarithms */
    set(made.keys + (is_old ? 32 : 24), 2);
    for (uint64_t i = 0; i < 2; i++) {
        uint64_t entry = made.keys + head_bytes + N_INDICES + i * ENTRY_WORDS * 8;
        set(entry + 8, make_text(keys[i]));
        set(entry + 16, values[i]);
    }
    return dict;
}

static uint64_t make_code(const char *name)
{
    uint64_t code = make_object(made.code, at->code_bytes + 16u, false);
    set(code + at->code_name, make_text(name));
    if (at->code_qualified_name != HPP_PYTHON_NONE) {
        set(code + at->code_qualified_name, make_text(name));
        set_int(code + 72, 2); /* locals */
        set_int(code + 64, 1); /* stack */
    }
    return code;
}

static uint64_t make_frame(const char *name, uint64_t globals, uint64_t local, uint64_t previous)
{
    bool is_object = at->minor < 11;
    size_t n_bytes = at->frame_locals + 3 * 8u;
    uint64_t frame = is_object ? make_object(made.frame, n_bytes, true) : make_static(n_bytes);
    set(frame + at->frame_code, make_code(name));
    set(frame + at->frame_globals, globals);
    set(frame + at->frame_previous, previous);
    set(frame + at->frame_locals, local);
    bool has_address = at->minor >= 14; /* of the end of its stack; and tagged references */
    if (!is_object) {
        set(frame + at->frame_stack_top, has_address ? frame + at->frame_locals + 16 : 2);
        set(frame + at->frame_code, memory[(frame + at->frame_code - BASE) / 8] + has_address);
        set(frame + at->frame_locals, local + has_address);
    }
    return frame;
}

static uint64_t make_thread(uint64_t frame, uint64_t next)
{
    uint64_t thread = make_static(200);
    if (at->cframe_frame != HPP_PYTHON_NONE) {
        uint64_t cframe = make_static(32);
        set(cframe + at->cframe_frame, frame);
        frame = cframe;
    }
    set(thread + at->thread_frame, frame);
    set(thread + at->thread_next, next);
    set(thread + at->thread_id, 77);
    return thread;
}

static void make_types(void)
{
    made.type = make_static(416);
    fill_type(made.type, "type", IS_TYPE | HAS_GC);
    made.text = make_type("str", IS_TEXT);
    made.dict = make_type("dict", IS_DICT | HAS_GC);
    made.list = make_type("list", IS_LIST | HAS_GC);
    made.code = make_type("code", 0);
    made.module = make_type("module", HAS_GC);
    made.frame = make_type("frame", HAS_GC);
    made.object = make_type("object", 0);
}

/* Makes the module `shop` with the variables `cache`, a list with a Session, and `Session`, and two
 * threads; the first runs `shop.serve`, which has called `shop.answer`. */
static void make_heap(unsigned minor)
{
    memset(memory, 0, sizeof memory);
    n_blocks = n_static_bytes = n_heap_bytes = 0;
    version = 3u << 24 | minor << 16;
    at = hpp__python_offsets(version);
    make_types();

    made.session_class = make_object(made.type, at->type_bytes + 8u, true);
    fill_type(made.session_class, "Session", HEAP_TYPE);
    set(made.session_class + 256, made.object);
    uint64_t shop = make_text("shop");
    set(made.session_class + HPP_PYTHON_TYPE_DICT,
        make_dict((const char *const[2]){"__module__", "limit"},
                  (const uint64_t[2]){shop, make_text("forty")}));
    set(made.session_class + at->type_qualified_name, make_text("Session"));

    made.session = make_object(made.session_class, 40, false);
    made.cache = make_block(4 * 8);
    set(made.cache, made.session);
    made.cache_list = make_object(made.list, 40, true);
    set(made.cache_list + 16, 1);
    set(made.cache_list + 24, made.cache);
    made.shop = make_object(made.module, 48, true);
    uint64_t variables = make_dict((const char *const[2]){"cache", "__name__"},
                                   (const uint64_t[2]){made.cache_list, shop});
    set(made.shop + 16, variables);
    uint64_t modules = make_dict((const char *const[2]){"shop", "other"},
                                 (const uint64_t[2]){made.shop, made.cache_list});

    made.frames[1] = make_frame("serve", variables, made.cache_list, 0);
    made.frames[0] = make_frame("answer", variables, made.session, made.frames[1]);
    made.threads[1] = make_thread(0, 0);
    made.threads[0] = make_thread(made.frames[0], made.threads[1]);
    made.interpreter = make_static(at->interpreter_modules + 100u);
    set(made.interpreter + at->interpreter_threads, made.threads[0]);
    set(made.interpreter + at->interpreter_modules, modules);
    made.runtime = make_static(at->runtime_interpreters + 8u);
    set(made.runtime + at->runtime_interpreters, made.interpreter);
}

/* ---- What is found ---- */

typedef struct found {
    hpp__block_index index;
    hpp__python python;
    hpp__python_roots roots;
} found;

static hpp__python_past past;

static found find(void)
{
    static const hpp__image_map map = {BASE,  BASE + sizeof memory, 0, true, true, false,
                                       false, "/usr/bin/python3"};
    static const hpp__image_thread thread = {.id = 5, .name = "worker", .thread_pointer = 77};
    static hpp__image image;
    found f;
    image = (hpp__image){.blocks = blocks,
                         .n_blocks = n_blocks,
                         .maps = &map,
                         .n_maps = 1,
                         .threads = &thread,
                         .n_threads = 1,
                         .read = read_memory};
    n_reads = 0;
    cr_assert(eq(int, hpp__block_index_init(&f.index, blocks, n_blocks, NULL), HPF_OK));
    hpp__python_place place = {made.runtime, made.type, version};
    cr_assert(hpp__python_init(&f.python, &image, &f.index, place, false, &past));
    cr_assert(hpp__python_roots_init(&f.roots, &f.python, &past));
    return f;
}

static void finish(found *f)
{
    hpp__python_roots_finish(&f->roots);
    hpp__python_finish(&f->python);
    hpp__block_index_finish(&f->index);
}

static const hpp__python_root *root_of(const found *f, const char *name)
{
    for (size_t i = 0; i < f->roots.n_roots; i++) {
        if (hpf_str_is(f->roots.roots[i].name, name)) {
            return &f->roots.roots[i];
        }
    }
    cr_fatal("no root %s", name);
}

static bool holds(const found *f, const char *root, uint64_t object)
{
    const hpp__python_root *r = root_of(f, root);
    uint32_t block = hpp__block_index_find(&f->index, object);
    for (size_t i = 0; i < r->n_blocks; i++) {
        if (f->roots.blocks[r->first_block + i] == block) {
            return true;
        }
    }
    return false;
}

static bool is_a(const found *f, uint64_t object, const char *name)
{
    const hpp__python_type *type =
        hpp__python_type_of(&f->python, hpp__block_index_find(&f->index, object));
    return type && hpf_str_is(type->name, name);
}

/* Checks what must hold in any heap: numbers inside their tables, and bounded work. */
static void check_bounds(const found *f)
{
    cr_assert(le(sz, n_reads, MAX_READS));
    cr_assert(le(sz, f->roots.n_roots, N_WORDS));
    cr_assert(le(sz, f->python.n_types, MAX_BLOCKS * 4));
    for (size_t i = 0; i < f->roots.n_blocks; i++) {
        cr_assert(lt(sz, f->roots.blocks[i], n_blocks));
    }
    for (size_t i = 0; f->python.of_block && i < n_blocks; i++) {
        uint64_t words[8] = {0}, skipped;
        size_t n_words = (size_t)(blocks[i].size_bytes < 64 ? blocks[i].size_bytes / 8 : 8);
        cr_assert(read_memory(NULL, words, blocks[i].address, n_words * 8));
        cr_assert(le(u64, hpp__python_extent(&f->python, i, words, n_words, &skipped),
                     blocks[i].size_bytes));
        cr_assert(lt(sz, f->python.of_block[i] & HPP__PYTHON_TYPE_MASK, f->python.n_types));
    }
}

static const unsigned versions[] = {9, 12, 14};
enum { N_VERSIONS = sizeof versions / sizeof *versions };

Test(python_objects, have_types_and_roots)
{
    for (size_t i = 0; i < N_VERSIONS; i++) {
        make_heap(versions[i]);
        found f = find();
        check_bounds(&f);
        cr_assert(is_a(&f, made.session, "shop.Session"));
        cr_assert(is_a(&f, made.session_class, "type"));
        cr_assert(is_a(&f, made.cache_list, "list"));
        cr_assert(not(is_a(&f, made.cache, "list")));
        cr_assert(holds(&f, "shop.cache", made.cache_list));
        cr_assert(holds(&f, "module shop", made.shop));
        cr_assert(holds(&f, "shop.Session", made.session_class));
        cr_assert(holds(&f, "shop.serve (frame of worker)",
                        versions[i] == 9 ? made.frames[1] : made.cache_list));
        cr_assert(holds(&f, "shop.answer (frame of worker)",
                        versions[i] == 9 ? made.frames[0] : made.session));
        finish(&f);
    }
}

/* Adds a newer interpreter, which has a module __main__ of its own without a file. */
static void add_interpreter(void)
{
    uint64_t variables = make_dict((const char *const[2]){"__name__", "INNER"},
                                   (const uint64_t[2]){make_text("__main__"), made.session});
    uint64_t module = make_object(made.module, 48, true);
    set(module + 16, variables);
    uint64_t modules = make_dict((const char *const[2]){"other", "__main__"},
                                 (const uint64_t[2]){made.shop, module});
    uint64_t second = make_static(1000);
    set(second + at->interpreter_next, made.interpreter);
    set(second + 944, modules);
    set(made.runtime + at->runtime_interpreters, second);
}

/* An interpreter that ends removes modules, and clears the variables of __main__ one by one,
 * __file__ before others. */
Test(python_objects, keep_the_name_of_a_script)
{
    make_heap(12);
    uint64_t variables = make_dict((const char *const[2]){"__file__", "CACHE"},
                                   (const uint64_t[2]){make_text("/srv/tool.py"), made.cache_list});
    uint64_t first_value = made.keys + 32 + 8 + 16;
    uint64_t module = make_object(made.module, 48, true);
    set(module + 16, variables);
    uint64_t modules = make_dict((const char *const[2]){"shop", "__main__"},
                                 (const uint64_t[2]){made.shop, module});
    set(made.interpreter + 944, modules);
    uint64_t main_value = made.keys + 32 + 8 + 24 + 16;
    found f = find();
    cr_expect(holds(&f, "tool.CACHE", made.cache_list));
    finish(&f);
    set(first_value, made.session);
    f = find();
    cr_expect(holds(&f, "tool.CACHE", made.cache_list));
    finish(&f);
    set(main_value, made.cache_list);
    f = find();
    cr_expect(holds(&f, "tool.CACHE", made.cache_list));
    finish(&f);
    set(main_value, module);
    add_interpreter();
    f = find();
    cr_expect(holds(&f, "tool.CACHE", made.cache_list));
    cr_expect(holds(&f, "__main__.INNER", made.session));
    finish(&f);
    hpp__python_past_finish(&past);
    f = find();
    cr_expect(holds(&f, "__main__.CACHE", made.cache_list));
    finish(&f);
}

Test(python_objects, may_be_in_circles)
{
    for (size_t i = 0; i < N_VERSIONS; i++) {
        for (int what = 0; what < 5; what++) {
            make_heap(versions[i]);
            switch (what) {
            case 0: /* a frame that its callee called */
                set(made.frames[1] + at->frame_previous, made.frames[0]);
                break;
            case 1:
                set(made.threads[1] + at->thread_next, made.threads[0]);
                break;
            case 2:
                set(made.interpreter + at->interpreter_next, made.interpreter);
                break;
            case 3: /* a class that is its own base and its own class */
                set(made.session_class + 256, made.session_class);
                set(made.session_class + 8, made.session_class);
                break;
            default: /* a module of which all are the variables */
                set(made.shop + 16,
                    memory[(made.interpreter + at->interpreter_modules - BASE) / 8]);
            }
            found f = find();
            check_bounds(&f);
            cr_assert(le(sz, f.roots.n_roots, 8));
            finish(&f);
        }
    }
}

Test(python_objects, may_say_that_dicts_are_giant)
{
    static const uint64_t sizes[] = {3, 1000, UINT32_MAX - 1, UINT64_MAX / 24, UINT64_MAX};
    for (size_t i = 0; i < N_VERSIONS; i++) {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            make_heap(versions[i]);
            set(made.keys + (versions[i] == 9 ? 32 : 24), sizes[k]);
            found f = find();
            check_bounds(&f);
            finish(&f);
            set(made.keys + 8, sizes[k] << 8);
            f = find();
            check_bounds(&f);
            finish(&f);
        }
    }
}

static uint64_t random_word(rng *chance)
{
    switch (rng_below(chance, 5)) {
    case 0:
        return rng_next(chance);
    case 1:
        return BASE + 8 * rng_below(chance, N_WORDS);
    case 2:
        return blocks[rng_below(chance, n_blocks)].address + 16 * rng_below(chance, 2);
    case 3:
        return rng_below(chance, 100);
    default:
        return UINT64_C(1) << rng_below(chance, 64);
    }
}

Test(python_objects, may_be_damaged)
{
    static uint64_t whole[N_WORDS];
    rng chance = {.state = 18};
    for (size_t i = 0; i < N_VERSIONS; i++) {
        make_heap(versions[i]);
        memcpy(whole, memory, sizeof memory);
        size_t n_used = N_STATIC_WORDS + n_heap_bytes / 8;
        for (int round = 0; round < 2000; round++) {
            memcpy(memory, whole, sizeof memory);
            for (uint64_t n = 1 + rng_below(&chance, 8); n > 0; n--) {
                /* Half of them where there is something. */
                size_t word = (size_t)rng_below(&chance, n_used);
                while (whole[word] == 0 && n % 2) {
                    word = (word + 1) % n_used;
                }
                memory[word] = rng_below(&chance, 3)
                                   ? random_word(&chance)
                                   : memory[word] ^ UINT64_C(1) << rng_below(&chance, 64);
            }
            found f = find();
            check_bounds(&f);
            finish(&f);
        }
    }
}
