/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The state of a reader between two pieces of input, and the two ways in which it reads: plain
 * lines (hp_fast_path.c) and statements of every form (hp_parser.c).
 */
#ifndef HPF_HP_STATE_H
#define HPF_HP_STATE_H

#include "base/bits.h"
#include "base/buffer.h"
#include "event/costs.h"
#include "base/intern.h"

typedef struct hpf__hp_reader {
    hpf_events events;
    void *context;
    hpf_reader_options options;
    hpf_error error; /* sticky */

    hpf__buffer carry;   /* an unfinished statement */
    size_t retry_length; /* of carry, before it is tried again */
    size_t max_statement_bytes;
    uint64_t offset;      /* of the next byte to be read */
    uint64_t line_offset; /* of the first byte of its line */
    uint32_t line;

    hpf__intern names;
    uint32_t *next_name; /* [name + 1]: 1 + the name that followed it last; [0]: the first one */
    size_t next_name_capacity;
    uint32_t last_name; /* 1 + the name of the last cost, 0 at the start of a sample */

    hpf__costs costs; /* of the sample being gathered */
    hpf__buffer unescaped;

    bool has_header[HPF_N_HEADERS];
    bool in_sample;    /* a BEGIN_SAMPLE has no END_SAMPLE yet */
    bool is_truncated; /* the input ended inside a statement */
    bool has_cut_line; /* the input ended inside the number of the last END_SAMPLE */
    bool is_finished;
    double time;       /* of the last BEGIN_SAMPLE; -infinite before the first */
    size_t time_bytes; /* of its text */
    uint64_t n_samples;
    uint64_t sample_offset; /* end of the last sample */
} hpf__hp_reader;

/* The bytes being read: [begin, end), `begin` is at reader->offset. */
typedef struct hpf__hp_piece {
    const char *begin;
    const char *end;
    bool is_final;
} hpf__hp_piece;

/* --- gathering a sample --- */

hpf_status hpf__hp_fail_memory(hpf__hp_reader *r);

/* Fails at the next statement, which is longer than the limit. */
hpf_status hpf__hp_fail_long(hpf__hp_reader *r);

/* Stores the number of a name, which is defined if it is new. */
hpf_status hpf__hp_define_name(hpf__hp_reader *r, hpf_str text, hpf_name *name);

static inline hpf_status hpf__hp_add_cost(hpf__hp_reader *r, hpf_cost cost)
{
    if (!hpf__costs_add(&r->costs, cost, r->names.n_names)) {
        return hpf__hp_fail_memory(r);
    }
    r->next_name[r->last_name] = cost.name + 1;
    r->last_name = cost.name + 1;
    return HPF_OK;
}

/* Begins a sample at a valid time, whose text has `time_bytes` bytes. */
void hpf__hp_begin_sample(hpf__hp_reader *r, double time, size_t time_bytes);

/* Emits the sample, which ends before `end_offset`. */
hpf_status hpf__hp_end_sample(hpf__hp_reader *r, uint64_t end_offset);

/* --- reading --- */

/* Reads lines NAME<TAB>DIGITS<LF> and those around a sample as long as they are as GHC writes them;
 * moves p->begin after the last one. */
hpf_status hpf__hp_read_plain_lines(hpf__hp_reader *r, hpf__hp_piece *p);

/* Reads the statement at p->begin, which is not blank. HPF_OK with its end in `*next`; HPF_MORE
 * when it is not all there; or an error, which is set in the reader. */
hpf_status hpf__hp_read_statement(hpf__hp_reader *r, const hpf__hp_piece *p, const char **next);

#endif
