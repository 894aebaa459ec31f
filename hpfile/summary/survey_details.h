/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What census and its pictures ask of a survey in addition: retainer sets, and the event log.
 */
#ifndef HPF_SURVEY_DETAILS_H
#define HPF_SURVEY_DETAILS_H

#include "eventlog/eventlog.h"
#include "hpfile/survey.h"
#include "prof/retainer_sets.h"

/* Sets the retainer sets for hpf_survey_retainer_set, borrowed for the survey's life; NULL: none.
 */
HPF_API void hpf_survey_use_retainer_sets(hpf_survey *survey, hpf_retainer_sets *sets);

/* Stores the retainer set of a name, borrowed. Returns false if it is unknown. */
HPF_API bool hpf_survey_retainer_set(const hpf_survey *survey, hpf_name name,
                                     hpf_retainer_set *set);
HPF_API bool hpf_survey_retainer_set_named(const hpf_survey *survey, hpf_str name,
                                           hpf_retainer_set *set);

/* Returns the metadata of the event log; NULL for other inputs. Borrowed. */
HPF_API const hpf_eventlog_metadata *hpf_survey_eventlog_metadata(const hpf_survey *survey);
/* Returns the reader of the event log, which knows its types, the number of events, its end and its
 * last time; NULL for other inputs. Borrowed. */
HPF_API const hpf_eventlog *hpf_survey_eventlog(const hpf_survey *survey);
/* Returns the heap profile of the event log that was read; NULL if the log does not have its begin.
 */
HPF_API const hpf_eventlog_profile *hpf_survey_eventlog_profile(const hpf_survey *survey);

/* Returns the sum of a name in the whole input, also outside the window and of unwanted names. */
HPF_API double hpf_survey_whole_sum(const hpf_survey *survey, hpf_name name);

/* Returns the cost of a name after the last complete sample (hpf_events.leftover). */
HPF_API double hpf_survey_leftover(const hpf_survey *survey, hpf_name name);

/* Returns the index of the last pick that is not empty (GHC ends profiles with an empty sample); of
 * the last one if all are empty. */
HPF_API size_t hpf_survey_end_pick(const hpf_survey *survey);

/* Returns the mean of a name, or of all: the area divided by the duration; in a profile without
 * duration, the mean over its samples. */
HPF_API double hpf_survey_mean(const hpf_survey *survey, const hpf_totals *totals);

#endif
