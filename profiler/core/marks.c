/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A list that grows, and a cursor.
 */
#include "marks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void hpp__marks_add(hpp__marks *m, double time_s, hpf_str label)
{
    char *copy = malloc(label.length + 1);
    if (!copy || !HPF__ARRAY_RESERVE(m->marks, m->capacity, m->n + 1)) {
        free(copy);
        m->is_short = true;
        return;
    }
    if (label.length > 0) {
        memcpy(copy, label.data, label.length);
    }
    m->marks[m->n++] = (hpp__mark){time_s, copy, label.length};
}

void hpp__marks_emit(hpp__marks *m, double time_s, hpp__output *output)
{
    for (; m->n_emitted < m->n && m->marks[m->n_emitted].time_s < time_s; m->n_emitted++) {
        const hpp__mark *mark = &m->marks[m->n_emitted];
        hpp__output_mark(output, mark->time_s, (hpf_str){mark->label, mark->label_bytes});
    }
}

void hpp__marks_finish(hpp__marks *m)
{
    for (size_t i = 0; i < m->n; i++) {
        free(m->marks[i].label);
    }
    free(m->marks);
    *m = (hpp__marks){0};
}
