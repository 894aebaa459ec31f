/* SPDX-License-Identifier: BSD-2-Clause */
#include "plot_snapshot.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/words.h"
#include "hprender/html_dominators.h"

#include "diag.h"
#include "dominators/dominators_report.h"
#include "dominators/snapshot_file.h"
#include "output.h"
#include "path.h"
#include "plot_setup.h"

/* Returns "run.html" for "dir/run.heapsnapshot.gz"; to be freed. NULL without memory. */
static char *default_output(const char *path)
{
    hpf_str stem = path_uncompressed(path_base(path));
    path_drop_suffix(&stem, ".heapsnapshot");
    size_t room = stem.length + sizeof ".html";
    char *name = malloc(room);
    if (name) {
        snprintf(name, room, "%.*s.html", (int)stem.length, stem.data);
    }
    return name;
}

bool plot_snapshot_write(hpf_sink *sink, const plot_values *v, const snapshot_file *file,
                         const char *path, const char *questions)
{
    const hpr_html_dominators page = {
        .snapshot = &file->snapshot,
        .dominators = &file->dominators,
        .tree = &file->tree,
        .file = path_base(path),
        .theme = (hpr_theme)v->theme,
        .si_units = v->si_units,
        .where = v->where,
        .questions = questions,
    };
    hpf_error err;
    bool is_written = hpr_html_dominators_write(&page, sink, &err) == HPF_OK;
    if (!is_written) {
        diag_error(path, &err);
    }
    return is_written;
}

/* Takes a path of numbers, as "/0/17/5". Returns how many there are; 0 for anything else. */
static uint32_t take_path(uint32_t *path, const char *text)
{
    hpf_str rest = hpf_str_of(text);
    uint32_t n = 0;
    uint64_t number;
    while (n < HPF_DOMINATOR_TREE_DEPTH && hpf__take_word(&rest, "/") &&
           hpf__take_whole(&rest, 10, &number) && number < HPF_SNAPSHOT_NONE) {
        path[n++] = (uint32_t)number;
    }
    return rest.length == 0 ? n : 0;
}

bool plot_snapshot_write_below(hpf_sink *sink, const snapshot_file *file, const char *text)
{
    uint32_t path[HPF_DOMINATOR_TREE_DEPTH];
    uint32_t n = take_path(path, text);
    hpf_dominator_tree tree;
    bool is_written = false;
    if (hpf_dominator_tree_below(&tree, &file->snapshot, &file->dominators, path, n,
                                 HPR_HTML_MOST_GROUPS, NULL) == HPF_OK) {
        const hpr_html_dominators page = {.snapshot = &file->snapshot,
                                          .dominators = &file->dominators,
                                          .tree = &tree,
                                          .questions = ""};
        is_written = hpr_html_dominators_write_groups(&page, sink, NULL) == HPF_OK;
        hpf_dominator_tree_finish(&tree);
    }
    return is_written;
}

/* Makes the tree of the ways to the objects that a question matches. Returns false after a message.
 */
static bool find_ways(snapshot_file *file, const hpf_question *question, const char *path)
{
    hpf_error err;
    hpf_matches matches = {0};
    uint32_t *holders = hpf_dominators_holders(&file->dominators, &file->snapshot);
    hpf_status status = holders ? hpf_question_ask(&matches, question, &file->snapshot,
                                                   &file->dominators, holders, &err)
                                : hpf_error_set_memory(&err);
    if (status == HPF_OK) {
        status = hpf_path_tree_init(&file->tree, &file->snapshot, matches.is_match,
                                    SNAPSHOT_LEAST_SHARE, HPR_HTML_MOST_GROUPS, &err);
    }
    bool has_matches = matches.n > 0;
    if (status != HPF_OK) {
        diag_error(path, &err);
    } else if (!has_matches) {
        diag_say("%s: no object matches", path);
    }
    hpf_matches_finish(&matches);
    free(holders);
    return status == HPF_OK && has_matches;
}

static int write_page(const plot_values *v, const char *path, const char *output)
{
    const char *name;
    snapshot_file file;
    hpf_question *question = NULL;
    int status = EXIT_FAILED;
    if (v->where && !dominators_parse_question(&question, v->where)) {
        return EXIT_MISUSED;
    }
    if (snapshot_file_load(&file, path, question ? DOMINATORS_ASKED : 0,
                           question ? 0 : HPR_HTML_MOST_GROUPS)) {
        hpf_sink *sink =
            question && !find_ways(&file, question, path) ? NULL : output_open(output, &name);
        if (sink && plot_snapshot_write(sink, v, &file, path, NULL)) {
            status = output_close(sink, name);
        } else {
            hpf_sink_destroy(sink);
        }
        snapshot_file_finish(&file);
    }
    hpf_question_destroy(question);
    return status;
}

int plot_snapshot_diff(const char *const *paths, const char *output, hpr_theme theme, bool si_units)
{
    const char *name;
    hpf_error err;
    snapshot_file files[2];
    int status = EXIT_FAILED;
    if (!snapshot_file_load_pair(files, paths, 0)) {
        return EXIT_FAILED;
    }
    const hpf_snapshot_side before = {&files[0].snapshot, &files[0].dominators, NULL};
    const hpf_snapshot_side after = {&files[1].snapshot, &files[1].dominators, NULL};
    hpf_sink *sink = output_open(output, &name);
    const hpr_html_dominators page = {
        .snapshot = after.snapshot,
        .dominators = after.dominators,
        .tree = &files[1].tree,
        .file = path_base(paths[1]),
        .before = &before,
        .before_file = path_base(paths[0]),
        .theme = theme,
        .si_units = si_units,
    };
    if (sink &&
        hpf_dominator_tree_compare(&files[1].tree, &before, &after, SNAPSHOT_LEAST_SHARE,
                                   HPR_HTML_MOST_GROUPS, &err) == HPF_OK &&
        hpr_html_dominators_write(&page, sink, &err) == HPF_OK) {
        status = output_close(sink, name);
    } else if (sink) {
        diag_error(name, &err);
        hpf_sink_destroy(sink);
    }
    snapshot_file_finish(&files[0]);
    snapshot_file_finish(&files[1]);
    return status;
}

int plot_snapshot(const cmd *self, const plot_values *values, const char *path)
{
    opt_complaint complaint;
    plot_values v = *values;
    v.format = v.output || v.format ? v.format : "html";
    const hpr_backend *backend = plot_format_choose(self, &v);
    if (!backend) {
        return EXIT_MISUSED;
    }
    if (!backend->write_profiles) {
        return cmd_misused(self, "a heap snapshot is drawn as a page: use -o FILE.html");
    }
    if (!plot_options_check_snapshot(&v, &complaint)) {
        return cmd_misused(self, "%s", complaint.message);
    }
    char *named = v.output ? NULL : default_output(path);
    const char *output = v.output ? v.output : named;
    int status = EXIT_FAILED;
    if (!output) {
        diag_say("out of memory");
    } else if (path_is_same_file(path, output)) {
        status = cmd_misused(self, "the output '%s' would overwrite the snapshot", output);
    } else {
        status = write_page(&v, path, output);
    }
    free(named);
    return status;
}
