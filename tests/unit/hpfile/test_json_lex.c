/* SPDX-License-Identifier: BSD-2-Clause
 *
 * JSON that is read: escapes of texts, and the places of errors.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "io/json_lex.h"

typedef struct walk {
    hpf__json_lex lex;
    char text[64]; /* the last text that is a member */
} walk;

static hpf_status read_member(void *context, hpf_str key)
{
    walk *w = context;
    if (!hpf_str_is(key, "text")) {
        return hpf__json_pass(&w->lex);
    }
    hpf_status status = hpf__json_expect(&w->lex, HPF__JSON_STRING, "a text");
    if (status == HPF_OK) {
        cr_assert_lt(w->lex.text.length, sizeof w->text);
        memcpy(w->text, w->lex.text.data, w->lex.text.length);
        w->text[w->lex.text.length] = '\0';
    }
    return status;
}

static hpf_status read_json(walk *w, const char *json, hpf_error *err)
{
    *w = (walk){.lex = {.scan = {.err = err, .line = 1}}};
    cr_assert_eq(
        hpf_source_from_memory(&w->lex.scan.source, (hpf_str){json, strlen(json)}, NULL, NULL),
        HPF_OK);
    hpf_status status = hpf__json_document(&w->lex, read_member, w);
    hpf__json_lex_finish(&w->lex);
    hpf_source_destroy(w->lex.scan.source);
    return status;
}

Test(json_lex, escapes_are_resolved)
{
    walk w;
    hpf_error err;
    cr_assert_eq(read_json(&w,
                           "{\"x\": {\"y\": [true, -1, {}]}, \"text\": \"\\\"\\\\\\/\\b\\f\\n\\r\\t"
                           "\\u00e9\\ud83d\\ude00|\\ud83d|\\udcff|\\ud83d\\u0041|\\udc00|"
                           "\\ud83d\\n\"}",
                           &err),
                 HPF_OK);
    cr_expect_str_eq(w.text, "\"\\/\b\f\n\r\t\xc3\xa9\xf0\x9f\x98\x80|\xef\xbf\xbd|\xff|"
                             "\xef\xbf\xbd"
                             "A|\xef\xbf\xbd|\xef\xbf\xbd\n");
}

Test(json_lex, errors_have_a_place)
{
    static const struct {
        const char *text;
        unsigned line, column;
    } cases[] = {
        {"", 1, 1},
        {"[]", 1, 1},
        {"{\"text\": 5}", 1, 10},
        {"{\"x\": }", 1, 7},
        {"{\"x\": [", 1, 8},
        {"{\"x\" 1}", 1, 6},
        {"{5: 1}", 1, 2},
        {"{\"x\": 1 \"y\": 2}", 1, 9},
        {"{\"x\": nul}", 1, 7},
        {"{\"x\": ?}", 1, 7},
        {"{\"x", 1, 2},
        {"{\"x\\", 1, 2},
        {"{\"x\\q\": 1}", 1, 5},
        {"{\"x\\u00g0\": 1}", 1, 8},
        {"{\"x\n\": 1}", 1, 4},
        {"{\"x\": [1,\n 2]} {}", 2, 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        walk w;
        hpf_error err = {.status = HPF_OK};
        cr_expect_eq(read_json(&w, cases[i].text, &err), HPF_ERR_SYNTAX, "%s", cases[i].text);
        cr_expect(err.line == cases[i].line && err.column == cases[i].column, "%s: %u:%u %s",
                  cases[i].text, err.line, err.column, err.message);
    }
}
