/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Readers of the profiles of other tools: small inputs whose samples were worked out by hand, wrong
 * inputs with the place of the error, and every allocation failing in turn.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/live.h"
#include "hpfile/pprof.h"
#include "hpfile/sink.h"
#include "hpfile/survey.h"
#include "failing_alloc.h"
#include "retold.h"

#define MASSIF "desc: --x\ncmd: ./p -v\ntime_unit: "
#define SNAPSHOT(time, heap, extra, stacks, tree)                                                  \
    "#-----------\nsnapshot=0\n#-----------\ntime=" time "\nmem_heap_B=" heap                      \
    "\nmem_heap_extra_B=" extra "\nmem_stacks_B=" stacks "\nheap_tree=" tree "\n"
#define MASSIF_TREE                                                                                \
    "n2: 100 (heap allocation functions)\n"                                                        \
    " n2: 70 0x1: inner(int (*)(int)) (a.c:7)\n"                                                   \
    "  n0: 50 0x2: main (a.c:9)\n"                                                                 \
    "  n0: 15 in 3 places, all below massif's threshold (1.00%)\n"                                 \
    " n0: 30 0x3: ??? (in /lib/b c.so)\n"

/* Two sample types; a sample with packed numbers at a place with an inlined function, and one with
 * a field for each number at a place without lines; definitions follow. */
#define PPROF_TYPES "\012\004\010\001\020\002\012\004\010\003\020\004"
#define PPROF_SAMPLES                                                                              \
    "\022\020\012\002\007\011\022\012\001\377\377\377\377\377\377\377\377\177"                     \
    "\022\007\010\011\020\002\020\254\002"
#define PPROF_REST                                                                                 \
    "\042\023\010\007\020\001\030\264\044\042\004\010\004\020\005\042\004\010\003\020\006\042\007" \
    "\010\011\020\001\030\274\025\052\006\010\003\020\006\040\007\052\006\010\004\020\010\040\007" \
    "\032\004\010\001\050\005\110\200\200\274\212\311\322\023\062\000\062\007\157\142\152\145\143" \
    "\164\163\062\005\143\157\165\156\164\062\005\163\160\141\143\145\062\005\142\171\164\145\163" \
    "\062\004\160\162\157\147\062\004\155\141\151\156\062\003\141\056\143\062\003\151\156\154"

#define HEAPTRACK                                                                                  \
    "v 10400 3\nX ./p\nI 1000 10\ns 6 a; b.c\ns 4 main\ns 1 f\ns 3 _st\n"                          \
    "i abc 0 3 1 7 2 1 ff\ni 5 0 4\nt 1 0\nt 2 0\nt 1 2\na 10 3\na 8 0\n"

/* A program without and a library with a bias; the second version has addresses within calls. */
#define RAW(version, program, modules)                                                             \
    "v " version "\nx " program "\nX ./p\n" modules                                                \
    "t 401010 0\nt 7f0000001010 1\nt 9 2\n+ 10 2 a0\n+ 8 0 a8\n- a8\n- a8\n- 77\n+ 20 3 a8\n"      \
    "c 3e8\n"

#define DHAT(places, frames)                                                                       \
    "{\"dhatFileVersion\":2,\"mode\":\"heap\",\"bklt\":true,\"cmd\":\"./p\",\"te\":50,\"tg\":20,"  \
    "\n\"pps\":[" places "],\n\"ftbl\":[" frames "]}"

#define JOB(command) "JOB \"" command " \xC2\xB7 by call stack\"\nDATE \"\"\n"
#define BYTES        "VALUE_UNIT \"bytes\"\n"

static const struct {
    const hpf_format *format;
    hpf_str text;
    const char *hp;
} profiles[] = {
#define TEXT(literal)                                                                              \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }
    {&hpf_format_massif,
     TEXT(MASSIF "ms\n" SNAPSHOT("0", "0", "0", "0", "empty")
              SNAPSHOT("500", "90", "9", "0", "empty")
                  SNAPSHOT("1500", "100", "8", "18446744073709551615", "peak") MASSIF_TREE),
     JOB("./p -v") "SAMPLE_UNIT \"seconds\"\n" BYTES "BEGIN_SAMPLE 0.000000\nEND_SAMPLE 0.000000\n"
                   "BEGIN_SAMPLE 1.500000\n"
                   "(1)inner(int (*)(int))/main\t50\n"
                   "(2)inner(int (*)(int))/below massif's threshold\t15\n"
                   "(3)inner(int (*)(int))\t5\n(4)0x3\t30\nextra heap\t8\n"
                   "stacks\t18446744073709551615\n"
                   "END_SAMPLE 1.500000\n"},
    {&hpf_format_massif, /* stacks need no tree */
     TEXT(MASSIF "ms\n" SNAPSHOT("0", "0", "0", "5", "empty") SNAPSHOT(
         "500", "100", "8", "0", "peak") MASSIF_TREE SNAPSHOT("1000", "0", "0", "700", "empty")
              SNAPSHOT("1500", "9", "0", "0", "empty")),
     JOB("./p -v") "SAMPLE_UNIT \"seconds\"\n" BYTES
                   "BEGIN_SAMPLE 0.000000\nstacks\t5\nEND_SAMPLE 0.000000\n"
                   "BEGIN_SAMPLE 0.500000\n"
                   "(1)inner(int (*)(int))/main\t50\n"
                   "(2)inner(int (*)(int))/below massif's threshold\t15\n"
                   "(3)inner(int (*)(int))\t5\n(4)0x3\t30\nextra heap\t8\n"
                   "END_SAMPLE 0.500000\n"
                   "BEGIN_SAMPLE 1.000000\nstacks\t700\nEND_SAMPLE 1.000000\n"},
    {&hpf_format_massif,
     TEXT(MASSIF "i\n" SNAPSHOT("7", "90", "9", "1", "empty")
              SNAPSHOT("8", "80", "0", "0", "empty")),
     JOB("./p -v") "SAMPLE_UNIT \"instructions\"\n" BYTES
                   "BEGIN_SAMPLE 7.000000\nuseful heap\t90\nextra heap\t9\nstacks\t1\n"
                   "END_SAMPLE 7.000000\n"
                   "BEGIN_SAMPLE 8.000000\nuseful heap\t80\nEND_SAMPLE 8.000000\n"},
    {&hpf_format_pprof, TEXT(PPROF_TYPES PPROF_SAMPLES PPROF_REST),
     "JOB \"prog space \xC2\xB7 by call stack\"\nDATE \"Fri Jan  2 00:00 1970\"\n"
     "SAMPLE_UNIT \"seconds\"\n" BYTES "BEGIN_SAMPLE 0.000000\n"
     "(1)inl/main/0xabc\t9223372036854775807\n(2)0xabc\t300\nEND_SAMPLE 0.000000\n"},
    /* The peak is between the two times; the second stack ends at main, and 8 bytes have none. */
    {&hpf_format_heaptrack, TEXT(HEAPTRACK "c a\nR 3\n+ 0\n+ 0\n+ 1\n- 0\nc 7d0\n+ 1\n# end\n"),
     JOB("./p") "SAMPLE_UNIT \"seconds\"\n" BYTES "BEGIN_SAMPLE 0.000000\nEND_SAMPLE 0.000000\n"
                "BEGIN_SAMPLE 0.010000\nEND_SAMPLE 0.010000\n"
                "BEGIN_SAMPLE 0.010000\n(1)(unknown)\t8\n(2)f/main\t32\nEND_SAMPLE 0.010000\n"
                "BEGIN_SAMPLE 2.000000\n(1)(unknown)\t8\n(2)f/main\t16\nEND_SAMPLE 2.000000\n"
                "BEGIN_SAMPLE 2.000000\n(1)(unknown)\t16\n(2)f/main\t16\nEND_SAMPLE 2.000000\n"},
    {&hpf_format_heaptrack,
     TEXT("\n# strings: 0\n# ips: 0\n"), /* of a program that ended at once */
     JOB("(unknown)") "SAMPLE_UNIT \"seconds\"\n" BYTES
                      "BEGIN_SAMPLE 0.000000\nEND_SAMPLE 0.000000\n"
                      "BEGIN_SAMPLE 0.000000\nEND_SAMPLE 0.000000\n"},
    /* Addresses count from the start of a module's file; a block without a beginning has no end. */
    {&hpf_format_heaptrack,
     TEXT(RAW("10400 3", "6 /bin/p",
              "m 1 -\nm 1 x 0 400000 800 401000 100\nm 8 /lib/a b 7f0000000000 0 800 1000 100\n")),
     JOB("./p") "SAMPLE_UNIT \"seconds\"\n" BYTES "BEGIN_SAMPLE 0.000000\nEND_SAMPLE 0.000000\n"
                "BEGIN_SAMPLE 0.000000\n(1)a b+0x1011/p+0x1011\t16\n"
                "(2)0x9/a b+0x1011/p+0x1011\t32\nEND_SAMPLE 0.000000\n"
                "BEGIN_SAMPLE 1.000000\n(1)a b+0x1011/p+0x1011\t16\n"
                "(2)0x9/a b+0x1011/p+0x1011\t32\nEND_SAMPLE 1.000000\n"
                "BEGIN_SAMPLE 1.000000\n(1)a b+0x1011/p+0x1011\t16\n"
                "(2)0x9/a b+0x1011/p+0x1011\t32\nEND_SAMPLE 1.000000\n"},
    {&hpf_format_heaptrack,
     TEXT(RAW("10200 2", "/bin/p", "m /old 401000 0 100\nm -\nm x 0 400000 2000\n") "m -\n"),
     JOB("./p") "SAMPLE_UNIT \"seconds\"\n" BYTES "BEGIN_SAMPLE 0.000000\nEND_SAMPLE 0.000000\n"
                "BEGIN_SAMPLE 0.000000\n(1)0x7f0000001010/p+0x1010\t16\n"
                "(2)0x9/0x7f0000001010/p+0x1010\t32\nEND_SAMPLE 0.000000\n"
                "BEGIN_SAMPLE 1.000000\n(1)0x7f0000001010/p+0x1010\t16\n"
                "(2)0x9/0x7f0000001010/p+0x1010\t32\nEND_SAMPLE 1.000000\n"
                "BEGIN_SAMPLE 1.000000\n(1)0x7f0000001010/p+0x1010\t16\n"
                "(2)0x9/0x7f0000001010/p+0x1010\t32\nEND_SAMPLE 1.000000\n"},
    {&hpf_format_dhat,
     TEXT(DHAT(
         "{\"tb\":90,\"gb\":70,\"eb\":0,\"fs\":[1,2,3]},{\"fs\":[],\"eb\":18446744073709551615}",
         "\"[root]\",\"0x1: malloc (vg_replace_malloc.c:381)\",\"0x2: f (a.c:3)\","
         "\"0x3: main (in /bin/p)\"")),
     JOB("./p") "SAMPLE_UNIT \"instructions\"\n" BYTES
                "BEGIN_SAMPLE 0.000000\nEND_SAMPLE 0.000000\n"
                "BEGIN_SAMPLE 20.000000\n(1)f/main\t70\nEND_SAMPLE 20.000000\n"
                "BEGIN_SAMPLE 50.000000\n(2)(unknown)\t18446744073709551615\n"
                "END_SAMPLE 50.000000\n"},
    {&hpf_format_heapprofile,
     TEXT(
         "{\"head\":{\"children\":[{\"selfSize\":16,\"callFrame\":{\"functionName\":\"f\",\"url\":"
         "\"a.js\","
         "\"lineNumber\":-1},\"children\":[{\"callFrame\":{\"functionName\":\"\"},\"selfSize\":2.5,"
         "\"children\":[]}]}],\"selfSize\":8,\"callFrame\":{\"functionName\":\"(root)\"}},"
         "\"samples\":[{}]}"),
     JOB("V8 heap") "SAMPLE_UNIT \"seconds\"\n" BYTES
                    "BEGIN_SAMPLE 0.000000\n(1)(root)\t8\n(2)f\t16\n(3)(anonymous)/f\t2.5\n"
                    "END_SAMPLE 0.000000\n"},
    /* The first mapping of a file says where its address 0 is; addresses of allocators are left
       out. */
    {&hpf_format_heap_text,
     TEXT("heap profile:   3:  60 [   9:  90] @ heapprofile\n"
          "   1:  40 [ 4: 70] @ 0x7010 0x1abc 0x1def\n   2: 20 [5: 20] @ 0x9\n  0: 0 [9:9] @\n\n"
          "MAPPED_LIBRARIES:\n1000-1800 r--p 00000000 fe:00 11 /bin/a b\n"
          "1800-2000 r-xp 00000800 fe:00 11 /bin/a b\n7000-8000 r-xp 00000000 fe:00 2 "
          "/lib/libtcmalloc.so.4\n9000-a000 rw-p 00000000 00:00 0 [heap]\n"),
     JOB("/bin/a b") "SAMPLE_UNIT \"seconds\"\n" BYTES
                     "BEGIN_SAMPLE 0.000000\n(1)a b+0xabc/a b+0xdef\t40\n(2)0x9\t20\n"
                     "END_SAMPLE 0.000000\n"},
    /* Blocks of 1000 bytes are counted with the probability 1 - 1/e; 2000 / 0.632... = 3163.95 */
    {&hpf_format_heap_text,
     TEXT("heap_v2/1000\n  t*: 2: 2000 [0: 0]\n  t0: 2: 2000 [0: 0]\n@ 0x10 0x20\n  t*: 2: 2000 "
          "[0: 0]\n"
          "  t0: 2: 2000 [0: 0]\n\nMAPPED_LIBRARIES:\n"),
     JOB("(unknown)") "SAMPLE_UNIT \"seconds\"\n" BYTES
                      "BEGIN_SAMPLE 0.000000\n(1)0x10/0x20\t3164\nEND_SAMPLE 0.000000\n"},
};
enum { N_PROFILES = sizeof profiles / sizeof *profiles };

Test(foreign_profiles, have_the_samples_that_their_text_says)
{
    for (size_t i = 0; i < N_PROFILES; i++) {
        hpf_error err = {0};
        char *hp = retold_as_hp(profiles[i].format, profiles[i].text, &err);
        cr_assert_not_null(hp, "%zu: %u: %s", i, err.line, err.message);
        cr_expect_str_eq(hp, profiles[i].hp);
        free(hp);
    }
}

/* Emits a survey as `.hp` text, which it allocates. */
static char *survey_as_hp(hpf_survey *survey)
{
    hpf_writer *writer;
    hpf_sink *sink = hpf_sink_to_memory();
    cr_assert_eq(hpf_writer_create(&writer, &hpf_format_hp, sink, NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_emit(survey, true, &hpf_writer_events, writer, NULL), HPF_OK);
    cr_assert_eq(hpf_writer_finish(writer, NULL), HPF_OK);
    hpf_str text = hpf_sink_bytes(sink);
    char *copy = strndup(text.data, text.length);
    hpf_writer_destroy(writer);
    hpf_sink_destroy(sink);
    return copy;
}

Test(foreign_profiles, are_surveyed_and_read_by_live_profiles)
{
    for (size_t i = 0; i < N_PROFILES; i++) {
        hpf_survey *survey, *snapshot;
        hpf_live *live;
        hpf_source *source;
        cr_assert_eq(hpf_source_from_memory(&source, profiles[i].text, NULL, NULL), HPF_OK);
        cr_assert_eq(hpf_survey_create(&survey, source, NULL, NULL), HPF_OK, "%zu", i);
        char *hp = survey_as_hp(survey);
        cr_expect_str_eq(hp, profiles[i].hp);
        cr_assert_eq(hpf_source_rewind(source, NULL), HPF_OK);
        cr_assert_eq(hpf_live_create(&live, NULL, NULL), HPF_OK);
        cr_assert_eq(hpf_live_read(live, source, NULL, NULL), HPF_OK);
        cr_assert_eq(hpf_live_finish(live, NULL), HPF_OK);
        cr_assert_eq(hpf_live_survey(&snapshot, live, NULL), HPF_OK);
        char *of_live = survey_as_hp(snapshot);
        cr_expect_str_eq(of_live, profiles[i].hp);
        for (hpf_name name = 0; name < hpf_survey_n_names(survey); name++) {
            hpf_frame frame, same;
            size_t n = hpf_survey_frames(survey, name, &frame, 1);
            cr_expect_eq(n > 0, *hpf_survey_name(survey, name).data == '(', "%zu, %u", i, name);
            cr_expect_eq(n, hpf_live_frames(live, name, &same, 1));
            cr_expect(n == 0 || (hpf_str_equal(frame.label, same.label) &&
                                 hpf_str_equal(frame.source, same.source)));
        }
        free(of_live);
        free(hp);
        hpf_live_destroy(live);
        hpf_survey_destroy(survey);
        hpf_source_destroy(source);
    }
}

/* What a symboliser was asked: "MODULE OFFSET+" or "MODULE ADDRESS", and the build id. */
typedef struct asked {
    char text[300];
    unsigned n_warnings;
} asked;

static hpf_status name_addresses(void *context, const hpf_frame **frames, size_t *n_frames,
                                 hpf_error *err)
{
    static const hpf_frame function = {.label = HPF_STR("f"), .source = HPF_STR("f.c:1")};
    asked *a = context;
    (void)err;
    for (size_t i = 0; i < *n_frames; i++) {
        const hpf_frame *f = &(*frames)[i];
        size_t n = strlen(a->text);
        snprintf(a->text + n, sizeof a->text - n, "%.*s %llx%s%.*s;", (int)f->module.length,
                 f->module.data, (unsigned long long)f->code, f->is_code_offset ? "+" : "",
                 (int)f->build_id.length, f->build_id.data);
    }
    if ((*frames)->code > 0 && (*frames)->module.length > 0) {
        *frames = &function;
        *n_frames = 1;
    }
    return HPF_OK;
}

Test(foreign_profiles, have_functions_that_the_caller_finds)
{
    hpf_survey *survey;
    hpf_source *source;
    hpf_frame frame;
    asked seen = {0};
    const hpf_survey_options options = {
        .size = sizeof options, .symbolise = name_addresses, .symbolise_context = &seen};
    const hpf_str text =
        TEXT("heap profile: 3: 60 [3: 60] @ heapprofile\n1: 40 [1: 40] @ 0x1abc 0x1def\n"
             "2: 20 [2: 20] @ 0x9\n\nMAPPED_LIBRARIES:\n1000-2000 r-xp 00000000 fe:00 11 /bin/a\n");
    cr_assert_eq(hpf_source_from_memory(&source, text, NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&survey, source, &options, NULL), HPF_OK);
    cr_expect_str_eq(seen.text, "/bin/a abb+;/bin/a dee+; 8+;");
    cr_expect(hpf_str_is(hpf_survey_name(survey, 0), "(1)f"));
    cr_expect_eq(hpf_survey_frames(survey, 0, &frame, 1), 1);
    cr_expect(hpf_str_is(frame.source, "f.c:1"));
    cr_expect(hpf_str_is(hpf_survey_name(survey, 1), "(2)0x9"));
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
}

static void count_warning(void *context, const hpf_error *warning)
{
    asked *a = context;
    a->n_warnings++;
    cr_expect_eq(warning->status, HPF_ERR_ARGUMENT);
    cr_expect(strstr(warning->message, "100% of the amounts have addresses"), "%s",
              warning->message);
}

/* A location in a mapping of /l with the build id "ab" that begins at 0x1000, with the byte 0x300
 * of the file; one of the file's own address 0x77 in /o; one with a function; one in no mapping. */
#define PPROF_CODE                                                                                 \
    "\012\004\010\001\020\002\022\006\012\001\001\022\001\012\022\011\012\004\002\003\004\001\022" \
    "\001\036"                                                                                     \
    "\032\014\010\001\020\200\040\040\200\006\050\004\060\003\032\004\010\002\050\005"             \
    "\042\007\010\001\020\001\030\220\040\042\006\010\002\020\002\030\167"                         \
    "\042\013\010\003\020\001\030\221\040\042\002\010\001\042\004\010\004\030\011\052\004\010\001" \
    "\020\006"                                                                                     \
    "\062\000\062\005space\062\005bytes\062\002ab\062\002/l\062\002/o\062\001g"

Test(foreign_profiles, of_pprof_have_functions_that_the_caller_finds_if_it_wants_all)
{
    const hpf_str text = TEXT(PPROF_CODE);
    for (int wants_all = 0; wants_all < 2; wants_all++) {
        hpf_survey *survey;
        hpf_source *source;
        asked seen = {0};
        const hpf_survey_options options = {.size = sizeof options,
                                            .symbolise = name_addresses,
                                            .symbolise_context = &seen,
                                            .symbolises_all = wants_all,
                                            .warning = count_warning,
                                            .warning_context = &seen};
        cr_assert_eq(hpf_source_from_memory(&source, text, NULL, NULL), HPF_OK);
        cr_assert_eq(hpf_survey_create(&survey, source, &options, NULL), HPF_OK);
        cr_expect_str_eq(seen.text, wants_all ? "/l 310+ab;/o 77;/l 0; 9;/l 310+ab;" : "");
        cr_expect_eq(seen.n_warnings, !wants_all);
        cr_expect(hpf_str_is(hpf_survey_name(survey, 0), wants_all ? "(1)f" : "(1)0x1010"));
        cr_expect_eq(hpf_survey_n_names(survey), wants_all ? 1 : 2);
        hpf_survey_destroy(survey);
        hpf_source_destroy(source);
    }
}

enum { N_WIDE = 20000, N_ROWS = 6 };

static hpf_status expect_row(void *context, const hpf_sample *sample, hpf_error *err)
{
    unsigned *row = context;
    (void)err;
    cr_expect_eq(sample->time, *row);
    cr_assert_eq(sample->n_costs, N_WIDE);
    for (size_t i = 0; i < sample->n_costs; i++) {
        cr_assert_eq(sample->costs[i].whole, (uint64_t)(i + 1) << (7 * *row));
    }
    ++*row;
    return HPF_OK;
}

/* Samples are larger than the pieces in which they are read again, and need one or two words. */
Test(foreign_profiles, with_large_samples_are_read_twice)
{
    static const hpf_events events = {.sample = expect_row};
    hpf_sink *csv = hpf_sink_to_memory();
    hpf_sink_text(csv, "time");
    for (unsigned i = 0; i < N_WIDE; i++) {
        hpf_sink_printf(csv, ",n%u", i);
    }
    for (unsigned row = 0; row < N_ROWS; row++) {
        hpf_sink_printf(csv, "\n%u", row);
        for (uint64_t i = 0; i < N_WIDE; i++) {
            hpf_sink_printf(csv, ",%llu", (unsigned long long)((i + 1) << (7 * row)));
        }
    }
    const hpf_survey_options options = {.size = sizeof options, .expects_no_series = true};
    static uint32_t band_of_name[N_WIDE];
    double values[N_ROWS];
    unsigned row = 0;
    hpf_survey *survey;
    hpf_source *source;
    cr_assert_eq(hpf_source_from_memory(&source, hpf_sink_bytes(csv), NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&survey, source, &options, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_emit(survey, true, &events, &row, NULL), HPF_OK);
    cr_expect_eq(row, N_ROWS);
    cr_assert_eq(hpf_survey_series(survey, band_of_name, 1, values, NULL), HPF_OK);
    for (row = 0; row < N_ROWS; row++) {
        cr_expect_eq(values[row], (N_WIDE + 1.0) * N_WIDE / 2 * (1ULL << (7 * row)));
    }
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_sink_destroy(csv);
}

Test(foreign_profiles, are_refused_at_the_place_of_an_error)
{
    static const struct {
        const hpf_format *format;
        hpf_str text;
        unsigned line;
        const char *message;
    } cases[] = {
        {&hpf_format_massif, TEXT("desc: --x\nstuff\n"), 2, "expected cmd: , found 'stuff'"},
        {&hpf_format_massif, TEXT(MASSIF "years\n"), 3,
         "expected time_unit: i, ms or B, found 'time_unit: years'"},
        {&hpf_format_massif, TEXT(MASSIF "i\n"), 4, "there is no snapshot"},
        {&hpf_format_massif,
         TEXT(MASSIF "i\n" SNAPSHOT("1", "18446744073709551616", "0", "0", "empty")), 8,
         "expected mem_heap_B=, found 'mem_heap_B=18446744073709551616'"},
        {&hpf_format_massif,
         TEXT(MASSIF "i\n" SNAPSHOT("1", "5", "0", "0", "peak") "n1: 5 (heap)\n"), 13,
         "expected a node of the tree, found the end of the input"},
        {&hpf_format_massif,
         TEXT(MASSIF "i\n" SNAPSHOT("1", "5", "0", "0", "peak") "n1: 5 (heap)\n  n0: 5 a\n"), 13,
         "expected a node of the tree, \"nCHILDREN: BYTES PLACE\" after its depth"},
        {&hpf_format_massif,
         TEXT(MASSIF "i\n" SNAPSHOT("1", "5", "0", "0", "peak") "n1: 5 (heap)\n n0: 6 a\n"), 13,
         "the parts of a node are larger than the node"},
        {&hpf_format_massif,
         TEXT(MASSIF "i\n" SNAPSHOT("2", "0", "0", "0", "empty")
                  SNAPSHOT("1", "0", "0", "0", "empty")),
         15, "time goes back"},
        {&hpf_format_heaptrack, TEXT("v 10000 1\nX ./p\n"), 1, "expected version 2 or 3"},
        {&hpf_format_heaptrack, TEXT("v 10400 3\nx 9 ./p\n"), 2, "expected x and the path"},
        {&hpf_format_heaptrack, TEXT("v 10400 3\nm 9 a 1\n"), 2, "expected m PATH BIAS"},
        {&hpf_format_heaptrack, TEXT("v 10400 3\nm 1 a\n"), 2, "expected m PATH BIAS"},
        {&hpf_format_heaptrack, TEXT("v 10400 3\nm 1 -\nt 1 1\n"), 3, "expected t INSTRUCTION"},
        {&hpf_format_heaptrack, TEXT("v 10400 3\nm 1 -\n+ 1 1 5\n"), 3, "expected + BYTES TRACE"},
        {&hpf_format_heaptrack, TEXT("v 10400 3\nm 1 -\n- x\n"), 3, "expected - ADDRESS"},
        {&hpf_format_heaptrack, TEXT("v 10400 3\nX ./p\ns 3 ab\n"), 3,
         "expected s, the length of a text and the text, found 's 3 ab'"},
        {&hpf_format_heaptrack, TEXT(HEAPTRACK "t 3 0\n"), 15, "expected t INSTRUCTION PARENT"},
        {&hpf_format_heaptrack, TEXT(HEAPTRACK "t 1 4\n"), 15, "expected t INSTRUCTION PARENT"},
        {&hpf_format_heaptrack, TEXT(HEAPTRACK "a 10 4\n"), 15, "expected a BYTES TRACE"},
        {&hpf_format_heaptrack, TEXT(HEAPTRACK "+ 2\n"), 15, "an allocation that was defined"},
        {&hpf_format_heaptrack, TEXT(HEAPTRACK "- 0\n"), 15, "more blocks are freed"},
        {&hpf_format_heaptrack, TEXT(HEAPTRACK "c 5\nc 4\n"), 16, "a time that does not go back"},
        {&hpf_format_heaptrack, TEXT(HEAPTRACK "a ffffffffffffffff 1\n+ 2\n+ 2\n"), 17,
         "more than 2^64 bytes"},
        {&hpf_format_dhat, TEXT("{\"dhatFileVersion\":3}"), 1, "expected version 2"},
        {&hpf_format_dhat, TEXT(DHAT("{\"gb\":1,\"fs\":[1]}", "\"[root]\"")), 0,
         "a frame that is not in \"ftbl\""},
        {&hpf_format_dhat, TEXT(DHAT("{\"gb\":18446744073709551616}", "")), 2,
         "expected a whole number below 2^64"},
        {&hpf_format_dhat, TEXT(DHAT("{\"gb\":\"x\"}", "")), 2, "expected a number, found"},
        {&hpf_format_dhat, TEXT(DHAT("{\"fs\":[{}]}", "")), 2, "expected the number of a frame"},
        {&hpf_format_dhat, TEXT("{\"dhatFileVersion\":2,\"pps\":[{\"tb\":1"), 1, "expected"},
        {&hpf_format_heapprofile, TEXT("{\"head\":[]}"), 1, "expected '{'"},
        {&hpf_format_heapprofile, TEXT("{\"head\":{\"selfSize\":-1}}"), 1,
         "expected a number of 0 or more, found '-1'"},
        {&hpf_format_heap_text, TEXT("heap profile: 1: 2 [3: 4] @ growthz\n"), 1,
         "expected @ heapprofile, @ heap/BYTES or @ heap_v2/BYTES"},
        {&hpf_format_heap_text, TEXT("heap profile: 1: 2 [3: 4] @ heapprofile\n1: 2 3\n"), 2,
         "expected OBJECTS: BYTES [ OBJECTS: BYTES] @ ADDRESS..., found '1: 2 3'"},
        {&hpf_format_heap_text,
         TEXT("heap profile: 1: 2 [3: 4] @ heapprofile\n1: 2 [3: 4] @ 0x1 main\n"), 2,
         "expected OBJECTS: BYTES"},
        {&hpf_format_heap_text, TEXT("heap_v2/x\n"), 1, "expected the bytes between samples"},
        {&hpf_format_heap_text, TEXT("heap_v2/1\n@ 0xg\n"), 2, "expected @ ADDRESS"},
        {&hpf_format_heap_text, TEXT("heap_v2/1\n@ 0x1\n  t*: 1: 18446744073709551616 [0: 0]\n"), 3,
         "expected t*: OBJECTS: BYTES [OBJECTS: BYTES]"},
        {&hpf_format_heap_text, TEXT("heap_v2/1\nMAPPED_LIBRARIES:\n1-2 r-xp zz\n"), 3,
         "expected a mapping, BEGIN-END ACCESS OFFSET DEVICE INODE PATH"},
        {&hpf_format_pprof, TEXT(""), 0, "an empty file, expected a pprof profile"},
        {&hpf_format_pprof, TEXT(PPROF_SAMPLES PPROF_REST), 0, "without sample types"},
        {&hpf_format_pprof, TEXT(PPROF_TYPES "\x12\x7f"), 0,
         "byte 12: expected a field of a pprof profile"},
        {&hpf_format_pprof, TEXT(PPROF_TYPES "\x12\x02\xff\xff" PPROF_REST), 0,
         "byte 14: expected a field of a pprof profile"},
        {&hpf_format_pprof,
         TEXT(PPROF_TYPES
              "\022\017\010\011\020\002\020\373\377\377\377\377\377\377\377\377\001" PPROF_REST),
         0, "byte 14: a negative amount"},
        {&hpf_format_pprof, TEXT(PPROF_TYPES "\022\004\010\011\020\002" PPROF_REST), 0,
         "byte 14: expected as many values in a sample as there are sample types"},
        {&hpf_format_pprof, TEXT(PPROF_TYPES "\022\006\010\010\020\002\020\002" PPROF_REST), 0,
         "byte 14: a sample refers to a location that does not exist"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpf_error err = {0};
        cr_expect_null(retold_as_hp(cases[i].format, cases[i].text, &err), "%zu", i);
        cr_expect(strstr(err.message, cases[i].message), "%zu: %s", i, err.message);
        cr_expect_eq(err.line, cases[i].line, "%zu: line %u: %s", i, err.line, err.message);
    }
}

Test(foreign_profiles, too_deep_a_tree_is_refused)
{
    enum { DEPTH = 5000 };
    static const char level[] = "{\"children\":[";
    static char text[sizeof "{\"head\":" + DEPTH * (sizeof level - 1)] = "{\"head\":";
    hpf_error err = {0};
    for (int i = 0; i < DEPTH; i++) {
        memcpy(text + sizeof "{\"head\":" - 1 + i * (sizeof level - 1), level, sizeof level);
    }
    cr_expect_null(retold_as_hp(&hpf_format_heapprofile, (hpf_str){text, strlen(text)}, &err));
    cr_expect_eq(err.status, HPF_ERR_LIMIT);
}

#define HP JOB("./p") "SAMPLE_UNIT \"seconds\"\n" BYTES

/* Trees from the innermost frame, larger parts first; a second cost of a name, and fractions. */
Test(foreign_profiles, massif_is_written_as_trees)
{
    static const char hp[] = HP "BEGIN_SAMPLE 0.000000\nEND_SAMPLE 0.000000\n"
                                "BEGIN_SAMPLE 0.250000\n(1)g/f/main\t10\n(2)g/main\t20.4\n(3)g\t1\n"
                                "plain\t64\n(1)g/f/main\t5\nextra heap\t3\nstacks\t4\n"
                                "END_SAMPLE 0.250000\n";
    static const char massif[] =
        "desc: --time-unit=ms\ncmd: ./p\ntime_unit: ms\n" SNAPSHOT("0", "0", "0", "0", "empty")
            SNAPSHOT("250", "100", "3", "4", "detailed") //
        "n2: 100 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n"
        " n0: 64 0x4: plain (in ./p)\n"
        " n2: 36 0x1: g (in ./p)\n"
        "  n0: 20 0x3: main (in ./p)\n"
        "  n1: 15 0x2: f (in ./p)\n"
        "   n0: 15 0x3: main (in ./p)\n";
    static const char back[] = HP "BEGIN_SAMPLE 0.000000\nEND_SAMPLE 0.000000\n"
                                  "BEGIN_SAMPLE 0.250000\n(1)plain\t64\n(2)g/main\t20\n"
                                  "(3)g/f/main\t15\n(4)g\t1\nextra heap\t3\nstacks\t4\n"
                                  "END_SAMPLE 0.250000\n";
    char *written = retold_as(&hpf_format_massif, (hpf_str){hp, sizeof hp - 1});
    cr_assert_not_null(written);
    char *second = strstr(written, "snapshot=1");
    cr_assert_not_null(second);
    second[9] = '0';
    cr_expect_str_eq(written, massif);
    char *again = retold_as_hp(&hpf_format_massif, (hpf_str){written, strlen(written)}, NULL);
    cr_expect_str_eq(again, back);
    free(again);
    free(written);
}

Test(foreign_profiles, massif_cannot_hold_more_than_64_bits)
{
    static const char *const samples[] = {
        "a\t18446744073709551615\nb\t1\n",
        "a\t1e30\n",
    };
    for (size_t i = 0; i < 2; i++) {
        char hp[300];
        int n = snprintf(hp, sizeof hp, HP "BEGIN_SAMPLE 1\n%sEND_SAMPLE 1\n", samples[i]);
        cr_expect_null(retold_as(&hpf_format_massif, (hpf_str){hp, (size_t)n}));
    }
}

/* Reads a profile into `writer`. */
static hpf_status read_into(hpf_writer *writer, size_t i, hpf_error *err)
{
    hpf_source *source = NULL;
    hpf_status status = hpf_source_from_memory(&source, profiles[i].text, NULL, err);
    status = status == HPF_OK ? hpf_format_read(profiles[i].format, source, &hpf_writer_events,
                                                writer, NULL, err)
                              : status;
    hpf_source_destroy(source);
    return status == HPF_OK ? hpf_writer_finish(writer, err) : status;
}

Test(foreign_profiles, survive_each_failing_allocation)
{
    for (size_t i = 0; i < N_PROFILES; i++) {
        bool has_failed = true;
        for (unsigned long nth = 1; has_failed; nth++) {
            hpf_error err = {0};
            hpf_sink *sink = hpf_sink_to_memory();
            hpf_writer *writer = create_writer(&hpf_format_hp, sink, NULL);
            failing_alloc_arm(nth, false);
            hpf_status status = read_into(writer, i, &err);
            has_failed = failing_alloc_disarm();
            cr_expect(status == (has_failed ? HPF_ERR_MEMORY : HPF_OK), "%zu: %lu: %s", i, nth,
                      err.message);
            hpf_writer_destroy(writer);
            hpf_sink_destroy(sink);
            cr_assert_lt(nth, 1000);
        }
    }
}

static hpf_status copy_pprof(asked *seen, hpf_sink *sink, hpf_error *err)
{
    const hpf_str text = TEXT(PPROF_CODE);
    hpf_source *source = NULL;
    hpf_status status = hpf_source_from_memory(&source, text, NULL, err);
    status =
        status == HPF_OK ? hpf_pprof_symbolise(source, name_addresses, seen, sink, err) : status;
    hpf_source_destroy(source);
    return status;
}

/* A location that has a line keeps its own function. */
Test(foreign_profiles, of_pprof_are_copied_with_functions_for_addresses)
{
    hpf_sink *copy = hpf_sink_to_memory();
    hpf_survey *survey = NULL;
    hpf_source *source = NULL;
    asked seen = {0};
    const hpf_source_options keeping = {.size = sizeof keeping, .keep = true};
    cr_assert_eq(copy_pprof(&seen, copy, NULL), HPF_OK);
    cr_expect_str_eq(seen.text, "/l 310+ab;/o 77; 9;");
    cr_assert_eq(hpf_source_from_memory(&source, hpf_sink_bytes(copy), &keeping, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&survey, source, NULL, NULL), HPF_OK);
    char *hp = survey_as_hp(survey);
    cr_expect(strstr(hp, "(1)f\t10\n(2)f/g/0x9/f\t30\n"), "%s", hp);
    hpf_frame frame;
    cr_expect_eq(hpf_survey_frames(survey, 1, &frame, 1), 4);
    cr_expect(hpf_str_is(frame.source, "f.c:1") && hpf_str_is(frame.module, "/o"));
    free(hp);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_sink_destroy(copy);
}

Test(foreign_profiles, of_pprof_are_copied_or_not_at_each_failing_allocation)
{
    bool has_failed = true;
    for (unsigned long nth = 1; has_failed; nth++) {
        asked seen = {0};
        hpf_error err = {0};
        hpf_sink *sink = hpf_sink_to_memory();
        failing_alloc_arm(nth, false);
        hpf_status status = copy_pprof(&seen, sink, &err);
        has_failed = failing_alloc_disarm();
        cr_expect(status == (has_failed ? HPF_ERR_MEMORY : HPF_OK), "%lu: %s", nth, err.message);
        hpf_sink_destroy(sink);
        cr_assert_lt(nth, 1000);
    }
}

/* SQLite has an allocator of its own, whose failures its library reports. */
Test(foreign_profiles, writers_survive_each_failing_allocation)
{
    static const hpf_format *const formats[] = {&hpf_format_massif, &hpf_format_chrome,
                                                &hpf_format_openmetrics};
    static const char hp[] = HP "BEGIN_SAMPLE 0\n(1)g/f/main\t10\n(2)g/main\t20\nplain\t1.5\n"
                                "END_SAMPLE 0\nMARK 1\nBEGIN_SAMPLE 2\nplain\t64\nEND_SAMPLE 2\n";
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        bool has_failed = true;
        for (unsigned long nth = 1; has_failed; nth++) {
            hpf_error err = {0};
            hpf_source *source = NULL;
            hpf_sink *sink = hpf_sink_to_memory();
            hpf_writer *writer = create_writer(formats[i], sink, NULL);
            cr_assert_eq(hpf_source_from_memory(&source, (hpf_str){hp, sizeof hp - 1}, NULL, NULL),
                         HPF_OK);
            failing_alloc_arm(nth, false);
            hpf_status status =
                hpf_format_read(&hpf_format_hp, source, &hpf_writer_events, writer, NULL, &err);
            status = status == HPF_OK ? hpf_writer_finish(writer, &err) : status;
            has_failed = failing_alloc_disarm();
            cr_expect(status == (has_failed ? HPF_ERR_MEMORY : HPF_OK), "%zu: %lu: %s", i, nth,
                      err.message);
            hpf_source_destroy(source);
            hpf_writer_destroy(writer);
            hpf_sink_destroy(sink);
            cr_assert_lt(nth, 1000);
        }
    }
}

/* ---- Stacks that share what the input says once ---- */

typedef struct stack_sums {
    size_t n_frames, n_text_bytes;
    uint64_t amount; /* of the last sample */
} stack_sums;

static hpf_status count_text(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    (void)name;
    (void)err;
    ((stack_sums *)context)->n_text_bytes += text.length;
    return HPF_OK;
}

static hpf_status count_frames(void *context, hpf_name name, const hpf_frame *frames,
                               size_t n_frames, hpf_error *err)
{
    (void)name;
    (void)frames;
    (void)err;
    ((stack_sums *)context)->n_frames += n_frames;
    return HPF_OK;
}

static hpf_status count_amount(void *context, const hpf_sample *sample, hpf_error *err)
{
    (void)err;
    stack_sums *sums = context;
    sums->amount = 0;
    for (size_t i = 0; i < sample->n_costs; i++) {
        sums->amount += sample->costs[i].whole;
    }
    return HPF_OK;
}

/* An instruction with thousands of inlined functions in thousands of nested stacks: 2^31 frames, if
 * each stack had its own. */
Test(foreign_profiles, nested_stacks_need_what_the_input_has)
{
    enum { N_INLINED = 1000, N_TRACES = 2000 };
    static const hpf_events events = {
        .name = count_text, .frames = count_frames, .sample = count_amount};
    stack_sums sums = {0};
    hpf_source *source = NULL;
    hpf_sink *text = hpf_sink_to_memory();
    hpf_sink_text(text, "v 10500 3\nX p\ns 1 f\ni 1 0");
    for (int i = 0; i < N_INLINED; i++) {
        hpf_sink_text(text, " 1 1 1");
    }
    hpf_sink_text(text, "\n");
    for (unsigned i = 0; i < N_TRACES; i++) {
        hpf_sink_printf(text, "t 1 %x\na 10 %x\n+ %x\n", i, i + 1, i);
    }
    hpf_str bytes = hpf_sink_bytes(text);
    cr_assert_eq(hpf_source_from_memory(&source, bytes, NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_format_read(&hpf_format_heaptrack, source, &events, &sums, NULL, NULL),
                 HPF_OK);
    cr_expect_eq(sums.amount, 0x10 * N_TRACES);
    cr_expect_lt(sums.n_frames, (1 << 21) + 16 * bytes.length);
    cr_expect_lt(sums.n_text_bytes, (1 << 22) + 8 * bytes.length);
    hpf_source_destroy(source);
    hpf_sink_destroy(text);
}
