/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The `.prof` writer against reports of GHC's own: a report is parsed into a tree, the tree is
 * written, and the text must be the same. `-P`, `-pa` and `-pj` say every number. A `-p` report
 * says percentages only; costs that fit them, inherited ones too, are found first.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/sink.h"
#include "hpfile/prof.h"
#include "base/arena.h"
#include "hpfile/source.h"
#include "source_dir.h"

enum { MOST_STACKS = 2000 };

/* What a `-p` report leaves open: a range of costs that would be printed so. */
typedef struct range {
    int64_t low, high;
} range;

/* A report, parsed. */
typedef struct parsed {
    hpf_prof prof;
    hpf_prof_centre centres[MOST_STACKS];
    hpf_prof_stack stacks[MOST_STACKS];
    range own[MOST_STACKS][2]; /* ticks, bytes */
    range inherited[MOST_STACKS][2];
    hpf_str options[8];
    hpf_str arguments[8];
    uint64_t total_ticks, total_bytes;
    char *text;
    const char *tree; /* where the table of stacks begins */
    hpf_arena *arena;
} parsed;

static parsed *p;

static void set_up(void)
{
    p = calloc(1, sizeof *p);
    p->prof.centres = p->centres;
    p->prof.stacks = p->stacks;
    p->prof.options = p->options;
    p->prof.arguments = p->arguments;
    p->arena = hpf_arena_create();
}

static void tear_down(void)
{
    hpf_arena_destroy(p->arena);
    free(p->text);
    free(p);
}

TestSuite(prof, .init = set_up, .fini = tear_down);

/* Returns the bytes of a file, decompressed, and a NUL. */
static char *read_file(const char *path)
{
    hpf_source *source = NULL;
    hpf_sink *bytes = hpf_sink_to_memory();
    hpf_str piece;
    cr_assert_eq(hpf_source_open(&source, path, NULL, NULL), HPF_OK, "%s", path);
    while (hpf_source_next(source, &piece, NULL) == HPF_OK) {
        hpf_sink_str(bytes, piece);
    }
    hpf_str all = hpf_sink_bytes(bytes);
    char *text = calloc(all.length + 1, 1);
    memcpy(text, all.data, all.length);
    hpf_sink_destroy(bytes);
    hpf_source_destroy(source);
    return text;
}

static char *read_sample(const char *name)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/samples/prof/%s", CENSUS_SOURCE_DIR, name);
    return read_file(path);
}

static hpf_str keep(const char *begin, const char *end)
{
    hpf_str text = {begin, (size_t)(end - begin)};
    return (hpf_str){hpf_arena_text(p->arena, text), text.length};
}

static hpf_str keep_text(const char *text)
{
    return keep(text, text + strlen(text));
}

static bool is(hpf_str text, const char *other)
{
    return text.length == strlen(other) && memcmp(text.data, other, text.length) == 0;
}

/* ---- parsing ---- */

static uint32_t find_centre(hpf_str label, hpf_str module, hpf_str srcloc)
{
    for (uint32_t i = 0; i < p->prof.n_centres; i++) {
        const hpf_prof_centre *c = &p->centres[i];
        if (is(label, c->label.data) && is(module, c->module.data) && is(srcloc, c->srcloc.data)) {
            return i;
        }
    }
    bool is_builtin = is(srcloc, "<built-in>");
    bool is_hidden = is_builtin && !(is(label, "MAIN") || is(label, "PINNED"));
    p->centres[p->prof.n_centres] = (hpf_prof_centre){
        .label = label, .module = module, .srcloc = srcloc, .is_hidden = is_hidden};
    return (uint32_t)p->prof.n_centres++;
}

/* The next word, or an empty text at the end of the line. */
static hpf_str take_word(const char **at)
{
    const char *begin = *at;
    while (*begin == ' ' || *begin == '\t') {
        begin++;
    }
    const char *end = begin;
    while (*end && *end != ' ' && *end != '\n') {
        end++;
    }
    *at = end;
    return keep(begin, end);
}

static const char *next_line(const char *at)
{
    const char *end = strchr(at, '\n');
    return end ? end + 1 : at + strlen(at);
}

static uint64_t take_grouped(const char *at)
{
    uint64_t value = 0;
    for (; (*at >= '0' && *at <= '9') || *at == ',' || *at == ' '; at++) {
        value = *at >= '0' ? value * 10 + (uint64_t)(*at - '0') : value;
    }
    return value;
}

static void parse_title(void)
{
    hpf_prof *prof = &p->prof;
    const char *at = p->text;
    prof->date = keep(at + 1, strstr(at, " Time and"));
    at = strstr(at, "\n\t   ") + 5;
    prof->program = prof->command = take_word(&at);
    cr_assert(is(take_word(&at), "+RTS"));
    hpf_str word;
    while (!is(word = take_word(&at), "-RTS")) {
        p->options[prof->n_options++] = word;
    }
    while ((word = take_word(&at)).length > 0) {
        p->arguments[prof->n_arguments++] = word;
    }
    at = strstr(at, "secs   (") + strlen("secs   (");
    p->total_ticks = strtoull(at, NULL, 10);
    prof->tick_us = strtoull(strchr(at, '@') + 1, NULL, 10);
    prof->n_processors = (uint32_t)strtoul(strstr(at, "us, ") + 4, NULL, 10);
    p->total_bytes = take_grouped(strstr(at, "alloc = ") + strlen("alloc = "));
}

/* Costs printed as `text` percent of `total`: a little more than half a unit each way. */
static range fitting(hpf_str text, uint64_t total)
{
    double percent = strtod(text.data, NULL);
    double low = (percent - 0.05) / 100 * (double)total;
    double high = (percent + 0.05) / 100 * (double)total;
    range r = {low < 0 ? 0 : (int64_t)low + 1, (int64_t)high};
    return percent > 99.95 ? (range){r.low, (int64_t)total} : r;
}

static void parse_stack(const char *line, uint32_t *path)
{
    size_t level = strspn(line, " ");
    hpf_str words[11];
    const char *at = line;
    for (int i = 0; i < 11; i++) {
        words[i] = take_word(&at);
    }
    uint32_t index = (uint32_t)p->prof.n_stacks++;
    path[level] = index;
    p->stacks[index] = (hpf_prof_stack){
        .centre_index = find_centre(words[0], words[1], words[2]),
        .parent_index = level == 0 ? HPF_PROF_NO_PARENT : path[level - 1],
        .id = strtoull(words[3].data, NULL, 10),
        .entries = strtoull(words[4].data, NULL, 10),
        .ticks = strtoull(words[9].data, NULL, 10),
        .allocated_bytes = strtoull(words[10].data, NULL, 10),
    };
    for (int cost = 0; cost < 2; cost++) {
        uint64_t total = cost == 0 ? p->total_ticks : p->total_bytes;
        p->own[index][cost] = fitting(words[5 + cost], total);
        p->inherited[index][cost] = fitting(words[7 + cost], total);
    }
}

/* Parses a text report. The flat table is read first where it lists every centre (`-pa`). */
static void parse_report(bool is_full)
{
    parse_title();
    const char *at = next_line(next_line(strstr(p->text, "COST CENTRE")));
    for (; is_full && *at != '\n'; at = next_line(at)) {
        const char *word = at;
        hpf_str label = take_word(&word);
        hpf_str module = take_word(&word);
        find_centre(label, module, take_word(&word));
    }
    p->tree = strstr(p->text, "\n\n\n") + 3;
    uint32_t path[MOST_STACKS];
    for (at = next_line(next_line(next_line(p->tree))); *at; at = next_line(at)) {
        parse_stack(at, path);
    }
}

/* Siblings last to first, level by level: the writer has to find the order itself. */
static void shuffle(void)
{
    uint32_t n = (uint32_t)p->prof.n_stacks;
    static hpf_prof_stack shuffled[MOST_STACKS];
    static uint32_t level[MOST_STACKS], place[MOST_STACKS];
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < n; i++) {
        level[i] = i == 0 ? 0 : level[p->stacks[i].parent_index] + 1;
        deepest = level[i] > deepest ? level[i] : deepest;
    }
    uint32_t next = 0;
    for (uint32_t depth = 0; depth <= deepest; depth++) {
        for (uint32_t i = n; i-- > 0;) {
            if (level[i] == depth) {
                place[i] = next;
                shuffled[next] = p->stacks[i];
                shuffled[next++].parent_index =
                    i == 0 ? HPF_PROF_NO_PARENT : place[p->stacks[i].parent_index];
            }
        }
    }
    memcpy(p->stacks, shuffled, n * sizeof *shuffled);
}

/* ---- costs that fit percentages ---- */

static int64_t clamp(int64_t value, range r)
{
    return value < r.low ? r.low : value > r.high ? r.high : value;
}

/* What the costs of a stack and those above it can add up to, from the leaves down. */
static void find_sums(int cost, range *sums)
{
    bool has_children[MOST_STACKS] = {false};
    for (uint32_t i = 0; i < p->prof.n_stacks; i++) {
        sums[i] = p->own[i][cost];
    }
    for (uint32_t i = (uint32_t)p->prof.n_stacks; i-- > 0;) {
        if (cost == 1 && !has_children[i] && p->stacks[i].entries == 0 && sums[i].low == 0) {
            sums[i].low = p->own[i][cost].low = 1; /* or it would not be in the report */
        }
        range all = p->inherited[i][cost];
        sums[i].low = sums[i].low > all.low ? sums[i].low : all.low;
        sums[i].high = sums[i].high < all.high ? sums[i].high : all.high;
        cr_assert_leq(sums[i].low, sums[i].high);
        if (i > 0) {
            sums[p->stacks[i].parent_index].low += sums[i].low;
            sums[p->stacks[i].parent_index].high += sums[i].high;
            has_children[p->stacks[i].parent_index] = true;
        }
    }
}

/* Hands the total out from the root: everybody gets the least, then as much more as fits. */
static void choose_costs(int cost, uint64_t total)
{
    static range sums[MOST_STACKS];
    static int64_t given[MOST_STACKS], spare[MOST_STACKS];
    find_sums(cost, sums);
    uint32_t n = (uint32_t)p->prof.n_stacks;
    given[0] = clamp((int64_t)total, sums[0]);
    cr_assert_eq(given[0], (int64_t)total);
    for (uint32_t i = 0; i < n; i++) {
        spare[i] = given[i] - p->own[i][cost].low;
        for (uint32_t child = i + 1; child < n; child++) {
            spare[i] -= p->stacks[child].parent_index == i ? sums[child].low : 0;
        }
        for (uint32_t child = i + 1; child < n; child++) {
            if (p->stacks[child].parent_index == i) {
                int64_t more = clamp(spare[i], (range){0, sums[child].high - sums[child].low});
                given[child] = sums[child].low + more;
                spare[i] -= more;
            }
        }
        uint64_t own = (uint64_t)(p->own[i][cost].low + spare[i]);
        cr_assert_leq((int64_t)own, p->own[i][cost].high);
        *(cost == 0 ? &p->stacks[i].ticks : &p->stacks[i].allocated_bytes) = own;
    }
}

/* ---- comparing ---- */

static char *write_report(hpf_prof_detail detail)
{
    hpf_sink *sink = hpf_sink_to_memory();
    cr_assert_eq(hpf_prof_write(sink, &p->prof, detail, NULL), HPF_OK);
    cr_assert_eq(hpf_sink_finish(sink, NULL), HPF_OK);
    hpf_str bytes = hpf_sink_bytes(sink);
    char *text = calloc(bytes.length + 1, 1);
    memcpy(text, bytes.data, bytes.length);
    hpf_sink_destroy(sink);
    return text;
}

/* Compares line by line, for a readable message. */
static void expect_same(const char *written, const char *wanted)
{
    for (int line = 1; *written || *wanted; line++) {
        size_t n_written = (size_t)(next_line(written) - written);
        size_t n_wanted = (size_t)(next_line(wanted) - wanted);
        cr_assert(n_written == n_wanted && memcmp(written, wanted, n_wanted) == 0,
                  "line %d is\n%.*swanted\n%.*s", line, (int)n_written, written, (int)n_wanted,
                  wanted);
        written += n_written;
        wanted += n_wanted;
    }
}

Test(prof, report_with_ticks_and_bytes_is_ghcs)
{
    p->text = read_sample("interp-prof-P.prof");
    parse_report(false);
    cr_assert_eq(p->prof.n_stacks, 19);
    shuffle();
    char *written = write_report(HPF_PROF_VERBOSE);
    expect_same(written, p->text);
    free(written);
}

Test(prof, report_of_everything_is_ghcs)
{
    p->text = read_sample("oddnames-prof-pa.prof");
    parse_report(true);
    cr_assert_eq(p->prof.n_stacks, 150);
    cr_assert_eq(p->prof.n_centres, 144);
    shuffle();
    char *written = write_report(HPF_PROF_ALL);
    expect_same(written, p->text);
    free(written);
}

static void check_plain(const char *path)
{
    p->text = read_file(path);
    parse_report(false);
    choose_costs(0, p->total_ticks);
    choose_costs(1, p->total_bytes);
    shuffle();
    char *written = write_report(HPF_PROF_PLAIN);
    /* Title and totals; the flat table needs costs that percentages do not tell; the tree. */
    size_t n_head = (size_t)(strstr(p->text, "COST CENTRE") - p->text);
    cr_assert_eq(strncmp(written, p->text, n_head), 0);
    expect_same(strstr(written, "\n\n\n") + 3, p->tree);
    free(written);
}

ParameterizedTestParameters(prof, plain_report_has_ghcs_tree)
{
    static char names[6][40] = {"lastinit", "foldleak", "dragvoid",
                                "queens",   "pathgrid", "oddnames"};
    return cr_make_param_array(char[40], names, 6);
}

ParameterizedTest(char name[40], prof, plain_report_has_ghcs_tree)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/samples/prof/%s-prof-hc.prof", CENSUS_SOURCE_DIR, name);
    check_plain(path);
}

Test(prof, large_plain_report_has_ghcs_tree)
{
    check_plain(CENSUS_SOURCE_DIR "/tests/data/prof/manycc-prof-hc.prof.xz");
    cr_assert_eq(p->prof.n_stacks, 1337);
}

/* ---- JSON ---- */

static const char *find(const char **at, const char *what)
{
    *at = strstr(*at, what);
    cr_assert_not_null(*at, "%s", what);
    return *at += strlen(what);
}

static uint64_t take_number(const char **at, const char *name)
{
    return strtoull(find(at, name), NULL, 10);
}

/* A string, with `\"` and `\\` undone. */
static hpf_str take_string(const char **at, const char *name)
{
    char text[200];
    size_t length = 0;
    for (find(at, name); **at != '"'; (*at)++) {
        *at += **at == '\\';
        text[length++] = **at;
    }
    (*at)++;
    return keep(text, text + length);
}

static void parse_json_centres(const char *at, const char *end)
{
    while (strstr(at, "{\"id\": ") < end) {
        hpf_prof_centre *c = &p->centres[p->prof.n_centres++];
        c->id = take_number(&at, "{\"id\": ");
        c->label = take_string(&at, "\"label\": \"");
        c->module = take_string(&at, "\"module\": \"");
        c->srcloc = take_string(&at, "\"src_loc\": \"");
        c->is_caf = strncmp(find(&at, "\"is_caf\": "), "true", 4) == 0;
    }
}

static void parse_json_stacks(const char *at)
{
    uint32_t path[MOST_STACKS];
    size_t depth = 0;
    while (strstr(at, "{\"id\": ")) {
        uint32_t index = (uint32_t)p->prof.n_stacks++;
        hpf_prof_stack *s = &p->stacks[index];
        uint64_t id = take_number(&at, "{\"id\": ");
        while (p->centres[s->centre_index].id != id) {
            s->centre_index++;
        }
        s->id = MOST_STACKS - index; /* not emitted: anything that falls among siblings */
        s->entries = take_number(&at, "\"entries\": ");
        s->allocated_bytes = take_number(&at, "\"alloc\": ");
        s->ticks = take_number(&at, "\"ticks\": ");
        s->parent_index = depth == 0 ? HPF_PROF_NO_PARENT : path[depth - 1];
        find(&at, "\"children\": [");
        path[depth++] = index;
        for (; *at && *at != '{'; at++) {
            depth -= *at == ']' && depth > 0;
        }
    }
}

static void check_json(const char *name, const char *program, const char *argument)
{
    p->text = read_sample(name);
    const char *at = p->text;
    hpf_prof *prof = &p->prof;
    prof->program = keep_text(program);
    prof->command = take_string(&at, "\"arguments\": [\"");
    p->arguments[prof->n_arguments++] = keep_text(argument);
    p->options[prof->n_options++] = keep_text("-pj");
    prof->date = take_string(&at, "\"end_time\": \"");
    prof->tick_us = take_number(&at, "\"tick_interval\": ");
    const char *profile = strstr(at, "\"profile\"");
    parse_json_centres(at, profile);
    parse_json_stacks(profile);
    shuffle();
    hpf_sink *sink = hpf_sink_to_memory();
    cr_assert_eq(hpf_prof_write_json(sink, prof, NULL), HPF_OK);
    hpf_sink_write(sink, "", 1);
    expect_same(hpf_sink_bytes(sink).data, p->text);
    hpf_sink_destroy(sink);
}

Test(prof, json_is_ghcs)
{
    check_json("interp-prof-pj.prof", "interp", "30");
    cr_assert_eq(p->prof.n_stacks, 161);
}

Test(prof, json_with_odd_names_is_ghcs)
{
    check_json("oddnames-prof-pj.prof", "oddnames", "150000");
    cr_assert_eq(p->prof.n_centres, 144);
}

/* ---- hand-made trees ---- */

static void make_chain(uint32_t n)
{
    p->centres[0] =
        (hpf_prof_centre){HPF_STR("f"), HPF_STR("M"), HPF_STR("m.c:1"), 1, false, false};
    p->prof.n_centres = 1;
    p->prof.tick_us = 1000;
    for (uint32_t i = 0; i < n; i++) {
        p->stacks[i] =
            (hpf_prof_stack){.parent_index = i == 0 ? HPF_PROF_NO_PARENT : i - 1, .id = i};
    }
    p->prof.n_stacks = n;
}

Test(prof, stacks_without_costs_are_left_out_unless_something_above_them_costs)
{
    make_chain(5);
    p->stacks[3].entries = 1;
    char *written = write_report(HPF_PROF_PLAIN);
    const char *last = strrchr(written, 'f');
    cr_assert_eq(strncmp(last - 4, "\n   f", 5), 0, "the fourth is the last: %s", written);
    free(written);
}

Test(prof, what_a_hidden_stack_calls_belongs_to_the_stack_above)
{
    make_chain(4);
    p->centres[1] = (hpf_prof_centre){.label = HPF_STR("OVERHEAD"), .is_hidden = true};
    p->prof.n_centres = 2;
    p->stacks[2].centre_index = 1;
    p->stacks[2].ticks = 10;
    p->stacks[3].ticks = 1;
    char *written = write_report(HPF_PROF_VERBOSE);
    cr_assert_null(strstr(written, "OVERHEAD"));
    for (uint32_t i = 0, level = 0; i < 4; i += i == 1 ? 2 : 1, level++) {
        char begin[20];
        snprintf(begin, sizeof begin, "\n%*sf ", (int)level, "");
        const char *line = strstr(strstr(written, "individual"), begin);
        cr_assert_not_null(line, "stack %u", i);
        hpf_str words[9];
        line += level + 1;
        for (int k = 0; k < 9; k++) {
            words[k] = take_word(&line);
        }
        cr_expect_eq(strtoul(words[3].data, NULL, 10), i);
        cr_expect_str_eq(words[7].data, "100.0", "stack %u inherits", i);
    }
    free(written);
}

Test(prof, text_that_is_no_tree_is_refused)
{
    make_chain(3);
    p->stacks[1].parent_index = 2;
    hpf_error err;
    hpf_sink *sink = hpf_sink_to_memory();
    cr_assert_eq(hpf_prof_write(sink, &p->prof, HPF_PROF_PLAIN, &err), HPF_ERR_ARGUMENT);
    p->prof.n_stacks = 0;
    cr_assert_eq(hpf_prof_write_json(sink, &p->prof, &err), HPF_ERR_ARGUMENT);
    hpf_sink_destroy(sink);
}

/* ---- retainer sets ---- */

static void check_retainers(const char *name)
{
    char *wanted = read_sample(name);
    hpf_sink *sink = hpf_sink_to_memory();
    unsigned n_sets = 0;
    for (const char *line = wanted; *line; line = next_line(line)) {
        hpf_prof_census census = {0};
        unsigned long number, deepest;
        hpf_str text;
        uint64_t id;
        if (sscanf(line,
                   "Retainer Profiling: %lu, at %lf seconds\n\tMax auxiliary stack size = %lu\n"
                   "\tAverage number of visits per object = %lf",
                   &number, &census.time_s, &deepest, &census.visits_per_object) == 4) {
            census.number = number;
            census.max_stack_entries = deepest;
            hpf_prof_write_census(sink, &census);
        }
        if (strncmp(line, "Retainer sets", 13) == 0) {
            hpf_prof_write_sets_title(sink);
        }
        if (hpf_prof_read_set(&id, &text, (hpf_str){line, (size_t)(next_line(line) - line)}) ==
            HPF_OK) {
            hpf_prof_write_set(sink, id, text);
            n_sets++;
        }
    }
    hpf_sink_write(sink, "", 1);
    expect_same(hpf_sink_bytes(sink).data, wanted);
    cr_assert_gt(n_sets, 9);
    hpf_sink_destroy(sink);
    free(wanted);
}

Test(prof, retainer_report_is_ghcs)
{
    check_retainers("lastinit-prof-hr.prof");
    check_retainers("foldleak-prof-hr.prof");
}

Test(prof, holdings_are_read_as_they_are_written)
{
    static const hpf_prof_holding cases[] = {
        {.retainer = HPF_STR("a[M],MAIN[MAIN]"), .is_root = true},
        {HPF_STR("f[M]"), HPF_STR("<a[M]>, <b c[M]>"), false, 4096, 17},
        {HPF_STR("Map"), HPF_STR("MANY"), false, 0, 1},
        {HPF_STR("x> y"), HPF_STR("UNREACHED"), false, UINT64_C(1) << 60, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpf_sink *sink = hpf_sink_to_memory();
        hpf_prof_write_holding(sink, &cases[i]);
        hpf_prof_holding h = {0};
        cr_assert_eq(hpf_prof_read_holding(&h, hpf_sink_bytes(sink)), HPF_OK, "%zu", i);
        cr_expect(hpf_str_equal(h.retainer, cases[i].retainer));
        cr_expect(hpf_str_equal(h.by, cases[i].by));
        cr_expect_eq(h.is_root, cases[i].is_root);
        cr_expect_eq(h.size_bytes, cases[i].size_bytes);
        cr_expect_eq(h.n_objects, cases[i].n_objects);
        hpf_sink_destroy(sink);
    }
    static const char *const others[] = {"ROOT <a",
                                         "HELD 1 bytes, 2 objects: <a> by {<b>",
                                         "HELD 1 bytes: <a> by {<b>}",
                                         "HELD x bytes, 2 objects: <a> by MANY",
                                         "HELD 1 bytes, 2 objects: <a>",
                                         "SET 1 = {<a>}",
                                         ""};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        hpf_prof_holding h;
        cr_expect_eq(hpf_prof_read_holding(&h, (hpf_str){others[i], strlen(others[i])}), HPF_END,
                     "%s", others[i]);
    }
}

Test(prof, lines_that_are_not_sets_are_reported)
{
    static const char *const lines[] = {"",          "SET",        "SET = {}",
                                        "SET 1 = {", "SET x = {}", "RESET 1 = {}"};
    uint64_t id;
    hpf_str text;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        cr_assert_eq(hpf_prof_read_set(&id, &text, (hpf_str){lines[i], strlen(lines[i])}), HPF_END);
    }
    cr_assert_eq(hpf_prof_read_set(&id, &text, HPF_STR("SET 71 = {<a[M]>, <b[M]>}\r\n")), HPF_OK);
    cr_assert_eq(id, 71);
    cr_assert(is(text, "<a[M]>, <b[M]>"));
}
