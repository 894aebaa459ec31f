/* SPDX-License-Identifier: BSD-2-Clause
 *
 * peer OUTPUT LIBRARY VERIFY COMMAND...: a minimal collector that only adds up. It runs a command
 * under the preloaded library and writes the counts of each process's window to OUTPUT: a line of
 * `name=number` words; those of one call begin with its name and a dot. So tests check the counts
 * in the program without the real collector, and without timing.
 *
 * If the program stops itself (SIGSTOP), peer writes a line with the current counts of each window,
 * which begins with `stopped`, copies the file of the counting library, and continues the program.
 * At the end the lines begin with `end`, and each mark has a line `mark TEXT`. The exit status is
 * the program's, or 128 and the number of its signal.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "native/window/window.h"

enum { MAX_WINDOWS = 1024, N_SECRET = 16, WAIT_MS = 5 };

static const hpp_window *windows[MAX_WINDOWS];
static int n_windows;

static void give_up(const char *what)
{
    perror(what);
    exit(97);
}

/* ---- windows --------------------------------------------------------------------------------- */

static const void *at(const hpp_window *window, uint32_t page)
{
    return (const char *)window + (uint64_t)page * HPP_WINDOW_PAGE_BYTES;
}

/* Sums for each call, and for all but mmap, which the counting library does not see; the predefined
 * sites have no call. */
enum { NO_CALL = HPP_N_CALLS, N_SUMS };
static const char *const call_names[HPP_N_CALLS] = {
    "malloc", "calloc",   "realloc", "aligned", "new",   "new_array", "pool",
    "pymem",  "pyobject", "mmap",    "tick",    "entry", "throw"};

static uint32_t call_of(const hpp_window *window, uint32_t site)
{
    if (site < HPP_FIRST_SITE) {
        return NO_CALL;
    }
    const hpp_window_site *sites = at(window, window->site_pages[site / HPP_SITES_PER_CHUNK]);
    return sites[site % HPP_SITES_PER_CHUNK].call & HPP_CALL_KIND;
}

static void add_cell(hpp_window_cell *sum, const hpp_window_cell *cell)
{
    sum->allocations += cell->allocations;
    sum->allocated_bytes += cell->allocated_bytes;
    sum->frees += cell->frees;
    sum->freed_bytes += cell->freed_bytes;
}

static void add_cells(const hpp_window *window, const hpp_window_slot *slot,
                      hpp_window_cell sums[N_SUMS])
{
    for (uint32_t site = 0; site < window->head.n_sites; site++) {
        uint32_t page = slot->cell_pages[site / HPP_CELLS_PER_CHUNK];
        const hpp_window_cell *cells = at(window, page);
        if (page != 0) {
            add_cell(&sums[call_of(window, site)], &cells[site % HPP_CELLS_PER_CHUNK]);
        }
    }
}

static void add_window(const hpp_window *window, hpp_window_cell sums[N_SUMS])
{
    for (uint32_t i = 0; i < HPP_MAX_SLOTS; i++) {
        if (window->slot_pages[i] != 0) {
            add_cells(window, at(window, window->slot_pages[i]), sums);
        }
    }
}

static void write_sum(FILE *output, const char *call, const char *dot, const hpp_window_cell *sum)
{
    fprintf(output,
            " %s%sallocations=%" PRIu64 " %s%sasked_bytes=%" PRIu64 " %s%sfrees=%" PRId64
            " %s%sfreed_bytes=%" PRId64,
            call, dot, sum->allocations, call, dot, sum->allocated_bytes, call, dot,
            (int64_t)sum->frees, call, dot, (int64_t)sum->freed_bytes); /* inherited: negative */
}

static void write_sums(FILE *output, const hpp_window *window)
{
    hpp_window_cell sums[N_SUMS] = {0}, all = {0};
    add_window(window, sums);
    for (uint32_t call = 0; call < N_SUMS; call++) {
        if (call != HPP_CALL_MMAP && call != HPP_CALL_ENTRY) {
            add_cell(&all, &sums[call]);
        }
    }
    write_sum(output, "", "", &all);
    for (uint32_t call = 0; call < HPP_N_CALLS; call++) {
        write_sum(output, call_names[call], ".", &sums[call]);
    }
}

static void write_window(FILE *output, const char *when, const hpp_window *window)
{
    const hpp_window_head *head = &window->head;
    fprintf(output, "%s pid=%" PRIu32 " state=%" PRIu32, when, head->process_id, head->state);
    write_sums(output, window);
    fprintf(output,
            " lost_stacks=%" PRIu64 " uncounted=%" PRIu64 " uncounted_bytes=%" PRIu64
            " missed_frees=%" PRIu64 " cut_stacks=%" PRIu64 " unwinds=%" PRIu64 " frames=%" PRIu64
            " compared=%" PRIu64,
            head->n_lost_stacks, head->n_uncounted, head->uncounted_bytes, head->n_missed_frees,
            head->n_cut_stacks, head->n_unwinds, head->n_frames, head->n_compared);
    fprintf(output,
            " checked=%" PRIu64 " memo_mismatches=%" PRIu64 " peer_mismatches=%" PRIu64
            " peer_cut=%" PRIu64,
            head->n_checked, head->n_cache_mismatches, head->n_peer_mismatches, head->n_peer_cut);
    fprintf(output,
            " nodes=%" PRIu32 " sites=%" PRIu32 " slots=%" PRIu32 " modules=%" PRIu32
            " used_bytes=%" PRIu64 " peaks=%" PRIu32 " peak_bytes=%" PRIu64 "\n",
            head->n_nodes, head->n_sites, head->n_slots, head->n_modules, head->used_bytes,
            head->n_peaks, head->peak_bytes);
}

static void write_marks(FILE *output, const hpp_window *window)
{
    for (uint32_t i = 0; i < window->head.n_marks && i < HPP_MAX_MARKS; i++) {
        if (window->marks[i].time_ns != 0) {
            fprintf(output, "mark %s\n", window->marks[i].text);
        }
    }
}

/* Copies the counting library's file to FILE.stopped. */
static void copy_counts(void)
{
    char bytes[4096], name[4200];
    const char *path = getenv("COUNTING_FILE");
    snprintf(name, sizeof name, "%s.stopped", path ? path : "");
    FILE *from = path ? fopen(path, "re") : NULL, *to = path ? fopen(name, "we") : NULL;
    if (from && to) {
        fwrite(bytes, 1, fread(bytes, 1, sizeof bytes, from), to);
    }
    if (from) {
        fclose(from);
    }
    if (to) {
        fclose(to);
    }
}

static void write_all(FILE *output, const char *when)
{
    for (int i = 0; i < n_windows; i++) {
        write_window(output, when, windows[i]);
    }
    fflush(output);
}

/* Maps a window. It must be sealed, so that no process can change its size or its seals. */
static void map_window(int file)
{
    struct stat status;
    int seals = fcntl(file, F_GET_SEALS);
    if (n_windows == MAX_WINDOWS || fstat(file, &status) != 0 || seals < 0) {
        give_up("window");
    }
    if (!(seals & F_SEAL_SHRINK) || !(seals & F_SEAL_SEAL) || ftruncate(file, 4096) == 0) {
        errno = EPERM;
        give_up("the window is not sealed");
    }
    void *place =
        mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (place == MAP_FAILED) {
        give_up("mmap");
    }
    windows[n_windows++] = place;
    close(file);
}

/* ---- the socket ------------------------------------------------------------------------------ */

static int listen_at(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t n = strlen(name);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    memcpy(address.sun_path + 1, name, n);
    if (listener < 0 ||
        bind(listener, (struct sockaddr *)&address,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n)) != 0 ||
        listen(listener, 256) != 0) {
        give_up("socket");
    }
    return listener;
}

static void receive(int link)
{
    hpp_window_hello hello;
    struct iovec bytes = {&hello, sizeof hello};
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } rights;
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = &rights,
                             .msg_controllen = sizeof rights};
    ssize_t n = recvmsg(link, &message, MSG_CMSG_CLOEXEC);
    struct cmsghdr *control = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (n != sizeof hello || memcmp(hello.magic, HPP_WINDOW_MAGIC, sizeof hello.magic) != 0 ||
        hello.kind != HPP_HELLO_WINDOW || !control) {
        give_up("greeting");
    }
    int file;
    memcpy(&file, CMSG_DATA(control), sizeof file);
    map_window(file);
    close(link);
}

/* Accepts all waiting connections. */
static void accept_all(int listener)
{
    for (int link = accept4(listener, NULL, NULL, SOCK_CLOEXEC); link >= 0;
         link = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) {
        receive(link);
    }
}

/* ---- the program ----------------------------------------------------------------------------- */

static void name_socket(char *name, size_t n)
{
    unsigned char secret[N_SECRET];
    if (getrandom(secret, sizeof secret, 0) != sizeof secret) {
        give_up("getrandom");
    }
    int length = snprintf(name, n, "census-tests-%d-", getpid());
    for (int i = 0; i < N_SECRET; i++) {
        length += snprintf(name + length, n - (size_t)length, "%02x", secret[i]);
    }
}

/* Adds the variables at the end of the environment. Only native stacks can be compared with those
 * of the C library. */
static void become(const char *socket_name, const char *library, const char *verify, char **command)
{
    static char run[256], list[8192], *entries[4096];
    const char *others = getenv("LD_PRELOAD");
    size_t n = 0;
    snprintf(run, sizeof run,
             HPP_WINDOW_VARIABLE "=socket=%s,root=%d,children=1,window=%" PRIu64
                                 ",tick=0,verify=%s,python=%d",
             socket_name, getpid(), (uint64_t)16 << 30, verify, atoi(verify) == 0);
    snprintf(list, sizeof list, "LD_PRELOAD=%s%s%s", library, others ? ":" : "",
             others ? others : "");
    for (; environ[n] && n < sizeof entries / sizeof *entries - 3; n++) {
        entries[n] = environ[n];
    }
    entries[n] = run;
    entries[n + 1] = list;
    execvpe(command[0], command, entries);
    give_up(command[0]);
}

/* Follows the program until its end, and returns its exit status. */
static int follow(pid_t child, int listener, FILE *output)
{
    int status = 0;
    struct pollfd waiting = {.fd = listener, .events = POLLIN};
    for (;;) {
        poll(&waiting, 1, WAIT_MS);
        pid_t changed = waitpid(child, &status, WNOHANG | WUNTRACED);
        accept_all(listener);
        if (changed == child && WIFSTOPPED(status)) {
            write_all(output, "stopped");
            copy_counts();
            kill(child, SIGCONT);
        } else if (changed == child) {
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
    }
}

int main(int argc, char **argv)
{
    char name[100];
    FILE *output = argc > 4 ? fopen(argv[1], "we") : NULL;
    if (!output) {
        fprintf(stderr, "usage: peer OUTPUT LIBRARY VERIFY COMMAND...\n");
        return 96;
    }
    name_socket(name, sizeof name);
    int listener = listen_at(name);
    pid_t child = fork();
    if (child == 0) {
        become(name, argv[2], argv[3], argv + 4);
    }
    int status = child > 0 ? follow(child, listener, output) : 97;
    write_all(output, "end");
    for (int i = 0; i < n_windows; i++) {
        write_marks(output, windows[i]);
    }
    return fclose(output) == 0 ? status : 97;
}
