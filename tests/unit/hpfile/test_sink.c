/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sinks: what is written arrives once and whole; a file is replaced only by a finished one.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hpfile/sink.h"
#include "rng.h"
#include "scratch.h"

TestSuite(sink, .init = scratch_begin, .fini = scratch_end);

static void expect_file(const char *path, const char *text)
{
    char *got = read_file(path, NULL);
    cr_assert_not_null(got, "%s is missing", path);
    cr_assert_str_eq(got, text);
    free(got);
}

Test(sink, memory_keeps_everything)
{
    hpf_sink *sink = hpf_sink_to_memory();
    cr_assert_eq(hpf_sink_bytes(sink).length, 0);
    cr_assert_not_null(hpf_sink_bytes(sink).data);
    hpf_sink_text(sink, "a");
    hpf_sink_str(sink, HPF_STR("\0b"));
    hpf_sink_printf(sink, "%s-%d", "c", 7);
    hpf_sink_whole(sink, UINT64_MAX);
    hpf_sink_fixed(sink, 0.5, 2);
    hpf_sink_shortest(sink, 0.1);
    hpf_str got = hpf_sink_bytes(sink);
    hpf_str expected = HPF_STR("a\0bc-7184467440737095516150.500.1");
    cr_assert_eq(got.length, expected.length);
    cr_assert_eq(memcmp(got.data, expected.data, got.length), 0);
    cr_assert_eq(hpf_sink_position(sink), got.length);
    cr_assert_eq(hpf_sink_finish(sink, NULL), HPF_OK);
    cr_assert_eq(hpf_sink_bytes(sink).length, expected.length);
    hpf_sink_destroy(sink);
}

Test(sink, words_are_read_by_a_shell_as_they_are)
{
    static const struct {
        const char *word, *expected;
    } cases[] = {
        {"a-b_9./%+,:", "a-b_9./%+,:"},
        {"", "''"},
        {"two words", "'two words'"},
        {"$x`\"\\", "'$x`\"\\'"},
        {"a\n", "'a\n'"},
        {"~", "'~'"},
        {"it's", "\"it's\""},
        {"it's $x", "'it'\\''s $x'"},
        {"'", "\"'\""},
        {"\xc3\xa9", "'\xc3\xa9'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpf_sink *sink = hpf_sink_to_memory();
        hpf_sink_word(sink, (hpf_str){cases[i].word, strlen(cases[i].word)});
        hpf_str got = hpf_sink_bytes(sink);
        cr_expect_eq(got.length, strlen(cases[i].expected));
        cr_expect_eq(memcmp(got.data, cases[i].expected, got.length), 0, "%.*s", (int)got.length,
                     got.data);
        hpf_sink_destroy(sink);
    }
}

Test(sink, printf_takes_texts_of_any_length)
{
    static char text[5000];
    memset(text, 'x', sizeof text - 1);
    static const int lengths[] = {0, 254, 255, 256, 257, 4999};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        hpf_sink *sink = hpf_sink_to_memory();
        hpf_sink_printf(sink, "%.*s", lengths[i], text);
        cr_assert_eq(hpf_sink_position(sink), (uint64_t)lengths[i]);
        hpf_sink_destroy(sink);
    }
}

Test(sink, pieces_of_all_sizes_arrive_in_order)
{
    const char *path = scratch_path("out");
    hpf_sink *sink = hpf_sink_to_path(path, NULL);
    hpf_sink *copy = hpf_sink_to_memory();
    static char piece[200000];
    rng chance = {3};
    for (int i = 0; i < 400; i++) {
        size_t n = (size_t)rng_below(&chance, i % 20 ? 500 : sizeof piece);
        memset(piece, 'a' + i % 26, n);
        hpf_sink_write(sink, piece, n);
        hpf_sink_write(copy, piece, n);
        cr_assert_eq(hpf_sink_position(sink), hpf_sink_position(copy));
    }
    cr_assert_eq(hpf_sink_finish(sink, NULL), HPF_OK);
    hpf_sink_destroy(sink);
    size_t length = 0;
    char *got = read_file(path, &length);
    hpf_str expected = hpf_sink_bytes(copy);
    cr_assert_eq(length, expected.length);
    cr_assert_eq(memcmp(got, expected.data, length), 0);
    free(got);
    hpf_sink_destroy(copy);
}

Test(sink, the_old_file_stays_until_the_new_one_is_finished)
{
    const char *path = scratch_path("out");
    write_file(path, HPF_STR("old"));
    hpf_sink *sink = hpf_sink_to_path(path, NULL);
    hpf_sink_text(sink, "new");
    cr_assert_eq(hpf_sink_flush(sink, NULL), HPF_OK);
    expect_file(path, "old");
    cr_assert_eq(hpf_sink_finish(sink, NULL), HPF_OK);
    expect_file(path, "new");
    hpf_sink_destroy(sink);
    cr_assert_eq(scratch_n_files(), 1);
}

Test(sink, an_unfinished_sink_leaves_no_trace)
{
    const char *path = scratch_path("out");
    write_file(path, HPF_STR("old"));
    hpf_sink *sink = hpf_sink_to_path(path, NULL);
    hpf_sink_text(sink, "new");
    cr_assert_eq(hpf_sink_flush(sink, NULL), HPF_OK);
    hpf_sink_destroy(sink);
    expect_file(path, "old");
    cr_assert_eq(scratch_n_files(), 1);
}

static void remove_and_die(int number)
{
    hpf_sink_remove_temporaries();
    raise(number);
}

/* A child has three sinks open, and gets the signal that its parent chooses. */
static void die_while_writing(int number)
{
    struct sigaction action = {.sa_handler = remove_and_die, .sa_flags = (int)SA_RESETHAND};
    sigaction(number, &action, NULL);
    hpf_sink *done = hpf_sink_to_path(scratch_path("done"), NULL);
    hpf_sink *dropped = hpf_sink_to_path(scratch_path("dropped"), NULL);
    for (int i = 0; i < 3; i++) {
        const char *names[] = {"out", "other", "third"};
        hpf_sink *sink = hpf_sink_to_path(scratch_path(names[i]), NULL);
        hpf_sink_text(sink, "new");
        hpf_sink_flush(sink, NULL);
    }
    bool is_good = hpf_sink_finish(done, NULL) == HPF_OK;
    hpf_sink_destroy(dropped);
    hpf_sink_destroy(done);
    if (is_good && scratch_n_files() == 5) {
        raise(number);
    }
    _exit(1);
}

Test(sink, a_signal_leaves_no_trace)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGXFSZ};
    write_file(scratch_path("out"), HPF_STR("old"));
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            die_while_writing(signals[i]);
        }
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == signals[i], "%#x", (unsigned)status);
        expect_file(scratch_path("out"), "old");
        cr_expect_eq(scratch_n_files(), 2);
    }
}

/* A child that has not executed its program yet must not remove the files of its parent. */
Test(sink, a_signal_to_a_child_leaves_the_files_of_the_parent)
{
    int status;
    hpf_sink *sink = hpf_sink_to_path(scratch_path("out"), NULL);
    pid_t child = fork();
    if (child == 0) {
        hpf_sink_remove_temporaries();
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    hpf_sink_text(sink, "new");
    cr_expect_eq(hpf_sink_finish(sink, NULL), HPF_OK);
    hpf_sink_destroy(sink);
    expect_file(scratch_path("out"), "new");
}

Test(sink, a_failed_sink_keeps_the_old_file_and_the_first_error)
{
    const char *path = scratch_path("out");
    write_file(path, HPF_STR("old"));
    hpf_sink *sink = hpf_sink_to_path(path, NULL);
    hpf_error err;
    hpf_sink_text(sink, "new");
    hpf_error_set(&err, HPF_ERR_LIMIT, "first");
    hpf_sink_fail(sink, &err);
    hpf_error_set(&err, HPF_ERR_RANGE, "second");
    hpf_sink_fail(sink, &err);
    hpf_sink_text(sink, "more");
    cr_assert_eq(hpf_sink_finish(sink, &err), HPF_ERR_LIMIT);
    cr_assert_str_eq(err.message, "first");
    hpf_sink_destroy(sink);
    expect_file(path, "old");
    cr_assert_eq(scratch_n_files(), 1);
}

Test(sink, a_file_that_was_not_there_appears_with_the_umask)
{
    umask(027);
    const char *path = scratch_path("out");
    hpf_sink *sink = hpf_sink_to_path(path, NULL);
    hpf_sink_text(sink, "new");
    cr_assert_eq(access(path, F_OK), -1);
    cr_assert_eq(hpf_sink_finish(sink, NULL), HPF_OK);
    hpf_sink_destroy(sink);
    struct stat st;
    cr_assert_eq(stat(path, &st), 0);
    cr_assert_eq(st.st_mode & 07777, 0640);
}

Test(sink, the_mode_of_an_existing_file_is_kept)
{
    const char *path = scratch_path("out");
    write_file(path, HPF_STR("old"));
    cr_assert_eq(chmod(path, 0604), 0);
    hpf_sink *sink = hpf_sink_to_path(path, NULL);
    hpf_sink_text(sink, "new");
    cr_assert_eq(hpf_sink_finish(sink, NULL), HPF_OK);
    hpf_sink_destroy(sink);
    struct stat st;
    cr_assert_eq(stat(path, &st), 0);
    cr_assert_eq(st.st_mode & 07777, 0604);
}

/* A link or pipe of another user in a folder of ours: its maker does not choose what we write. */
Test(sink, refuses_links_and_pipes_of_others)
{
    enum { OTHER_USER = 65534 };
    const char *link = scratch_path("link");
    hpf_error err = {0};
    if (geteuid() != 0) {
        cr_skip_test("needs root");
    }
    cr_assert_eq(symlink("target", link), 0);
    cr_assert_eq(lchown(link, OTHER_USER, OTHER_USER), 0);
    cr_expect_null(hpf_sink_to_path(link, &err));
    cr_expect_eq(hpf_sink_open_growing(link), -1);
    cr_expect_eq(errno, EPERM);
    cr_expect_eq(access(scratch_path("target"), F_OK), -1);
    cr_assert_eq(unlink(link), 0);
    cr_assert_eq(mkfifo(link, 0666), 0);
    cr_assert_eq(chown(link, OTHER_USER, OTHER_USER), 0);
    cr_expect_null(hpf_sink_to_path(link, &err));
    cr_expect_eq(hpf_sink_open_growing(link), -1);
}

static void write_through(const char *path)
{
    hpf_sink *sink = hpf_sink_to_path(path, NULL);
    cr_assert_not_null(sink);
    hpf_sink_text(sink, "new");
    cr_assert_eq(hpf_sink_finish(sink, NULL), HPF_OK);
    hpf_sink_destroy(sink);
}

static void expect_link(const char *path)
{
    struct stat st;
    cr_assert_eq(lstat(path, &st), 0);
    cr_assert(S_ISLNK(st.st_mode), "%s is no link any more", path);
}

Test(sink, a_symbolic_link_is_followed)
{
    write_file(scratch_path("target"), HPF_STR("old"));
    const char *link = scratch_path("link");
    cr_assert_eq(symlink("target", link), 0);
    write_through(link);
    expect_link(link);
    expect_file(scratch_path("target"), "new");
}

Test(sink, a_dangling_symbolic_link_creates_its_target)
{
    const char *link = scratch_path("link");
    const char *second = scratch_path("second");
    cr_assert_eq(symlink(scratch_path("target"), second), 0);
    cr_assert_eq(symlink("second", link), 0);
    write_through(link);
    expect_link(link);
    expect_link(second);
    expect_file(scratch_path("target"), "new");
}

Test(sink, a_circle_of_links_is_an_error)
{
    cr_assert_eq(symlink("b", scratch_path("a")), 0);
    cr_assert_eq(symlink("a", scratch_path("b")), 0);
    hpf_error err;
    cr_assert_null(hpf_sink_to_path(scratch_path("a"), &err));
    cr_assert_eq(err.os_errno, ELOOP);
}

Test(sink, a_name_as_long_as_the_system_takes)
{
    char name[NAME_MAX + 1];
    memset(name, 'n', NAME_MAX);
    name[NAME_MAX] = '\0';
    write_through(scratch_path(name));
    expect_file(scratch_path(name), "new");
}

Test(sink, a_full_device_is_an_error_with_its_reason)
{
    if (access("/dev/full", W_OK) != 0) {
        cr_skip_test("no /dev/full");
    }
    hpf_error err;
    hpf_sink *sink = hpf_sink_to_path("/dev/full", &err);
    cr_assert_not_null(sink);
    hpf_sink_text(sink, "new");
    cr_assert_eq(hpf_sink_finish(sink, &err), HPF_ERR_IO);
    cr_assert_eq(err.os_errno, ENOSPC);
    hpf_sink_destroy(sink);

    int fd = open("/dev/full", O_WRONLY);
    sink = hpf_sink_to_fd(fd);
    for (int i = 0; i < 100000; i++) {
        hpf_sink_text(sink, "much more than a buffer holds");
    }
    cr_assert_eq(hpf_sink_flush(sink, &err), HPF_ERR_IO);
    cr_assert_eq(err.os_errno, ENOSPC);
    hpf_sink_destroy(sink);
    cr_assert_eq(close(fd), 0, "the caller's descriptor stays open");
}

Test(sink, a_folder_cannot_be_written)
{
    hpf_error err;
    cr_assert_null(hpf_sink_to_path(scratch_path("."), &err));
    cr_assert_eq(err.status, HPF_ERR_IO);
    cr_assert_eq(err.os_errno, EISDIR);
}

Test(sink, a_folder_that_is_not_there)
{
    hpf_error err;
    cr_assert_null(hpf_sink_to_path(scratch_path("no/such/out"), &err));
    cr_assert_eq(err.status, HPF_ERR_IO);
    cr_assert_eq(err.os_errno, ENOENT);
    cr_assert_null(hpf_sink_to_path("", NULL));
}

/* Runs as somebody who owns nothing here; the super-user may write anywhere. */
Test(sink, a_target_without_permission_is_an_error_at_once)
{
    const char *path = scratch_path("out");
    const char *inside = scratch_path("inside");
    write_file(path, HPF_STR("old"));
    cr_assert_eq(chmod(path, 0444), 0);
    cr_assert_eq(mkdir(inside, 0755), 0);
    char in_folder[700];
    snprintf(in_folder, sizeof in_folder, "%s/out", inside);
    cr_assert_eq(chmod(inside, 0555), 0);
    uid_t owner = geteuid();
    if (owner == 0) {
        cr_assert_eq(chmod(scratch_path("."), 0777), 0);
        if (setresuid(65534, 65534, 0) != 0 && errno == EINVAL) {
            cr_skip("the name space of users has only one");
        }
        cr_assert_eq(geteuid(), 65534);
    }
    hpf_error err;
    cr_expect_null(hpf_sink_to_path(path, &err));
    cr_expect_eq(err.os_errno, EACCES);
    cr_expect_null(hpf_sink_to_path(in_folder, &err));
    cr_expect_eq(err.os_errno, EACCES);
    if (owner == 0) {
        cr_assert_eq(setresuid(0, 0, 0), 0);
    }
    expect_file(path, "old");
}

Test(sink, a_pipe_without_reader_is_an_error)
{
    signal(SIGPIPE, SIG_IGN);
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    close(ends[0]);
    hpf_sink *sink = hpf_sink_to_fd(ends[1]);
    hpf_error err;
    hpf_sink_text(sink, "x");
    cr_assert_eq(hpf_sink_finish(sink, &err), HPF_ERR_IO);
    cr_assert_eq(err.os_errno, EPIPE);
    cr_assert_eq(hpf_sink_finish(sink, &err), HPF_ERR_IO, "it says the same again");
    hpf_sink_destroy(sink);
    close(ends[1]);
}

Test(sink, numbers_that_are_not_finite_are_refused)
{
    static const double values[] = {INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        hpf_sink *sink = hpf_sink_to_memory();
        hpf_sink_text(sink, "a");
        hpf_sink_fixed(sink, values[i], 3);
        hpf_sink_shortest(sink, values[i]);
        cr_expect_eq(hpf_sink_finish(sink, NULL), HPF_ERR_RANGE);
        cr_expect_eq(hpf_sink_bytes(sink).length, 1);
        hpf_sink_destroy(sink);
    }
}

Test(sink, texts_for_people_are_printable_and_escaped)
{
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_str text = HPF_STR("<\n\033\t\0 a&\"");
    hpf_sink_name(sink, text);
    hpf_sink_text(sink, "|");
    hpf_sink_lines(sink, text);
    hpf_sink_text(sink, "|");
    hpf_sink_markup(sink, text);
    hpf_sink_markup(sink, HPF_STR(""));
    cr_expect(hpf_str_is(hpf_sink_bytes(sink),
                         "<\uFFFD\uFFFD\uFFFD\uFFFD a&\"|<\n\uFFFD\t\uFFFD a&\"|"
                         "&lt;\n\uFFFD\t\uFFFD a&amp;&quot;"));
    hpf_sink_destroy(sink);
}

Test(sink, destroy_accepts_null)
{
    hpf_sink_destroy(NULL);
}
