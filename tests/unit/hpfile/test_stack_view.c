/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Stack views: sums of random stacks against a plain calculation over their texts, and errors.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/format_row.h"
#include "hpfile/stack_view.h"
#include "hpfile/sink.h"
#include "rng.h"
#include "hpfile/survey.h"

#define HEAD "JOB \"p \xC2\xB7 by call stack\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n"

enum { N_STACKS = 40, MOST_FRAMES = 6, N_SAMPLES = 5 };

/* A stack of functions named by one letter, innermost first, and the type of what it allocated. */
typedef struct stack {
    char frames[MOST_FRAMES + 1];
    char type[2];
    unsigned costs[N_SAMPLES];
} stack;

static hpf_status survey_text(hpf_survey **out, hpf_source **source, hpf_str text,
                              const hpf_stack_view *view, hpf_error *err)
{
    const hpf_source_options keeping = {.size = sizeof keeping, .keep = true};
    const hpf_survey_options options = {.size = sizeof options, .view = view};
    cr_assert_eq(hpf_source_from_memory(source, text, &keeping, NULL), HPF_OK);
    return hpf_survey_create(out, *source, &options, err);
}

static hpf_stack_view *view_of(const hpf_stack_view_options *options)
{
    hpf_stack_view *view;
    hpf_error err;
    cr_assert_eq(hpf_stack_view_create(&view, options, &err), HPF_OK, "%s", err.message);
    return view;
}

static void put_profile(hpf_sink *to, const stack *stacks)
{
    hpf_sink_text(to, HEAD);
    for (int s = 0; s < N_SAMPLES; s++) {
        hpf_sink_printf(to, "BEGIN_SAMPLE %d\n", s);
        for (int i = 0; i < N_STACKS; i++) {
            hpf_sink_printf(to, "(%d)", i + 1);
            for (const char *f = stacks[i].frames; *f; f++) {
                hpf_sink_printf(to, f[1] ? "%c/" : "%c", *f);
            }
            hpf_sink_printf(to, "\t%u\n", stacks[i].costs[s]);
        }
        hpf_sink_printf(to, "END_SAMPLE %d\n", s);
    }
}

/* Writes what a view shows of a stack, as the manual describes it; "" if it is left out. `function`
 * is the letter of the focus. */
static void expect_name(char *out, const char *frames, const hpf_stack_view_options *o)
{
    size_t n = strlen(frames), begin = 0, end = n;
    *out = '\0';
    if (o->under && !strchr(frames, *o->under)) {
        return;
    }
    if (o->callers_of) {
        const char *at = strrchr(frames, *o->callers_of);
        if (!at) {
            return;
        }
        begin = (size_t)(at - frames);
        if (o->part == HPF_PART_FUNCTION && begin + 1 < n) {
            begin++;
        }
    }
    if (o->callees_of) {
        const char *at = strchr(frames, *o->callees_of);
        if (!at) {
            return;
        }
        end = (size_t)(at - frames) + 1;
        if (o->part == HPF_PART_FUNCTION) {
            begin = end > 1 ? end - 2 : 0;
        } else if (o->depth && end > o->depth) {
            begin = end - o->depth;
        }
    }
    if (o->part == HPF_PART_FUNCTION) {
        end = begin + 1;
    } else if (o->depth && end - begin > o->depth) {
        end = begin + o->depth;
    }
    for (size_t i = begin; i < end; i++) {
        *out++ = frames[i];
        *out++ = i + 1 < end ? '/' : '\0';
    }
}

/* Writes what a view shows of a stack or its type. */
static void expect_part(char *out, const stack *of, const hpf_stack_view_options *o)
{
    expect_name(out, of->frames, o);
    if (*out && o->part == HPF_PART_TYPE) {
        strcpy(out, of->type);
    }
}

static double expected_sum(const stack *stacks, hpf_str name, const hpf_stack_view_options *o)
{
    double sum = 0;
    for (int i = 0; i < N_STACKS; i++) {
        char text[2 * MOST_FRAMES + 2];
        expect_part(text, &stacks[i], o);
        for (int s = 0; s < N_SAMPLES; s++) {
            sum += hpf_str_is(name, text) ? stacks[i].costs[s] : 0;
        }
    }
    return sum;
}

static double expected_total(const stack *stacks, const hpf_stack_view_options *o)
{
    double sum = 0;
    for (int i = 0; i < N_STACKS; i++) {
        char text[2 * MOST_FRAMES + 2];
        expect_part(text, &stacks[i], o);
        for (int s = 0; s < N_SAMPLES; s++) {
            sum += *text ? stacks[i].costs[s] : 0;
        }
    }
    return sum;
}

static void check_view(hpf_str profile, const stack *stacks, const hpf_stack_view_options *o)
{
    hpf_survey *survey;
    hpf_source *source;
    hpf_error err;
    hpf_stack_view *view = view_of(o);
    double expected = expected_total(stacks, o), found = 0;
    hpf_status status = survey_text(&survey, &source, profile, view, &err);
    if (expected == 0 && status == HPF_ERR_RANGE) {
        hpf_source_destroy(source);
        hpf_stack_view_destroy(view);
        return;
    }
    cr_assert_eq(status, HPF_OK, "%s", err.message);
    for (hpf_name name = 0; name < hpf_survey_n_names(survey); name++) {
        hpf_str text = hpf_survey_name(survey, name);
        double sum = hpf_survey_totals(survey, name)->sum;
        cr_expect_eq(sum, expected_sum(stacks, text, o), "%.*s: %g", (int)text.length, text.data,
                     sum);
        found += sum;
    }
    cr_expect_eq(found, expected, "%g instead of %g", found, expected);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_stack_view_destroy(view);
}

static void fill_stacks(stack *stacks, rng *chance)
{
    memset(stacks, 0, N_STACKS * sizeof *stacks);
    for (int i = 0; i < N_STACKS; i++) {
        size_t n = 1 + rng_below(chance, MOST_FRAMES);
        for (size_t f = 0; f < n; f++) {
            stacks[i].frames[f] = (char)('a' + rng_below(chance, 5));
        }
        for (int s = 0; s < N_SAMPLES; s++) {
            stacks[i].costs[s] = (unsigned)rng_below(chance, 1000);
        }
        *stacks[i].type = (char)('A' + rng_below(chance, 3));
    }
}

/* Compares twenty random views; by type, if the profile has types. */
static void check_views(hpf_str profile, const stack *stacks, bool has_types, rng *chance)
{
    static const char *const letters[] = {NULL, "a", "b", "c"};
    for (int k = 0; k < 20; k++) {
        uint64_t focus = rng_below(chance, 3);
        const char *letter = letters[1 + rng_below(chance, 3)];
        const hpf_stack_part parts[] = {HPF_PART_FUNCTION, HPF_PART_STACK, HPF_PART_TYPE};
        const hpf_stack_view_options o = {
            .size = sizeof o,
            .part = parts[rng_below(chance, has_types ? 3 : 2)],
            .depth = (uint32_t)rng_below(chance, 4),
            .under = letters[rng_below(chance, 4)],
            .callers_of = focus == 1 ? letter : NULL,
            .callees_of = focus == 2 ? letter : NULL,
        };
        check_view(profile, stacks, &o);
    }
}

Test(stack_view, sums_equal_those_of_the_stacks)
{
    rng chance = {.state = 7};
    for (int round = 0; round < 100; round++) {
        stack stacks[N_STACKS];
        hpf_sink *profile = hpf_sink_to_memory();
        fill_stacks(stacks, &chance);
        put_profile(profile, stacks);
        check_views(hpf_sink_bytes(profile), stacks, false, &chance);
        hpf_sink_destroy(profile);
    }
}

/* ---- Event logs by type, with the stacks that allocated ---- */

static size_t frames_of_stack(void *context, hpf_name name, hpf_frame *frames, size_t room)
{
    const stack *s = (const stack *)context + name;
    size_t n = strlen(s->frames);
    cr_assert(n < room);
    frames[0] = (hpf_frame){.label = {s->type, 1}, .type = {s->type, 1}};
    for (size_t i = 0; i < n; i++) {
        frames[i + 1] = (hpf_frame){.label = {&s->frames[i], 1}};
    }
    return n + 1;
}

static void put_log(hpf_sink *to, stack *stacks, bool writes_changes)
{
    const hpf_writer_options options = {.size = sizeof options,
                                        .breakdown = HPF_BREAKDOWN_TYPE,
                                        .writes_changes = writes_changes,
                                        .frames = frames_of_stack,
                                        .frames_context = stacks};
    const hpf_events *events = &hpf_writer_events;
    hpf_writer *writer;
    cr_assert_eq(hpf_writer_create(&writer, &hpf_format_eventlog, to, &options, NULL), HPF_OK);
    cr_assert_eq(events->header(writer, HPF_HEADER_JOB, HPF_STR("p \xC2\xB7 by type"), NULL),
                 HPF_OK);
    for (hpf_name i = 0; i < N_STACKS; i++) {
        cr_assert_eq(events->name(writer, i, (hpf_str){stacks[i].type, 1}, NULL), HPF_OK);
    }
    for (int s = 0; s < N_SAMPLES; s++) {
        hpf_cost costs[N_STACKS];
        for (hpf_name i = 0; i < N_STACKS; i++) {
            costs[i] = (hpf_cost){.name = i, .whole = stacks[i].costs[s]};
        }
        const hpf_sample sample = {.time = s, .costs = costs, .n_costs = N_STACKS};
        cr_assert_eq(events->sample(writer, &sample, NULL), HPF_OK);
    }
    cr_assert_eq(hpf_writer_finish(writer, NULL), HPF_OK);
    hpf_writer_destroy(writer);
}

/* Without a view, names are the types, once in each sample; with `by_stack` they are stacks. */
static void check_names(hpf_str log, const stack *stacks)
{
    const hpf_stack_view_options by_type = {.size = sizeof by_type, .part = HPF_PART_TYPE};
    for (int by_stack = 0; by_stack < 2; by_stack++) {
        const hpf_source_options keeping = {.size = sizeof keeping, .keep = true};
        const hpf_survey_options options = {.size = sizeof options, .by_stack = by_stack};
        hpf_source *source;
        hpf_survey *survey;
        double sums[3] = {0};
        cr_assert_eq(hpf_source_from_memory(&source, log, &keeping, NULL), HPF_OK);
        cr_assert_eq(hpf_survey_create(&survey, source, &options, NULL), HPF_OK);
        cr_expect_eq(hpf_survey_n_names(survey), by_stack ? N_STACKS : 3);
        for (hpf_name name = 0; name < hpf_survey_n_names(survey); name++) {
            hpf_frame frames[MOST_FRAMES + 1];
            hpf_str text = hpf_survey_name(survey, name);
            size_t n = hpf_survey_frames(survey, name, frames, MOST_FRAMES + 1);
            cr_expect(by_stack ? n > 1 && hpf_str_equal(frames[0].type, frames[0].label) &&
                                     frames[1].type.length == 0
                               : n == 0 && text.length == 1);
            cr_expect_leq(hpf_survey_totals(survey, name)->n_samples, N_SAMPLES);
            sums[(by_stack ? *frames[0].label.data : *text.data) - 'A'] +=
                hpf_survey_totals(survey, name)->sum;
        }
        for (int i = 0; i < 3; i++) {
            hpf_str type = {&"ABC"[i], 1};
            cr_expect_eq(sums[i], expected_sum(stacks, type, &by_type));
        }
        hpf_survey_destroy(survey);
        hpf_source_destroy(source);
    }
}

Test(stack_view, sums_of_a_log_by_type_equal_those_of_the_stacks)
{
    rng chance = {.state = 8};
    for (int round = 0; round < 50; round++) {
        stack stacks[N_STACKS];
        hpf_sink *log = hpf_sink_to_memory();
        fill_stacks(stacks, &chance);
        put_log(log, stacks, round % 2);
        check_views(hpf_sink_bytes(log), stacks, true, &chance);
        check_names(hpf_sink_bytes(log), stacks);
        hpf_sink_destroy(log);
    }
}

Test(stack_view, a_type_selects_the_stacks_that_allocated_it)
{
    rng chance = {.state = 9};
    stack stacks[N_STACKS];
    hpf_sink *log = hpf_sink_to_memory();
    fill_stacks(stacks, &chance);
    put_log(log, stacks, false);
    for (int i = 0; i < N_STACKS; i++) { /* for the expectation, the others have no bytes */
        for (int s = 0; s < N_SAMPLES && *stacks[i].type != 'B'; s++) {
            stacks[i].costs[s] = 0;
        }
    }
    const hpf_stack_view_options o = {.size = sizeof o, .part = HPF_PART_FUNCTION, .under = "B"};
    const hpf_stack_view_options all = {.size = sizeof all, .part = HPF_PART_FUNCTION};
    hpf_survey *survey;
    hpf_source *source;
    hpf_stack_view *view = view_of(&o);
    cr_assert_eq(survey_text(&survey, &source, hpf_sink_bytes(log), view, NULL), HPF_OK);
    for (hpf_name name = 0; name < hpf_survey_n_names(survey); name++) {
        cr_expect_eq(hpf_survey_totals(survey, name)->sum,
                     expected_sum(stacks, hpf_survey_name(survey, name), &all));
    }
    cr_expect_gt(hpf_survey_n_names(survey), 1);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_stack_view_destroy(view);
    hpf_sink_destroy(log);
}

static hpf_status survey_view(const char *samples, const hpf_stack_view_options *o, hpf_error *err)
{
    char text[500];
    int length = snprintf(text, sizeof text, "%s%s", HEAD, samples);
    hpf_survey *survey = NULL;
    hpf_source *source;
    hpf_stack_view *view = view_of(o);
    hpf_status status = survey_text(&survey, &source, (hpf_str){text, (size_t)length}, view, err);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_stack_view_destroy(view);
    return status;
}

Test(stack_view, refuses_what_a_profile_cannot_show)
{
    static const char samples[] = "BEGIN_SAMPLE 1\n(1)f/main\t3\nEND_SAMPLE 1\n";
    hpf_error err;
    cr_expect_eq(survey_view(samples,
                             &(hpf_stack_view_options){.size = sizeof(hpf_stack_view_options),
                                                       .under = "nobody"},
                             &err),
                 HPF_ERR_RANGE);
    cr_expect_str_eq(err.message, "no stack has a function that matches");
    cr_expect_eq(survey_view(samples,
                             &(hpf_stack_view_options){.size = sizeof(hpf_stack_view_options),
                                                       .part = HPF_PART_MODULE},
                             &err),
                 HPF_ERR_UNSUPPORTED);
    cr_expect_str_eq(err.message, "no function of this profile has a module; "
                                  "event logs of -hc have them");
    cr_expect_eq(survey_view(samples,
                             &(hpf_stack_view_options){.size = sizeof(hpf_stack_view_options),
                                                       .part = HPF_PART_LINE},
                             &err),
                 HPF_ERR_UNSUPPORTED);
    cr_expect_eq(survey_view(samples,
                             &(hpf_stack_view_options){.size = sizeof(hpf_stack_view_options),
                                                       .part = HPF_PART_PRODUCER},
                             &err),
                 HPF_OK);

    cr_expect_eq(survey_view(samples,
                             &(hpf_stack_view_options){.size = sizeof(hpf_stack_view_options),
                                                       .part = HPF_PART_TYPE},
                             &err),
                 HPF_ERR_UNSUPPORTED);
    cr_expect_str_eq(err.message, "no function of this profile has a type; profiles of -hy and "
                                  "event logs of -hi have them");

    hpf_stack_view *view;
    cr_expect_eq(
        hpf_stack_view_create(
            &view, &(hpf_stack_view_options){.size = sizeof(hpf_stack_view_options), .under = "("},
            &err),
        HPF_ERR_ARGUMENT);
    cr_expect_null(view);
    const hpf_stack_view_options both = {.size = sizeof both, .callers_of = "a", .callees_of = "b"};
    cr_expect_eq(hpf_stack_view_create(&view, &both, &err), HPF_ERR_ARGUMENT);
}

static void expect_only_name(const hpf_stack_view_options *o, const char *expected)
{
    /* A recording of heaptrack: f of libf and g, both called by main. */
    static const char text[] =
        "v 10400 3\nX ./p\ns 4 libf\ns 1 f\ns 3 f.c\ns 4 main\ns 1 g\n"
        "i 1 1 2 3 3\ni 2 0 4\ni 3 0 5\nt 2 0\nt 1 1\nt 3 1\na 3 2\na 4 3\n+ 0\n+ 1\n";
    hpf_survey *survey;
    hpf_source *source;
    hpf_frame frame;
    hpf_stack_view *view = view_of(o);
    cr_assert_eq(survey_text(&survey, &source, HPF_STR(text), view, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_n_names(survey), 1);
    hpf_str name = hpf_survey_name(survey, 0);
    cr_expect(hpf_str_is(name, expected), "%.*s", (int)name.length, name.data);
    cr_expect_eq(hpf_survey_totals(survey, 0)->max, 3);
    cr_expect_eq(hpf_survey_frames(survey, 0, &frame, 1), 1);
    cr_expect(hpf_str_is(frame.label, "f") && hpf_str_is(frame.module, "libf"));
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_stack_view_destroy(view);
}

Test(stack_view, frames_of_imported_profiles_have_modules_and_places)
{
    for (int by_place = 0; by_place < 2; by_place++) {
        const char *under = by_place ? "^f[.]c:" : "^libf$";
        expect_only_name(&(hpf_stack_view_options){.size = sizeof(hpf_stack_view_options),
                                                   .part = HPF_PART_MODULE,
                                                   .under = under},
                         "libf");
        expect_only_name(&(hpf_stack_view_options){.size = sizeof(hpf_stack_view_options),
                                                   .part = HPF_PART_PRODUCER,
                                                   .under = under},
                         "libf.f");
        expect_only_name(&(hpf_stack_view_options){.size = sizeof(hpf_stack_view_options),
                                                   .part = HPF_PART_LINE,
                                                   .under = under},
                         "f f.c:3");
    }
}

/* Expects two names, of 3 and 4 bytes, or with an empty second name one of 7. */
static void expect_names(const char *job, hpf_stack_part part, const char *names, const char *first,
                         const char *second)
{
    char text[500];
    int length = snprintf(text, sizeof text,
                          "JOB \"%s\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n"
                          "BEGIN_SAMPLE 1\n%sEND_SAMPLE 1\n",
                          job, names);
    hpf_survey *survey;
    hpf_source *source;
    hpf_stack_view *view =
        view_of(&(hpf_stack_view_options){.size = sizeof(hpf_stack_view_options), .part = part});
    cr_assert_eq(survey_text(&survey, &source, (hpf_str){text, (size_t)length}, view, NULL),
                 HPF_OK);
    bool is_one = *second == '\0';
    cr_assert_eq(hpf_survey_n_names(survey), is_one ? 1 : 2);
    cr_expect(hpf_str_is(hpf_survey_name(survey, 0), first));
    cr_expect_eq(hpf_survey_totals(survey, 0)->sum, is_one ? 7 : 3);
    if (!is_one) {
        cr_expect(hpf_str_is(hpf_survey_name(survey, 1), second));
        cr_expect_eq(hpf_survey_totals(survey, 1)->sum, 4);
    }
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_stack_view_destroy(view);
}

Test(stack_view, a_thread_is_the_function_that_it_began_with)
{
    expect_names("p \xC2\xB7 by call stack", HPF_PART_THREAD, "(1)f/g/worker\t3\n(2)f/main\t4\n",
                 "worker", "main");
    expect_names("p \xC2\xB7 by call stack", HPF_PART_THREAD, "(1)f/g/worker\t3\n(2)worker\t4\n",
                 "worker", "");
}

Test(stack_view, names_of_a_profile_by_type_are_types)
{
    expect_names("p \xC2\xB7 by type", HPF_PART_TYPE, "std::map<a/b>\t3\nchar[]\t4\n",
                 "std::map<a/b>", "char[]");
    expect_names("p +RTS -hy", HPF_PART_TYPE, "[]\t3\nInt\t4\n", "[]", "Int");
}

Test(stack_view, the_job_says_what_is_shown)
{
    static const struct {
        const char *job, *expected;
    } cases[] = {
        {"git log \xC2\xB7 by call stack", "git log \xC2\xB7 callers of f, by function"},
        {"p \xC2\xB7 by call stack, -hmlibc.so",
         "p \xC2\xB7 callers of f, by function, -hmlibc.so"},
        {"p \xC2\xB7 by type", "p \xC2\xB7 callers of f, by function"},
        {"main +RTS -hc", "main +RTS -hc \xC2\xB7 callers of f, by function"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[500];
        int length = snprintf(text, sizeof text,
                              "JOB \"%s\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n"
                              "BEGIN_SAMPLE 1\n(1)f/main\t3\nEND_SAMPLE 1\n",
                              cases[i].job);
        hpf_survey *survey;
        hpf_source *source;
        hpf_stack_view *view = view_of(&(hpf_stack_view_options){
            .size = sizeof(hpf_stack_view_options), .part = HPF_PART_FUNCTION, .callers_of = "f"});
        cr_assert_eq(survey_text(&survey, &source, (hpf_str){text, (size_t)length}, view, NULL),
                     HPF_OK);
        hpf_str job = hpf_survey_header(survey, HPF_HEADER_JOB);
        cr_expect(hpf_str_is(job, cases[i].expected), "%.*s", (int)job.length, job.data);
        hpf_survey_destroy(survey);
        hpf_source_destroy(source);
        hpf_stack_view_destroy(view);
    }
}
