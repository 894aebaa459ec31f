/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The jobs in the order of a profile's life.
 */
#include "process_jobs.h"

#include "base/arena.h"
#include "base/descriptor.h"

#include <stdlib.h>
#include <sys/mman.h>

void hpp__process_job_free(hpp__process_job *j)
{
    if (j) {
        hpp__window_sums_finish(&j->snapshot.sums);
        hpp__image_close(j->snapshot.image);
        hpp__resident_free(j->snapshot.resident);
        free(j->snapshot.deaths);
        free(j);
    }
}

/* Announces that files have changed, and frees the job. */
static void finish_job(hpp__process_job *j)
{
    hpp__process *p = j->process;
    atomic_fetch_add(&p->n_writes, 1);
    if (p->written) {
        p->written(p->written_context);
    }
    hpp__process_job_free(j);
}

static void run_begin(hpp__job *base)
{
    hpp__process_job *j = (hpp__process_job *)(void *)base;
    hpp__process *p = j->process;
    /* A profile that cannot start is NULL; its error is in the figures. */
    (void)hpp__profile_create(&p->profile, &p->profile_options, &j->snapshot.reader,
                              &p->remains.figures.error);
    atomic_store(&p->number, p->profile ? hpp__profile_number(p->profile) : 0);
    finish_job(j);
}

static void run_sample(hpp__job *base)
{
    hpp__process_job *j = (hpp__process_job *)(void *)base;
    if (j->process->profile && !j->process->queue->is_hurried) {
        hpp__profile_take(j->process->profile, &j->snapshot);
    }
    if (j->snapshot.keeps_objects) {
        hpp__snapshot_callers *callers = &j->process->snapshot_callers;
        if (j->snapshot.is_unsettled) {
            hpp__snapshot_callers_missed(callers);
        } else {
            hpp__snapshot_callers_written(callers, j->snapshot.is_written);
        }
        atomic_store(&j->process->is_snapshot_missed, j->snapshot.is_unsettled);
        atomic_store(&j->process->is_snapshot_queued, false);
    }
    finish_job(j);
}

static void run_mark(hpp__job *base)
{
    hpp__process_job *j = (hpp__process_job *)(void *)base;
    if (j->process->profile) {
        hpf_str label = hpf_str_of(j->mark);
        hpp__profile_mark(j->process->profile, j->mark_s, label);
    }
    hpp__process_job_free(j);
}

static void run_thread(hpp__job *base)
{
    hpp__process_job *j = (hpp__process_job *)(void *)base;
    if (j->process->profile) {
        hpp__profile_thread(j->process->profile, j->mark_s, &j->thread);
    }
    hpp__process_job_free(j);
}

static hpf_str keep_text(hpp__remains *r, hpf_str text)
{
    hpf_str copy = hpf_arena_str(r->arena, text);
    return copy.data ? copy : HPF_STR("");
}

/* Keeps the results that the summary shows, and frees the rest. */
static void sum_up(hpp__profile *profile, hpp__remains *r)
{
    const char *file_base = r->figures.base;
    r->figures = *hpp__profile_figures(profile);
    r->figures.base = file_base;
    r->figures.command = keep_text(r, r->figures.command);
    r->figures.memory.holder = keep_text(r, r->figures.memory.holder);
    r->figures.resident.pinned_by = keep_text(r, r->figures.resident.pinned_by);
    for (hpp_moment moment = HPP_AT_PEAK; moment < HPP_N_MOMENTS; moment++) {
        hpp_site_figures top[HPP__TOP_SITES];
        size_t n = hpp__profile_top(profile, moment, top, HPP__TOP_SITES);
        hpp_site_figures *sites = hpf_arena_array(r->arena, n, sizeof *sites);
        r->sites[moment] = sites;
        r->n_sites[moment] = sites ? n : 0;
        for (size_t i = 0; i < r->n_sites[moment]; i++) {
            sites[i] = top[i];
            sites[i].place = keep_text(r, sites[i].place);
            sites[i].module = keep_text(r, sites[i].module);
            sites[i].path = keep_text(r, sites[i].path);
        }
    }
}

void hpp__process_close_window(hpp__process *p)
{
    if (p->bytes) {
        munmap((void *)(uintptr_t)p->bytes, p->size_bytes);
    }
    if (p->control) {
        munmap(p->control, HPP_WINDOW_PAGE_BYTES);
    }
    hpf__close(p->window);
    p->bytes = NULL;
    p->control = NULL;
    p->window = -1;
}

static void run_end(hpp__job *base)
{
    hpp__process_job *j = (hpp__process_job *)(void *)base;
    hpp__process *p = j->process;
    if (p->profile && j->forget) {
        hpp__profile_discard(p->profile, j->mark_s);
    } else if (p->profile) {
        hpp__profile_finish(p->profile, &j->snapshot, p->title, j->wait_status);
        sum_up(p->profile, &p->remains);
        atomic_store(&p->number, hpp__profile_number(p->profile));
    }
    hpp__shared_costs_clear(&p->costs); /* their stacks and names are the profile's */
    hpp__profile_destroy(p->profile);
    p->profile = NULL;
    hpp__process_close_window(p);
    hpp__freezer_finish(&p->freezer); /* no image is open any more */
    atomic_store(&p->is_complete, true);
    finish_job(j);
    atomic_store(&p->is_unused, true);
}

static void run_rename(hpp__job *base)
{
    hpp__process_job *j = (hpp__process_job *)(void *)base;
    hpp__process *p = j->process;
    hpp__profile_rename_files(&p->profile_options, p->remains.figures.base, j->new_base);
    p->remains.figures.base = j->new_base;
    if (p->profile) {
        hpp__profile_set_base(p->profile, j->new_base);
    }
    finish_job(j);
}

hpp__process_job *hpp__process_job_new(hpp__process *p, hpp__job_kind kind)
{
    static void (*const runs[])(hpp__job *) = {
        [HPP__JOB_BEGIN] = run_begin, [HPP__JOB_SAMPLE] = run_sample,
        [HPP__JOB_MARK] = run_mark,   [HPP__JOB_THREAD] = run_thread,
        [HPP__JOB_END] = run_end,     [HPP__JOB_RENAME] = run_rename,
    };
    hpp__process_job *j = calloc(1, sizeof *j);
    if (j) {
        j->process = p;
        j->job.run = runs[kind];
        j->job.n_bytes = sizeof *j;
    }
    return j;
}

void hpp__process_start_profile(hpp__process *p)
{
    hpp__process_job *j = p->has_started ? NULL : hpp__process_job_new(p, HPP__JOB_BEGIN);
    if (j) {
        p->has_started = true;
        j->snapshot.reader = p->reader;
        hpp__queue_add(p->queue, &j->job);
    }
}

void hpp__process_queue_held(hpp__process *p)
{
    if (p->held) {
        hpp__process_start_profile(p);
        hpp__queue_add(p->queue, p->held);
        p->held = NULL;
    }
}

void hpp__process_drop_held(hpp__process *p)
{
    hpp__process_job_free((hpp__process_job *)(void *)p->held);
    p->held = NULL;
}

void hpp__process_count_held(hpp__process *p, bool is_of_row)
{
    if (p->held && is_of_row) {
        hpp__process_sample *held = &((hpp__process_job *)(void *)p->held)->snapshot;
        held->is_of_row = true;
        hpp__image_close(held->image);
        held->image = NULL;
    }
}

void hpp__process_job_add(hpp__process *p, hpp__process_job *j)
{
    if (j->forget) {
        hpp__process_drop_held(p);
    } else {
        hpp__process_queue_held(p);
        hpp__process_start_profile(p);
    }
    hpp__queue_add(p->queue, &j->job);
}
