/* SPDX-License-Identifier: BSD-2-Clause */
#include "throw_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "census/census.h"
#include "hpfile/str.h"
#include "symbol/demangle.h"

enum { MAX_FRAMES = 255 };

static void add(hpp__text *text, const char *piece)
{
    hpp__text_add(text, hpf_str_of(piece));
}

/* Prints a line and empties it. */
static void print(const hpp__throw_log *t, hpp__text *line)
{
    t->print(t->print_context, hpp__text_str(line));
    hpp__text_cut(line, 0);
}

/* Adds the name of a type, which demanglers know in the name of the text that contains it. */
static void add_type(hpp__text *line, const char *mangled)
{
    hpp__text symbol = {0}, name = {0};
    add(&symbol, "_ZTS");
    add(&symbol, mangled);
    hpp__demangle(&name, hpp__text_str(&symbol));
    hpf_str shown = hpp__text_str(&name);
    if (hpf__take_word(&shown, "typeinfo name for ")) {
        hpp__text_add(line, shown);
    } else {
        add(line, *mangled ? mangled : "an exception");
    }
    hpp__text_finish(&symbol);
    hpp__text_finish(&name);
}

static void add_frame(hpp__text *line, const hpf_frame *frame)
{
    hpf_str place = frame->source.length > 0 ? frame->source : frame->module;
    hpp__text_add(line, frame->label);
    add(line, place.length > 0 ? " " : "");
    hpp__text_add(line, place);
}

static size_t frames_of(hpp__named_stacks *stacks, uint32_t site, hpf_frame frames[MAX_FRAMES])
{
    hpp_window_site record;
    const hpp__stack *stack = NULL;
    if (hpp__window_reader_site(stacks->reader, site, &record) && record.node != 0) {
        stack = hpp__named_stacks_place(stacks, record.node);
    }
    size_t n =
        stack ? hpp__stack_frames(&hpp__named_stacks_view, NULL, stack, frames, MAX_FRAMES) : 0;
    return n < MAX_FRAMES ? n : MAX_FRAMES;
}

static void print_stack(const hpp__throw_log *t, hpp__named_stacks *stacks,
                        const hpp_window_throw *thrown, uint32_t process_id, hpf_str program)
{
    hpf_frame frames[MAX_FRAMES];
    hpp__text line = {0};
    size_t n = frames_of(stacks, thrown->site, frames);
    add(&line, "*** ");
    add_type(&line, thrown->type);
    add(&line, " (reporting due to -xc) in ");
    hpp__text_add(&line, program);
    add(&line, "[");
    hpp__text_add_number(&line, process_id);
    add(&line, "], stack trace:");
    print(t, &line);
    for (size_t i = 0; i < n; i++) {
        add(&line, i == 0 ? "  " : "  called from ");
        add_frame(&line, &frames[i]);
        add(&line, i + 1 < n ? "," : "");
        print(t, &line);
    }
    hpp__text_finish(&line);
}

static int by_time(const void *left, const void *right)
{
    const hpp_window_throw *a = left, *b = right;
    return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

/* Returns the complete records, or the new ones, in the order of time; to be freed. */
static hpp_window_throw *read_throws(hpp__throw_log *t, const hpp__named_stacks *stacks,
                                     bool only_new, size_t *n)
{
    hpp_window_throw *list = t->print ? calloc(HPP_MAX_THROWS, sizeof *list) : NULL;
    *n = 0;
    for (uint32_t i = 0; list && i < HPP_MAX_THROWS; i++) {
        bool is_wanted = !only_new || !t->is_printed[i];
        if (is_wanted && hpp__window_reader_throw(stacks->reader, i, &list[*n])) {
            t->is_printed[i] = true;
            ++*n;
        }
    }
    if (list) {
        qsort(list, *n, sizeof *list, by_time);
    }
    return list;
}

void hpp__throw_log_report(hpp__throw_log *t, hpp__named_stacks *stacks, uint32_t process_id,
                           hpf_str program)
{
    size_t n;
    hpp_window_throw *list = read_throws(t, stacks, true, &n);
    for (size_t i = 0; i < n; i++) {
        print_stack(t, stacks, &list[i], process_id, program);
    }
    free(list);
}

void hpp__throw_log_end(hpp__throw_log *t, hpp__named_stacks *stacks)
{
    hpf_frame frames[MAX_FRAMES];
    hpp__text line = {0};
    size_t n;
    hpp_window_throw *list = read_throws(t, stacks, false, &n);
    for (size_t i = 0; i < n; i++) {
        if (list[i].n > 1 && frames_of(stacks, list[i].site, frames) > 0) {
            add(&line, "*** ");
            add_type(&line, list[i].type);
            add(&line, ": thrown ");
            hpp__text_add_number(&line, list[i].n);
            add(&line, " times by ");
            add_frame(&line, &frames[0]);
            print(t, &line);
        }
    }
    uint64_t n_others = t->print ? stacks->reader->window->head.n_other_throws : 0;
    if (n_others > 0) {
        add(&line, "*** exceptions of more types and places: ");
        hpp__text_add_number(&line, n_others);
        print(t, &line);
    }
    free(list);
    hpp__text_finish(&line);
}
