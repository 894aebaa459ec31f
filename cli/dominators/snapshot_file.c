/* SPDX-License-Identifier: BSD-2-Clause */
#include "snapshot_file.h"

#include <string.h>
#include <unistd.h>

#include "hpfile/heapsnapshot.h"

#include "diag.h"

/* Opens the source of a file, and reads it. */
static hpf_status read_file(hpf_snapshot *out, hpf_source **source, const char *path,
                            unsigned columns, const hpf_snapshot *owner, hpf_error *err)
{
    *source = NULL;
    *out = (hpf_snapshot){0};
    hpf_status status = strcmp(path, "-") == 0 ? hpf_source_from_fd(source, STDIN_FILENO, NULL, err)
                                               : hpf_source_open(source, path, NULL, err);
    return status == HPF_OK ? hpf_heapsnapshot_read(out, *source, columns, owner, err) : status;
}

static void say(const char *path, hpf_source *source, const hpf_error *err)
{
    if (source) {
        diag_input(strcmp(path, "-") == 0 ? "standard input" : path, source, err);
    } else {
        diag_error(path, err);
    }
}

bool snapshot_file_read(hpf_snapshot *snapshot, const char *path, unsigned columns)
{
    hpf_source *source;
    hpf_error err;
    hpf_status status = read_file(snapshot, &source, path, columns, NULL, &err);
    if (status != HPF_OK) {
        say(path, source, &err);
    }
    hpf_source_destroy(source);
    return status == HPF_OK;
}

/* The texts are those of `owner`; NULL: its own. */
static bool load(snapshot_file *file, const char *path, unsigned columns, uint32_t most_groups,
                 const hpf_snapshot *owner)
{
    hpf_source *source;
    hpf_error err;
    *file = (snapshot_file){0};
    hpf_status status = read_file(&file->snapshot, &source, path, columns, owner, &err);
    if (status == HPF_OK) {
        status = hpf_snapshot_connect(&file->snapshot, &err);
    }
    if (status == HPF_OK) {
        status = hpf_dominators_init(&file->dominators, &file->snapshot, &err);
    }
    if (status == HPF_OK && most_groups > 0) {
        status = hpf_dominator_tree_init(&file->tree, &file->snapshot, &file->dominators,
                                         SNAPSHOT_LEAST_SHARE, most_groups, &err);
    }
    if (status != HPF_OK) {
        say(path, source, &err);
        snapshot_file_finish(file);
    }
    hpf_source_destroy(source);
    return status == HPF_OK;
}

bool snapshot_file_load(snapshot_file *file, const char *path, unsigned columns,
                        uint32_t most_groups)
{
    return load(file, path, columns, most_groups, NULL);
}

bool snapshot_file_load_pair(snapshot_file *files, const char *const *paths, unsigned columns)
{
    if (!load(&files[0], paths[0], columns, 0, NULL)) {
        return false;
    }
    bool is_loaded = load(&files[1], paths[1], columns, 0, &files[0].snapshot);
    if (!is_loaded) {
        snapshot_file_finish(&files[0]);
    }
    return is_loaded;
}

void snapshot_file_finish(snapshot_file *file)
{
    hpf_dominator_tree_finish(&file->tree);
    hpf_dominators_finish(&file->dominators);
    hpf_snapshot_finish(&file->snapshot);
}

static hpf_str name_or(hpf_str name, bool is_root)
{
    return name.length > 0 ? name : is_root ? HPF_STR("(root)") : HPF_STR("(no name)");
}

hpf_str snapshot_file_node_name(const snapshot_file *file, uint32_t node)
{
    return name_or(hpf_snapshot_name(&file->snapshot, node), node == 0);
}

hpf_str snapshot_file_group_name(const snapshot_file *file, uint32_t group)
{
    const hpf_dominator_group *g = &file->tree.groups[group];
    return name_or(g->name == HPF_SNAPSHOT_NONE ? HPF_STR("(deeper)")
                                                : hpf_snapshot_text(&file->snapshot, g->name),
                   group == 0);
}
