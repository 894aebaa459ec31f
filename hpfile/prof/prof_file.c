/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Chooses the reader of a report, and stores what it reads.
 */
#include "base/arena.h"
#include "prof/prof_file.h"

#include <stdlib.h>
#include <string.h>

#include "event/call_stacks.h"
#include "event/format_row.h"
#include "base/array.h"
#include "hpfile/str.h"
#include "hpfile/prof.h"
#include "base/words.h"

/* ---- Lines of retainer sets ---- */

/* Removes the end of the line. */
static hpf_str trimmed(hpf_str line)
{
    while (line.length > 0 &&
           (line.data[line.length - 1] == '\n' || line.data[line.length - 1] == '\r')) {
        line.length--;
    }
    return line;
}

hpf_status hpf_prof_read_set(uint64_t *id, hpf_str *text, hpf_str line)
{
    uint64_t number;
    line = trimmed(line);
    if (!hpf__take_word(&line, "SET ") || !hpf__take_whole(&line, 10, &number) ||
        !hpf__take_word(&line, " = {") || !hpf__drop_end(&line, "}")) {
        return HPF_END;
    }
    *id = number;
    *text = line;
    return HPF_OK;
}

hpf_status hpf_prof_read_holding(hpf_prof_holding *out, hpf_str line)
{
    hpf_prof_holding holding = {0};
    line = trimmed(line);
    if (hpf__take_word(&line, "ROOT <")) {
        *out = (hpf_prof_holding){.retainer = line, .is_root = true};
        return hpf__drop_end(&out->retainer, ">") ? HPF_OK : HPF_END;
    }
    if (!hpf__take_word(&line, "HELD ") || !hpf__take_whole(&line, 10, &holding.size_bytes) ||
        !hpf__take_word(&line, " bytes, ") || !hpf__take_whole(&line, 10, &holding.n_objects) ||
        !hpf__take_word(&line, " objects: <")) {
        return HPF_END;
    }
    if (!hpf__divide(line, "> by ", &holding.retainer, &holding.by) || holding.by.length == 0 ||
        (hpf__take_word(&holding.by, "{") && !hpf__drop_end(&holding.by, "}"))) {
        return HPF_END;
    }
    *out = holding;
    return HPF_OK;
}

bool hpf__prof_hides(hpf_str label, hpf_str srcloc)
{
    static const char *const labels[] = {"GC", "SYSTEM", "IDLE", "DONT_CARE", "OVERHEAD_of"};
    bool found = false;
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        found |= hpf_str_is(label, labels[i]);
    }
    return found && hpf_str_is(srcloc, "<built-in>");
}

void hpf_prof_file_destroy(hpf_prof_file *file)
{
    if (file) {
        hpf_arena_destroy(file->arena);
        free(file->centres);
        free(file->stacks);
        free(file);
    }
}

const hpf_prof *hpf_prof_file_report(const hpf_prof_file *file)
{
    return &file->prof;
}

/* ---- Reports ---- */

hpf_status hpf__prof_file_fit_centre(hpf_prof_file *file, uint32_t index, hpf_error *err)
{
    if (!HPF__ARRAY_RESERVE(file->centres, file->centres_capacity, (size_t)index + 1)) {
        return hpf_error_set_memory(err);
    }
    if (index == file->prof.n_centres) {
        file->centres[file->prof.n_centres++] = (hpf_prof_centre){0};
    }
    return HPF_OK;
}

hpf_status hpf__prof_file_add_stack(hpf_prof_file *file, uint32_t parent_index, hpf_error *err)
{
    size_t n = file->prof.n_stacks;
    if (n >= HPF_PROF_NO_PARENT) {
        return hpf_error_set(err, HPF_ERR_LIMIT, "more than 2^32 stacks");
    }
    if (!HPF__ARRAY_RESERVE(file->stacks, file->stacks_capacity, n + 1)) {
        return hpf_error_set_memory(err);
    }
    file->stacks[n] =
        (hpf_prof_stack){.parent_index = parent_index, .id = n + 1, .centre_index = UINT32_MAX};
    file->prof.n_stacks++;
    return HPF_OK;
}

hpf_status hpf__prof_file_keep(hpf_prof_file *file, hpf_str text, hpf_str *copy, hpf_error *err)
{
    *copy = hpf_arena_str(file->arena, text);
    return copy->data ? HPF_OK : hpf_error_set_memory(err);
}

/* JSON begins with a brace, text with a date. */
static hpf_status read_any(hpf_prof_file *file, hpf_source *source, hpf_error *err)
{
    hpf__cursor scan = {.source = source, .err = err, .line = 1};
    int byte;
    while ((byte = hpf__cursor_peek(&scan)) != HPF__CURSOR_END && hpf__is_blank((char)byte)) {
        hpf__cursor_pass(&scan);
    }
    hpf_status status = hpf__cursor_peek(&scan) == '{' ? hpf__prof_read_json(file, scan, err)
                                                       : hpf__prof_read_text(file, scan, err);
    hpf_prof *prof = &file->prof;
    prof->centres = file->centres;
    prof->stacks = file->stacks;
    bool has_totals = prof->total_ticks > 0 || prof->total_bytes > 0;
    for (size_t i = 0; status == HPF_OK && !has_totals && i < prof->n_stacks; i++) {
        const hpf_prof_stack *s = &prof->stacks[i];
        bool is_hidden = prof->centres[s->centre_index].is_hidden;
        prof->total_ticks += is_hidden ? 0 : s->ticks;
        prof->total_bytes += is_hidden ? 0 : s->allocated_bytes;
    }
    return status;
}

hpf_status hpf_prof_read(hpf_prof_file **out, hpf_source *source, hpf_error *err)
{
    hpf_prof_file *file = calloc(1, sizeof *file);
    *out = NULL;
    if (!file || !(file->arena = hpf_arena_create())) {
        free(file);
        return hpf_error_set_memory(err);
    }
    hpf_status status = read_any(file, source, err);
    if (status == HPF_OK) {
        *out = file;
    } else {
        hpf_prof_file_destroy(file);
    }
    return status;
}

/* The text of a `.prof`: a tab, or blanks for it, the date, a title; or the first census of
 * retainers, or their sets. In JSON the first member is "program". */
static bool is_format(hpf_str head)
{
    hpf_str text = hpf__head_text(head);
    if (hpf_str_begins(text, "{")) {
        text = hpf__head_text(hpf_str_from(text, 1));
        return hpf_str_begins(text, "\"program\"");
    }
    if (!hpf_str_begins(head, "\t") && !hpf_str_begins(head, "  ")) {
        return hpf_str_begins(text, "Retainer Profiling: ") ||
               hpf_str_begins(text, "Retainer sets created ");
    }
    while (head.length > 0 && *head.data != '\n' &&
           !hpf_str_begins(head, " Time and Allocation Profiling Report")) {
        head = hpf_str_from(head, 1);
    }
    return head.length > 0 && *head.data != '\n';
}

/* ---- As a profile ---- */

/* Adds what a stack itself has cost. MAIN is left out, unless it is the stack. */
static hpf_status add_stack(hpf__call_stacks *stacks, const hpf_prof *prof, size_t index,
                            bool of_ticks, hpf_error *err)
{
    const hpf_prof_stack *s = &prof->stacks[index];
    bool fits = hpf__call_stacks_begin(stacks);
    for (const hpf_prof_stack *at = s; fits && at; at = &prof->stacks[at->parent_index]) {
        const hpf_prof_centre *centre = &prof->centres[at->centre_index];
        bool is_root = at->parent_index == HPF_PROF_NO_PARENT;
        const hpf_frame frame = {.label = centre->label,
                                 .module = centre->module,
                                 .source = centre->srcloc,
                                 .is_caf = centre->is_caf};
        fits = (is_root && at != s) || hpf__call_stacks_push(stacks, frame);
        if (is_root) {
            break;
        }
    }
    return fits ? hpf__call_stacks_cost(stacks, of_ticks ? s->ticks : s->allocated_bytes, err)
                : hpf_error_set_memory(err);
}

/* Emits one sample, at the end of the run, of what all stacks have cost. */
static hpf_status read(hpf_source *source, const hpf_events *events, void *context,
                       const hpf_reader_options *options, hpf_error *err)
{
    static const char *const values[] = {"allocated", "ticks", NULL};
    hpf__call_stacks stacks = {.emit = {.events = events, .context = context}, .source = source};
    hpf_prof_file *file = NULL;
    hpf__buffer job = {0};
    size_t value = 0;
    hpf_status status = hpf__choose_value(&value, values, options, err);
    status = status == HPF_OK ? hpf_prof_read(&file, source, err) : status;
    const hpf_prof *prof = status == HPF_OK ? hpf_prof_file_report(file) : NULL;
    if (prof) {
        hpf_str what = hpf_str_of(values[value]);
        bool fits = hpf__buffer_add(&job, prof->program) && hpf__buffer_append(&job, " ", 1) &&
                    hpf__buffer_add(&job, what);
        const hpf_str headers[HPF_N_HEADERS] = {
            [HPF_HEADER_JOB] = {job.bytes, job.length},
            [HPF_HEADER_DATE] = prof->date,
            [HPF_HEADER_VALUE_UNIT] = value == 0 ? HPF_STR("bytes") : HPF_STR("ticks")};
        status = fits ? hpf__call_stacks_headers(&stacks, headers, err) : hpf_error_set_memory(err);
    }
    for (size_t i = 0; status == HPF_OK && i < prof->n_stacks; i++) {
        bool is_shown = !prof->centres[prof->stacks[i].centre_index].is_hidden;
        status = is_shown ? add_stack(&stacks, prof, i, value > 0, err) : HPF_OK;
    }
    if (status == HPF_OK) {
        uint32_t n = prof->n_processors > 0 ? prof->n_processors : 1;
        double end_s = (double)prof->total_ticks * (double)prof->tick_us / 1e6 / n;
        status = hpf__emitter_sample(&stacks.emit, end_s, (hpf__location){0}, err);
    }
    hpf__call_stacks_finish(&stacks);
    hpf__buffer_finish(&job);
    hpf_prof_file_destroy(file);
    return status;
}

const hpf_format hpf_format_prof = {
    .name = "prof",
    .summary = "report of GHC's -p: what all stacks have allocated, or their ticks (--value)",
    .is_format = is_format,
    .read = read,
};
