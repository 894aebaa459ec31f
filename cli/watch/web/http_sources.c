/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Each request reads the places of new names only.
 */
#include "http_sources.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "hpfile/live.h"
#include "hprender/html.h"

#include "source/source_lines.h"

enum { MOST_BYTES = 1 << 20, MOST_NAME_BYTES = 4096 };

/* Reads pairs of digits. Returns false for anything else. */
static bool read_hex(char *out, size_t *n, const char *hex)
{
    static const char digits[] = "0123456789abcdef";
    size_t length = strlen(hex);
    if (length % 2 || length == 0 || length > 2 * (size_t)MOST_NAME_BYTES ||
        strspn(hex, digits) != length) {
        return false;
    }
    for (*n = 0; *n < length / 2; (*n)++) {
        ptrdiff_t high = strchr(digits, hex[2 * *n]) - digits;
        ptrdiff_t low = strchr(digits, hex[2 * *n + 1]) - digits;
        out[*n] = (char)(16 * high + low);
    }
    return true;
}

static bool add_place(http_sources *s, hpf_str place)
{
    uint32_t number;
    bool is_new;
    return hpf__intern_add(&s->places, place, &number, &is_new) == HPF_OK &&
           (!is_new || hpf_text_costs_add(&s->table, place, NULL));
}

/* Fills at most `room` frames of a name of `calls`, or of the profile if that is NULL. */
static size_t frames_of(const watched *profile, const hpf_survey *calls, hpf_name name,
                        hpf_frame *frames, size_t room)
{
    return calls ? hpf_survey_frames(calls, name, frames, room)
                 : hpf_live_frames(profile->live, name, frames, room);
}

/* Adds the places of the names [*first, end). */
static bool add_names(http_sources *s, const watched *profile, const hpf_survey *calls,
                      hpf_name *first, hpf_name end)
{
    hpf_frame *frames = NULL;
    size_t capacity = 0;
    bool fits = true;
    for (; *first < end && fits; ++*first) {
        size_t n = frames_of(profile, calls, *first, NULL, 0);
        fits = HPF__ARRAY_RESERVE(frames, capacity, n);
        if (fits && n > 0) {
            frames_of(profile, calls, *first, frames, n);
        }
        for (size_t i = 0; i < n && fits; i++) {
            fits = add_place(s, frames[i].source);
        }
    }
    free(frames);
    return fits;
}

/* Adds the places of names that are new since the last request. */
static bool read_names(http_sources *s, const watched *profile, hpf_name n_names)
{
    const hpf_survey *calls = watched_calls(profile);
    if (s->epoch != profile->epoch) {
        http_sources_finish(s);
        *s = (http_sources){.epoch = profile->epoch};
    }
    return add_names(s, profile, NULL, &s->n_names, n_names) &&
           (!calls || add_names(s, profile, calls, &s->n_calls, hpf_survey_n_names(calls)));
}

bool http_sources_write(http_sources *s, const watched *profile, hpf_name n_names,
                        const hpf_text_folder *folder, const char *hex, hpf_sink *sink)
{
    char name[MOST_NAME_BYTES];
    size_t length, room = MOST_BYTES;
    if (!read_hex(name, &length, hex) || !read_names(s, profile, n_names)) {
        return false;
    }
    source_lines lines = {0};
    uint32_t number;
    bool fits = true;
    if (hpf__intern_find(&s->table.names, (hpf_str){name, length}, &number)) {
        const hpf_text_file *file = &s->table.files[number];
        bool is_ambiguous;
        const char *path = hpf_text_folder_find(folder, file->name, &is_ambiguous);
        fits = source_lines_add(&lines, file, folder, path, &room);
    }
    if (fits) {
        hpr_html_sources_json(lines.all, lines.n, sink);
    }
    source_lines_finish(&lines);
    return fits;
}

void http_sources_finish(http_sources *s)
{
    hpf__intern_finish(&s->places);
    hpf_text_costs_finish(&s->table);
}
