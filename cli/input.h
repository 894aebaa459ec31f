/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Opening a profile for a command. All functions print their own messages.
 */
#ifndef CENSUS_INPUT_H
#define CENSUS_INPUT_H

#include "base/json.h"
#include "hpfile/format.h"
#include "hpfile/survey.h"

#include "options/opt.h"
#include "symbolise.h"

typedef struct input {
    const char *name;  /* for messages: the path, or "stdin" */
    char *const *more; /* further files of a series, borrowed */
    size_t n_more;
    const hpf_format *format;
    hpf_source *source;
    symboliser *symboliser;  /* NULL: not needed so far */
    hpf_survey *survey;      /* NULL if the input was only opened */
    hpf_retainer_sets *sets; /* retainer sets that the survey uses (retainers.h), or NULL */
} input;

/* Returns whether `is` recognises the beginning of the file at `path`; false for "-" and for files
 * that cannot be read. */
bool input_begins(const char *path, bool (*is)(hpf_str beginning));

/* Opens and surveys the profile at `path`, or standard input for "-", as `limits` say; detects its
 * format. `path` is borrowed. Returns false after a message; there is nothing to close then. */
bool input_open_with(input *out, const char *path, const hpf_survey_options *limits);

/* Opens an input of a format, or of NULL, which detects it, without a survey. */
bool input_open_only(input *out, const char *path, const hpf_format *format);

/* Returns whether several files are samples of one profile: all have the same format, in which a
 * file is one moment. */
bool input_is_series(char *const *paths, size_t n);

/* Makes an opened input the first one of a series; the other files are surveyed with it. */
void input_add_files(input *in, char *const *paths, size_t n);

/* Surveys an opened input for totals, with the window, the names and the profile of an event log
 * that `limits` selects. Returns false after a message, with the input closed. */
bool input_survey(input *in, const hpf_survey_options *limits);

/* Does the same, keeping up to `max_drawn` samples for drawing. */
bool input_open_fine(input *out, const char *path, size_t max_drawn);

/* Opens and surveys a series, with the samples and names that `limits` selects. */
bool input_open_series(input *out, char *const *paths, size_t n, const hpf_survey_options *limits);

/* Opens and surveys a profile with the samples and names that `limits` selects, for drawing. For an
 * event log without a heap profile it uses the live bytes that the collector measured, and prints a
 * warning.
 */
bool input_open_limited(input *out, const char *path, const hpf_survey_options *limits);

/* Surveys a surveyed input again, with other limits. Returns false after a message; the input stays
 * open then. */
bool input_survey_again(input *in, const hpf_survey_options *limits);

/* Surveys what the stacks of a surveyed input have allocated up to each sample. Returns HPF_OK with
 * `out->survey` NULL if its format does not say that, or if --value chose an amount. Close `out`
 * before `in`, in any case. */
HPF_MUST_USE hpf_status input_survey_allocated(input *out, const input *in,
                                               const hpf_survey_options *limits, hpf_error *err);

/* Checks that an opened input has heap profiles with numbers, for --profile: that it is an event
 * log, of which --value does not choose an amount. Returns false after a message. */
bool input_accepts_profile(const input *in);

/* Checks that a time on the command line has a unit only if the profile is in seconds. Returns
 * false after a message. */
bool input_accepts_time(const input *in, const char *option, opt_time time);

void input_close(input *in);

/* Write what `census info` says first of all inputs: the name, size, compression and format of the
 * file; `kind` is the format in words, or NULL. */
void input_write_file(const input *in, const char *kind, bool exact, hpf_sink *sink);
void input_write_json_file(const input *in, const char *format, hpf_json *json);

/* Writes the samples, the names, the number of marks and the peak of a survey; of none if it is
 * NULL. */
void input_write_json_samples(const hpf_survey *survey, uint64_t n_marks, hpf_json *json);

/* Returns the folder for temporary files, TMPDIR or /tmp. */
const char *input_temporary_dir(void);

/* The option of the process of a recording. `position` is the offset of a text. */
#define INPUT_PROCESS(position)                                                                    \
    OPT(0, "process", OPT_TEXT, (position), "WHICH",                                               \
        "recording: the process to read, by its number, process ID, name or a part of it; all: a " \
        "band for each process (default: the one with the largest peak)")

extern const char *const input_clock_names[];

/* Members of the options of a command. */
typedef struct input_options {
    const char *process; /* of a recording; NULL: the one with the largest peak */
    const char *value;   /* the amount to read from inputs that have several; NULL: the default */
    int clock;           /* of event logs: whether it is the mutator's */
    bool symbolises_all; /* name addresses, also of formats that usually have functions */
} input_options;

/* Their other rows; `base` is the offset of an input_options. */
#define INPUT_OPTIONS(base)                                                                        \
    OPT(0, "value", OPT_TEXT, (base) + offsetof(input_options, value), "NAME",                     \
        "amount to read from a profile that has several, such as allocated, alloc_space or "       \
        "ticky-entries (default: live bytes)"),                                                    \
        OPT(0, "clock", OPT_CHOICE, (base) + offsetof(input_options, clock), "CLOCK",              \
            "event log: elapsed time (elapsed, default), or time in which threads run (mutator), " \
            "as in .hp files of GHC",                                                              \
            .choices = input_clock_names)

/* Applies the options to all inputs that are opened later. */
void input_set_options(const input_options *options);

/* Returns whether times of event logs count the mutator only. */
bool input_uses_mutator_clock(void);

#endif
