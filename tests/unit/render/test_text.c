/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Measured widths, and which fonts are used.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fontconfig/fontconfig.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sanitizer.h"
#include "fonts.h"
#include "hprender/backend.h"

static double width(hpr_fonts *fonts, const char *text, double size_pt, bool bold)
{
    hpr_measurer m = hpr_fonts_measurer(fonts);
    return m.measure(m.context, text, size_pt, bold).width_pt;
}

Test(text, width_grows_with_the_size)
{
    hpr_fonts *fonts = test_fonts(NULL, NULL);
    double ten = width(fonts, "Data.Map.insert", 10, false);
    cr_assert_gt(ten, 50);
    cr_assert_float_eq(width(fonts, "Data.Map.insert", 70, false), 7 * ten, 0.05);
    cr_assert_eq(width(fonts, "", 10, false), 0);
    cr_assert_gt(width(fonts, "Data.Map.insert", 10, true), ten);
    hpr_fonts_destroy(fonts);
}

Test(text, width_does_not_depend_on_earlier_texts)
{
    static const char *const texts[] = {"AVA", "To", "\xC3\x84V\xC3\x84", "oT", "a\tb", "VAV"};
    enum { N_TEXTS = sizeof texts / sizeof *texts };
    hpr_fonts *used = test_fonts(NULL, NULL);
    for (int i = 0; i < 2 * N_TEXTS; i++) {
        const char *text = texts[i % N_TEXTS];
        bool bold = i % 3 == 0;
        hpr_fonts *fresh = test_fonts(NULL, NULL);
        cr_expect_eq(width(used, text, 10, bold), width(fresh, text, 10, bold), "%s", text);
        hpr_fonts_destroy(fresh);
    }
    hpr_fonts_destroy(used);
}

Test(text, other_fonts_get_more_room)
{
    hpr_fonts *fonts = test_fonts(NULL, NULL);
    hpr_measurer tex = hpr_fonts_measurer_for(fonts, hpr_backend_by_name("pgf"));
    hpr_measurer pdf = hpr_fonts_measurer_for(fonts, hpr_backend_by_name("pdf"));
    double ours = width(fonts, "Data.Map.insert", 7, false);
    cr_expect_eq(pdf.measure(pdf.context, "Data.Map.insert", 7, false).width_pt, ours);
    cr_expect_gt(tex.measure(tex.context, "Data.Map.insert", 7, false).width_pt, 1.1 * ours);
    hpr_fonts_destroy(fonts);
}

Test(text, height_belongs_to_the_font)
{
    hpr_fonts *fonts = test_fonts(NULL, NULL);
    hpr_measurer m = hpr_fonts_measurer(fonts);
    hpr_text_size low = m.measure(m.context, "x", 10, false);
    hpr_text_size high = m.measure(m.context, "\xC3\x84y", 10, false);
    cr_assert_eq(low.ascent_pt, high.ascent_pt);
    cr_assert(low.ascent_pt > 7 && low.ascent_pt < 12);
    cr_assert(low.descent_pt > 1 && low.descent_pt < 4);
    hpr_fonts_destroy(fonts);
}

Test(text, there_are_no_ligatures)
{
    hpr_fonts *fonts = test_fonts("DejaVu Sans", NULL);
    double apart = width(fonts, "f", 10, false) + width(fonts, "i", 10, false);
    cr_assert_float_eq(width(fonts, "fi", 10, false), apart, 0.1);
    hpr_fonts_destroy(fonts);
}

/* Characters that turn the direction of their neighbours are replaced before a text gets here; a
 * text in a script from right to left turns only itself. */
Test(text, arabic_does_not_change_its_neighbours)
{
    hpr_fonts *fonts = test_fonts(NULL, NULL);
    double latin = width(fonts, "(12)main/", 10, false) + width(fonts, "/x", 10, false);
    cr_assert_gt(width(fonts, "(12)main/\xD8\xB3\xD9\x84\xD8\xA7\xD9\x85/x", 10, false), latin);
    hpr_fonts_destroy(fonts);
}

Test(text, combining_marks_and_fallback_fonts)
{
    hpr_fonts *fonts = test_fonts(NULL, NULL);
    double plain = width(fonts, "caf\xC3\xA9", 10, false);
    cr_assert_float_eq(width(fonts, "cafe\xCC\x81", 10, false), plain, 1.0);
    cr_assert_gt(width(fonts, "\xE2\x88\x80", 10, false), 2); /* not in Liberation Sans */
    cr_assert_gt(width(fonts, "\xE6\x97\xA5\xE6\x9C\xAC", 10, false), 5);
    hpr_fonts_destroy(fonts);
}

Test(text, missing_family_is_replaced_and_reported)
{
    hpr_fonts *fonts = test_fonts("No Such Family At All", NULL);
    cr_assert_gt(width(fonts, "text", 10, false), 10);
    cr_assert_not_null(hpr_fonts_substitute(fonts));
    cr_assert_str_eq(hpr_fonts_substitute(fonts), hpr_fonts_family(fonts));
    hpr_fonts_destroy(fonts);
}

Test(text, finds_family_of_the_system)
{
    static const char *const families[] = {NULL, "DejaVu Sans", "dejavu sans", "serif"};
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        hpr_fonts *fonts = test_fonts(families[i], NULL);
        cr_expect_null(hpr_fonts_substitute(fonts), "%s", families[i]);
        hpr_fonts_destroy(fonts);
    }
}

/* Returns the path of the regular DejaVu Sans, or skips the test. */
static const char *dejavu_path(void)
{
    static const char path[] = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";
    if (access(path, R_OK) != 0) {
        cr_skip_test("DejaVu Sans is not installed");
    }
    return path;
}

Test(text, prefers_font_file)
{
    hpr_fonts *fonts = test_fonts("Liberation Sans", dejavu_path());
    hpr_fonts *dejavu = test_fonts("DejaVu Sans", NULL);
    hpr_fonts *liberation = test_fonts("Liberation Sans", NULL);
    double pinned = width(fonts, "wide letters", 10, false);
    cr_assert_float_eq(pinned, width(dejavu, "wide letters", 10, false), 1e-9);
    cr_assert_gt(fabs(pinned - width(liberation, "wide letters", 10, false)), 1);
    cr_assert_str_eq(hpr_fonts_family(fonts), "DejaVu Sans");
    cr_assert_null(hpr_fonts_substitute(fonts));
    hpr_fonts_destroy(fonts);
    hpr_fonts_destroy(dejavu);
    hpr_fonts_destroy(liberation);
}

Test(text, invalid_font_file_is_an_error)
{
    static const char *const paths[] = {"/dev/null", "/nowhere/at/all.ttf", "/etc/passwd"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        hpr_fonts *fonts;
        hpf_error err;
        cr_assert_eq(hpr_fonts_create(&fonts, NULL, paths[i], &err), HPF_ERR_ARGUMENT);
        cr_assert_null(fonts);
        cr_assert_not_null(strstr(err.message, paths[i]), "%s", err.message);
    }
}

Test(text, very_long_text_is_cut)
{
    size_t n = 1 << 20;
    char *text = malloc(n + 1);
    for (size_t i = 0; i < n; i++) {
        text[i] = "\xC3\xA9"[i % 2];
    }
    text[n] = '\0';
    hpr_fonts *fonts = test_fonts(NULL, NULL);
    double one = width(fonts, "\xC3\xA9", 10, false);
    for (size_t begin = 0; begin < 2; begin++) {
        double whole = width(fonts, text + begin, 10, false);
        cr_assert(whole > 8000 * one && whole < 9000 * one, "%g of %g", whole, one);
    }
    hpr_fonts_destroy(fonts);
    free(text);
}

Test(text, invalid_utf8_is_measured)
{
    hpr_fonts *fonts = test_fonts(NULL, NULL);
    cr_assert_gt(width(fonts, "\xFF\xC3", 10, false), 5);
    hpr_fonts_destroy(fonts);
}

/* Returns how many threads of this process do not block SIGTERM. */
static int count_open_threads(void)
{
    int n = 0;
    DIR *tasks = opendir("/proc/self/task");
    cr_assert_not_null(tasks);
    for (struct dirent *task; (task = readdir(tasks));) {
        char path[300], line[256];
        snprintf(path, sizeof path, "/proc/self/task/%s/status", task->d_name);
        FILE *status = task->d_name[0] == '.' ? NULL : fopen(path, "r");
        while (status && fgets(line, sizeof line, status)) {
            unsigned long long blocked;
            if (strcmp(line, "Threads:\t0\n") == 0) {
                break; /* the thread has ended: the kernel shows no mask */
            }
            if (sscanf(line, "SigBlk: %llx", &blocked) == 1) {
                n += (blocked & 1ULL << (SIGTERM - 1)) == 0;
            }
        }
        if (status) {
            fclose(status);
        }
    }
    closedir(tasks);
    return n;
}

static atomic_bool is_over;

/* Returns the largest number of such threads until `is_over`. */
static void *watch_threads(void *most)
{
    while (!is_over) {
        int n = count_open_threads();
        *(int *)most = n > *(int *)most ? n : *(int *)most;
    }
    return NULL;
}

/* Otherwise a signal could end a program whose other threads block and read it. */
Test(text, threads_of_pango_block_all_signals)
{
    int before = count_open_threads(), most = 0;
    pthread_t watcher;
    cr_assert_eq(pthread_create(&watcher, NULL, watch_threads, &most), 0);
    for (int i = 0; i < CASES(30); i++) {
        hpr_fonts_destroy(test_fonts(NULL, NULL));
    }
    is_over = true;
    pthread_join(watcher, NULL);
    cr_assert_leq(most, before + 1); /* with the watcher */
}

static atomic_int n_sorted;

/* Delays the threads of Pango 1.50, which sort fonts and change the font map when they end. */
__attribute__((visibility("default"))) FcFontSet *FcFontSetSort(FcConfig *config, FcFontSet **sets,
                                                                int nsets, FcPattern *pattern,
                                                                FcBool trim, FcCharSet **charset,
                                                                FcResult *result)
{
    FcFontSet *(*next)(FcConfig *, FcFontSet **, int, FcPattern *, FcBool, FcCharSet **,
                       FcResult *);
    *(void **)&next = dlsym(RTLD_NEXT, "FcFontSetSort");
    usleep(20000);
    FcFontSet *sorted = next(config, sets, nsets, pattern, trim, charset, result);
    n_sorted++;
    return sorted;
}

Test(text, destroy_waits_until_pango_has_sorted_fonts)
{
    hpr_fonts *fonts = test_fonts(NULL, NULL);
    width(fonts, "x", 9, false);
    hpr_fonts_destroy(fonts);
    int n = n_sorted;
    usleep(100000);
    cr_assert_eq(n_sorted, n);
}
