/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Programs with a known biography: every access is logged.
 *
 *   lives CASE FILE.hp [kill]
 *
 * A case has phases. In each, it makes and frees blocks once, then uses some of them again and
 * again. The profile of the program is in FILE.hp, which grows: a phase lasts until it has had five
 * samples, with some processor time of uses after each. There is a mark before each of them and one
 * after it. For the samples between the third and the fourth mark of the first kind in a phase N,
 * the program prints
 *
 *   truth N LAG USE DRAG VOID
 *
 * in bytes of live blocks; the case handed_over prints, for each of the sets of variables that hold
 * blocks,
 *
 *   held N SET LAG USE DRAG VOID
 *
 * What a program does with a block when it makes it is not a use.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "case.h"
#include "wait_for_sample.h"

enum { MAX_BLOCKS = 200000, SAMPLES_PER_PHASE = 5, BURN_NS = 15000000 };

typedef struct block {
    unsigned char *at;
    size_t size_bytes;
    int birth, first_use, last_use, death; /* phases; -1: none */
} block;

static block blocks[MAX_BLOCKS];
static int n_blocks, phase;
static uint32_t numbers = 1;

static int make(size_t size_bytes)
{
    unsigned char *at = malloc(size_bytes);
    memset(at, 1, size_bytes);
    blocks[n_blocks] = (block){at, size_bytes, phase, -1, -1, -1};
    return n_blocks++;
}

static void make_many(int n, size_t size_bytes)
{
    for (int i = 0; i < n; i++) {
        make(size_bytes);
    }
}

static void use(int i)
{
    block *b = &blocks[i];
    must(b->death < 0 && b->at[b->size_bytes / 2] == 1, "a block has its contents");
    /* Of large blocks, some are used as a whole. */
    for (size_t k = 0; b->size_bytes > 100000 && i % 2 == 0 && k < b->size_bytes; k += 4096) {
        b->at[k] = 1;
    }
    b->first_use = b->first_use < 0 ? phase : b->first_use;
    b->last_use = phase;
}

static void use_range(int begin, int end)
{
    for (int i = begin; i < end; i++) {
        use(i);
    }
}

static void drop(int i)
{
    free(blocks[i].at);
    blocks[i].death = phase;
}

/* Which of two tables hold a block, apart from `blocks`, in a phase of the case handed_over. */
enum { NO_TABLE, FIRST_TABLE, SECOND_TABLE, BOTH_TABLES, N_SETS };
static void *volatile first_table[MAX_BLOCKS], *volatile second_table[MAX_BLOCKS];
static bool has_tables;

static int tables_of(int i, int p)
{
    int set = i / 8 % N_SETS;
    return set == NO_TABLE && p > 0      ? FIRST_TABLE
           : set == BOTH_TABLES && p > 1 ? SECOND_TABLE
                                         : set;
}

/* Prints the sums of the blocks that `tables` hold; -1: of all. */
static void print_sums(int p, int tables, const char *set)
{
    size_t sums[4] = {0};
    for (int i = 0; i < n_blocks; i++) {
        const block *b = &blocks[i];
        if (b->birth <= p && (b->death < 0 || b->death > p) &&
            (tables < 0 || tables_of(i, p) == tables)) {
            int at = b->first_use < 0 ? 3 : p < b->first_use ? 0 : p <= b->last_use ? 1 : 2;
            sums[at] += b->size_bytes;
        }
    }
    say("%s %d%s %zu %zu %zu %zu\n", tables < 0 ? "truth" : "held", p, set, sums[0], sums[1],
        sums[2], sums[3]);
}

static void print_truth(void)
{
    static const char *const held[N_SETS] = {" blocks", " blocks+first_table",
                                             " blocks+second_table",
                                             " blocks+first_table+second_table"};
    for (int p = 0; p < phase; p++) {
        print_sums(p, -1, "");
        for (int tables = 0; tables < N_SETS && has_tables; tables++) {
            print_sums(p, tables, held[tables]);
        }
    }
}

/* ---- phases ---------------------------------------------------------------------------------- */

static long processor_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000 + now.tv_nsec;
}

typedef void work(void);

/* Waits for a sample, then uses blocks for some processor time. */
static void live_through_sample(const char *path, work *uses)
{
    wait_for_sample(path, uses);
    for (long begin = processor_ns(); processor_ns() - begin < BURN_NS;) {
        uses();
    }
}

static int run_phases(char **arguments, int n_phases, work *changes, work *uses)
{
    must(arguments[0] != NULL, "the path of the profile is given");
    for (phase = 0; phase < n_phases; phase++) {
        changes();
        for (int i = 0; i < SAMPLES_PER_PHASE; i++) {
            live_through_sample(arguments[0], uses);
        }
    }
    print_truth();
    if (arguments[1] != NULL) {
        raise(SIGKILL);
    }
    return 0;
}

/* ---- cases ----------------------------------------------------------------------------------- */

enum { N = 16000, SIZE = 512 };

static void nothing(void)
{
}

static void make_at_start(void)
{
    if (phase == 0) {
        make_many(N, SIZE);
    }
}

static void use_in_last(void)
{
    use_range(0, phase == 2 ? N : 0);
}

static int all_lag(char **arguments)
{
    return run_phases(arguments, 3, make_at_start, use_in_last);
}

static void use_in_first(void)
{
    use_range(0, phase == 0 ? N : 0);
}

static int all_drag(char **arguments)
{
    return run_phases(arguments, 3, make_at_start, use_in_first);
}

static int all_void(char **arguments)
{
    return run_phases(arguments, 2, make_at_start, nothing);
}

static void use_all(void)
{
    use_range(0, N);
}

static int all_use(char **arguments)
{
    return run_phases(arguments, 2, make_at_start, use_all);
}

static void use_half(void)
{
    for (int i = 0; i < N; i += 2) {
        use(i);
    }
}

static int half_void(char **arguments)
{
    return run_phases(arguments, 2, make_at_start, use_half);
}

/* Blocks between uses are used. */
static void use_at_times(void)
{
    use_range(0, phase % 2 == 0 ? N / 2 : 0);
    use_range(N / 2, phase == 1 ? N : N / 2);
}

static int use_now_and_then(char **arguments)
{
    return run_phases(arguments, 4, make_at_start, use_at_times);
}

/* A cache of which a tenth is hot, that grows by new entries. */
static void fill_cache(void)
{
    for (int i = 0; i < N / 4; i++) {
        make(64 + next_number(&numbers) % 1500);
    }
}

static void use_cache(void)
{
    for (int i = 0; i < n_blocks; i += 10) {
        use(i);
    }
}

static int cache(char **arguments)
{
    return run_phases(arguments, 4, fill_cache, use_cache);
}

/* Buffers of many sizes, some large; each phase uses the next ones and frees the oldest. */
enum { N_BUFFERS = 300 };

static void change_buffers(void)
{
    for (int i = 0; i < N_BUFFERS; i++) {
        make(next_number(&numbers) % 4 == 0 ? 50000 + next_number(&numbers) % 300000 : 3000);
    }
    for (int i = 0; phase > 1 && i < N_BUFFERS; i++) {
        drop((phase - 2) * N_BUFFERS + i);
    }
}

static void use_buffers(void)
{
    use_range(phase > 0 ? (phase - 1) * N_BUFFERS : 0, phase * N_BUFFERS);
    use_range(phase * N_BUFFERS, phase * N_BUFFERS + N_BUFFERS / 3);
}

static int buffers(char **arguments)
{
    return run_phases(arguments, 5, change_buffers, use_buffers);
}

/* A machine that executes random instructions on its objects: in each phase it makes some, frees
 * some, and runs a loop that loads a random selection. */
static int loop[N], n_loop;

static void next_program(void)
{
    make_many(N / 3, 300);
    make_many(N / 6, 900);
    n_loop = 0;
    for (int i = 0; i < n_blocks; i++) {
        uint32_t chance = next_number(&numbers) % 100;
        if (blocks[i].death >= 0) {
            continue;
        }
        if (chance < 15) {
            drop(i);
        } else if (chance < 45 && n_loop < N) {
            loop[n_loop++] = i;
        }
    }
}

static void run_loop(void)
{
    for (int i = 0; i < n_loop; i++) {
        use(loop[i]);
    }
}

static int interpreter(char **arguments)
{
    return run_phases(arguments, 5, next_program, run_loop);
}

/* The kernel uses the blocks. */
static void use_by_kernel(void)
{
    static int null_device = -1;
    null_device = null_device < 0 ? open("/dev/zero", O_RDONLY) : null_device;
    for (int i = 0; i < N; i += 4) {
        must(read(null_device, blocks[i].at, 1) == 1, "a block can be read into");
        blocks[i].at[0] = 1;
        use(i);
    }
}

static int by_system_calls(char **arguments)
{
    return run_phases(arguments, 2, make_at_start, use_by_kernel);
}

/* Children that write to all blocks come and go. */
static void fork_child(void)
{
    make_at_start();
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < N; i++) {
            memset(blocks[i].at, 2, SIZE);
        }
        _exit(0);
    }
    int status;
    must(waitpid(child, &status, 0) == child && status == 0, "a child ends");
}

static int with_children(char **arguments)
{
    return run_phases(arguments, 3, fork_child, use_half);
}

/* Blocks of one thread are used by another. */
static void *make_in_thread(void *nothing_given)
{
    make_many(N, SIZE);
    return nothing_given;
}

static void make_by_threads(void)
{
    for (int i = 0; phase == 0 && i < 3; i++) {
        pthread_t thread;
        must(pthread_create(&thread, NULL, make_in_thread, NULL) == 0, "a thread starts");
        pthread_join(thread, NULL);
    }
}

static void use_second_of_three(void)
{
    use_range(N, phase == 0 ? 2 * N : N);
}

static int by_threads(char **arguments)
{
    return run_phases(arguments, 2, make_by_threads, use_second_of_three);
}

/* Blocks pass from one holder to others. Of eight, two are used in all phases, two in the first,
 * two in the last, one of these just before it is freed, one never, and one just before it is freed
 * in the third. */
static void hand_over(void)
{
    has_tables = true;
    for (int i = 0; phase == 0 && i < N / 4; i++) {
        make(SIZE + (size_t)i % 64 * 8);
    }
    for (int i = 0; i < n_blocks; i++) {
        if ((phase == 2 && i % 8 == 0) || (phase == 3 && i % 8 == 1)) {
            use(i);
            first_table[i] = second_table[i] = NULL;
            drop(i);
            blocks[i].at = NULL;
        }
        if (blocks[i].death < 0) {
            int tables = tables_of(i, phase);
            first_table[i] = tables & FIRST_TABLE ? blocks[i].at : NULL;
            second_table[i] = tables & SECOND_TABLE ? blocks[i].at : NULL;
        }
    }
}

static void use_some(void)
{
    for (int i = 0; i < n_blocks; i += 8) {
        use_range(i + 3, i + 5);
        use_range(phase == 0 ? i + 5 : i + 7, i + 7);
        use_range(phase == 3 ? i + 2 : i + 3, i + 3);
    }
}

static int handed_over(char **arguments)
{
    return run_phases(arguments, 4, hand_over, use_some);
}

/* Fills each block for a time in which an era may end. */
static int fills_slowly(char **arguments)
{
    (void)arguments;
    for (int i = 0; i < 240; i++) {
        int made = make(100000);
        for (long begin = processor_ns(); processor_ns() - begin < 5000000;) {
            memset(blocks[made].at, i, blocks[made].size_bytes);
        }
    }
    return 0;
}

/* Fills each block once more after some samples, when the program comes to a later era at once. */
static int fills_after_waits(char **arguments)
{
    (void)arguments;
    for (int i = 0; i < 20; i++) {
        int made = make(1000);
        usleep(50000);
        census_mark("waited");
        memset(blocks[made].at, 1, blocks[made].size_bytes);
    }
    return 0;
}

/* A mark after each block says how many there are. */
static int marks_blocks(char **arguments)
{
    (void)arguments;
    for (int i = 0; i < 400; i++) {
        char number[8];
        make(1000);
        snprintf(number, sizeof number, "%d", n_blocks);
        census_mark(number);
        usleep(1000);
    }
    return 0;
}

/* Sleeps until a line comes, without any processor time to speak of. */
static void nap(void)
{
    char line[2];
    census_mark("nap");
    must(read(0, line, sizeof line) == sizeof line, "a line comes");
    census_mark("awake");
}

/* Sleeps through samples, and uses some blocks between two naps. */
static int naps(char **arguments)
{
    make_many(400, SIZE);
    make_many(4, 300000);
    for (int i = 0; i < SAMPLES_PER_PHASE; i++) {
        live_through_sample(arguments[0], nothing);
    }
    nap();
    use_range(0, 200);
    nap();
    use_range(200, 300);
    use_range(400, n_blocks);
    nap();
    return 0;
}

int main(int argc, char **argv)
{
    static const native_case cases[] = {{"all_lag", all_lag},
                                        {"all_use", all_use},
                                        {"all_drag", all_drag},
                                        {"all_void", all_void},
                                        {"half_void", half_void},
                                        {"use_now_and_then", use_now_and_then},
                                        {"cache", cache},
                                        {"buffers", buffers},
                                        {"interpreter", interpreter},
                                        {"by_system_calls", by_system_calls},
                                        {"by_threads", by_threads},
                                        {"with_children", with_children},
                                        {"handed_over", handed_over},
                                        {"fills_slowly", fills_slowly},
                                        {"fills_after_waits", fills_after_waits},
                                        {"marks_blocks", marks_blocks},
                                        {"naps", naps},
                                        {NULL, NULL}};
    (void)argc;
    return run_case(cases, argv);
}
