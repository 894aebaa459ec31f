/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sources: the same bytes from memory, files and pipes, compressed or not, once and again.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sanitizer.h"
#include "hpfile/source.h"
#include "rng.h"
#include "scratch.h"

static char *plain;
static size_t n_plain;

static const hpf_source_options keeping = {.size = sizeof keeping, .keep = true};

/* Text that compresses, but not to nothing; `n` bytes. */
static void make_plain(size_t n)
{
    rng chance = {n + 1};
    free(plain);
    plain = malloc(n + 1);
    n_plain = n;
    for (size_t i = 0; i < n; i++) {
        plain[i] = i && rng_below(&chance, 8) ? plain[i - 1] : (char)('a' + rng_below(&chance, 26));
    }
}

static void set_up(void)
{
    scratch_begin();
    make_plain(300000);
}

static void tear_down(void)
{
    free(plain);
    scratch_end();
}

TestSuite(source, .init = set_up, .fini = tear_down);

static hpf_str plain_text(void)
{
    return (hpf_str){plain, n_plain};
}

/* Reads to the end and compares with `expected`. */
static void expect_bytes(hpf_source *source, hpf_str expected)
{
    hpf_str piece;
    hpf_error err = {0};
    size_t at = 0;
    hpf_status status;
    while ((status = hpf_source_next(source, &piece, &err)) == HPF_OK) {
        cr_assert_gt(piece.length, 0);
        cr_assert_leq(at + piece.length, expected.length);
        cr_assert_eq(memcmp(piece.data, expected.data + at, piece.length), 0, "after %zu", at);
        at += piece.length;
    }
    cr_assert_eq(status, HPF_END, "%s", err.message);
    cr_assert_eq(at, expected.length);
    cr_assert_eq(hpf_source_next(source, &piece, &err), HPF_END, "the end stays the end");
}

static void expect_ranges(hpf_source *source, hpf_str expected)
{
    rng chance = {5};
    char *into = malloc(expected.length + 1);
    for (int i = 0; i < 50; i++) {
        size_t at = (size_t)rng_below(&chance, expected.length + 1);
        size_t n = (size_t)rng_below(&chance, expected.length - at + 1);
        cr_assert_eq(hpf_source_read_at(source, at, into, n, NULL), HPF_OK);
        cr_assert_eq(memcmp(into, expected.data + at, n), 0);
    }
    hpf_error err;
    cr_assert_eq(hpf_source_read_at(source, expected.length, into, 1, &err), HPF_ERR_ARGUMENT);
    cr_assert_eq(hpf_source_read_at(source, UINT64_MAX, into, 1, &err), HPF_ERR_ARGUMENT);
    cr_assert_eq(hpf_source_read_at(source, 1, into, SIZE_MAX, &err), HPF_ERR_ARGUMENT);
    free(into);
}

/* A child that writes `bytes` in pieces of `piece_bytes` into a pipe; the end to read from. */
static int pipe_of(hpf_str bytes, size_t piece_bytes)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        close(ends[0]);
        for (size_t at = 0; at < bytes.length;) {
            size_t n = bytes.length - at < piece_bytes ? bytes.length - at : piece_bytes;
            ssize_t written = write(ends[1], bytes.data + at, n);
            if (written < 0) {
                _exit(1);
            }
            at += (size_t)written;
        }
        _exit(0);
    }
    close(ends[1]);
    return ends[0];
}

static hpf_source *open_keeping(const char *path)
{
    hpf_source *source = NULL;
    hpf_error err = {0};
    cr_assert_eq(hpf_source_open(&source, path, &keeping, &err), HPF_OK, "%s", err.message);
    return source;
}

static void expect_twice(hpf_source *source, hpf_str expected)
{
    expect_bytes(source, expected);
    expect_ranges(source, expected);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(hpf_source_rewind(source, NULL), HPF_OK);
        expect_bytes(source, expected);
    }
    expect_ranges(source, expected);
    hpf_source_destroy(source);
}

Test(source, memory)
{
    hpf_source *source;
    cr_assert_eq(hpf_source_from_memory(&source, plain_text(), NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_source_stored_bytes(source), n_plain);
    expect_twice(source, plain_text());
}

Test(source, file)
{
    const char *path = scratch_path("in");
    write_file(path, plain_text());
    hpf_source *source = open_keeping(path);
    cr_assert_eq(hpf_source_stored_bytes(source), n_plain);
    cr_assert_eq(hpf_source_position_bytes(source), 0);
    expect_bytes(source, plain_text());
    cr_assert_str_eq(hpf_source_compression(source), "");
    cr_assert_eq(hpf_source_position_bytes(source), n_plain);
    cr_assert_eq(hpf_source_rewind(source, NULL), HPF_OK);
    expect_twice(source, plain_text());
}

Test(source, pipes_of_any_pieces)
{
    static const size_t pieces[] = {1, 3, 5, 7, 4096, 1 << 20};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        make_plain(pieces[i] < 10 ? 5000 : 300000);
        int fd = pipe_of(plain_text(), pieces[i]);
        hpf_source *source;
        cr_assert_eq(hpf_source_from_fd(&source, fd, &keeping, NULL), HPF_OK);
        cr_assert_eq(hpf_source_stored_bytes(source), 0);
        expect_twice(source, plain_text());
        cr_assert_eq(close(fd), 0, "the descriptor stays the caller's");
        wait(NULL);
    }
}

Test(source, a_pipe_that_was_not_kept_is_read_once)
{
    int fd = pipe_of(plain_text(), 4096);
    hpf_source *source;
    hpf_error err;
    char byte;
    cr_assert_eq(hpf_source_from_fd(&source, fd, NULL, NULL), HPF_OK);
    expect_bytes(source, plain_text());
    cr_assert_eq(hpf_source_rewind(source, &err), HPF_ERR_ARGUMENT);
    cr_assert_eq(hpf_source_read_at(source, 0, &byte, 1, &err), HPF_ERR_ARGUMENT);
    hpf_source_destroy(source);
    close(fd);
    wait(NULL);
}

Test(source, nothing_at_all)
{
    hpf_source *source;
    cr_assert_eq(hpf_source_from_memory(&source, HPF_STR(""), &keeping, NULL), HPF_OK);
    expect_bytes(source, HPF_STR(""));
    hpf_source_destroy(source);
    source = open_keeping("/dev/null");
    expect_bytes(source, HPF_STR(""));
    cr_assert_eq(hpf_source_rewind(source, NULL), HPF_OK);
    expect_bytes(source, HPF_STR(""));
    hpf_source_destroy(source);
    write_file(scratch_path("in"), HPF_STR(""));
    source = open_keeping(scratch_path("in"));
    expect_bytes(source, HPF_STR(""));
    hpf_source_destroy(source);
}

Test(source, one_to_eight_bytes_from_a_pipe)
{
    for (size_t n = 1; n <= 8; n++) {
        make_plain(n);
        int fd = pipe_of(plain_text(), 1);
        hpf_source *source;
        cr_assert_eq(hpf_source_from_fd(&source, fd, &keeping, NULL), HPF_OK);
        expect_twice(source, plain_text());
        close(fd);
        wait(NULL);
    }
}

Test(source, a_large_spool_goes_to_a_file)
{
    make_plain(9 << 20);
    hpf_source_options options = {
        .size = sizeof options, .keep = true, .temporary_dir = scratch_path(".")};
    int fd = pipe_of(plain_text(), 1 << 16);
    hpf_source *source;
    cr_assert_eq(hpf_source_from_fd(&source, fd, &options, NULL), HPF_OK);
    expect_bytes(source, plain_text());
    cr_assert_eq(scratch_n_files(), 0, "the temporary file has no name");
    cr_assert_eq(hpf_source_rewind(source, NULL), HPF_OK);
    expect_twice(source, plain_text());
    close(fd);
    wait(NULL);
}

Test(source, a_spool_of_exactly_the_limit)
{
    for (int more = -1; more <= 1; more++) {
        make_plain((size_t)((4 << 20) + more));
        hpf_source_options options = {
            .size = sizeof options, .keep = true, .temporary_dir = scratch_path(".")};
        int fd = pipe_of(plain_text(), 1 << 16);
        hpf_source *source;
        cr_assert_eq(hpf_source_from_fd(&source, fd, &options, NULL), HPF_OK);
        expect_twice(source, plain_text());
        close(fd);
        wait(NULL);
    }
}

Test(source, a_spool_that_cannot_be_created_is_an_error)
{
    make_plain(5 << 20);
    hpf_source_options options = {
        .size = sizeof options, .keep = true, .temporary_dir = scratch_path("missing")};
    int fd = pipe_of(plain_text(), 1 << 16);
    hpf_source *source;
    hpf_error err;
    hpf_str piece;
    cr_assert_eq(hpf_source_from_fd(&source, fd, &options, NULL), HPF_OK);
    hpf_status status = HPF_OK;
    while (status == HPF_OK) {
        status = hpf_source_next(source, &piece, &err);
    }
    cr_assert_eq(status, HPF_ERR_IO);
    cr_assert_eq(err.os_errno, ENOENT);
    cr_assert(strstr(err.message, options.temporary_dir), "%s", err.message);
    hpf_source_destroy(source);
    close(fd);
}

/* Two surveys share a source, and the second one may stop early. */
Test(source, what_was_read_before_a_rewind_can_be_read_again)
{
    char byte;
    hpf_str piece;
    make_plain(1000000);
    write_file(scratch_path("in"), plain_text());
    hpf_source *source;
    cr_assert_eq(hpf_source_open(&source, scratch_path("in"), NULL, NULL), HPF_OK);
    while (hpf_source_next(source, &piece, NULL) == HPF_OK) {
    }
    cr_assert_eq(hpf_source_rewind(source, NULL), HPF_OK);
    cr_assert_eq(hpf_source_next(source, &piece, NULL), HPF_OK);
    cr_assert_eq(hpf_source_read_at(source, 999999, &byte, 1, NULL), HPF_OK);
    cr_assert_eq(byte, plain_text().data[999999]);
    hpf_source_destroy(source);
}

Test(source, a_rewind_in_the_middle)
{
    int fd = pipe_of(plain_text(), 10000);
    hpf_source *source;
    hpf_str piece;
    cr_assert_eq(hpf_source_from_fd(&source, fd, &keeping, NULL), HPF_OK);
    for (int i = 0; i < 5; i++) {
        cr_assert_eq(hpf_source_next(source, &piece, NULL), HPF_OK);
    }
    cr_assert_eq(hpf_source_rewind(source, NULL), HPF_OK);
    cr_assert_eq(hpf_source_next(source, &piece, NULL), HPF_OK);
    cr_assert_eq(hpf_source_rewind(source, NULL), HPF_OK);
    expect_twice(source, plain_text());
    close(fd);
    wait(NULL);
}

/* --- compressed --- */

typedef struct packer {
    const char *program;
    const char *name;
} packer;

static const packer packers[] = {{"gzip", "gzip"}, {"xz", "xz"}, {"zstd", "zstd"}};
#define N_PACKERS (sizeof packers / sizeof *packers)

/* The plain text, packed; freed by the caller. */
static char *pack(const packer *p, size_t *length)
{
    write_file(scratch_path("plain"), plain_text());
    if (!run_filter(p->program, "-c", scratch_path("plain"), scratch_path("packed"))) {
        cr_skip_test("%s is not installed", p->program);
    }
    return read_file(scratch_path("packed"), length);
}

Test(source, compressed_file_pipe_and_memory)
{
    for (size_t i = 0; i < N_PACKERS; i++) {
        size_t n;
        char *packed = pack(&packers[i], &n);
        hpf_source *source = open_keeping(scratch_path("packed"));
        expect_bytes(source, plain_text());
        cr_assert_str_eq(hpf_source_compression(source), packers[i].name);
        cr_assert_eq(hpf_source_stored_bytes(source), n);
        cr_assert_eq(hpf_source_position_bytes(source), n);
        cr_assert_eq(hpf_source_rewind(source, NULL), HPF_OK);
        expect_twice(source, plain_text());
        int fd = pipe_of((hpf_str){packed, n}, i == 0 ? 1 : 1000);
        cr_assert_eq(hpf_source_from_fd(&source, fd, &keeping, NULL), HPF_OK);
        expect_twice(source, plain_text());
        close(fd);
        wait(NULL);
        cr_assert_eq(hpf_source_from_memory(&source, (hpf_str){packed, n}, &keeping, NULL), HPF_OK);
        expect_twice(source, plain_text());
        free(packed);
    }
}

Test(source, compressed_to_a_multiple_of_the_piece)
{
    for (size_t i = 0; i < N_PACKERS; i++) {
        for (size_t n = (512 << 10) - 1; n <= (512 << 10) + 1; n++) {
            make_plain(n);
            free(pack(&packers[i], NULL));
            expect_twice(open_keeping(scratch_path("packed")), plain_text());
        }
    }
}

Test(source, compressed_and_not_kept)
{
    free(pack(&packers[0], NULL));
    hpf_source *source;
    hpf_error err;
    cr_assert_eq(hpf_source_open(&source, scratch_path("packed"), NULL, NULL), HPF_OK);
    expect_bytes(source, plain_text());
    cr_assert_eq(hpf_source_rewind(source, &err), HPF_ERR_ARGUMENT);
    hpf_source_destroy(source);
}

Test(source, compressed_streams_in_a_row)
{
    for (size_t i = 0; i < N_PACKERS; i++) {
        make_plain(100000);
        size_t n;
        char *packed = pack(&packers[i], &n);
        char *twice = malloc(2 * n);
        memcpy(twice, packed, n);
        memcpy(twice + n, packed, n);
        char *text = malloc(2 * n_plain);
        memcpy(text, plain, n_plain);
        memcpy(text + n_plain, plain, n_plain);
        hpf_str expected = {text, 2 * n_plain};
        hpf_source *source;
        cr_assert_eq(hpf_source_from_memory(&source, (hpf_str){twice, 2 * n}, &keeping, NULL),
                     HPF_OK);
        expect_twice(source, expected);
        int fd = pipe_of((hpf_str){twice, 2 * n}, 777);
        cr_assert_eq(hpf_source_from_fd(&source, fd, &keeping, NULL), HPF_OK);
        expect_twice(source, expected);
        close(fd);
        wait(NULL);
        free(twice);
        free(text);
        free(packed);
    }
}

Test(source, compressed_nothing)
{
    for (size_t i = 0; i < N_PACKERS; i++) {
        make_plain(0);
        free(pack(&packers[i], NULL));
        hpf_source *source = open_keeping(scratch_path("packed"));
        expect_bytes(source, HPF_STR(""));
        hpf_source_destroy(source);
    }
}

static hpf_status read_all(hpf_source *source, size_t *n_bytes, hpf_error *err)
{
    hpf_str piece;
    hpf_status status;
    *n_bytes = 0;
    while ((status = hpf_source_next(source, &piece, err)) == HPF_OK) {
        *n_bytes += piece.length;
    }
    return status;
}

Test(source, compressed_data_cut_anywhere_is_an_error)
{
    for (size_t i = 0; i < N_PACKERS; i++) {
        make_plain(20000);
        size_t n;
        char *packed = pack(&packers[i], &n);
        for (size_t cut = 6; cut < n; cut += cut < 40 || cut > n - 40 ? 1 : 97) {
            hpf_source *source;
            hpf_error err = {0};
            size_t n_read;
            hpf_str bytes = {packed, cut};
            cr_assert_eq(hpf_source_from_memory(&source, bytes, &keeping, NULL), HPF_OK);
            cr_assert_eq(read_all(source, &n_read, &err), HPF_ERR_SYNTAX, "%s cut at %zu of %zu",
                         packers[i].name, cut, n);
            cr_assert(strstr(err.message, packers[i].name), "%s", err.message);
            cr_assert_leq(n_read, n_plain);
            hpf_source_destroy(source);
        }
        free(packed);
    }
}

Test(source, compressed_data_with_a_wrong_byte_never_gives_too_much)
{
    rng chance = {23};
    for (size_t i = 0; i < N_PACKERS; i++) {
        make_plain(20000);
        size_t n;
        char *packed = pack(&packers[i], &n);
        for (int k = 0; k < CASES(300); k++) {
            size_t at = 6 + (size_t)rng_below(&chance, n - 6);
            char before = packed[at];
            packed[at] = (char)(packed[at] ^ (1 + (int)rng_below(&chance, 255)));
            hpf_source *source;
            hpf_error err = {0};
            size_t n_read;
            cr_assert_eq(hpf_source_from_memory(&source, (hpf_str){packed, n}, NULL, NULL), HPF_OK);
            hpf_status status = read_all(source, &n_read, &err);
            cr_assert(status == HPF_END || status == HPF_ERR_SYNTAX || status == HPF_ERR_MEMORY);
            hpf_source_destroy(source);
            packed[at] = before;
        }
        free(packed);
    }
}

/* --- what is no file --- */

Test(source, files_that_cannot_be_opened)
{
    hpf_source *source = NULL;
    hpf_error err;
    cr_assert_eq(hpf_source_open(&source, scratch_path("missing"), NULL, &err), HPF_ERR_IO);
    cr_assert_eq(err.os_errno, ENOENT);
    cr_assert_null(source);
    cr_assert_eq(hpf_source_open(&source, scratch_path("."), NULL, &err), HPF_ERR_IO);
    cr_assert_eq(err.os_errno, EISDIR);
    cr_assert_null(source);
    cr_assert_eq(hpf_source_from_fd(&source, 999, NULL, &err), HPF_ERR_IO);
    cr_assert_eq(err.os_errno, EBADF);
}

Test(source, a_file_that_became_shorter)
{
    const char *path = scratch_path("in");
    write_file(path, plain_text());
    hpf_source *source = open_keeping(path);
    expect_bytes(source, plain_text());
    cr_assert_eq(truncate(path, 1000), 0);
    char bytes[100];
    hpf_error err;
    cr_assert_eq(hpf_source_read_at(source, 900, bytes, 100, &err), HPF_OK);
    cr_assert_eq(hpf_source_read_at(source, 950, bytes, 100, &err), HPF_ERR_IO);
    hpf_source_destroy(source);
}

Test(source, a_descriptor_is_read_from_its_position)
{
    const char *path = scratch_path("in");
    write_file(path, plain_text());
    int fd = open(path, O_RDONLY);
    cr_assert_eq(lseek(fd, 1000, SEEK_SET), 1000);
    hpf_source *source;
    cr_assert_eq(hpf_source_from_fd(&source, fd, &keeping, NULL), HPF_OK);
    expect_twice(source, (hpf_str){plain + 1000, n_plain - 1000});
    close(fd);
}

Test(source, destroy_accepts_null)
{
    hpf_source_destroy(NULL);
}
