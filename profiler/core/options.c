/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The option parser: a text is cut into words, and each word is looked up in a table of prefixes.
 *
 * All that the options point to lives in one arena. A text is parsed into a copy of the struct,
 * which replaces the caller's only when the whole text is good.
 */
#include "hpfile/breakdown.h"
#include "base/arena.h"
#include "base/words.h"
#include "hpprof/options.h"
#include "census/property.h"
#include "census/schemes.h"

#include <string.h>

enum {
    DEFAULT_MAX_RETAINERS = 8,
    DEFAULT_MAX_NAME_BYTES = 25,
};
static const uint64_t default_interval_ns = 100000000;
static const uint64_t default_tick_ns = 1000000;
static const uint32_t usual_log_classes =
    HPP_LOG_SCHEDULER | HPP_LOG_GC | HPP_LOG_SPARK_COUNTS | HPP_LOG_USER;
static const uint64_t longest_ns = UINT64_C(1000000000000000000);

typedef struct parser {
    hpp_options options; /* as far as they are parsed, with `census` */
    hpp_census_options census;
    size_t at; /* the next byte of the text */
    hpp_restriction *restrictions;
    hpf_str *words;
    hpf_str text;
    bool has_breakdown; /* this text has named one */
    hpf_str log_name;   /* a word that begins with -ol; empty: none */
    hpf_error *err;
} parser;

/* Sets an error. `at` is the first wrong byte of the text. */
static hpf_status complain(parser *p, const char *at, const char *what, hpf_str word)
{
    int shown = word.length < 60 ? (int)word.length : 60;
    hpf_status status =
        hpf_error_set(p->err, HPF_ERR_ARGUMENT, "%s: '%.*s'", what, shown, word.data);
    if (p->err) {
        p->err->offset = (uint64_t)(at - p->text.data);
        p->err->line = 1;
        p->err->column = (uint32_t)p->err->offset + 1;
    }
    return status;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Returns the next raw word from `*at` on, empty at the end, and moves `*at` after it. */
static hpf_str next_word(hpf_str text, size_t *at)
{
    size_t begin = *at;
    while (begin < text.length && is_blank(text.data[begin])) {
        begin++;
    }
    size_t end = begin;
    bool in_quotes = false;
    while (end < text.length && (in_quotes || !is_blank(text.data[end]))) {
        if (text.data[end] == '\\' && end + 1 < text.length) {
            end++;
        } else if (text.data[end] == '"') {
            in_quotes = !in_quotes;
        }
        end++;
    }
    *at = end;
    return (hpf_str){text.data + begin, end - begin};
}

/* Removes quotes and backslashes from `raw`, up to a comma outside quotes if `stop_at_comma`. Moves
 * `raw` after the part that was read, including the comma. Returns a copy; data is NULL without
 * memory. */
static hpf_str unquote(hpf_arena *arena, hpf_str *raw, bool stop_at_comma)
{
    char *copy = hpf_arena_alloc(arena, raw->length + 1);
    if (!copy) {
        return (hpf_str){NULL, 0};
    }
    size_t length = 0;
    size_t at = 0;
    bool in_quotes = false;
    for (; at < raw->length; at++) {
        char c = raw->data[at];
        if (c == '"') {
            in_quotes = !in_quotes;
            continue;
        }
        if (c == ',' && stop_at_comma && !in_quotes) {
            at++;
            break;
        }
        if (c == '\\' && at + 1 < raw->length) {
            c = raw->data[++at];
        }
        copy[length++] = c;
    }
    *raw = (hpf_str){raw->data + at, raw->length - at};
    return (hpf_str){copy, length};
}

/* Parses seconds, "0.25", into nanoseconds. */
static hpf_status parse_seconds(parser *p, hpf_str word, hpf_str digits, uint64_t *out_ns)
{
    uint64_t ns = 0;
    uint64_t unit = 1000000000;
    bool has_point = false;
    size_t n_digits = 0;
    for (size_t i = 0; i < digits.length; i++) {
        char c = digits.data[i];
        if (c == '.' && !has_point) {
            has_point = true;
            continue;
        }
        if (c < '0' || c > '9') {
            return complain(p, digits.data + i, "expected a number of seconds", word);
        }
        n_digits++;
        if (has_point) {
            unit /= 10;
            ns += (uint64_t)(c - '0') * unit;
        } else {
            ns = ns * 10 + (uint64_t)(c - '0') * 1000000000;
        }
        if (ns > longest_ns) {
            return complain(p, digits.data, "too many seconds", word);
        }
    }
    if (n_digits == 0) {
        return complain(p, digits.data, "expected a number of seconds", word);
    }
    *out_ns = ns;
    return HPF_OK;
}

static hpf_status parse_count(parser *p, hpf_str word, hpf_str digits, uint32_t *out)
{
    uint64_t value = 0;
    for (size_t i = 0; i < digits.length; i++) {
        char c = digits.data[i];
        if (c < '0' || c > '9') {
            return complain(p, digits.data + i, "expected a whole number", word);
        }
        value = value * 10 + (uint64_t)(c - '0');
        if (value > UINT32_MAX) {
            return complain(p, digits.data, "the number is too large", word);
        }
    }
    if (value == 0) {
        return complain(p, digits.data, "expected a whole number from 1", word);
    }
    *out = (uint32_t)value;
    return HPF_OK;
}

/* Parses the names of a restriction, "a,b,c" or "{a,b,c}". */
static hpf_status parse_names(parser *p, hpf_str word, hpf_str list, hpp_restriction *out)
{
    const char *begin = list.data;
    if (list.length >= 2 && list.data[0] == '{' && list.data[list.length - 1] == '}') {
        list = (hpf_str){list.data + 1, list.length - 2};
    }
    hpf_arena *arena = p->options.memory;
    hpf_str *names = hpf_arena_array(arena, hpf__count_byte(list, ',') + 1, sizeof *names);
    if (!names) {
        return hpf_error_set_memory(p->err);
    }
    size_t n_names = 0;
    while (list.length > 0) {
        hpf_str name = unquote(arena, &list, true);
        if (!name.data) {
            return hpf_error_set_memory(p->err);
        }
        if (name.length > 0) {
            names[n_names++] = name;
        }
    }
    if (n_names == 0) {
        return complain(p, begin, "expected names", word);
    }
    out->names = names;
    out->n_names = n_names;
    return HPF_OK;
}

/* Returns whether stacks say what a break-down does. */
static bool is_of_stacks(hpf_breakdown by)
{
    return by == HPF_BREAKDOWN_COST_CENTRE || by == HPF_BREAKDOWN_MODULE ||
           by == HPF_BREAKDOWN_CLOSURE_DESCR;
}

/* Adds a break-down that is asked for. The first one that stacks do not say is the first of all. */
static hpf_status add_breakdown(parser *p, hpf_str word, hpf_breakdown by)
{
    hpp_census_options *census = &p->census;
    hpf_breakdown *first = &census->breakdown;
    if (!p->has_breakdown) {
        p->has_breakdown = true;
        *first = by;
        census->n_further = 0;
        census->savings = false;
    }
    if (*first == by && !census->savings) {
        return HPF_OK;
    }
    if (census->savings || by == HPF_BREAKDOWN_CLOSURE_TYPE ||
        *first == HPF_BREAKDOWN_CLOSURE_TYPE) {
        return complain(p, word.data, "this break-down cannot be combined with others", word);
    }
    for (size_t i = 0; i < census->n_further; i++) {
        if (census->further[i] == by) {
            return HPF_OK;
        }
    }
    hpf_breakdown further = by;
    if (is_of_stacks(*first) && !is_of_stacks(by)) {
        further = *first;
        *first = by;
    }
    census->further[census->n_further++] = further;
    return HPF_OK;
}

static hpf_status parse_heap(parser *p, hpf_str word, hpf_str rest)
{
    hpf_breakdown breakdown = hpf_breakdown_of_letter(rest.length > 0 ? rest.data[0] : 'c');
    if (!hpp__is_property(breakdown) && breakdown != HPF_BREAKDOWN_RETAINER &&
        breakdown != HPF_BREAKDOWN_BIOGRAPHY && breakdown != HPF_BREAKDOWN_IN_STACK) {
        return complain(p, rest.data, "unknown break-down or restriction", word);
    }
    p->options.with_census = true;
    if (rest.length > 1 || breakdown == HPF_BREAKDOWN_IN_STACK) {
        hpp_restriction *restriction = &p->restrictions[p->census.n_restrictions++];
        restriction->selector = breakdown;
        return parse_names(p, word, (hpf_str){rest.data + 1, rest.length - 1}, restriction);
    }
    return add_breakdown(p, word, breakdown);
}

static hpf_status parse_interval(parser *p, hpf_str word, hpf_str rest)
{
    return parse_seconds(p, word, rest, &p->options.interval_ns);
}

static hpf_status parse_tick(parser *p, hpf_str word, hpf_str rest)
{
    return parse_seconds(p, word, rest, &p->options.tick_ns);
}

static hpf_status parse_name_length(parser *p, hpf_str word, hpf_str rest)
{
    return parse_count(p, word, rest, &p->census.max_name_bytes);
}

static hpf_status parse_set_size(parser *p, hpf_str word, hpf_str rest)
{
    return parse_count(p, word, rest, &p->census.max_retainers);
}

static hpf_status parse_stem(parser *p, hpf_str word, hpf_str rest)
{
    if (rest.length == 0) {
        return complain(p, word.data, "expected a file name", word);
    }
    hpf_str stem = unquote(p->options.memory, &rest, false);
    if (!stem.data) {
        return hpf_error_set_memory(p->err);
    }
    p->options.stem = stem.data;
    if (word.data[1] == 'o' && word.data[2] == 'l') {
        p->log_name = word;
    }
    return HPF_OK;
}

/* ---- Long options ---- */

/* Keeps a word for the title. */
static hpf_status keep_word(parser *p, hpf_str word)
{
    hpf_str copy = hpf_arena_str(p->options.memory, word);
    if (!copy.data) {
        return hpf_error_set_memory(p->err);
    }
    p->words[p->options.n_words++] = copy;
    return HPF_OK;
}

/* Reads the value of a long option: the rest of its word after "=", or the next word. */
static hpf_status read_value(parser *p, hpf_str word, hpf_str rest, hpf_str *value)
{
    if (rest.length > 0 && rest.data[0] != '=') {
        return complain(p, rest.data, "unknown option", word);
    }
    hpf_status status = HPF_OK;
    if (rest.length > 0) {
        *value = (hpf_str){rest.data + 1, rest.length - 1};
    } else {
        *value = next_word(p->text, &p->at);
        status = keep_word(p, *value);
    }
    bool is_missing = value->length == 0 || value->data[0] == '-';
    return status == HPF_OK && is_missing
               ? complain(p, word.data, "expected a value after the option", word)
               : status;
}

static hpf_status parse_retainer_by(parser *p, hpf_str word, hpf_str rest)
{
    hpp_census_options *census = &p->census;
    hpf_str list = {0};
    hpf_status status = read_value(p, word, rest, &list);
    size_t n = 0;
    hpf_breakdown *identities =
        hpf_arena_array(p->options.memory, hpf__count_byte(list, ',') + 1, sizeof *identities);
    if (status != HPF_OK || !identities) {
        return status == HPF_OK ? hpf_error_set_memory(p->err) : status;
    }
    while (list.length > 0) {
        hpf_str name = hpf__take_until(&list, ',');
        identities[n] = hpp__property_named(name);
        if (identities[n++] == HPF_BREAKDOWN_NONE) {
            return complain(p, name.data, "expected stack, module, description, type, kind or info",
                            name);
        }
    }
    census->retaining.identity = identities[0];
    census->identities = identities;
    census->n_identities = n;
    return HPF_OK;
}

/* Parses one rule of a list; names take all that is left of it. */
static hpf_status parse_rule(parser *p, hpf_str word, hpf_str *list, hpp_retaining *out)
{
    hpf_str all = *list;
    hpf_str name = hpf__take_until(list, ',');
    for (size_t i = 0; i < HPP_RETAINERS_NAMED; i++) {
        if (hpf_str_is(name, hpp__rule_words[i])) {
            out->rule = (hpp_retainer_rule)i;
            return HPF_OK;
        }
    }
    const char *colon = memchr(name.data, ':', name.length);
    size_t n_name = colon ? (size_t)(colon - name.data) : 0;
    hpf_breakdown part = hpp__property_named((hpf_str){name.data, n_name});
    if (part == HPF_BREAKDOWN_NONE || part == HPF_BREAKDOWN_INFO_TABLE) {
        return complain(p, name.data,
                        "expected flagged, all, roots, or stack, module, description, type or kind "
                        "with names, as in type:Map,Set",
                        name);
    }
    out->rule = HPP_RETAINERS_NAMED;
    out->named.selector = part;
    *list = (hpf_str){NULL, 0};
    return parse_names(p, word, (hpf_str){all.data + n_name + 1, all.length - n_name - 1},
                       &out->named);
}

static hpf_status parse_is_retainer(parser *p, hpf_str word, hpf_str rest)
{
    hpp_census_options *census = &p->census;
    hpf_str list = {0};
    hpf_status status = read_value(p, word, rest, &list);
    size_t n = 0;
    hpp_retaining *rules =
        hpf_arena_array(p->options.memory, hpf__count_byte(list, ',') + 1, sizeof *rules);
    if (status == HPF_OK && !rules) {
        status = hpf_error_set_memory(p->err);
    }
    while (status == HPF_OK && list.length > 0) {
        rules[n] = (hpp_retaining){0};
        status = parse_rule(p, word, &list, &rules[n++]);
    }
    if (status == HPF_OK) {
        census->retaining.rule = rules[0].rule;
        census->retaining.named = rules[0].named;
        census->rules = rules;
        census->n_rules = n;
    }
    return status;
}

static hpf_status parse_life(parser *p, hpf_str word, hpf_str rest)
{
    hpf_str value = {0};
    hpf_status status = read_value(p, word, rest, &value);
    if (status == HPF_OK) {
        p->options.life_of = unquote(p->options.memory, &value, false).data;
        status = p->options.life_of ? HPF_OK : hpf_error_set_memory(p->err);
    }
    return status;
}

static hpf_status parse_snapshot(parser *p, hpf_str word, hpf_str rest)
{
    hpf_str value = {0};
    hpf_status status = read_value(p, word, rest, &value);
    if (status != HPF_OK) {
        return status;
    }
    bool is_last = hpf_str_is(value, "last");
    bool is_oom = hpf_str_is(value, "oom");
    if (!is_last && !is_oom && !hpf_str_is(value, "largest")) {
        return complain(p, value.data, "expected largest, last or oom", value);
    }
    p->options.snapshot = is_last  ? HPP_SNAPSHOT_LAST
                          : is_oom ? HPP_SNAPSHOT_OOM
                                   : HPP_SNAPSHOT_LARGEST;
    p->options.with_census = true;
    return HPF_OK;
}

static hpf_status parse_savings(parser *p, hpf_str word, hpf_str rest)
{
    if (p->has_breakdown) {
        return complain(p, word.data, "this break-down cannot be combined with others", word);
    }
    p->has_breakdown = true;
    p->census.savings = true;
    p->options.with_census = true;
    return rest.length > 0 ? complain(p, rest.data, "unknown option", word) : HPF_OK;
}

static hpf_status parse_life_times(parser *p, hpf_str word, hpf_str rest)
{
    p->census.life_times = true;
    p->options.with_census = true;
    return rest.length > 0 ? complain(p, rest.data, "unknown option", word) : HPF_OK;
}

static hpf_status parse_object_count(parser *p, hpf_str word, hpf_str rest)
{
    p->census.count_objects = true;
    p->options.with_census = true;
    return rest.length > 0 ? complain(p, rest.data, "unknown option", word) : HPF_OK;
}

/* Reads the letters after -l, as GHC does: each -l begins with the default. */
static hpf_status parse_log(parser *p, hpf_str word, hpf_str rest)
{
    static const char letters[] = "sgnpfuT"; /* in the order of HPP_LOG_ values */
    uint32_t classes = usual_log_classes;
    bool is_without = false;
    for (size_t i = 0; i < rest.length; i++) {
        const char *letter = memchr(letters, rest.data[i], sizeof letters - 1);
        uint32_t chosen = rest.data[i] == 'a' ? UINT32_MAX : letter ? 1u << (letter - letters) : 0;
        if (rest.data[i] != '-' && !chosen) {
            return complain(p, rest.data + i, "expected letters of sgnpfuTa after -l", word);
        }
        classes = is_without ? classes & ~chosen : classes | chosen;
        is_without = rest.data[i] == '-';
    }
    p->options.with_eventlog = p->options.with_census = true;
    p->options.log_classes = classes;
    return HPF_OK;
}

/* Options that are one fixed word. */
static hpf_status parse_switch(parser *p, hpf_str word, hpf_str rest)
{
    static const struct {
        const char *name;
        hpp_report report;
    } reports[] = {
        {"-p", HPP_REPORT_PLAIN},
        {"-P", HPP_REPORT_VERBOSE},
        {"-pa", HPP_REPORT_ALL},
        {"-pj", HPP_REPORT_JSON},
    };
    if (rest.length > 0) {
        return complain(p, rest.data, "unknown option", word);
    }
    if (word.data[1] == 'x') {
        bool is_stacks = word.data[2] == 't';
        p->census.count_stacks |= is_stacks;
        p->options.print_on_abort |= !is_stacks;
    }
    if (word.data[1] == 'B') {
        p->options.time_bins |= word.data[2] != 'h';
        p->options.heap_bins |= word.data[2] != 't';
    }
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        if (hpf_str_is(word, reports[i].name)) {
            p->options.report = reports[i].report;
        }
    }
    return HPF_OK;
}

static const struct {
    const char *prefix;
    hpf_status (*parse)(parser *p, hpf_str word, hpf_str rest);
} table[] = {
    /* An option comes before its prefixes. */
    {"-po", parse_stem},
    {"-pa", parse_switch},
    {"-pj", parse_switch},
    {"-p", parse_switch},
    {"-P", parse_switch},
    {"-xt", parse_switch},
    {"-xc", parse_switch},
    {"-Bt", parse_switch},
    {"-Bh", parse_switch},
    {"-B", parse_switch},
    {"-h", parse_heap},
    {"-i", parse_interval},
    {"-V", parse_tick},
    {"-L", parse_name_length},
    {"-R", parse_set_size},
    {"-o", parse_stem},
    {"-l", parse_log},
    {"--retainer-by", parse_retainer_by},
    {"--is-retainer", parse_is_retainer},
    {"--count", parse_object_count},
    {"--savings", parse_savings},
    {"--snapshot", parse_snapshot},
    {"--life-times", parse_life_times},
    {"--life", parse_life},
};

static bool is_bracket(hpf_str word)
{
    return hpf_str_is(word, "+RTS") || hpf_str_is(word, "-RTS");
}

static hpf_status parse_word(parser *p, hpf_str word)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        hpf_str rest = word;
        if (hpf__take_word(&rest, table[i].prefix)) {
            return table[i].parse(p, word, rest);
        }
    }
    return complain(p, word.data, "unknown option", word);
}

/* Copies the arrays that grow, with room for one more element per word of the text. */
static hpf_status make_room(parser *p)
{
    size_t n_more = 0;
    for (size_t at = 0; next_word(p->text, &at).length > 0;) {
        n_more++;
    }
    hpp_options *o = &p->options;
    p->restrictions =
        hpf_arena_array(o->memory, p->census.n_restrictions + n_more, sizeof *p->restrictions);
    p->words = hpf_arena_array(o->memory, o->n_words + n_more, sizeof *p->words);
    if (!p->restrictions || !p->words) {
        return hpf_error_set_memory(p->err);
    }
    if (p->census.n_restrictions > 0) {
        memcpy(p->restrictions, p->census.restrictions,
               p->census.n_restrictions * sizeof *p->restrictions);
    }
    if (o->n_words > 0) {
        memcpy(p->words, o->words, o->n_words * sizeof *p->words);
    }
    p->census.restrictions = p->restrictions;
    o->words = p->words;
    return HPF_OK;
}

hpp_options *hpp_options_create(void)
{
    hpf_arena *memory = hpf_arena_create();
    hpp_options *options = memory ? hpf_arena_array(memory, 1, sizeof *options) : NULL;
    hpp_census_options *census = options ? hpf_arena_array(memory, 1, sizeof *census) : NULL;
    if (!census) {
        hpf_arena_destroy(memory);
        return NULL;
    }
    *census = (hpp_census_options){.max_retainers = DEFAULT_MAX_RETAINERS,
                                   .max_name_bytes = DEFAULT_MAX_NAME_BYTES};
    *options = (hpp_options){.census = census,
                             .interval_ns = default_interval_ns,
                             .tick_ns = default_tick_ns,
                             .log_classes = usual_log_classes,
                             .memory = memory};
    return options;
}

void hpp_options_destroy(hpp_options *options)
{
    if (options) {
        hpf_arena_destroy(options->memory);
    }
}

/* Parses one word, whose break-down joins the earlier ones, or all words of a text. */
static hpf_status parse(hpp_options *options, hpf_str text, bool is_word, hpf_error *err)
{
    parser p = {.options = *options, .census = *options->census, .text = text, .err = err};
    p.has_breakdown = is_word && (p.census.breakdown != HPF_BREAKDOWN_NONE || p.census.savings);
    hpf_status status = make_room(&p);
    while (status == HPF_OK && p.at < text.length) {
        hpf_str word = text;
        if (is_word) {
            p.at = text.length;
        } else {
            word = next_word(text, &p.at);
        }
        if (word.length > 0 && !is_bracket(word)) {
            status = keep_word(&p, word);
            status = status == HPF_OK ? parse_word(&p, word) : status;
        }
    }
    if (status == HPF_OK && p.log_name.length > 0 && p.options.with_eventlog) {
        status = complain(&p, p.log_name.data,
                          "GHC's -olFILE is not supported: use -poSTEM, which names all files",
                          p.log_name);
    }
    if (status == HPF_OK) {
        *options->census = p.census;
        *options = p.options;
    }
    return status;
}

hpf_status hpp_options_parse(hpp_options *options, hpf_str text, hpf_error *err)
{
    if (text.length == 0) {
        text.data = ""; /* it may be NULL, to which nothing can be added */
    }
    return options ? parse(options, text, false, err) : hpf_error_set_memory(err);
}

hpf_status hpp_options_add(hpp_options *options, const char *option, const char *argument,
                           hpf_error *err)
{
    size_t n = strlen(option), length = n + strlen(argument);
    char *word = options ? hpf_arena_alloc(options->memory, length + 1) : NULL;
    if (!word) {
        return hpf_error_set_memory(err);
    }
    memcpy(word, option, n);
    memcpy(word + n, argument, length - n);
    return parse(options, (hpf_str){word, length}, true, err);
}
