/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The cases, one rule each: y_ files are accepted and n_ files refused with exactly what their
 * .expect says; i_ files are left to the reader. All read the same however they are cut.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/sink.h"
#include "readings.h"
#include "scratch.h"
#include "source_dir.h"

#define CASES    CENSUS_SOURCE_DIR "/tests/conformance/hp/cases/"
#define MAX_PATH 600

static void expect_same_in_pieces(const char *name, hpf_str text, const reading *whole)
{
    for (uint64_t seed = 0; seed < 16; seed++) {
        reading cut = read_text(text, seed ? 24 : 1, seed);
        cr_expect(readings_equal(whole, &cut), "%s, seed %llu:\n%.*s", name,
                  (unsigned long long)seed, (int)hpf_sink_position(cut.text),
                  hpf_sink_bytes(cut.text).data);
        reading_finish(&cut);
    }
}

/* What the reader must say: of an accepted file everything, of a refused one the last line. */
static void expect_said(const char *path, const char *name, const reading *r)
{
    char expect_path[MAX_PATH + 10];
    size_t length = 0;
    snprintf(expect_path, sizeof expect_path, "%.*s.expect", (int)strlen(path) - 3, path);
    char *expected = read_file(expect_path, &length);
    cr_assert_not_null(expected, "%s is missing", expect_path);
    hpf_str said = hpf_sink_bytes(r->text);
    char error[300] = "";
    if (r->status != HPF_OK) {
        int n = snprintf(error, sizeof error, "%s %u:%u %s\n", hpf_status_name(r->status),
                         r->error.line, r->error.column, r->error.message);
        said = (hpf_str){error, (size_t)n};
    }
    cr_expect(said.length == length && memcmp(said.data, expected, length) == 0,
              "%s says\n%.*s\nexpected\n%s", name, (int)said.length, said.data, expected);
    free(expected);
}

static void check_case(const char *name)
{
    char path[MAX_PATH];
    size_t length = 0;
    snprintf(path, sizeof path, "%s%s", CASES, name);
    char *bytes = read_file(path, &length);
    cr_assert_not_null(bytes, "%s", path);
    hpf_str text = {bytes, length};
    reading whole = read_text(text, SIZE_MAX, 0);
    expect_same_in_pieces(name, text, &whole);
    if (name[0] != 'i') {
        cr_expect_eq(whole.status == HPF_OK, name[0] == 'y', "%s: %s", name, whole.error.message);
        expect_said(path, name, &whole);
    }
    reading_finish(&whole);
    free(bytes);
}

static bool is_case(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && strchr("yni", name[0]) && name[1] == '_' &&
           strcmp(name + length - 3, ".hp") == 0;
}

Test(conformance_hp, cases)
{
    unsigned n = 0;
    DIR *dir = opendir(CASES);
    cr_assert_not_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (is_case(entry->d_name)) {
            check_case(entry->d_name);
            n++;
        }
    }
    closedir(dir);
    cr_expect_geq(n, 100);
}
