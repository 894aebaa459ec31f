/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Options and results of a collector (collector.h).
 */
#ifndef HPPROF_COLLECTOR_TYPES_H
#define HPPROF_COLLECTOR_TYPES_H

#include "hpfile/recording.h"
#include "hpfile/resident.h"
#include "hpprof/heap.h"
#include "hpprof/options.h"

HPF_BEGIN_DECLS

struct hpp_process_figures;

/* Options of a collector, borrowed until it is destroyed. Zero means the default. */
typedef struct hpp_collector_options {
    size_t size;                /* of the struct (hpfile/version.h) */
    const hpp_options *profile; /* breakdown, restrictions, -i, -L, -p..., -V */
    const char *base;           /* of file names */
    const char *recording;      /* write the event logs of all processes to this file; or NULL */
    bool without_hp;            /* write no BASE.hp */
    bool without_prof;          /* write no BASE.prof: the recording has what it says */
    bool without_children;      /* profile the first process only */
    bool without_maps;          /* leave out blocks of kind mmap, as a biography always does */
    bool by_cpu_time; /* the clock is the processor time of each process; else elapsed time */
    const char *const *skip; /* as for hpf_frame_rules_create */
    size_t n_skip;
    bool skips_none; /* name the innermost function */
    /* For -hr, the same kind of expressions: allocation sites ("function@file:line", or the
     * function) whose blocks are retainers, and are none. Sites that match neither are if they have
     * at most 8 live blocks. */
    const char *const *retainer, *const *no_retainer;
    size_t n_retainer, n_no_retainer;
    bool without_python;         /* show Python and Haskell programs as native ones */
    uint32_t max_depth;          /* keep the innermost functions of a stack only; 0: all */
    uint64_t biography_bytes;    /* sampled biographies: bytes for each watched block; 0: rate_bytes
                                  * of the profile, or 64 KiB if all blocks are counted */
    uint64_t biography_seed;     /* of the choice of these blocks, and of samples, whose rate stays
                                    the same then; 0: a new one for each process */
    uint32_t verify_stacks;      /* compare every n-th stack with a new unwind; 0: none */
    uint64_t max_overhead_bytes; /* of the profiler in a process; 0: no limit */
    uint32_t max_overhead_percent; /* the same, in percent of the process's own resident set; 0: no
                                      limit */
    const hpf_events *events;      /* callbacks for the first process's profile; may be NULL */
    void *events_context;
    /* With -xc: prints a line about an exception, on the writing thread; may be NULL. */
    void (*print)(void *context, hpf_str line);
    void *print_context;
    const char *cgroups; /* where cgroups are mounted; NULL: /sys/fs/cgroup */
    bool keeps_costs;    /* for hpp_collector_costs */
    /* Called after files of a process were written, on the writing thread; may be NULL. To read the
     * files, wake the main thread, and call hpp_collector_files there. */
    void (*written)(void *context);
    void *written_context;
    /* Called while the collector waits for images: returns whether it should wait no longer, since
     * a signal is pending for instance; may be NULL. */
    bool (*is_hurried)(void *context);
    void *is_hurried_context;
    bool is_attached;  /* the process runs already: blocks from before are not known */
    bool keeps_latest; /* for hpp_collector_latest */
    /* For processes that come and go: frees a process that has ended, after `ended` was called with
     * its figures, which are borrowed (on the main thread; may be NULL). Indices of other processes
     * change then. */
    bool forgets_ended;
    void (*ended)(void *context, const struct hpp_process_figures *figures);
    void *ended_context;
    /* Lengthens the interval between samples, up to a minute, so that this process takes no more
     * than this part of a processor, in percent; 0: no limit. */
    uint32_t max_cpu_percent;
} hpp_collector_options;

/* The files of a process, which may still grow. */
typedef struct hpp_process_files {
    const char *base;            /* their name without ".hp"; valid until the next serve */
    uint32_t process_id, number; /* number: of its log in the recording; 0: none so far */
    uint64_t n_writes;           /* grows with each change of them; 0: there are none yet */
    bool is_complete;
} hpp_process_files;

/* Why a sampled biography ended before the process. */
typedef enum hpp_biography_end {
    HPP_BIOGRAPHY_COMPLETE,
    HPP_BIOGRAPHY_NO_PAGEMAP,    /* the process cannot read /proc/self/pagemap */
    HPP_BIOGRAPHY_LOCKED_MEMORY, /* it has locked its memory */
    HPP_BIOGRAPHY_RAW_FORK,      /* it has forked by a bare system call */
} hpp_biography_end;

/* Why the stacks of a Python program have no frames of Python, or its objects no types. */
typedef enum hpp_python_profile {
    HPP_PYTHON_PROFILED,   /* they have, or they need not, or it is no Python program */
    HPP_NO_PYTHON_VERSION, /* the layout of its version is not known */
    HPP_NO_PYTHON_LAYOUT,  /* it has another layout than its version */
    HPP_NO_PYTHON_LOCK,    /* free-threaded, and it ran already, or uses are watched */
    HPP_NO_PYTHON_TYPES,   /* free-threaded: stacks have frames, objects no types */
} hpp_python_profile;

/* Whether the heap of a Haskell program is counted, in a profile by closure type. */
typedef enum hpp_haskell_profile {
    HPP_NO_HASKELL, /* it is no such program, or the profile has no closures */
    HPP_HASKELL_PROFILED,
    HPP_NO_HASKELL_VERSION, /* this version of GHC is not known */
    HPP_NO_HASKELL_LAYOUT,  /* the heap is not laid out as that of its version */
} hpp_haskell_profile;

/* The biography of a process (-hb), all 0 without one. */
typedef struct hpp_biography_figures {
    uint64_t sample_bytes; /* bytes for each watched block; 0: all were watched */
    uint64_t n_samples;    /* blocks that were watched */
    uint64_t n_unsampled;  /* that should have been */
    uint64_t n_retired;    /* that were watched until a fork */
    uint64_t n_lost;       /* changes of phase that could not be recorded */
    hpp_biography_end end;
    /* In the largest census: of its bands, if it has a break-down by phase, else of all blocks,
     * whatever the restrictions. */
    uint64_t live_bytes;
    hpp_phase_bytes phases;
    bool are_of_bands;
} hpp_biography_figures;

/* Sizes of blocks, by what their types are known by (-hy): their class, the container that they are
 * a part of, the variable that their address went to, the block that owns them; or only their site
 * is known. */
typedef struct hpp_type_figures {
    uint64_t by_class, by_container, by_variable, by_owner, by_site;
} hpp_type_figures;

/* What the resident set was made of when allocators kept most that was not live
 * (hpp_options.with_resident); and pages of which less than a tenth was live: what was not, what
 * was, and the site that pinned most of them. */
typedef struct hpp_resident_figures {
    double time_s;
    uint64_t bytes; /* 0: none was */
    uint64_t parts[HPF_N_RESIDENT_PARTS];
    double live_margin; /* of the live blocks (HPF_RESIDENT_ROW_MARGIN) */
    uint64_t pinned_bytes, pinned_live_bytes;
    hpf_str pinned_by;
} hpp_resident_figures;

/* The results for one process. */
typedef struct hpp_process_figures {
    uint32_t process_id;
    bool is_first;    /* the process of hpp_collector_follow */
    hpf_str command;  /* the command line, or the title that the process gave itself */
    const char *base; /* of its files */
    double start_s;   /* after the first process of the collector; elapsed time */
    double duration_s;
    uint64_t n_samples;
    uint64_t n_missed_samples; /* the collector was busy, or images had used their share of time */
    uint64_t rate_bytes;       /* of a sample of the blocks (hpfile/margin.h); 0: all are counted */
    double peak_margin, end_margin; /* of peak_bytes, and of what is live at the end */
    bool is_restricted;             /* samples have only blocks that pass the restrictions */
    uint64_t peak_bytes; /* of blocks that pass the restrictions, in the largest sample. Without
                            restrictions and images the largest amount ever reached: it has a
                            sample */
    double peak_s;
    uint64_t mapped_bytes; /* in the same sample, of blocks of kind mmap */
    uint64_t allocations, allocated_bytes, frees, freed_bytes; /* of all */
    uint64_t resident_bytes, profiler_bytes;                   /* maxima; 0: unknown */
    uint64_t n_sites, n_stacks; /* allocation sites; distinct stacks of functions */
    uint32_t limits;            /* HPP_LIMITED values: effects of the memory limit */
    /* Images of the process for censuses that visit objects: taken, missed, and why one was
     * missed; how long threads can have waited for them in all, and for one; and how many threads
     * ran during the last one, so that what they had in registers is not in it. */
    uint64_t n_images, n_missed_images;
    double image_pause_s, longest_pause_s;
    size_t n_moving;
    hpf_error image_error;
    bool has_last_image;   /* the last one is of the end of the process */
    double last_objects_s; /* time of the last sample of objects; 0: there was none */
    /* The largest amount ever reached, of all blocks, if it is more than 10 %, and 64 KiB, above
     * all samples, or was reached at the end, of which there is no image; else, and with
     * restrictions, 0. */
    uint64_t missed_peak_bytes;
    double missed_peak_s;
    /* With -hr: whether there was a census, blocks that no root reached at the last one (blocks
     * that are lost indirectly are also counted separately), and images without a census, for lack
     * of memory, or since blocks that are not in the sample are those of an unknown allocator. */
    bool has_graph;
    uint64_t lost_bytes, lost_blocks, indirect_bytes, indirect_blocks;
    double lost_margin;
    uint64_t n_without_graph;
    bool has_unknown_blocks;
    /* Heap snapshots: how many were written, each in place of the one before, and live bytes and
     * time of the last one. */
    uint64_t n_snapshots, snapshot_bytes;
    double snapshot_s;
    /* How it ended, as in a recording; texts are borrowed. */
    hpf_process_end end;
    int end_code;
    hpf_memory memory;
    /* Losses. */
    uint64_t n_lost_stacks; /* allocations with unknown producers */
    uint64_t n_uncounted, uncounted_bytes;
    uint64_t n_missed_frees; /* blocks whose free was not seen */
    uint64_t n_cut_stacks;   /* stacks whose outer functions are unknown */
    uint64_t n_apart;        /* forked children that could not connect to the collector */
    hpp_python_profile python;
    uint32_t python_version; /* as PY_VERSION_HEX */
    hpp_haskell_profile haskell;
    const char *haskell_version; /* of GHC, borrowed; "" if it is not known */
    uint64_t n_unsettled;        /* samples skipped since no image showed all closures */
    bool was_isolated;           /* it entered seccomp; less could be counted since then */
    bool was_traced;             /* a tracer followed it: no ticks since then */
    bool has_own_malloc;         /* the program contains it: only its mappings are counted */
    bool started_sanitizer;      /* it started programs that have a sanitizer: not profiled */
    bool started_other;          /* it started programs that are not linked to a recent glibc */
    bool left_network; /* it entered another network namespace: what it starts cannot connect */
    /* Self-check of stacks (verify_stacks): stacks compared; different from a new unwind; different
     * from the C library's; and stacks that the C library cut. */
    uint64_t n_checked, n_cache_mismatches, n_peer_mismatches, n_peer_cut;
    hpf_breakdown further[HPP_MAX_FURTHER_BANDS]; /* that stacks do not say; or NONE */
    hpp_biography_figures biography;
    hpp_resident_figures resident;
    double waste_s; /* when waste was looked for, with -hy or for a heap snapshot; and how many
                       bytes were live */
    uint64_t waste_of_bytes; /* 0: it was not */
    hpp_type_figures types;  /* of all blocks in the largest sample, with -hy */
    hpf_error error;         /* the first error of its files */
} hpp_process_figures;

enum {
    HPP_LIMITED_STACKS = 1, /* no new stacks */
    HPP_LIMITED_BLOCKS = 2, /* no new blocks */
};

typedef enum hpp_moment {
    HPP_AT_PEAK,
    HPP_AT_PEAK_BY_SECOND, /* by a further break-down, as in hpp_process_figures */
    HPP_AT_PEAK_BY_THIRD,
    HPP_AT_END,
    HPP_LOST,  /* with -hr, at the last census: only blocks that no root reaches */
    HPP_WASTE, /* memory that does nothing (hpfile/waste.h), when the figures say */
    HPP_N_MOMENTS
} hpp_moment;

/* The blocks of one allocation site; at the peak, in a profile by type, retainer set or use, of one
 * band, which has only a name and bytes. Of waste, `place` is the type, `module` what is wrong
 * with its blocks, `path` the site. */
typedef struct hpp_site_figures {
    hpf_str place;  /* "function@file:line", or "function" */
    hpf_str module; /* its object file */
    hpf_str path;   /* callers of the largest stack, innermost first: "caller/.../main" */
    uint64_t live_bytes, live_blocks;
    double margin;                            /* of live_bytes, of a sample of the blocks; else 0 */
    uint64_t indirect_bytes, indirect_blocks; /* of these, with HPP_LOST: lost indirectly */
} hpp_site_figures;

/* What a stack has cost since its process started, and the blocks that live. */
typedef struct hpp_stack_costs {
    uint64_t allocations, allocated_bytes;
    uint64_t live_blocks, live_bytes;
    uint64_t ticks; /* of processor time */
} hpp_stack_costs;

/* Visits a stack, innermost frame first; frames are valid during the visit. */
typedef void hpp_visit_costs(void *context, const hpf_frame *frames, size_t n_frames,
                             const hpp_stack_costs *costs);

/* A band of a process that runs, by its first break-down. */
typedef struct hpp_latest_band {
    hpf_str name;
    uint64_t live_bytes;
} hpp_latest_band;

/* A process that runs, as of its latest sample; texts and bands are valid during the visit. */
typedef struct hpp_latest {
    uint32_t process_id;
    uint64_t n_samples;
    double time_s; /* since its profile began */
    uint64_t live_bytes, peak_bytes;
    uint64_t rate_bytes;             /* as in hpp_process_figures */
    double live_margin, peak_margin; /* the same */
    double resident_bytes;           /* below 0: not known */
    hpf_memory memory;
    const hpp_latest_band *bands;
    size_t n_bands;
} hpp_latest;

typedef void hpp_visit_latest(void *context, const hpp_latest *latest);

/* All threads of one name in a process. */
typedef struct hpp_thread_figures {
    hpf_str name;
    uint64_t n_threads;
    uint64_t allocated_bytes;
} hpp_thread_figures;

HPF_END_DECLS
#endif
