/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which processes of this machine match, as they come and go. A process that calls exec is a new
 * one.
 *
 * Threads: use a scan in one thread.
 */
#ifndef CENSUS_PROCESS_SCAN_H
#define CENSUS_PROCESS_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hpfile/error.h"
#include "hpprof/collector.h"

typedef enum scanned_state {
    SCANNED_NEW,      /* seen once: it may be about to call exec */
    SCANNED_OTHER,    /* does not match, or has no command line */
    SCANNED_MATCHING, /* to be attached to */
    SCANNED_WAITING,  /* the same, at the next scan */
    SCANNED_ATTACHING,
    SCANNED_ATTACHED,
    SCANNED_REFUSED,
} scanned_state;

typedef struct scanned {
    uint32_t process_id;
    uint64_t start_ticks, stack_start; /* of /proc/PID/stat: exec moves the stack */
    scanned_state state;
    bool is_there;           /* at the latest look */
    char *program, *command; /* NULL unless it matches; the name of its program or script */
    char *refused;           /* why it is not profiled */
    hpp_attached attached;
} scanned;

typedef struct process_scan process_scan;

/* Chooses processes whose command line, with blanks between its words, matches the POSIX extended
 * regular expression `pattern`; never this one, those that started it, and other copies of its
 * program. Errors: ARGUMENT, LIMIT, MEMORY. */
HPF_MUST_USE hpf_status process_scan_create(process_scan **out, const char *pattern,
                                            hpf_error *err);
/* Accepts NULL. */
void process_scan_destroy(process_scan *scan);

/* Looks for processes that are new or have ended. */
void process_scan_look(process_scan *scan);

/* Returns the processes in order of their numbers, valid until the next look. */
scanned *process_scan_list(process_scan *scan, size_t *n);

/* Returns how many seconds ago a process began. */
double process_scan_age_s(const scanned *process);

/* Returns whether a process has ended since the latest look. */
bool process_scan_has_ended(const scanned *process);

/* Returns whether a process is stopped by a signal: no thread of it can be asked for anything. */
bool process_scan_is_stopped(const scanned *process);

/* Stores the name of the program or script of a command line of words. */
void process_scan_name(char *out, size_t room, char *words, size_t n_bytes);

#endif
