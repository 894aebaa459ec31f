/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Programs with known graphs of blocks. Each prints which retainers hold how many bytes, waits
 * until its standard input ends, and leaves.
 *
 *   held RETAINER+RETAINER... BYTES   in alphabetical order: names of variables, of functions that
 *                                     allocated retainers, or UNREACHED
 *   lost direct|indirect BYTES        the same bytes of UNREACHED, as Valgrind counts them
 *
 * Addresses that must not hold anything are kept as their complement.
 */
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "case.h"

enum { STALE_BYTES = 1 << 16, FEW = 20, MANY = 100 };

typedef struct node {
    struct node *next, *other;
    char payload[24];
} node;

/* Overwrites what earlier calls have left on the stack. */
static OWN_FRAME void clear_stack(void)
{
    volatile char stale[STALE_BYTES];
    memset((void *)(uintptr_t)stale, 0, sizeof stale);
    __asm__ volatile("" ::"r"(stale) : "memory");
}

/* Waits until the standard input ends. */
static OWN_FRAME void wait_for_end(void)
{
    char c;
    say("ready\n");
    while (read(0, &c, 1) > 0) {
    }
}

static OWN_FRAME node *make_node(node *next, node *other)
{
    node *n = made(malloc(sizeof *n));
    memset(n, 0, sizeof *n);
    n->next = next;
    n->other = other;
    return n;
}

/* Makes a list, of which the first node is returned. */
static OWN_FRAME node *make_list(size_t n, node *last)
{
    for (size_t i = 0; i < n; i++) {
        last = make_node(last, NULL);
    }
    return last;
}

/* ---- Variables ---- */

static node *volatile list_head;
static node *volatile tree_left, *volatile tree_right;
static node *volatile ring;

static int list(char **arguments)
{
    (void)arguments;
    list_head = make_list(MANY, NULL);
    say("held list_head %zu\n", MANY * sizeof(node));
    return 0;
}

static OWN_FRAME node *make_tree(int depth)
{
    return depth == 0 ? NULL : make_node(make_tree(depth - 1), make_tree(depth - 1));
}

static OWN_FRAME void plant_trees(void)
{
    node *shared = make_tree(5);
    tree_left = make_node(make_tree(4), shared);
    tree_right = make_node(shared, make_tree(3));
}

static int tree(char **arguments)
{
    (void)arguments;
    plant_trees();
    say("held tree_left %zu\n", (1 + 15) * sizeof(node));
    say("held tree_right %zu\n", (1 + 7) * sizeof(node));
    say("held tree_left+tree_right %zu\n", 31 * sizeof(node));
    return 0;
}

static OWN_FRAME node *make_ring(size_t n)
{
    node *last = make_node(NULL, NULL);
    node *first = make_list(n - 1, last);
    last->next = first;
    return first;
}

static int cycle(char **arguments)
{
    (void)arguments;
    ring = make_ring(MANY);
    make_ring(20);
    say("held ring %zu\n", MANY * sizeof(node));
    say("held UNREACHED %zu\n", 20 * sizeof(node));
    say("lost direct %zu\n", sizeof(node));
    say("lost indirect %zu\n", 19 * sizeof(node));
    return 0;
}

/* ---- A cache ---- */

typedef struct entry {
    struct entry *next;
    char *key;
} entry;
static entry **volatile cache;

enum { N_BUCKETS = 64 };

static OWN_FRAME entry **make_cache(void)
{
    return made(calloc(N_BUCKETS, sizeof *cache));
}

static OWN_FRAME char *make_key(size_t i)
{
    char *key = made(malloc(16));
    snprintf(key, 16, "key %zu", i);
    return key;
}

static OWN_FRAME void add_entry(size_t i)
{
    entry *e = made(malloc(sizeof *e));
    e->key = make_key(i);
    e->next = cache[i % N_BUCKETS];
    cache[i % N_BUCKETS] = e;
}

static OWN_FRAME void fill_cache(void)
{
    cache = make_cache();
    for (size_t i = 0; i < 10 * MANY; i++) {
        add_entry(i);
    }
}

static int caches(char **arguments)
{
    (void)arguments;
    fill_cache();
    say("held cache %zu\n", N_BUCKETS * sizeof *cache);
    say("held make_cache %zu\n", 10 * MANY * (sizeof(entry) + 16));
    return 0;
}

/* ---- Arrays, and pointers into the middle ---- */

static char *volatile parts[10];
static char *volatile past_the_end;
static uintptr_t disguised;

static OWN_FRAME char *make_part(size_t n_bytes)
{
    return made(calloc(1, n_bytes));
}

static OWN_FRAME void fill_parts(void)
{
    for (size_t i = 0; i < 10; i++) {
        parts[i] = make_part(100 + i) + (i < 5 ? 0 : 40 + i); /* not aligned, too */
    }
    char *whole = make_part(400);
    past_the_end = whole + 400;
    disguised = ~(uintptr_t)make_part(300);
    must(disguised != 0, "it is in use");
}

static int arrays(char **arguments)
{
    (void)arguments;
    fill_parts();
    say("held parts %d\n", 10 * 100 + 45);
    say("held UNREACHED %d\n", 700);
    say("lost direct 700\n");
    return 0;
}

/* ---- Threads ---- */

static __thread node *volatile of_thread;
static pthread_barrier_t threads_wait;

static OWN_FRAME void fill_of_thread(size_t n)
{
    of_thread = make_list(n, NULL);
}

static void *use_thread_local(void *unused)
{
    pthread_setname_np(pthread_self(), "worker");
    fill_of_thread(MANY);
    clear_stack();
    pthread_barrier_wait(&threads_wait);
    pthread_barrier_wait(&threads_wait); /* for ever */
    return unused;
}

static OWN_FRAME void start_thread(void *(*function)(void *))
{
    pthread_t thread;
    must(pthread_barrier_init(&threads_wait, NULL, 2) == 0, "a barrier is made");
    must(pthread_create(&thread, NULL, function, NULL) == 0, "a thread starts");
    pthread_barrier_wait(&threads_wait);
}

static int thread_local_memory(char **arguments)
{
    (void)arguments;
    start_thread(use_thread_local);
    fill_of_thread(2 * MANY);
    say("held of_thread %zu\n", 3 * MANY * sizeof(node));
    return 0;
}

static OWN_FRAME void wait_with_list(void)
{
    node *volatile local = make_list(MANY, NULL);
    clear_stack();
    pthread_barrier_wait(&threads_wait);
    pthread_barrier_wait(&threads_wait); /* for ever */
    must(local != NULL, "it is in use");
}

static void *use_stack(void *unused)
{
    pthread_setname_np(pthread_self(), "worker");
    wait_with_list();
    return unused;
}

static OWN_FRAME int wait_with_own_list(void)
{
    node *volatile local = make_list(2 * MANY, NULL);
    clear_stack();
    wait_for_end();
    must(local != NULL, "it is in use");
    _exit(0);
}

static int stacks(char **arguments)
{
    (void)arguments;
    start_thread(use_stack);
    say("held local_in_wait_with_list %zu\n", MANY * sizeof(node));
    say("held local_in_wait_with_own_list %zu\n", 2 * MANY * sizeof(node));
    return wait_with_own_list();
}

/* Has a pointer to what the caller holds, and a list of its own that leads there. */
static OWN_FRAME void wait_in_inner_frame(node *borrowed)
{
    node *volatile stale = borrowed->next;
    node *volatile own = make_list(MANY / 2, borrowed);
    clear_stack();
    wait_for_end();
    must(stale != NULL && own != NULL, "they are in use");
    _exit(0);
}

static int frames(char **arguments)
{
    (void)arguments;
    node *volatile first = make_list(MANY, NULL);
    say("held first_in_frames %zu\n", MANY * sizeof(node));
    say("held own_in_wait_in_inner_frame %zu\n", MANY / 2 * sizeof(node));
    wait_in_inner_frame(first);
    return first == NULL;
}

static OWN_FRAME void free_tree(node *tree)
{
    if (tree) {
        free_tree(tree->next);
        free_tree(tree->other);
        free(tree);
    }
}

/* Makes trees and frees them, always in functions of the allocator, until the standard input ends.
 */
static int recursion(char **arguments)
{
    struct pollfd input = {.fd = 0, .events = POLLIN};
    (void)arguments;
    tree_left = make_tree(13);
    say("ready\n");
    do {
        free_tree(make_tree(14));
    } while (poll(&input, 1, 0) == 0);
    return 0;
}

/* Has a list of its own, of which the last node leads to the list of a variable. */
static OWN_FRAME int wait_with_borrowed_list(void)
{
    node *volatile local = make_list(MANY, list_head);
    clear_stack();
    wait_for_end();
    must(local != NULL, "it is in use");
    _exit(0);
}

static int borrows(char **arguments)
{
    (void)arguments;
    list_head = make_list(2 * MANY, NULL);
    say("held list_head %zu\n", 2 * MANY * sizeof(node));
    say("held local_in_wait_with_borrowed_list %zu\n", MANY * sizeof(node));
    return wait_with_borrowed_list();
}

/* Has the list in a register that the function it calls saves in its own frame. */
void call_with_register(uintptr_t hidden);
__asm__(".text\n"
        ".globl call_with_register\n"
        ".type call_with_register, @function\n"
        "call_with_register:\n"
        ".cfi_startproc\n"
        "push %rbx\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbx, -16\n"
        "mov %rdi, %rbx\n"
        "not %rbx\n"
        "call save_register\n"
        "ud2\n"
        ".cfi_endproc\n"
        ".size call_with_register, . - call_with_register\n");

void save_register(void);
void save_register(void)
{
    __asm__ volatile("xor %%ebx, %%ebx" : : : "rbx", "cc");
    clear_stack();
    wait_for_end();
    _exit(0);
}

static int saved_registers(char **arguments)
{
    (void)arguments;
    say("held call_with_register(stack_of_holders) %zu\n", MANY * sizeof(node));
    volatile uintptr_t hidden = ~(uintptr_t)make_list(MANY, NULL);
    clear_stack();
    call_with_register(hidden);
    return 1;
}

/* Has the list in a register only, while the system call `read` waits. */
int wait_with_register(void);
__asm__(".text\n"
        ".globl wait_with_register\n"
        ".type wait_with_register, @function\n"
        "wait_with_register:\n"
        ".cfi_startproc\n"
        "push %rbx\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbx, -16\n"
        "call make_lists\n"
        "mov %rax, %rbx\n"
        "call get_ready\n"
        "lea -128(%rsp), %rdi\n"
        "mov $16, %ecx\n"
        "xor %eax, %eax\n"
        "rep stosq\n"
        "xor %edi, %edi\n"
        "lea -128(%rsp), %rsi\n"
        "mov $1, %edx\n"
        "xor %r10d, %r10d\n"
        "xor %r8d, %r8d\n"
        "xor %r9d, %r9d\n"
        "syscall\n"
        "call _exit\n"
        "ud2\n"
        ".cfi_endproc\n"
        ".size wait_with_register, . - wait_with_register\n");

static size_t n_lists;

node *make_lists(void);
node *make_lists(void)
{
    node *last = NULL;
    for (size_t i = 0; i < n_lists; i++) {
        last = make_list(MANY, NULL);
    }
    return last;
}

void get_ready(void);
void get_ready(void)
{
    clear_stack();
    say("ready\n");
    clear_stack();
}

/* Of two lists, one is lost. */
static int hidden_registers(char **arguments)
{
    n_lists = (size_t)atoi(arguments[0]);
    say("held %s %zu\n", n_lists == 1 ? "wait_with_register(stack_of_holders)" : "UNREACHED",
        n_lists * MANY * sizeof(node));
    return wait_with_register();
}

/* A stack whose thread has ended is no root, though the C library keeps it. */
static void *leave_list(void *unused)
{
    node *volatile local[1000];
    memset((void *)(uintptr_t)local, 0, sizeof local);
    local[500] = make_list(FEW, NULL);
    must(local[500] != NULL, "it is in use");
    return unused;
}

static int ended_thread(char **arguments)
{
    (void)arguments;
    pthread_t thread;
    must(pthread_create(&thread, NULL, leave_list, NULL) == 0, "a thread starts");
    must(pthread_join(thread, NULL) == 0, "a thread ends");
    say("held UNREACHED %zu\n", FEW * sizeof(node));
    say("lost direct %zu\n", sizeof(node));
    say("lost indirect %zu\n", (FEW - 1) * sizeof(node));
    return 0;
}

/* ---- Other memory ---- */

static OWN_FRAME void fill_mapping(void)
{
    node **memory =
        mmap(NULL, 4 * STALE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(memory != MAP_FAILED, "memory is mapped");
    memory[1000] = make_list(MANY, NULL);
}

static node **volatile chunks[FEW];

static OWN_FRAME node **map_chunk(void)
{
    void *chunk =
        mmap(NULL, STALE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(chunk != MAP_FAILED, "memory is mapped");
    return chunk;
}

/* The kernel may merge the program's mapping with mappings that malloc makes for large blocks. */
static int mappings(char **arguments)
{
    (void)arguments;
    parts[0] = made(malloc(1 << 20));
    fill_mapping();
    parts[1] = made(malloc(3 << 20));
    parts[0][0] = parts[1][0] = 'l';
    for (int i = 0; i < FEW; i++) { /* a heap of the program's own, which a variable holds */
        chunks[i] = map_chunk();
        chunks[i][700] = make_list(MANY, NULL);
        must(munmap(chunks[i] + STALE_BYTES / 16, STALE_BYTES / 2) == 0, "a half is unmapped");
    }
    say("held chunks %zu\n", FEW * (STALE_BYTES / 2 + MANY * sizeof(node)));
    say("held fill_mapping %zu\n", 4 * (size_t)STALE_BYTES + MANY * sizeof(node));
    say("held parts %d\n", 4 << 20);
    return 0;
}

/* A library that was loaded later has a list. */
static OWN_FRAME void fill_library(const char *path)
{
    void *plugin = dlopen(path, RTLD_NOW);
    must(plugin != NULL, "the library loads");
    node **holder = dlsym(plugin, "plugin_holder");
    must(holder != NULL, "the library has a variable");
    *holder = make_list(MANY, NULL);
}

static int library(char **arguments)
{
    fill_library(arguments[0]);
    say("held plugin_holder %zu\n", MANY * sizeof(node));
    return 0;
}

/* ---- Leaks ---- */

static OWN_FRAME void leak(void)
{
    node *lost = make_list(10, NULL); /* one directly, 9 indirectly */
    make_node(lost, NULL);            /* now 10 indirectly, and this one */
    make_part(7);
    node *both = make_node(NULL, NULL);
    make_node(both, NULL);
    make_node(NULL, both);
    list_head = make_list(3, NULL);
}

static int leaks(char **arguments)
{
    (void)arguments;
    leak();
    clear_stack();
    say("held list_head %zu\n", 3 * sizeof(node));
    say("held UNREACHED %zu\n", 14 * sizeof(node) + 7);
    say("lost direct %zu\n", 3 * sizeof(node) + 7);
    say("lost indirect %zu\n", 11 * sizeof(node));
    return 0;
}

/* ---- Random graphs ---- */

enum {
    MAX_WORDS = 12,
    N_BLOCKS = 3000,
    N_ROOTS = 6,
    N_HOLDERS = 5,
    HOLDER = N_ROOTS,
    N_SETS = 1 << (N_ROOTS + 1)
};
void *root_0, *root_1, *root_2, *root_3, *root_4, *root_5;
static void **const root_of[N_ROOTS] = {&root_0, &root_1, &root_2, &root_3, &root_4, &root_5};

/* A block of the random graph. Holders, the first ones, are retainers. */
typedef struct made_block {
    uintptr_t hidden; /* complement of its address */
    size_t n_words;
    unsigned set;   /* bits: retainers */
    int is_reached; /* from a root */
    unsigned round; /* of the walk that has visited it last */
    unsigned edges[MAX_WORDS], n_edges;
} made_block;
static made_block blocks[N_BLOCKS];
static unsigned root_target[N_ROOTS];

static OWN_FRAME void *make_holder(size_t n_bytes)
{
    return made(calloc(n_bytes, 1));
}

static OWN_FRAME void *make_random(size_t n_bytes)
{
    return made(malloc(n_bytes));
}

static uintptr_t *words_of(const made_block *block)
{
    return (uintptr_t *)~block->hidden;
}

/* Returns an address in a block, mostly its own. */
static uintptr_t address_in(unsigned block, uint32_t *state)
{
    size_t n_bytes = blocks[block].n_words * sizeof(uintptr_t);
    return ~blocks[block].hidden + (next_number(state) % 4 ? 0 : next_number(state) % n_bytes);
}

static OWN_FRAME void make_graph(uint32_t *state)
{
    for (unsigned i = 0; i < N_BLOCKS; i++) {
        blocks[i].n_words = 1 + next_number(state) % MAX_WORDS;
        size_t n_bytes = blocks[i].n_words * sizeof(uintptr_t);
        blocks[i].hidden =
            ~(uintptr_t)(i < N_HOLDERS ? make_holder(n_bytes) : make_random(n_bytes));
    }
    for (unsigned i = 0; i < N_BLOCKS; i++) {
        for (size_t j = 0; j < blocks[i].n_words; j++) {
            uint32_t choice = next_number(state) % 100;
            words_of(&blocks[i])[j] =
                choice < 17 ? address_in(next_number(state) % N_BLOCKS, state) : choice;
        }
    }
    for (unsigned i = 0; i < N_ROOTS; i++) {
        root_target[i] = next_number(state) % (i == 0 ? N_HOLDERS : N_BLOCKS);
        *root_of[i] = (void *)address_in(root_target[i], state);
    }
}

/* Returns the block that contains an address, by comparing with all; N_BLOCKS: none. */
static unsigned block_at(uintptr_t address)
{
    unsigned i = 0;
    while (i < N_BLOCKS && address - ~blocks[i].hidden >= blocks[i].n_words * sizeof(uintptr_t)) {
        i++;
    }
    return i;
}

static OWN_FRAME void find_edges(void)
{
    for (unsigned i = 0; i < N_BLOCKS; i++) {
        for (size_t j = 0; j < blocks[i].n_words; j++) {
            uintptr_t word = words_of(&blocks[i])[j];
            unsigned to = block_at(word);
            if (to < N_BLOCKS && (to != i || word == ~blocks[i].hidden)) {
                blocks[i].edges[blocks[i].n_edges++] = to;
            }
        }
    }
}

/* Visits what block `i` reaches; not beyond holders, unless `passes`. */
static OWN_FRAME void visit(unsigned i, unsigned round, int passes, unsigned bit)
{
    static unsigned stack[N_BLOCKS];
    size_t n = 0;
    stack[n++] = i;
    blocks[i].round = round;
    while (n > 0) {
        unsigned at = stack[--n];
        blocks[at].set |= bit;
        blocks[at].is_reached |= passes;
        for (size_t j = 0; (passes || at >= N_HOLDERS) && j < blocks[at].n_edges; j++) {
            unsigned to = blocks[at].edges[j];
            if (blocks[to].round != round) {
                blocks[to].round = round;
                stack[n++] = to;
            }
        }
    }
}

/* Finds the sets: what each root reaches without passing a holder, and what all holders do. */
static OWN_FRAME void find_sets(void)
{
    unsigned round = 0;
    for (unsigned i = 0; i < N_ROOTS; i++) {
        visit(root_target[i], ++round, 1, 0);
    }
    for (unsigned i = 0; i < N_ROOTS; i++) {
        visit(root_target[i], ++round, 0, 1u << i);
    }
    for (unsigned i = 0; i < N_HOLDERS; i++) {
        for (size_t j = 0; blocks[i].is_reached && j < blocks[i].n_edges; j++) {
            visit(blocks[i].edges[j], ++round, 0, 1u << HOLDER);
        }
    }
}

static void say_set(unsigned set, size_t n_bytes)
{
    char text[100] = "";
    if (set & 1u << HOLDER) {
        strcat(text, "make_holder+");
    }
    for (unsigned i = 0; i < N_ROOTS; i++) {
        if (set & 1u << i) {
            snprintf(text + strlen(text), 20, "root_%u+", i);
        }
    }
    text[strlen(text) - (text[0] != '\0')] = '\0';
    say("held %s %zu\n", text[0] ? text : "UNREACHED", n_bytes);
}

static int random_graph(char **arguments)
{
    size_t n_bytes[N_SETS] = {0};
    uint32_t state = (uint32_t)atoi(arguments[0]);
    make_graph(&state);
    find_edges();
    find_sets();
    for (unsigned i = 0; i < N_BLOCKS; i++) {
        n_bytes[blocks[i].set] += blocks[i].n_words * sizeof(uintptr_t);
    }
    for (unsigned set = 0; set < N_SETS; set++) {
        if (n_bytes[set] > 0) {
            say_set(set, n_bytes[set]);
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    (void)argc;
    static const native_case cases[] = {
        {"list", list},
        {"tree", tree},
        {"cycle", cycle},
        {"caches", caches},
        {"arrays", arrays},
        {"thread_local_memory", thread_local_memory},
        {"stacks", stacks},
        {"saved_registers", saved_registers},
        {"borrows", borrows},
        {"ended_thread", ended_thread},
        {"mappings", mappings},
        {"library", library},
        {"leaks", leaks},
        {"random", random_graph},
        {"hidden_registers", hidden_registers},
        {"frames", frames},
        {"recursion", recursion},
        {NULL, NULL},
    };
    int status = run_case(cases, argv);
    clear_stack();
    wait_for_end();
    return status;
}
