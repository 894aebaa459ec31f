/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names, lines and stacks of code objects and frames of CPython, made by hand in the layouts of
 * some versions, with and without the global lock. Tables of lines belong to a function that three
 * interpreters have compiled, with the lines that they have for them (co_lines,
 * dis.findlinestarts). And objects that are none: what an interrupted thread may leave behind.
 */
#include "native/python/frames.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "native/target/unwind/cfi_entry.h"
#include "native/target/unwind/modules.h"
#include "native/window/trie.h"
#include "native/window/window_writer.h"
#include "rng.h"

enum { PAGE = 4096, N_PAGES = 16, MIB = 1 << 20, COMPACT = 1 << 5, ASCII = 1 << 6 };

/* --- replacements for other files ------------------------------------------------------------- */

hpp_python hpp__python;
static unsigned n_given_up;

void hpp__python_give_up(void)
{
    n_given_up++;
}

static const void *marked;

static uint32_t mark_block(const void *block)
{
    marked = block;
    return 0;
}

hpp_unwind_rule_line hpp__unwind_rule_lines[HPP_UNWIND_RULE_LINES];
_Atomic uint32_t hpp__unwind_rule_page_bits = HPP_UNWIND_RULE_FIRST_BITS;
_Atomic uint32_t hpp__generation = 1;

hpp_unwind_rule hpp__unwind_rules_make(uintptr_t pc)
{
    (void)pc;
    return HPP_UNWIND_RULE_NONE;
}

hpp_step hpp__walk_step_rarely(hpp_walk *walk, hpp_unwind_rule rule, hpp_word *words,
                               uint32_t *n_words)
{
    (void)walk, (void)rule, (void)words, (void)n_words;
    return HPP_STEP_LOST;
}

hpp_step hpp__full_walk_step(hpp_full_walk *walk)
{
    (void)walk;
    return HPP_STEP_LOST;
}

bool hpp__modules_find(hpp_module *out, uintptr_t address)
{
    (void)out, (void)address;
    return false;
}

hpp_cfi_found hpp__cfi_entry_find(hpp_cfi_entry *out, const hpp_cfi_tables *tables, uintptr_t pc)
{
    (void)out, (void)tables, (void)pc;
    return HPP_CFI_NONE;
}

/* --- objects ---------------------------------------------------------------------------------- */

/* Memory of the interpreter, before pages that cannot be read. */
static char *memory;
static size_t n_used;
static const hpp_python_offsets *at;
static const char code_type, text_type, bytes_type;

static void begin_build(unsigned minor, bool is_unlocked)
{
    static hpp_python_offsets unlocked;
    const char *reason;
    if (memory == NULL) {
        memory = mmap(NULL, 2 * N_PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        cr_assert(eq(int, mprotect(memory, N_PAGES * PAGE, PROT_READ | PROT_WRITE), 0));
        cr_assert(ge(int, hpp__window_make(&reason, 64 * MIB), 0));
    }
    memset(memory, 0, N_PAGES * PAGE);
    n_used = 0;
    at = hpp__python_offsets(3u << 24 | minor << 16);
    if (is_unlocked) {
        unlocked = *at;
        hpp__python_unlock(&unlocked);
        at = &unlocked;
    }
    hpp__python = (hpp_python){.offsets = at,
                               .code_type = (uintptr_t)&code_type,
                               .text_type = (uintptr_t)&text_type,
                               .bytes_type = (uintptr_t)&bytes_type,
                               .mark_block = mark_block};
}

static void begin(unsigned minor)
{
    begin_build(minor, false);
}

static char *make(const void *type, size_t n_bytes)
{
    char *object = memory + n_used;
    n_used += (n_bytes + 15) / 16 * 16;
    cr_assert(le(sz, n_used, (size_t)N_PAGES * PAGE));
    memcpy(object + at->object_bytes - sizeof type, &type, sizeof type);
    return object;
}

static void set(char *object, size_t offset, uintptr_t word)
{
    memcpy(object + offset, &word, sizeof word);
}

static void set_int(char *object, size_t offset, uint32_t number)
{
    memcpy(object + offset, &number, sizeof number);
}

/* Makes a str of characters of `width` bytes. In 3.14, its state has 16 bits for how it is
 * interned, as in some releases; without the global lock, 8. */
static char *make_wide_text(const void *characters, size_t n, unsigned width, unsigned state)
{
    size_t head = state & ASCII ? at->ascii_bytes : at->compact_bytes;
    char *text = make(&text_type, head + (n + 1) * width);
    set(text, at->object_bytes, n);
    state |= width << 2;
    set_int(text, at->object_bytes + 16u,
            at->minor == 14 && at->object_bytes > HPP_PYTHON_OBJECT_BYTES ? state << 6 | 3
            : at->minor == 14                                             ? state << 14 | 3
                                                                          : state | 2);
    memcpy(text + head, characters, n * width);
    return text;
}

static char *make_text(const char *text)
{
    return make_wide_text(text, strlen(text), 1, ASCII | COMPACT);
}

static char *make_bytes(const void *data, size_t n)
{
    char *bytes = make(&bytes_type, at->object_bytes + 16 + n + 1);
    set(bytes, at->object_bytes, n);
    memcpy(bytes + at->object_bytes + 16, data, n);
    return bytes;
}

static char *make_code(char *name, char *file, const uint8_t *lines, size_t n_lines)
{
    char *code = make(&code_type, at->code_bytes + 256u);
    bool has_qualified = at->code_qualified_name != HPP_PYTHON_NONE;
    set(code, has_qualified ? at->code_qualified_name : at->code_name, (uintptr_t)name);
    set(code, at->code_file, (uintptr_t)file);
    set_int(code, at->code_first_line, 1);
    set(code, at->code_lines, (uintptr_t)make_bytes(lines, n_lines));
    if (at->lines == HPP_PYTHON_LOCATIONS) {
        set(code, at->object_bytes, 64); /* instructions */
    } else {
        set(code, at->code_instructions, (uintptr_t)make_bytes((const char[128]){0}, 128));
    }
    if (at->code_copies != HPP_PYTHON_NONE) {
        char *copies = make(NULL, 32), *copy = make(NULL, 128);
        set(code, at->code_copies, (uintptr_t)copies);
        set(copies, 0, 2);
        set(copies, 8, (uintptr_t)code + at->code_instructions);
        set(copies, 16, (uintptr_t)copy);
    }
    return code;
}

static char *make_function(const char *name)
{
    return make_code(make_text(name), make_text("app.py"), (const uint8_t *)"", 0);
}

/* Returns the place of the byte `offset` of the instructions, or of the last copy of them. */
static hpp_python_place place_of(const char *code, unsigned offset)
{
    if (at->code_copies != HPP_PYTHON_NONE) {
        uintptr_t copies, copy;
        memcpy(&copies, code + at->code_copies, sizeof copies);
        memcpy(&copy, (const char *)copies + 16, sizeof copy);
        return (hpp_python_place){(uintptr_t)code, copy + offset};
    }
    uintptr_t instruction = at->lines == HPP_PYTHON_LNOTAB ? offset
                            : at->lines == HPP_PYTHON_LINETABLE
                                ? offset / 2
                                : (uintptr_t)code + at->code_instructions + offset;
    return (hpp_python_place){(uintptr_t)code, instruction};
}

static const hpp_window_code *record(uint32_t number)
{
    uint32_t page = hpp__window->code_pages[number / HPP_CODES_PER_CHUNK];
    const char *chunk = (const char *)hpp__window + (size_t)page * HPP_WINDOW_PAGE_BYTES;
    return (const hpp_window_code *)(const void *)chunk + number % HPP_CODES_PER_CHUNK;
}

static uint32_t number_of(const char *code)
{
    hpp_memory careful = {0};
    return hpp__codes_number((uintptr_t)code, &careful);
}

static bool has_texts(uint32_t number, const char *name, const char *file)
{
    const hpp_window_code *found = record(number);
    return found->is_complete && found->n_name == strlen(name) && found->n_file == strlen(file) &&
           memcmp(found->texts, name, found->n_name) == 0 &&
           memcmp(found->texts + found->n_name, file, found->n_file) == 0;
}

/* --- lines ------------------------------------------------------------------------------------ */

typedef struct line_of {
    unsigned offset;
    uint32_t line;
} line_of;

static const uint8_t table_9[] = {0, 1,   4, 127, 0, 127, 0, 49, 2, 1,   6, 253,
                                  8, 6,   4, 2,   4, 127, 0, 15, 2, 128, 0, 242,
                                  2, 254, 8, 127, 0, 18,  6, 2,  2, 254};
static const uint8_t table_10[] = {4, 1,   0, 127, 0, 127, 2, 49, 6, 1,   8, 253,
                                   4, 6,   4, 2,   0, 127, 2, 15, 0, 129, 2, 241,
                                   8, 254, 0, 127, 6, 18,  2, 2,  6, 254};
static const uint8_t table_12[] = {
    128, 0,   216, 6,   7,  128, 33,  240, 94,  9,  0, 4,  5,   216, 1,   2,   128, 81, 129,
    21,  240, 7,   4,   12, 6,   242, 0,   86,  2,  3, 7,  128, 97,  240, 12,  0,   5,  6,
    136, 33,  228, 2,   3,  128, 65,  240, 92,  4,  0, 4,  5,   243, 93,  4,   78,  2,  3,
    6,   241, 5,   80,  2,  11,  6,   241, 0,   80, 2, 5,  7,   129, 65,  240, 13,  86, 2,
    3,   7,   240, 114, 4,  0,   3,   4,   246, 5,  2, 10, 5,   216, 8,   9,   242, 3,  0,
    11,  12,  242, 0,   2,  10,  5,   240, 0,   2,  3, 5,  249, 242, 0,   2,   10,  5};

/* From each offset on; 3.9 and 3.10 have the same. Instructions without a line have the first. */
static const line_of lines_9[] = {{0, 2},    {4, 305},  {6, 306},  {12, 303}, {20, 309},
                                  {24, 311}, {28, 453}, {30, 311}, {32, 309}, {40, 454},
                                  {46, 456}, {48, 454}, {54, 0}};
static const line_of lines_12[] = {{0, 1},    {2, 2},     {6, 305},  {8, 306},  {16, 303},
                                   {26, 309}, {30, 311},  {42, 453}, {44, 311}, {52, 309},
                                   {64, 303}, {66, 456},  {68, 454}, {82, 455}, {84, 454},
                                   {98, 1},   {102, 454}, {108, 0}};

static const struct {
    unsigned minor;
    bool is_unlocked;
    const uint8_t *table;
    size_t n_bytes;
    const line_of *lines;
} versions[] = {{9, false, table_9, sizeof table_9, lines_9},
                {10, false, table_10, sizeof table_10, lines_9},
                {12, false, table_12, sizeof table_12, lines_12},
                {14, false, table_12, sizeof table_12, lines_12},
                {13, true, table_12, sizeof table_12, lines_12},
                {14, true, table_12, sizeof table_12, lines_12},
                {15, true, table_12, sizeof table_12, lines_12}};
enum { N_VERSIONS = sizeof versions / sizeof *versions };

Test(frames, lines_are_those_of_the_interpreter)
{
    for (size_t v = 0; v < N_VERSIONS; v++) {
        begin_build(versions[v].minor, versions[v].is_unlocked);
        char *code =
            make_code(make_text("f"), make_text("m.py"), versions[v].table, versions[v].n_bytes);
        for (const line_of *l = versions[v].lines; l->line != 0; l++) {
            for (unsigned offset = l->offset; offset < l[1].offset; offset += 2) {
                hpp_memory careful = {0};
                cr_assert(eq(u32, hpp__codes_line(place_of(code, offset), &careful), l->line));
            }
        }
    }
}

/* Damages bytes of tables, of their lengths and of code objects. The end of the memory is near. */
Test(frames, damaged_code_is_read_to_its_end, .timeout = 60)
{
    rng chance = {18};
    for (size_t v = 0; v < N_VERSIONS; v++) {
        for (int round = 0; round < 3000; round++) {
            hpp_memory careful = {0};
            begin_build(versions[v].minor, versions[v].is_unlocked);
            n_used = N_PAGES * PAGE - 2048;
            size_t first = n_used;
            char *code = make_code(make_text("name"), make_text("file.py"), versions[v].table,
                                   versions[v].n_bytes);
            hpp_python_place place = place_of(code, (unsigned)rng_below(&chance, 130));
            for (uint64_t n = 1 + rng_below(&chance, 6); n > 0; n--) {
                size_t byte = first + (size_t)rng_below(&chance, n_used - first);
                memory[byte] = (char)(rng_below(&chance, 3) ? rng_next(&chance) : 0xff);
            }
            uint32_t number = hpp__codes_number((uintptr_t)code, &careful);
            if (number != 0) {
                cr_assert(le(u32, record(number)->n_name, 120));
                cr_assert(le(sz, (size_t)record(number)->n_name + record(number)->n_file,
                             (size_t)HPP_CODE_TEXT_BYTES));
            }
            hpp__codes_line(place, &careful);
            hpp__codes_check(place, &careful);
            hpp__codes_is_before_start(place, &careful);
            hpp__codes_freed((uintptr_t)code);
        }
    }
}

/* --- names ------------------------------------------------------------------------------------ */

Test(frames, names_are_utf_8_and_cut)
{
    for (size_t v = 0; v < N_VERSIONS; v++) {
        char long_name[201], long_file[401], cut_name[121], cut_file[401];
        begin_build(versions[v].minor, versions[v].is_unlocked);
        uint32_t wide[] = {'a', 0xe9, 0x20ac, 0x1f40d, 0xd800, 0x110000};
        uint16_t path[] = {'/', 0x20ac, 0xdcff};
        char *code = make_code(make_wide_text(wide, 6, 4, COMPACT),
                               make_wide_text(path, 3, 2, COMPACT), table_9, 0);
        cr_assert(has_texts(number_of(code), "a\u00e9\u20ac\U0001f40d??", "/\u20ac?"));
        memset(long_name, 'n', 200);
        memset(long_file, 'f', 400);
        long_name[200] = long_file[400] = '\0';
        long_file[399] = '!';
        code = make_code(make_text(long_name), make_text(long_file), table_9, 0);
        memcpy(cut_name, long_name, 120);
        cut_name[120] = '\0';
        strcpy(cut_file, long_file + 400 - (HPP_CODE_TEXT_BYTES - 120));
        cr_assert(has_texts(number_of(code), cut_name, cut_file));
    }
}

Test(frames, what_is_no_code_has_no_number)
{
    for (size_t v = 0; v < N_VERSIONS; v++) {
        begin_build(versions[v].minor, versions[v].is_unlocked);
        cr_assert(eq(u32, number_of(make_text("text")), 0));
        cr_assert(eq(u32, number_of(memory + N_PAGES * PAGE), 0)); /* cannot be read */
        cr_assert(eq(u32, number_of(memory + 4), 0));
        char *name = make_wide_text("x", 1, 1, ASCII); /* not compact */
        cr_assert(eq(u32, number_of(make_code(name, make_text("f.py"), table_9, 0)), 0));
        char *giant = make_text("giant");
        char *code = make_code(giant, make_text("f.py"), table_9, 0);
        set(giant, at->object_bytes, UINTPTR_MAX);
        cr_assert(eq(u16, record(number_of(code))->n_name, 120));
    }
}

Test(frames, code_at_the_address_of_a_dead_one_is_another)
{
    begin(12);
    char *code = make_function("before"), *other = make_function("other");
    uint32_t number_of_other = number_of(other), before = number_of(code);
    uint32_t deaths = hpp__codes_deaths;
    set(code, at->code_qualified_name, (uintptr_t)make_text("after"));
    cr_assert(eq(u32, number_of(code), before));
    hpp__codes_freed((uintptr_t)code + 16); /* another block */
    cr_assert(eq(u32, hpp__codes_deaths, deaths));
    cr_assert(eq(ptr, (void *)(uintptr_t)marked, code));
    hpp__codes_freed((uintptr_t)code);
    cr_assert(eq(u32, hpp__codes_deaths, deaths + 1));
    uint32_t after = number_of(code);
    cr_assert(has_texts(after, "after", "app.py"));
    cr_assert(ne(u32, after, before));
    cr_assert(eq(u32, number_of(make_function("after")), after)); /* the same contents */
    uint32_t since = deaths;
    hpp_memory all_memory = HPP_ALL_MEMORY;
    cr_assert(not(hpp__codes_lived((uintptr_t)code, &since, deaths + 1, &all_memory)));
    cr_assert(eq(u32, since, deaths));
    cr_assert(hpp__codes_lived((uintptr_t)other, &since, deaths + 1, &all_memory));
    cr_assert(eq(u32, since, deaths + 1));
    cr_assert(hpp__codes_lived((uintptr_t)code, &since, deaths + 1, &all_memory));
    cr_assert(eq(u32, number_of(other), number_of_other));
}

/* Returns whether a code object lived from its number to now. */
static bool lived(const char *code, uint32_t *since)
{
    hpp_memory all_memory = HPP_ALL_MEMORY;
    return hpp__codes_lived((uintptr_t)code, since, hpp__codes_count_deaths(), &all_memory);
}

Test(frames, contents_tell_of_dead_code_if_no_frees_are_noticed)
{
    static char other_table[] = {2, 1, 6, 3};
    begin(10);
    hpp__python.mark_block = NULL;
    char *code = make_code(make_text("name"), make_text("app.py"), table_10, 7);
    struct change {
        size_t at;
        uintptr_t value;
    } changes[] = {
        {at->code_name, (uintptr_t)make_text("nane")},
        {at->code_file, (uintptr_t)make_text("app.pz")},
        {at->code_lines, (uintptr_t)make_bytes(other_table, sizeof other_table)},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        uint32_t number = number_of(code);
        uint32_t since = hpp__codes_count_deaths();
        cr_assert(lived(code, &since));
        cr_assert(lived(code, &since));
        set(code, changes[i].at, changes[i].value);
        cr_assert(not(lived(code, &since)));
        cr_assert(eq(int, number_of(code) == number, changes[i].at == at->code_lines));
        cr_assert(not(lived(code, &since)), "what was remembered of the one before is wrong");
    }
}

Test(frames, functions_keep_their_numbers_however_many_there_are)
{
    enum { N = 3000 };
    static uint32_t numbers[N];
    begin(12);
    size_t n_used_before = n_used;
    for (int i = 0; i < 2 * N; i++) {
        char name[16];
        snprintf(name, sizeof name, "function%d", i % N);
        n_used = n_used_before;
        char *code = make_function(name);
        uint32_t number = number_of(code);
        cr_assert(ne(u32, number, 0));
        cr_assert(i < N || number == numbers[i % N]);
        numbers[i % N] = number;
        hpp__codes_freed((uintptr_t)code);
    }
}

/* --- frames ----------------------------------------------------------------------------------- */

static char *make_frame(char *code, char *previous)
{
    char *frame = make(NULL, 512);
    bool has_tags = at->minor == 14;
    set(frame, at->frame_code, (uintptr_t)code + has_tags);
    set(frame, at->frame_previous, (uintptr_t)previous);
    set(frame, at->frame_instruction, place_of(code, 8).instruction);
    return frame;
}

/* Returns the node of a stack whose innermost frame is `frame`; 0 if it has none. */
static uint32_t node_of(hpp_python_chain *chain, const char *frame, bool is_careful)
{
    /* As thread_frame of a thread state, or of what that points to. */
    static uintptr_t state[32], cframe[4];
    state[at->thread_frame / 8] = (uintptr_t)frame;
    if (at->cframe_frame != HPP_PYTHON_NONE) {
        state[at->thread_frame / 8] = (uintptr_t)cframe;
        cframe[at->cframe_frame / 8] = (uintptr_t)frame;
    }
    hpp_python_stack stack =
        is_careful ? hpp__frames_read_carefully(chain, state) : hpp__frames_read(chain, state);
    uint32_t node = stack.callers;
    if (stack.found != HPP_FRAMES_FOUND) {
        return 0;
    }
    cr_assert(hpp__frames_push(&node, chain, stack.innermost, is_careful));
    return node;
}

/* Compares the names of a node's functions, innermost first, separated by spaces. */
static bool has_stack(uint32_t node, const char *names)
{
    char found[200] = "";
    for (; node != 0; node = hpp__trie_look(node)->parent) {
        const hpp_window_code *code = record((uint32_t)(hpp__trie_look(node)->address >> 32));
        strncat(found, code->texts, code->n_name);
        strcat(found, " ");
    }
    return strcmp(found, names) == 0;
}

Test(frames, stacks_are_those_of_tracebacks)
{
    for (size_t v = 0; v < N_VERSIONS; v++) {
        static hpp_python_chain chains[N_VERSIONS];
        hpp_python_chain *chain = &chains[v];
        begin_build(versions[v].minor, versions[v].is_unlocked);
        n_given_up = 0;
        char *file = make_text("<frozen importlib._bootstrap>");
        char *import = make_code(make_text("import_"), file, table_9, 0);
        char *main = make_frame(make_function("main"), NULL);
        char *outer = make_frame(make_function("outer"), main);
        char *inner_code = make_function("inner");
        char *inner = make_frame(inner_code, outer);
        cr_assert(has_stack(node_of(chain, inner, false), "inner outer main "));
        cr_assert(has_stack(node_of(chain, outer, false), "outer main "));
        char *in_module = make_frame(inner_code, make_frame(import, outer));
        cr_assert(has_stack(node_of(chain, in_module, false), "inner outer main "));
        cr_assert(
            has_stack(node_of(chain, make_frame(import, outer), false), "import_ outer main "));
        char *again = make_frame(inner_code, inner);
        cr_assert(has_stack(node_of(chain, again, false), "inner outer main ")); /* recursion */
        /* The frame is used again, with another caller: only the chain as a whole tells. */
        set(inner, at->frame_previous, (uintptr_t)main);
        cr_assert(has_stack(node_of(chain, inner, false), "inner main "));
        cr_assert(has_stack(node_of(chain, inner, true), "inner main "));
        if (at->frame_owner != HPP_PYTHON_NONE) {
            memory[outer - memory + at->frame_owner] = HPP_PYTHON_OWNED_BY_INTERPRETER;
            set(inner, at->frame_previous, (uintptr_t)outer);
            hpp__codes_freed((uintptr_t)inner_code);
            static hpp_python_chain fresh;
            cr_assert(has_stack(node_of(&fresh, inner, false), "inner main "));
        }
        cr_assert(eq(u32, n_given_up, 0));
    }
}

/* A code object dies, and the block of another one has its instructions. */
Test(frames, of_dead_code_at_the_same_instruction)
{
    static hpp_python_chain chain;
    begin(12);
    char *after = make_function("after"), *before = make_function("before");
    char *frame = make_frame(before, NULL);
    cr_assert(has_stack(node_of(&chain, frame, false), "before "));
    hpp__codes_freed((uintptr_t)before);
    set(frame, at->frame_code, (uintptr_t)after);
    cr_assert(has_stack(node_of(&chain, frame, false), "after "));
}

/* Frames have their addresses again and again, with either of two functions, and often another
 * caller. From time to time, a function dies, and another one has its address. */
Test(frames, stacks_of_random_calls_and_returns)
{
    enum { MAX_DEPTH = 16, N_STACKS = 5000 };
    for (size_t v = 0; v < N_VERSIONS; v++) {
        static hpp_python_chain chains[N_VERSIONS];
        char *codes[MAX_DEPTH][2], *texts[MAX_DEPTH][2][2], *frames[MAX_DEPTH];
        int lives[MAX_DEPTH][2] = {0};
        int stack[MAX_DEPTH], which[MAX_DEPTH]; /* of each call: its frame, its function */
        int n = 0;                              /* calls */
        uint64_t random = 1;
        begin_build(versions[v].minor, versions[v].is_unlocked);
        for (int f = 0; f < MAX_DEPTH; f++) {
            for (int k = 0; k < 4; k++) {
                char name[] = {(char)((k / 2 ? 'A' : 'a') + f), (char)('0' + k % 2), '\0'};
                texts[f][k / 2][k % 2] = make_text(name);
            }
            codes[f][0] = make_function((char[]){(char)('a' + f), '0', '\0'});
            codes[f][1] = make_function((char[]){(char)('A' + f), '0', '\0'});
            frames[f] = make_frame(codes[f][0], NULL);
        }
        for (int i = 0; i < N_STACKS; i++) {
            random = random * 6364136223846793005 + 1442695040888963407;
            n = n > 0 ? (int)(random >> 40) % n : 0;
            for (int f = n > 0 ? stack[n - 1] + 1 : 0; f < MAX_DEPTH; f++) {
                random = random * 6364136223846793005 + 1442695040888963407;
                if (random >> 61 > 0) { /* one of eight frames is left out */
                    which[n] = random >> 32 & 1;
                    char *code = codes[f][which[n]];
                    set(frames[f], at->frame_code, (uintptr_t)code);
                    set(frames[f], at->frame_instruction, place_of(code, 8).instruction);
                    set(frames[f], at->frame_previous, n > 0 ? (uintptr_t)frames[stack[n - 1]] : 0);
                    stack[n++] = f;
                }
                if (n > 0 && (random >> 56) % 8 == 0) {
                    break;
                }
            }
            if (random % 64 == 0) {
                int f = (int)((random >> 20) % MAX_DEPTH);
                int w = (int)((random >> 30) % 2);
                bool is_qualified = at->code_qualified_name != HPP_PYTHON_NONE;
                hpp__codes_freed((uintptr_t)codes[f][w]);
                set(codes[f][w], is_qualified ? at->code_qualified_name : at->code_name,
                    (uintptr_t)texts[f][w][++lives[f][w] % 2]);
            }
            char names[3 * MAX_DEPTH + 1] = "";
            for (int k = n; k > 0; k--) {
                int f = stack[k - 1];
                strcat(names, (char[]){(char)((which[k - 1] ? 'A' : 'a') + f),
                                       (char)('0' + lives[f][which[k - 1]] % 2), ' ', '\0'});
            }
            cr_assert(has_stack(node_of(&chains[v], frames[stack[n - 1]], false), names));
        }
        for (int f = 0; f < MAX_DEPTH; f++) {
            hpp__codes_freed((uintptr_t)codes[f][0]);
            hpp__codes_freed((uintptr_t)codes[f][1]);
        }
    }
}

Test(frames, of_interrupted_threads_may_be_anything, .timeout = 60)
{
    for (size_t v = 0; v < N_VERSIONS; v++) {
        static hpp_python_chain chains[N_VERSIONS];
        begin_build(versions[v].minor, versions[v].is_unlocked);
        char *main = make_frame(make_function("main"), NULL);
        char *inner = make_frame(make_function("inner"), main);
        cr_assert(has_stack(node_of(&chains[v], inner, false), "inner main "));
        set(main, at->frame_previous, (uintptr_t)inner); /* a circle */
        cr_assert(eq(u32, node_of(&chains[v], inner, true), 0));
        set(main, at->frame_previous, (uintptr_t)memory + N_PAGES * PAGE);
        cr_assert(eq(u32, node_of(&chains[v], inner, true), 0));
        set(main, at->frame_previous, (uintptr_t)memory + 1);
        cr_assert(eq(u32, node_of(&chains[v], inner, true), 0));
        cr_assert(eq(u32, node_of(&chains[v], NULL, true), 0));
    }
}
