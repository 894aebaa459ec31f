/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census cc and census c++: run gcc or clang with the flags by which programs report their
 * functions and check a shadow of their memory, and with the run-time library for both.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "diag.h"
#include "run/launch.h"

/* ---- The command line of the compiler ---- */

/* What a compiler is asked to do. */
typedef struct cc_task {
    bool compiles;        /* it compiles sources or headers */
    bool links;           /* it creates a program or a shared object */
    bool is_shared;       /* ... a shared object */
    bool is_static;       /* ... without shared objects */
    bool has_language;    /* -x is in effect for what is appended */
    const char *conflict; /* an option that excludes exact biographies; NULL: none. Valid until the
                             next call */
} cc_task;

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

/* A word is an option, the argument of the option before it, or an input. Inputs are classified by
 * -x or by their suffix, as gcc and clang do. Only response files are opened. */
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

/* Returns the task of a command line, which ends with NULL. */
static cc_task read_words(char *const *words)
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

/* ---- Flags ---- */

#define N_OF(list) (sizeof(list) / sizeof *(list))

/* A block's first use in an era is found by the check that the compiler puts before each access:
 * the byte at (address >> 3) + the offset is not 0. The offset is the one of the run time
 * (native/target/compiled/shadow.c). Functions are called for wide or unusual accesses only. */
static const char *const gcc_biography[] = {
    "-fsanitize=kernel-address",
    "-fasan-shadow-offset=0x7fff8000",
    "--param=asan-instrumentation-with-call-threshold=1000000",
    "--param=asan-stack=0",
    "--param=asan-globals=0",
    "-fsanitize-recover=kernel-address",
    "-U__SANITIZE_ADDRESS__",
};
static const char *const clang_biography[] = {
    "-fsanitize=kernel-address",
    "-mllvm",
    "-asan-mapping-offset=0x7fff8000",
    "-mllvm",
    "-asan-instrumentation-with-call-threshold=1000000",
    "-mllvm",
    "-asan-stack=0",
    "-mllvm",
    "-asan-globals=0",
    "-fsanitize-recover=kernel-address",
};
/* Without the inline functions of system headers, which are most calls of a C++ program. clang
 * cannot leave out headers: its functions report if they were not inlined. */
static const char *const gcc_centres[] = {
    "-finstrument-functions",
    "-finstrument-functions-exclude-file-list=/usr/include/,/include/c++/,/lib/gcc/",
};
static const char *const clang_centres[] = {"-finstrument-functions-after-inlining"};

/* Calls of functions that access memory of their caller (native/target/compiled/wraps.c). */
static const char *const wraps[] = {
    "-Wl,--wrap=memcpy,--wrap=memmove,--wrap=mempcpy,--wrap=memset,--wrap=memcmp,--wrap=memchr"
    ",--wrap=strlen,--wrap=strdup,--wrap=strnlen,--wrap=strndup,--wrap=strchr,--wrap=strrchr"
    ",--wrap=strchrnul,--wrap=strstr,--wrap=strpbrk,--wrap=strspn,--wrap=strcspn,--wrap=strcmp"
    ",--wrap=strcoll,--wrap=strcasecmp,--wrap=strncmp,--wrap=strncasecmp,--wrap=strcpy"
    ",--wrap=stpcpy,--wrap=strcat,--wrap=strncpy,--wrap=strncat,--wrap=__memcpy_chk"
    ",--wrap=__memmove_chk,--wrap=__mempcpy_chk,--wrap=__strncpy_chk,--wrap=__strncat_chk"
    ",--wrap=__memset_chk,--wrap=__strcpy_chk,--wrap=__strcat_chk,--wrap=read,--wrap=write"
    ",--wrap=pread,--wrap=pwrite,--wrap=pread64,--wrap=pwrite64,--wrap=readv,--wrap=writev"
    ",--wrap=recv,--wrap=send,--wrap=recvfrom,--wrap=sendto,--wrap=fread,--wrap=fwrite"
    ",--wrap=fgets,--wrap=fputs,--wrap=puts",
};

typedef struct choice {
    bool biography, centres;
    const char *compiler; /* with arguments of its own, separated by blanks; NULL: the default */
} choice;

static const opt cc_options[] = {
    OPT(0, "compiler", OPT_TEXT, offsetof(choice, compiler), "COMMAND",
        "run this compiler, gcc or clang (default: $CENSUS_CC or cc; for c++: $CENSUS_CXX or c++)"),
    OPT(0, "no-biography", OPT_FLAG, 0, NULL, "do not check memory accesses for -hb"),
    OPT(0, "no-cost-centres", OPT_FLAG, 0, NULL, "do not report functions for -hc"),
    {.name = NULL},
};

static int print_help(const cmd *self)
{
    printf("usage: census %s [options] ARGUMENTS\n%s.\n\n", self->name, self->summary);
    (void)opt_print(cc_options, true, stdout);
    fputs("\nAll other arguments are the compiler's. For make and configure: CC=\"census cc\" "
          "CXX=\"census c++\".\n",
          stdout);
    return EXIT_DONE;
}

/* Removes our options from the arguments. */
static choice take_options(char **words)
{
    choice chosen = {.biography = true, .centres = true};
    char **to = words;
    for (; *words; words++) {
        if (strcmp(*words, "--no-biography") == 0) {
            chosen.biography = false;
        } else if (strcmp(*words, "--no-cost-centres") == 0) {
            chosen.centres = false;
        } else if (strncmp(*words, "--compiler=", 11) == 0) {
            chosen.compiler = *words + 11;
        } else if (strcmp(*words, "--compiler") == 0 && words[1]) {
            chosen.compiler = *++words;
        } else {
            *to++ = *words;
        }
    }
    *to = NULL;
    return chosen;
}

/* Returns whether a compiler is clang, as it says itself. */
static bool is_clang(const char *compiler)
{
    char command[PATH_MAX];
    char line[256];
    bool found = false;
    snprintf(command, sizeof command, "%s --version 2>/dev/null", compiler);
    FILE *answer = popen(command, "r");
    while (answer && fgets(line, sizeof line, answer)) {
        found = found || strstr(line, "clang") != NULL;
    }
    if (answer) {
        pclose(answer);
    }
    return found;
}

/* The command line that is run. */
typedef struct command_line {
    char **words;
    size_t n;
} command_line;

static void add(command_line *line, const char *const *flags, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        line->words[line->n++] = (char *)(uintptr_t)flags[i]; /* exec does not change them */
    }
}

static void add_flags(command_line *line, const choice *chosen, bool with_clang)
{
    static const char *const frames[] = {"-fno-omit-frame-pointer"};
    if (chosen->biography && with_clang) {
        add(line, clang_biography, N_OF(clang_biography));
    } else if (chosen->biography) {
        add(line, gcc_biography, N_OF(gcc_biography));
    }
    if (chosen->centres) {
        add(line, with_clang ? clang_centres : gcc_centres,
            with_clang ? N_OF(clang_centres) : N_OF(gcc_centres));
        add(line, frames, N_OF(frames));
    }
}

static int run_compiler(const cmd *self, int argc, char **argv, const char *otherwise)
{
    choice chosen = take_options(argv + 1);
    cc_task task = read_words(argv + 1);
    const char *compiler = chosen.compiler && *chosen.compiler ? chosen.compiler : otherwise;
    static char library[PATH_MAX];
    if (chosen.biography && task.compiles && task.conflict) {
        return cmd_misused(self, "%s excludes exact biographies: use --no-biography",
                           task.conflict);
    }
    if (task.links && !launch_cc_library(library)) {
        return EXIT_FAILED;
    }
    char *command = strdup(compiler);
    command_line line = {calloc((size_t)argc + strlen(compiler) + 32, sizeof(char *)), 0};
    if (!command || !line.words) {
        diag_say("out of memory");
        free(command);
        free(line.words);
        return EXIT_FAILED;
    }
    char *rest = command;
    for (char *word = strtok_r(command, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        line.words[line.n++] = word;
    }
    if (task.compiles) {
        add_flags(&line, &chosen, is_clang(compiler));
    }
    for (char **word = argv + 1; *word; word++) {
        line.words[line.n++] = *word;
    }
    if (task.links) {
        static const char *const no_language[] = {"-x", "none"};
        static const char *const first[] = {"-Wl,-u,census_cc_first"};
        const char *const run_time[] = {library};
        add(&line, no_language, task.has_language ? N_OF(no_language) : 0);
        add(&line, first, chosen.biography && !task.is_shared ? N_OF(first) : 0);
        /* libc itself calls these functions; a static one does so before there is a shadow. */
        add(&line, wraps, chosen.biography && !task.is_static ? N_OF(wraps) : 0);
        add(&line, run_time, N_OF(run_time));
    }
    cmd_restore_sigpipe();
    execvp(line.words[0], line.words);
    int error = errno;
    diag_say("cannot run %s: %s", line.words[0], strerror(error));
    free(command);
    free(line.words);
    return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

static int run(const cmd *self, int argc, char **argv)
{
    bool is_c = strcmp(self->name, "cc") == 0;
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        return print_help(self);
    }
    const char *compiler = getenv(is_c ? "CENSUS_CC" : "CENSUS_CXX");
    return run_compiler(self, argc, argv, compiler && *compiler ? compiler : is_c ? "cc" : "c++");
}

const cmd cmd_cc = {
    .name = "cc",
    .summary = "Compile C so that census run knows its functions and uses of memory exactly",
    .operands = "ARGUMENTS",
    .run = run,
};

const cmd cmd_cxx = {
    .name = "c++",
    .summary = "Compile C++ so that census run knows its functions and uses of memory exactly",
    .operands = "ARGUMENTS",
    .run = run,
};
