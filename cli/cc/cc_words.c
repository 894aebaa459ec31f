/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A word is an option, the argument of the option before it, or an input. Inputs are classified by
 * -x or by their suffix, as gcc and clang do.
 */
#include "cc_words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RESPONSE_BYTES = 1 << 24, MAX_NESTED = 16 };

/* Lists of words, with a blank before and after each. Options whose argument is the next word: */
static const char with_argument[] =
    " -o -x -I -D -U -L -l -B -T -u -z -e -A -G -include -imacros -isystem -idirafter "
    "-iquote -iprefix -isysroot -iwithprefix -iwithprefixbefore -imultilib -MF -MT -MQ "
    "-MJ -Xlinker -Xassembler -Xclang -Xpreprocessor -Xanalyzer -mllvm --param -target "
    "-arch -aux-info -dumpbase -dumpdir -dumpbase-ext -wrapper -specs --sysroot "
    "-framework -isystem-after -soname -h -Tbss -Tdata -Ttext -include-pch --output "
    "--language ";

/* Options after which nothing is compiled, or linked. */
static const char preprocess_only[] = " -E -M -MM --preprocess -fpreprocessed-only ";
static const char no_link[] =
    " -c -S -fsyntax-only -r -nostdlib -nodefaultlibs --compile --assemble -emit-ast ";

static const char sanitizers[] =
    " address kernel-address hwaddress kernel-hwaddress thread memory kernel-memory ";
static const char sources[] = " c i ii cc cp cxx cpp CPP c++ C m mm mi mii M ";
static const char headers[] = " h hh H hp hxx hpp HPP h++ tcc ";

typedef struct reader {
    cc_task task;
    bool is_preprocessing, may_link, is_freestanding, has_input;
    char language[32];             /* of -x; "" : by suffix */
    bool is_argument, is_language; /* the next word, of the option before it */
    char conflict[64];
} reader;

static bool is_in(const char *word, const char *list)
{
    const size_t n = strlen(word);
    const char *found = n > 0 && !strchr(word, ' ') ? strstr(list, word) : NULL;
    while (found && (found[-1] != ' ' || found[n] != ' ')) {
        found = strstr(found + 1, word);
    }
    return found != NULL;
}

static void set_language(reader *r, const char *language)
{
    snprintf(r->language, sizeof r->language, "%s", strcmp(language, "none") == 0 ? "" : language);
}

static void read_input(reader *r, const char *path)
{
    const char *dot = strrchr(path, '.');
    const char *suffix = dot && !strchr(dot, '/') ? dot + 1 : "";
    bool is_header = strstr(r->language, "-header") != NULL;
    bool is_source = !is_header && r->language[0] && strncmp(r->language, "assembler", 9) != 0;
    if (!r->language[0]) {
        is_source = is_in(suffix, sources);
        is_header = is_in(suffix, headers);
    }
    r->task.compiles |= is_source || is_header;
    r->may_link &= !is_header;
    r->has_input = true;
}

/* Reads the list of -fsanitize=. */
static void read_sanitizers(reader *r, const char *list)
{
    for (; *list; list += strcspn(list, ",")) {
        list += *list == ',';
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(list, ","), list);
        if (is_in(name, sanitizers)) {
            snprintf(r->conflict, sizeof r->conflict, "-fsanitize=%s", name);
        }
    }
}

static void read_response(reader *r, const char *path, int n_nested);

static void read_word(reader *r, const char *word, int n_nested)
{
    if (r->is_argument) {
        if (r->is_language) {
            set_language(r, word);
        }
        r->is_argument = false;
        return;
    }
    if (word[0] == '@' && word[1]) {
        read_response(r, word + 1, n_nested);
    } else if (word[0] != '-' || !word[1]) {
        read_input(r, word);
    } else if (is_in(word, preprocess_only)) {
        r->is_preprocessing = true;
    } else if (is_in(word, no_link)) {
        r->may_link = false;
    } else if (strcmp(word, "-shared") == 0 || strcmp(word, "--shared") == 0) {
        r->task.is_shared = true;
    } else if (strcmp(word, "-static") == 0 || strcmp(word, "-static-pie") == 0) {
        r->task.is_static = true;
    } else if (strcmp(word, "-ffreestanding") == 0) {
        r->is_freestanding = true;
    } else if (strncmp(word, "-fsanitize=", 11) == 0) {
        read_sanitizers(r, word + 11);
    } else if (strncmp(word, "-x", 2) == 0 && word[2]) {
        set_language(r, word + 2);
    } else if (strncmp(word, "-l", 2) == 0 || strncmp(word, "-Wl,", 4) == 0) {
        r->has_input = true;
    }
    r->is_argument = word[0] == '-' && is_in(word, with_argument);
    r->is_language = strcmp(word, "-x") == 0 || strcmp(word, "--language") == 0;
}

/* Takes the next word of a response file out of `*text`, in place: words are separated by blanks,
 * quotes and backslashes protect. Returns NULL at the end. */
static char *next_word(char **text)
{
    char *from = *text;
    while (isspace((unsigned char)*from)) {
        from++;
    }
    if (!*from) {
        return NULL;
    }
    char *word = from;
    char *to = from;
    char quote = '\0';
    for (; *from && (quote || !isspace((unsigned char)*from)); from++) {
        if (*from == '\\' && from[1]) {
            *to++ = *++from;
        } else if (quote ? *from == quote : *from == '"' || *from == '\'') {
            quote = quote ? '\0' : *from;
        } else {
            *to++ = *from;
        }
    }
    *text = *from ? from + 1 : from;
    *to = '\0';
    return word;
}

/* A file that cannot be read is an input, as for the compilers. */
static void read_response(reader *r, const char *path, int n_nested)
{
    FILE *file = n_nested < MAX_NESTED ? fopen(path, "r") : NULL;
    char *text = file ? calloc(1, MAX_RESPONSE_BYTES) : NULL;
    if (text && fread(text, 1, MAX_RESPONSE_BYTES - 1, file) > 0) {
        char *rest = text;
        for (char *word = next_word(&rest); word; word = next_word(&rest)) {
            read_word(r, word, n_nested + 1);
        }
    }
    free(text);
    if (file) {
        fclose(file);
    }
}

cc_task cc_words_read(char *const *words)
{
    static reader r;
    r = (reader){.may_link = true};
    for (; *words; words++) {
        read_word(&r, *words, 0);
    }
    r.task.compiles &= !r.is_preprocessing && !r.is_freestanding;
    r.task.links = r.has_input && r.may_link && !r.is_preprocessing;
    r.task.has_language = r.language[0] != '\0';
    r.task.conflict = r.conflict[0] ? r.conflict : NULL;
    return r.task;
}
