/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The collector with programs that are children of the test: they hand in windows made by hand, and
 * end in several ways.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "detect/reader.h"
#include "model.h"
#include "hpfile/breakdown.h"
#include "hpfile/source.h"
#include "hpprof/collector.h"
#include "made_window.h"
#include "scratch.h"
#include "toy_resolver.h"

enum { SIZE_BYTES = 4 << 20, SOON_MS = 50000 };

static const toy_function functions[] = {
    {1, "main", "/src/main.c", 10, NULL, false},
    {2, "f", "/src/f.c", 20, NULL, false},
    {0, NULL, NULL, 0, NULL, false},
};

static hpp_options *profile;
static hpp_collector_options options;
static hpp_collector *collector;
static char base[300];

static void begin(void)
{
    scratch_begin();
    toy_resolver_functions(functions);
    profile = hpp_options_create();
    snprintf(base, sizeof base, "%s", scratch_path("prog"));
    options = (hpp_collector_options){
        .size = sizeof(hpp_collector_options), .profile = profile, .base = base};
}

static void end(void)
{
    hpp_collector_destroy(collector);
    hpp_options_destroy(profile);
    scratch_end();
}

TestSuite(collector, .init = begin, .fini = end, .timeout = 60);

static void start(const char *words)
{
    hpf_error err;
    cr_assert_eq(hpp_options_parse(profile, (hpf_str){words, strlen(words)}, &err), HPF_OK);
    cr_assert_eq(hpp_collector_create(&collector, &options, &err), HPF_OK, "%s", err.message);
}

/* ---- The program ---- */

/* Connects to the collector that the variable tells of. */
static int connect_to(const char *variable)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *name = strchr(variable, '=') + 1;
    size_t length = strcspn(name, ",");
    memcpy(address.sun_path + 1, name, length);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    socklen_t n = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    return connect(fd, (struct sockaddr *)&address, n) == 0 ? fd : -1;
}

static void say_hello(int fd, uint32_t kind, uint32_t process_id, const char *text, int file)
{
    hpp_window_hello hello = {.kind = kind, .process_id = process_id};
    memcpy(hello.magic, HPP_WINDOW_MAGIC, sizeof hello.magic);
    snprintf(hello.text, sizeof hello.text, "%s", text);
    struct iovec bytes = {&hello, sizeof hello};
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } rights = {{0}};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
    if (file >= 0) {
        message.msg_control = &rights;
        message.msg_controllen = sizeof rights;
        struct cmsghdr *c = CMSG_FIRSTHDR(&message);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof file);
        memcpy(CMSG_DATA(c), &file, sizeof file);
    }
    cr_assert_eq(sendmsg(fd, &message, 0), (ssize_t)sizeof hello);
}

static int send_hello(const char *variable, uint32_t kind, uint32_t process_id, const char *text,
                      int file)
{
    int fd = connect_to(variable);
    cr_assert_geq(fd, 0);
    say_hello(fd, kind, process_id, text, file);
    return fd;
}

/* Makes a window and hands it in. */
static uint64_t start_ns; /* of the windows */

static made_window hand_in_by(int fd, bool is_sealed)
{
    int file = memfd_create("window", MFD_ALLOW_SEALING);
    cr_assert_eq(ftruncate(file, SIZE_BYTES), 0);
    if (is_sealed) {
        cr_assert_eq(fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
    }
    void *bytes = mmap(NULL, SIZE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    made_window made;
    made_window_begin(&made, bytes, SIZE_BYTES);
    made.window->head.process_id = (uint32_t)getpid();
    made.window->head.key = (uint64_t)getpid() << 32 | 1;
    made.window->head.start_ns = start_ns;
    made_module(&made, "/usr/bin/prog", 0x1000, 0x9000);
    made_slot(&made, (uint32_t)getpid());
    uint32_t node = made_node(&made, 0x1003, made_node(&made, 0x1002, 0, 1), 1);
    made_site(&made, node, HPP_CALL_MALLOC);
    say_hello(fd, HPP_HELLO_WINDOW, (uint32_t)getpid(), "", file);
    close(fd);
    return made;
}

static made_window hand_in_window(const char *variable, bool is_sealed)
{
    return hand_in_by(connect_to(variable), is_sealed);
}

/* A program that `play` is; it is told to go on by bytes. */
typedef struct program {
    pid_t pid;
    int go; /* write end */
    hpp_variables variables;
} program;

static int go_read; /* the program's end */

static void wait_to_go(void)
{
    char byte;
    if (read(go_read, &byte, 1) != 1) {
        _exit(99);
    }
}

static program run(void (*play)(const char *variable))
{
    program p;
    int ends[2];
    hpf_error err;
    cr_assert_eq(pipe(ends), 0);
    p.go = ends[1];
    cr_assert_eq(hpp_collector_variables(collector, &p.variables, 1, "/lib/x.so", NULL, &err),
                 HPF_OK);
    p.pid = fork();
    if (p.pid == 0) {
        close(ends[1]);
        go_read = ends[0];
        play(p.variables.run);
        _exit(0);
    }
    close(ends[0]);
    return p;
}

static void go(program *p)
{
    cr_assert_eq(write(p->go, "x", 1), 1);
}

/* Serves until so many processes are being profiled. */
static void serve_until(size_t n_living)
{
    struct pollfd ready = {.fd = hpp_collector_fd(collector), .events = POLLIN};
    hpf_error err;
    for (int i = 0; i < SOON_MS && hpp_collector_n_living(collector) != n_living; i++) {
        poll(&ready, 1, 1);
        cr_assert_eq(hpp_collector_serve(collector, &err), HPF_OK);
    }
    cr_assert_eq(hpp_collector_n_living(collector), n_living);
}

static void serve_for(int n_ms)
{
    struct pollfd ready = {.fd = hpp_collector_fd(collector), .events = POLLIN};
    hpf_error err;
    for (int i = 0; i < n_ms; i++) {
        poll(&ready, 1, 1);
        cr_assert_eq(hpp_collector_serve(collector, &err), HPF_OK);
    }
}

/* Serves until the condition holds. */
static void serve_while_not(bool (*holds)(void))
{
    for (int i = 0; i < SOON_MS && !holds(); i++) {
        serve_for(1);
    }
    cr_assert(holds());
}

/* ---- What was written ---- */

static hpf_model *read_profile(const char *name)
{
    hpf_error err;
    hpf_source *source;
    hpf_model *model = hpf_model_create();
    cr_assert_eq(hpf_source_open(&source, scratch_path(name), NULL, &err), HPF_OK, "%s: %s", name,
                 err.message);
    cr_assert_eq(hpf_read_source(source, &hpf_model_events, model, NULL, &err), HPF_OK, "%s",
                 err.message);
    hpf_source_destroy(source);
    return model;
}

/* The sum of a sample's costs. */
static uint64_t total(const hpf_model *model, size_t index)
{
    hpf_sample sample = hpf_model_sample(model, index);
    uint64_t sum = 0;
    for (size_t i = 0; i < sample.n_costs; i++) {
        sum += sample.costs[i].whole;
    }
    return sum;
}

static uint64_t last_total(const hpf_model *model)
{
    return total(model, hpf_model_n_samples(model) - 1);
}

static void expect_last_total(const char *name, uint64_t n_bytes)
{
    hpf_model *model = read_profile(name);
    cr_expect_eq(last_total(model), n_bytes, "%s: %llu", name,
                 (unsigned long long)last_total(model));
    hpf_model_destroy(model);
}

/* ---- Cases ---- */

static void allocate_and_die(const char *variable)
{
    made_window made = hand_in_window(variable, true);
    wait_to_go();
    made_allocate(&made, 0, HPP_FIRST_SITE, 2, 100);
    wait_to_go();
    made_free(&made, 0, HPP_FIRST_SITE, 1, 100);
    kill(getpid(), SIGKILL);
}

static bool has_five_samples(void)
{
    size_t length;
    size_t n = 0;
    char *text = read_file(scratch_path("prog.hp"), &length);
    for (char *at = text; at && (at = strstr(at, "END_SAMPLE")) != NULL; at++) {
        n++;
    }
    free(text);
    return n >= 5;
}

Test(collector, writes_live_blocks_until_the_end)
{
    start("-hc -i0.01");
    program p = run(allocate_and_die);
    hpp_collector_follow(collector, p.pid);
    serve_until(1);
    go(&p);
    serve_while_not(has_five_samples);
    go(&p);
    serve_until(0);
    hpp_collector_stop(collector);
    hpf_model *model = read_profile("prog.hp");
    cr_expect_eq(total(model, 0), 0);
    cr_expect_eq(last_total(model), 100);
    cr_expect_gt(hpf_model_n_samples(model), 5);
    hpf_str name = hpf_model_name(model, 0);
    cr_expect_eq(strncmp(name.data, "(3)f/main", name.length), 0, "%.*s", (int)name.length,
                 name.data);
    hpf_str job = hpf_model_header(model, HPF_HEADER_JOB);
    cr_expect_eq(strncmp(job.data, "prog one two \xC2\xB7 by call stack", job.length), 0);
    cr_expect_eq(hpf_breakdown_of_job(job), HPF_BREAKDOWN_COST_CENTRE);
    hpf_model_destroy(model);
    hpp_process_figures figures;
    cr_assert_eq(hpp_collector_n_processes(collector), 1);
    hpp_collector_figures(collector, 0, &figures);
    cr_expect(figures.is_first);
    cr_expect_eq(figures.peak_bytes, 200);
    cr_expect_eq(figures.allocations, 2);
    cr_expect_eq(figures.freed_bytes, 100);
    hpp_site_figures sites[2];
    cr_assert_eq(hpp_collector_top(collector, 0, HPP_AT_END, sites, 2), 1);
    cr_expect_eq(sites[0].live_blocks, 1);
    cr_expect_eq(strncmp(sites[0].place.data, "f@f.c:20", sites[0].place.length), 0);
    waitpid(p.pid, NULL, 0);
}

/* The collector takes windows from the future for windows that begin when it hears of them. So they
 * are young then, however slow the machine is. */
static void start_in_an_hour(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    start_ns = (uint64_t)(now.tv_sec + 3600) * 1000000000;
}

/* Hands in a window, and at once another, as a program does that becomes another one. */
static void become_another(const char *variable)
{
    start_in_an_hour();
    hand_in_window(variable, true);
    made_window made = hand_in_window(variable, true);
    made_allocate(&made, 0, HPP_FIRST_SITE, 1, 7);
}

Test(collector, drops_the_profile_of_a_program_replaced_at_once)
{
    start("-hc -i1000");
    program p = run(become_another);
    hpp_collector_follow(collector, p.pid);
    waitpid(p.pid, NULL, 0);
    serve_for(1);
    hpp_collector_stop(collector);
    cr_expect_eq(hpp_collector_n_processes(collector), 1);
    expect_last_total("prog.hp", 7);
}

/* The first window comes late by a connection that was accepted in time. */
static void become_another_unheard(const char *variable)
{
    int slow = connect_to(variable);
    start_in_an_hour();
    wait_to_go();
    hand_in_by(slow, true);
    made_window made = hand_in_window(variable, true);
    made_allocate(&made, 0, HPP_FIRST_SITE, 1, 7);
}

Test(collector, accepts_programs_in_the_order_in_which_they_connected)
{
    start("-hc -i1000");
    program p = run(become_another_unheard);
    hpp_collector_follow(collector, p.pid);
    serve_for(100);
    go(&p);
    waitpid(p.pid, NULL, 0);
    serve_for(1);
    hpp_collector_stop(collector);
    expect_last_total("prog.hp", 7);
}

static int said[2]; /* a pipe from the program */

static void say_that_it_has_begun(const char *variable)
{
    hand_in_window(variable, true);
    cr_assert_eq(write(said[1], "x", 1), 1);
    wait_to_go();
}

Test(collector, prepares_the_end_of_a_program_that_it_has_not_heard_of)
{
    char byte;
    cr_assert_eq(pipe(said), 0);
    start("-hc -i1000");
    program p = run(say_that_it_has_begun);
    hpp_collector_follow(collector, p.pid);
    cr_assert_eq(read(said[0], &byte, 1), 1);
    hpp_collector_prepare_end(collector, false);
    cr_expect_eq(hpp_collector_n_living(collector), 1);
    go(&p);
    serve_until(0);
    waitpid(p.pid, NULL, 0);
}

/* The first window is said to be from long ago. */
static void become_another_later(const char *variable)
{
    made_window made = hand_in_window(variable, true);
    made_allocate(&made, 0, HPP_FIRST_SITE, 1, 3);
    wait_to_go();
    made = hand_in_window(variable, true);
    made_allocate(&made, 0, HPP_FIRST_SITE, 1, 7);
}

Test(collector, keeps_a_profile_of_each_program_of_a_process)
{
    start("-hc -i0.001");
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    start_ns = (uint64_t)(now.tv_sec - 5) * 1000000000;
    program p = run(become_another_later);
    serve_until(1);
    serve_for(20);
    go(&p);
    serve_until(0);
    hpp_collector_stop(collector);
    char name[60];
    snprintf(name, sizeof name, "prog.%d.1.hp", (int)p.pid);
    expect_last_total(name, 3);
    snprintf(name, sizeof name, "prog.%d.hp", (int)p.pid);
    expect_last_total(name, 7);
    waitpid(p.pid, NULL, 0);
}

Test(collector, ignores_children_on_request)
{
    options.without_children = true;
    start("-hc");
    program p = run(become_another);
    hpp_collector_follow(collector, getpid());
    waitpid(p.pid, NULL, 0);
    serve_for(1);
    hpp_collector_stop(collector);
    cr_expect_eq(hpp_collector_n_processes(collector), 0);
    cr_expect_eq(scratch_n_files(), 0);
}

static void hand_in_something_else(const char *variable)
{
    made_window made = hand_in_window(variable, false);
    (void)made;
    close(send_hello(variable, HPP_HELLO_WINDOW, 1, "", -1));
    close(connect_to(variable));
    send_hello(variable, 77, 1, "", -1);
}

Test(collector, rejects_memory_that_can_be_truncated)
{
    start("-hc");
    program p = run(hand_in_something_else);
    waitpid(p.pid, NULL, 0);
    serve_for(1);
    hpp_collector_stop(collector);
    cr_expect_eq(hpp_collector_n_processes(collector), 0);
    cr_assert_not_null(hpp_collector_refused(collector));
    cr_expect_eq(hpp_collector_refused(collector)->status, HPF_ERR_UNSUPPORTED);
}

static void hand_in_something_huge(const char *variable)
{
    int file = memfd_create("window", MFD_ALLOW_SEALING | MFD_CLOEXEC);
    cr_assert_eq(ftruncate(file, (off_t)1 << 44), 0);
    cr_assert_eq(fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    send_hello(variable, HPP_HELLO_WINDOW, 0, "", file);
}

Test(collector, rejects_windows_larger_than_its_own)
{
    start("-hc");
    program p = run(hand_in_something_huge);
    waitpid(p.pid, NULL, 0);
    serve_for(1);
    hpp_collector_stop(collector);
    cr_assert_not_null(hpp_collector_refused(collector));
    cr_expect_not_null(strstr(hpp_collector_refused(collector)->message, "size"));
}

/* What is no window comes from a process that is being profiled. */
static void hand_in_another_that_is_none(const char *variable)
{
    made_window made = hand_in_window(variable, true);
    made_allocate(&made, 0, HPP_FIRST_SITE, 1, 3);
    wait_to_go();
    hand_in_window(variable, false);
    wait_to_go();
    made_allocate(&made, 0, HPP_FIRST_SITE, 1, 4);
}

static bool has_refused(void)
{
    return hpp_collector_refused(collector) != NULL;
}

Test(collector, keeps_the_profile_when_a_later_window_is_invalid)
{
    start("-hc -i0.01");
    program p = run(hand_in_another_that_is_none);
    hpp_collector_follow(collector, p.pid);
    serve_until(1);
    go(&p);
    serve_while_not(has_refused);
    cr_expect_eq(hpp_collector_n_living(collector), 1);
    go(&p);
    serve_until(0);
    hpp_collector_stop(collector);
    cr_expect_eq(hpp_collector_n_processes(collector), 1);
    cr_assert_not_null(hpp_collector_refused(collector));
    expect_last_total("prog.hp", 7);
    waitpid(p.pid, NULL, 0);
}

/* Serves until the collector has answered a greeting. Returns the answer. */
static char wait_for_answer(int fd)
{
    char answer = -1;
    for (int i = 0; i < SOON_MS && recv(fd, &answer, 1, MSG_DONTWAIT) != 1; i++) {
        serve_for(1);
    }
    return answer;
}

static void mark_and_die(const char *variable)
{
    made_window made = hand_in_window(variable, true);
    wait_to_go();
    made_mark(&made, made.window->head.start_ns + 5000, "from inside");
    wait_to_go();
}

Test(collector, takes_marks_from_inside_and_from_outside)
{
    start("-hc -l -i0.01");
    program p = run(mark_and_die);
    hpp_collector_follow(collector, p.pid);
    serve_until(1);
    go(&p);
    serve_for(30);
    int fd = send_hello(p.variables.run, HPP_HELLO_MARK, (uint32_t)p.pid, "from outside", -1);
    cr_expect_eq(wait_for_answer(fd), 1);
    fd = send_hello(p.variables.run, HPP_HELLO_MARK, 1, "to nobody", -1);
    cr_expect_eq(wait_for_answer(fd), 0);
    go(&p);
    serve_until(0);
    hpp_collector_stop(collector);
    hpf_model *model = read_profile("prog.hp");
    cr_expect_eq(hpf_model_n_marks(model), 2);
    hpf_model_destroy(model);
    size_t length;
    char *log = read_file(scratch_path("prog.eventlog"), &length);
    cr_expect_not_null(memmem(log, length, "from inside", 11));
    cr_expect_not_null(memmem(log, length, "from outside", 12));
    free(log);
    waitpid(p.pid, NULL, 0);
}

Test(collector, writes_a_report_on_request)
{
    start("-p");
    program p = run(become_another);
    hpp_collector_follow(collector, p.pid);
    waitpid(p.pid, NULL, 0);
    serve_for(1);
    hpp_collector_stop(collector);
    size_t length;
    char *report = read_file(scratch_path("prog.prof"), &length);
    cr_assert_not_null(report);
    cr_expect_not_null(strstr(report, "total alloc ="));
    cr_expect_not_null(strstr(report, "prog +RTS -p -RTS one two"));
    free(report);
    cr_expect_null(read_file(scratch_path("prog.hp"), &length));
}

Test(collector, reports_errors_of_its_files)
{
    options.base = "/no/such/folder/prog";
    start("-hc");
    program p = run(become_another);
    hpp_collector_follow(collector, p.pid);
    waitpid(p.pid, NULL, 0);
    serve_for(1);
    hpp_collector_stop(collector);
    hpp_process_figures figures;
    hpp_collector_figures(collector, 0, &figures);
    cr_expect_eq(figures.error.status, HPF_ERR_IO);
}

Test(collector, options_without_their_size_are_an_error)
{
    hpf_error err;
    options.size = 0;
    cr_expect_eq(hpp_collector_create(&collector, &options, &err), HPF_ERR_ARGUMENT);
    cr_expect_null(collector);
}

Test(collector, rejects_profiles_of_embedded_heaps_only)
{
    static const char *const words[] = {"-xt", "-hr -xt"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        hpp_options *wrong = hpp_options_create();
        hpf_error err;
        cr_assert_eq(hpp_options_parse(wrong, (hpf_str){words[i], strlen(words[i])}, &err), HPF_OK);
        options.profile = wrong;
        cr_expect_eq(hpp_collector_create(&collector, &options, &err), HPF_ERR_UNSUPPORTED, "%s",
                     words[i]);
        cr_expect_null(collector);
        hpp_options_destroy(wrong);
    }
}

Test(collector, rejects_a_library_that_cannot_be_preloaded)
{
    hpp_variables variables;
    hpf_error err;
    start("-hc");
    cr_expect_eq(hpp_collector_variables(collector, &variables, 1, "/a b/x.so", NULL, &err),
                 HPF_ERR_ARGUMENT);
    cr_expect_eq(hpp_collector_variables(collector, &variables, 1, "/x.so", "/y.so", &err), HPF_OK);
    cr_expect_str_eq(variables.preload, "/x.so:/y.so");
}

/* ---- Programs that can be profiled ---- */

Test(collector, checks_programs)
{
    hpf_error err;
    cr_expect_eq(hpp_program_check("/bin/sh", &err), HPF_OK, "%s", err.message);
    cr_expect(!hpp_program_has_sanitizer("/bin/sh", NULL));
    cr_expect(!hpp_program_has_sanitizer("/bin/sh", "/lib/libubsan.so.1:/lib/notlibasan.so.8"));
    cr_expect(hpp_program_has_sanitizer("/bin/sh", "/lib/x.so libasan.so.8"));
    cr_expect(hpp_program_has_sanitizer("/bin/sh", "/lib/libclang_rt.tsan-x86_64.so"));
    write_file(scratch_path("script"), HPF_STR("#! /bin/sh -e\ntrue\n"));
    cr_expect_eq(hpp_program_check(scratch_path("script"), &err), HPF_OK, "%s", err.message);
    write_file(scratch_path("circle"), HPF_STR("#!"));
    cr_expect_eq(hpp_program_check(scratch_path("circle"), &err), HPF_OK, "%s", err.message);
    write_file(scratch_path("text"), HPF_STR("hello"));
    cr_expect_eq(hpp_program_check(scratch_path("text"), &err), HPF_OK, "%s", err.message);
    write_file(scratch_path("bytes"), HPF_STR("hello\0"));
    cr_expect_eq(hpp_program_check(scratch_path("bytes"), &err), HPF_ERR_UNSUPPORTED);
    cr_expect_eq(hpp_program_check(scratch_path("nothing"), &err), HPF_ERR_IO);
    cr_expect_eq(hpp_program_check("/", &err), HPF_ERR_IO);
}
