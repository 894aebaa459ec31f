/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads sidecar files and chooses quantities.
 */
#include "overlay.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hpfile/str.h"

#include "path.h"
#include "diag.h"

static hpf_status add(input *in, const char *path, hpf_source **source, hpf_error *err)
{
    hpf_status status = hpf_source_open(source, path, NULL, err);
    return status == HPF_OK ? hpf_survey_add_sidecar(in->survey, *source, err) : status;
}

void overlay_add(input *in)
{
    char *name = in->format == &hpf_format_hp ? companion_path(in->name, ".lines") : NULL;
    hpf_source *source = NULL;
    hpf_error err;
    if (name && access(name, F_OK) == 0 && add(in, name, &source, &err) != HPF_OK) {
        diag_warning(name, &err);
    }
    hpf_source_destroy(source);
    free(name);
}

static bool has_line(const input *in, hpf_str name)
{
    const hpf_overview *overview = hpf_survey_overview(in->survey);
    for (size_t i = 0; i < overview->n_quantities; i++) {
        if (hpf_str_equal(overview->quantities[i].name, name)) {
            return true;
        }
    }
    return false;
}

/* Prints the name that is missing, and the names that exist. */
static void complain(const input *in, hpf_str wanted)
{
    const hpf_overview *overview = hpf_survey_overview(in->survey);
    char names[200] = "none";
    size_t n = 0;
    for (size_t i = 0; i < overview->n_quantities; i++) {
        hpf_str name = overview->quantities[i].name;
        size_t n_more = name.length + 2;
        if (n + n_more < sizeof names) {
            memcpy(names + n, i ? ", " : "", i ? 2 : 0);
            n += i ? 2 : 0;
            memcpy(names + n, name.data, name.length);
            n += name.length;
            names[n] = '\0';
        }
    }
    diag_say("%s has no quantity '%.*s': it has %s", in->name, (int)wanted.length, wanted.data,
             names);
}

/* Returns whether each name is a quantity of one of the profiles; true without profiles. */
static bool are_there(const input *inputs, size_t n_inputs, const name_list *names)
{
    for (size_t i = 0; i < names->n; i++) {
        bool is_there = n_inputs == 0;
        for (size_t k = 0; k < n_inputs && !is_there; k++) {
            is_there = has_line(&inputs[k], names->names[i]);
        }
        if (!is_there) {
            complain(&inputs[0], names->names[i]);
            return false;
        }
    }
    return true;
}

bool overlay_choose(hpr_options *options, name_list *names, const char *wanted, const input *inputs,
                    size_t n_inputs)
{
    *names = (name_list){0};
    if (!wanted) {
        options->overlay = HPR_OVERLAY_FITTING;
    } else if (strcmp(wanted, "all") == 0 || strcmp(wanted, "none") == 0) {
        options->overlay = *wanted == 'a' ? HPR_OVERLAY_ALL : HPR_OVERLAY_NONE;
    } else if (!name_list_split(names, wanted) || !are_there(inputs, n_inputs, names)) {
        name_list_finish(names);
        return false;
    } else {
        options->overlay = HPR_OVERLAY_NAMED;
        options->overlay_names = names->names;
        options->n_overlay_names = names->n;
    }
    return true;
}
