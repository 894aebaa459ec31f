/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Databases of SQLite (docs/formats/sqlite.md). SQLite writes a temporary file without a name,
 * which is copied to the sink at the end.
 */
#include <stdlib.h>

#include "event/format_row.h"

#ifdef HPF_HAVE_SQLITE
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

#include "base/array.h"
#include "base/descriptor.h"
#include "event/costs.h"
#include "hpfile/sink.h"

static const char schema[] =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
    "BEGIN;"
    "CREATE TABLE profile(key TEXT PRIMARY KEY, value TEXT NOT NULL);"
    "CREATE TABLE names(id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
    "CREATE TABLE frames(name INTEGER REFERENCES names, depth INTEGER, function TEXT NOT NULL,"
    " module TEXT NOT NULL, source TEXT NOT NULL, PRIMARY KEY(name, depth)) WITHOUT ROWID;"
    "CREATE TABLE samples(id INTEGER PRIMARY KEY, time REAL NOT NULL);"
    "CREATE TABLE costs(sample INTEGER REFERENCES samples, name INTEGER REFERENCES names,"
    " amount NUMERIC NOT NULL, PRIMARY KEY(sample, name)) WITHOUT ROWID;"
    "CREATE TABLE marks(time REAL NOT NULL, label TEXT NOT NULL);"
    "CREATE TABLE quantities(name TEXT NOT NULL, time REAL NOT NULL, value REAL NOT NULL);"
    "CREATE VIEW points AS SELECT samples.time, names.name, costs.amount FROM costs"
    " JOIN samples ON samples.id = costs.sample JOIN names ON names.id = costs.name;";

typedef enum table { PROFILE, NAMES, FRAMES, SAMPLES, COSTS, MARKS, QUANTITIES, N_TABLES } table;

static const char *const inserts[N_TABLES] = {
    [PROFILE] = "INSERT OR REPLACE INTO profile VALUES(?, ?)",
    [NAMES] = "INSERT INTO names VALUES(?, ?)",
    [FRAMES] = "INSERT INTO frames VALUES(?, ?, ?, ?, ?)",
    [SAMPLES] = "INSERT INTO samples VALUES(?, ?)",
    [COSTS] = "INSERT INTO costs VALUES(?, ?, ?)",
    [MARKS] = "INSERT INTO marks VALUES(?, ?)",
    [QUANTITIES] = "INSERT INTO quantities VALUES(?, ?, ?)",
};

typedef struct sqlite_writer {
    hpf_writer base;
    int file; /* -1: not open */
    sqlite3 *database;
    sqlite3_stmt *statements[N_TABLES];
    hpf__sample_by_name sample;
    hpf_frame *frames; /* of a name */
    size_t frames_capacity;
    sqlite3_int64 n_samples;
} sqlite_writer;

static hpf_status fail(const sqlite_writer *w, hpf_error *err)
{
    int code = w->database ? sqlite3_errcode(w->database) : SQLITE_NOMEM;
    return code == SQLITE_NOMEM
               ? hpf_error_set_memory(err)
               : hpf_error_set(err, HPF_ERR_IO, "SQLite: %s", sqlite3_errmsg(w->database));
}

/* Opens the database, at the first event. */
static hpf_status begin(sqlite_writer *w, hpf_error *err)
{
    char path[4096];
    const char *folder = w->base.options.temporary_dir ? w->base.options.temporary_dir : "/tmp";
    if (w->file >= 0) {
        return HPF_OK;
    }
    int length = snprintf(path, sizeof path, "%s/census-XXXXXX", folder);
    w->file = length < (int)sizeof path ? mkstemp(path) : -1;
    if (w->file < 0) {
        return hpf_error_set_os(err, errno, "cannot create a temporary file in %s", folder);
    }
    bool is_open = sqlite3_open(path, &w->database) == SQLITE_OK &&
                   sqlite3_exec(w->database, schema, NULL, NULL, NULL) == SQLITE_OK;
    unlink(path);
    for (int i = 0; i < N_TABLES && is_open; i++) {
        is_open =
            sqlite3_prepare_v2(w->database, inserts[i], -1, &w->statements[i], NULL) == SQLITE_OK;
    }
    return is_open ? HPF_OK : fail(w, err);
}

static bool bind_text(sqlite3_stmt *to, int column, hpf_str text)
{
    return sqlite3_bind_text64(to, column, text.length ? text.data : "", text.length, SQLITE_STATIC,
                               SQLITE_UTF8) == SQLITE_OK;
}

/* Whole numbers of 2^63 and more are written as doubles. */
static bool bind_amount(sqlite3_stmt *to, int column, const hpf_cost *cost)
{
    bool is_whole = !cost->is_real && cost->whole <= INT64_MAX;
    return (is_whole ? sqlite3_bind_int64(to, column, (sqlite3_int64)cost->whole)
                     : sqlite3_bind_double(to, column, hpf_cost_amount(cost))) == SQLITE_OK;
}

static hpf_status insert(sqlite_writer *w, table into, bool is_bound, hpf_error *err)
{
    sqlite3_stmt *statement = w->statements[into];
    bool is_done =
        is_bound && sqlite3_step(statement) == SQLITE_DONE && sqlite3_reset(statement) == SQLITE_OK;
    return is_done ? HPF_OK : fail(w, err);
}

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    static const hpf_str keys[] = {
        {"job", 3}, {"date", 4}, {"sample_unit", 11}, {"value_unit", 10}};
    sqlite_writer *w = context;
    hpf_status status = begin(w, err);
    sqlite3_stmt *to = w->statements[PROFILE];
    return status == HPF_OK
               ? insert(w, PROFILE, bind_text(to, 1, keys[which]) && bind_text(to, 2, text), err)
               : status;
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    sqlite_writer *w = context;
    const hpf_writer_options *o = &w->base.options;
    size_t n = o->frames ? o->frames(o->frames_context, name, NULL, 0) : 0;
    hpf_status status = begin(w, err);
    sqlite3_stmt *to = w->statements[NAMES];
    status =
        status == HPF_OK
            ? insert(w, NAMES,
                     sqlite3_bind_int64(to, 1, name) == SQLITE_OK && bind_text(to, 2, text), err)
            : status;
    if (status == HPF_OK && !HPF__ARRAY_RESERVE(w->frames, w->frames_capacity, n)) {
        return hpf_error_set_memory(err);
    }
    if (status == HPF_OK && n > 0) {
        o->frames(o->frames_context, name, w->frames, n);
    }
    to = w->statements[FRAMES];
    for (size_t i = 0; i < n && status == HPF_OK; i++) {
        bool is_bound = sqlite3_bind_int64(to, 1, name) == SQLITE_OK &&
                        sqlite3_bind_int64(to, 2, (sqlite3_int64)i) == SQLITE_OK &&
                        bind_text(to, 3, w->frames[i].label) &&
                        bind_text(to, 4, w->frames[i].module) &&
                        bind_text(to, 5, w->frames[i].source);
        status = insert(w, FRAMES, is_bound, err);
    }
    return status;
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    sqlite_writer *w = context;
    hpf_status status = begin(w, err);
    sqlite3_stmt *to = w->statements[SAMPLES];
    if (status == HPF_OK && !hpf__sample_by_name_take(&w->sample, sample)) {
        return hpf_error_set_memory(err);
    }
    w->n_samples++;
    status = status == HPF_OK ? insert(w, SAMPLES,
                                       sqlite3_bind_int64(to, 1, w->n_samples) == SQLITE_OK &&
                                           sqlite3_bind_double(to, 2, sample->time) == SQLITE_OK,
                                       err)
                              : status;
    to = w->statements[COSTS];
    for (size_t i = 0; i < w->sample.n_costs && status == HPF_OK; i++) {
        const hpf_cost *cost = &w->sample.costs[i];
        bool is_bound = sqlite3_bind_int64(to, 1, w->n_samples) == SQLITE_OK &&
                        sqlite3_bind_int64(to, 2, cost->name) == SQLITE_OK &&
                        bind_amount(to, 3, cost);
        status = insert(w, COSTS, is_bound, err);
    }
    return status;
}

static hpf_status on_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    sqlite_writer *w = context;
    hpf_status status = begin(w, err);
    sqlite3_stmt *to = w->statements[MARKS];
    return status == HPF_OK
               ? insert(w, MARKS,
                        sqlite3_bind_double(to, 1, time) == SQLITE_OK && bind_text(to, 2, label),
                        err)
               : status;
}

static hpf_status on_quantity(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    sqlite_writer *w = context;
    hpf_status status = begin(w, err);
    sqlite3_stmt *to = w->statements[QUANTITIES];
    return status == HPF_OK ? insert(w, QUANTITIES,
                                     bind_text(to, 1, name) &&
                                         sqlite3_bind_double(to, 2, point.time) == SQLITE_OK &&
                                         sqlite3_bind_double(to, 3, point.value) == SQLITE_OK,
                                     err)
                            : status;
}

/* Closes the database. */
static void close_database(sqlite_writer *w)
{
    for (int i = 0; i < N_TABLES; i++) {
        sqlite3_finalize(w->statements[i]);
        w->statements[i] = NULL;
    }
    sqlite3_close(w->database);
    w->database = NULL;
}

static hpf_status finish(hpf_writer *base, hpf_error *err)
{
    static const char end[] = "CREATE INDEX costs_by_name ON costs(name, sample); COMMIT;";
    sqlite_writer *w = (sqlite_writer *)base;
    char piece[65536];
    ssize_t n = 0;
    hpf_status status = begin(w, err);
    if (status == HPF_OK && sqlite3_exec(w->database, end, NULL, NULL, NULL) != SQLITE_OK) {
        status = fail(w, err);
    }
    if (status != HPF_OK) {
        return status;
    }
    close_database(w);
    for (off_t at = 0; (n = pread(w->file, piece, sizeof piece, at)) > 0; at += n) {
        hpf_sink_write(w->base.sink, piece, (size_t)n);
    }
    return n < 0 ? hpf_error_set_os(err, errno, "cannot read a temporary file")
                 : hpf_sink_flush(w->base.sink, err);
}

static void release(hpf_writer *base)
{
    sqlite_writer *w = (sqlite_writer *)base;
    close_database(w);
    hpf__close(w->file);
    hpf__sample_by_name_finish(&w->sample);
    free(w->frames);
}

static bool init(hpf_writer *base)
{
    sqlite_writer *w = (sqlite_writer *)base;
    w->file = -1;
    return true;
}

static const hpf__writer_kind writer = {
    .bytes = sizeof(sqlite_writer),
    .events = {.header = on_header,
               .name = on_name,
               .sample = on_sample,
               .mark = on_mark,
               .quantity = on_quantity},
    .init = init,
    .finish = finish,
    .release = release,
};

#else

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    (void)context;
    (void)which;
    (void)text;
    return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                         "SQLite is not built in: census was compiled without libsqlite3");
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    (void)sample;
    return on_header(context, HPF_HEADER_JOB, HPF_STR(""), err);
}

static hpf_status finish(hpf_writer *writer, hpf_error *err)
{
    return on_header(writer, HPF_HEADER_JOB, HPF_STR(""), err);
}

static const hpf__writer_kind writer = {
    .bytes = sizeof(hpf_writer),
    .events = {.header = on_header, .sample = on_sample},
    .finish = finish,
};

#endif

const hpf_format hpf_format_sqlite = {
    .name = "sqlite",
    .extension = "sqlite",
    .summary = "database of SQLite: names, samples, costs, marks",
    .writer = &writer,
    .is_lossy = true,
    .holds_quantities = true,
};
