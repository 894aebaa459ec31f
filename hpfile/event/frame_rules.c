/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A place decides, where it is known, then a module, then a label.
 */
#include "hpfile/frame.h"

#include <regex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/regular_expression.h"
#include "hpfile/str.h"

/* Allocators and wrappers of them, which are recognised by name. docs/native.md lists them. */

/* A POSIX extended regular expression for whole names without blanks, and a word that all matching
 * names contain. Most names contain none of the words, which is quick to find out. */
typedef struct name_rule {
    const char *word;
    const char *expression;
} name_rule;

/* Allocators, functions that return a copy in new memory (strdup), and functions of the C++ library
 * with reserved names. */
static const name_rule hpf__allocator_names[] = {
    /* C, and wrappers that end the program when there is no memory. */
    {"alloc",
     "^(__libc_|__|_|je_|mi_|tc_)?(malloc|calloc|realloc|reallocarray|memalign|valloc|pvalloc)$"},
    {"align", "^((__libc_|posix_|_mid_)?memalign|aligned_alloc)$"},
    {"dup", "^(__)?strn?dup$"},
    {"asprintf", "^(v|__|_IO_v)?asprintf$|^__v?asprintf_(internal|chk)$"},
    {"alloc", "^(do_)?x(x|z|p|s|i|n|r|2|2n)?(malloc|calloc|realloc|zalloc|alloc|memalign)"
              "(_?array|_?gently|_?or_die|z|0)?$"},
    {"dup", "^(do_)?x(x|p|s)?(memdup|strn?dup)(z|0|_or_die)?$"},
    {"alloc", "^(safe|checked|rpl|my|e|em)_?(malloc|calloc|realloc)(array)?$"},
    {"alloc", "^z(try)?(malloc|calloc|realloc)(_num|_array)?(_usable)?$"},
    /* C++. */
    {"operator", "^operator[_ ]new(\\[\\])?(\\(.*)?$"},
    {"alloc", "^std::(pmr::|__1::)?(allocator|allocator_traits|polymorphic_allocator"
              "|__[a-z_]*alloc[a-z_]*)(<.*>)?(::.*)?$"},
    {"__gnu_cxx::", "^__gnu_cxx::(__)?[a-z_]*alloc[a-z_]*(<.*>)?::.*$"},
    {"std::_", "^std::(__cxx11::)?_[A-Z].*$"},
    {"std::__", "^std::(__detail::|__1::__|__cxx11::_[A-Z]).*$"},
    {"::_M_", "^std::.*::_M_[a-z_0-9]*(<.*>)?$"},
    {"::_S_", "^std::.*::_S_[a-z_0-9]*(<.*>)?$"},
    /* GLib, GTK. */
    {"alloc", "^g_(try_|aligned_|slice_)?(malloc|malloc0|realloc|alloc|alloc0)(_n)?$"},
    {"g_", "^g_(slice_copy|strn?dup|memdup2?|v?asprintf|strdup_v?printf)$"},
    {"standard_", "^standard_(try_)?(m|c|re)alloc$"},
    /* Rust. */
    {"__r", "^__(rust|rdl|rg)_(alloc|alloc_zeroed|realloc)$"},
    {"alloc", "^<?(alloc::(alloc|raw_vec)|std::alloc|hashbrown::raw::alloc)::.*$"},
    {"box_new", "^alloc::boxed::box_new(_uninit)?$"},
    {"::new", "^<?alloc::(boxed::Box|rc::Rc|sync::Arc)<.*>::new$"},
    {"_capacity", "^<?alloc::.*::with_capacity(_in)?$"},
    /* Python. */
    {"Py", "^_?Py(Mem|Object)_(Raw|Debug)*(Malloc|Calloc|Realloc|Resize|Alloc)$"},
    {"PyObject_", "^_?PyObject_(New|NewVar|GC_New|GC_NewVar|GC_Resize|GC_Malloc|GC_Alloc"
                  "|(Malloc|Calloc|Realloc)WithType)$"},
    {"tracemalloc_", "^tracemalloc_(raw_)?(m|c|re)?alloc(_gil)?$"},
    {"lloc", "^(gc_alloc|pymalloc_alloc|PyType_GenericAlloc|_PyType_AllocNoTrack)$"},
    /* Interpreters and tools. */
    {"alloc",
     "^(Perl_safesys|jv_mem_|luaM_|(ruby|objspace|rb|sh)_x|_?_?(zend_|(safe_)?e)|ck|z(h|sh)?|js_"
     "|stdalloc__|bfd_)(m|c|re|z)?alloc(z|0|2|_|_?(array|unguarded|body|rt|mul_add))*$"},
    {"dup", "^(jv_mem_|_?(zend_|(safe_)?e)|js_)strn?dup(_unguarded)?$"},
    {"save", "^(Perl_save(shared)?pvn?|savestr)$"},
    {"more_", "^Perl_more_(sv|bodies)$"},
    {"ggc_", "^ggc_(internal_)?(cleared_)?(re)?alloc$"},
    /* Libraries that many programs contain. */
    {"lloc",
     "^(av_|git__|uv__|jsonp_|cJSON_|event_mm_|SDL_)(m|c|re)?alloc(z|_|_?(array|f|REAL))*$"},
    {"dup", "^(av_|git__|uv__|jsonp_|event_mm_|SDL_)(strn?|substr|mem)dup(_|_REAL)?$"},
    {"sqlite3", "^sqlite3(_|Mem|Db)?([Mm]alloc|[Rr]ealloc)(Raw|RawNN|RawNNTyped|Zero|OrFree|64)?$"},
    {"alloc", "^(dbMallocRawFinish|mallocWithAlarm)$"},
    {"sqlite3Db", "^sqlite3DbStrN?Dup$"},
    {"CRYPTO_", "^CRYPTO_(malloc|zalloc|realloc|strdup|memdup|clear_realloc|aligned_alloc)$"},
    {"obstack_", "^_?obstack_(begin|newchunk|begin_worker)$"},
    {"apr_", "^apr_(palloc|pcalloc|pstrn?dup|pmemdup|pool_create_ex|allocator_alloc)$"},
    {"ngx_", "^ngx_(alloc|calloc|memalign|p(n|c)?alloc|pmemalign|pstrdup|create_pool)$"},
    {"alloc", "^(palloc|repalloc)(0|_extended|_huge|0_huge)?$"},
    {"pstrdup", "^pn?strn?dup$"},
    {"MemoryContext", "^MemoryContext(Alloc[A-Za-z]*|Strdup)$"},
    {"Set", "^AllocSet(Alloc|Realloc|ContextCreateInternal)$"},
    {"Context", "^(Generation|Slab)ContextCreate$"},
};

enum {
    MAX_MATCHED_BYTES = 1024, /* regular expressions see no more of a label */
    N_ALLOCATOR_NAMES = sizeof hpf__allocator_names / sizeof *hpf__allocator_names,
};

/* Compiled when a label first has its word: to compile all takes longer than to read a small log.
 */
typedef _Atomic(regex_t *) allocator_rule;

struct hpf_frame_rules {
    allocator_rule *allocators; /* N_ALLOCATOR_NAMES of them */
    regex_t *skipped;           /* by the user */
    size_t n_skipped;
    bool skips_none;
};

hpf_status hpf_frame_rules_create(hpf_frame_rules **out, const char *const *skip, size_t n_skip,
                                  bool skips_none, hpf_error *err)
{
    size_t n = skips_none ? 0 : n_skip;
    hpf_frame_rules *rules = calloc(1, sizeof *rules);
    *out = NULL;
    if (rules) {
        rules->skips_none = skips_none;
        rules->allocators = calloc(N_ALLOCATOR_NAMES, sizeof *rules->allocators);
        rules->skipped = calloc(n + 1, sizeof *rules->skipped);
    }
    bool is_made = rules && rules->allocators && rules->skipped;
    hpf_status status = is_made ? HPF_OK : hpf_error_set_memory(err);
    for (size_t i = 0; i < n && status == HPF_OK; i++) {
        status = hpf__regular_expression(&rules->skipped[i], skip[i], err);
        rules->n_skipped += status == HPF_OK;
    }
    if (status != HPF_OK) {
        hpf_frame_rules_destroy(rules);
        return status;
    }
    *out = rules;
    return HPF_OK;
}

static void destroy_expression(regex_t *expression)
{
    if (expression) {
        regfree(expression);
        free(expression);
    }
}

void hpf_frame_rules_destroy(hpf_frame_rules *rules)
{
    for (size_t i = 0; rules && rules->allocators && i < N_ALLOCATOR_NAMES; i++) {
        destroy_expression(rules->allocators[i]);
    }
    for (size_t i = 0; rules && i < rules->n_skipped; i++) {
        regfree(&rules->skipped[i]);
    }
    if (rules) {
        free(rules->allocators);
        free(rules->skipped);
    }
    free(rules);
}

static regex_t *compile(const char *text)
{
    hpf_error err;
    regex_t *expression = malloc(sizeof *expression);
    if (expression && hpf__regular_expression(expression, text, &err) != HPF_OK) {
        free(expression);
        return NULL;
    }
    return expression;
}

/* Returns an expression for names of allocators. If two threads compile it, the first one's is
 * kept. NULL without memory. */
static const regex_t *expression_of(const hpf_frame_rules *rules, size_t i)
{
    regex_t *known = atomic_load(&rules->allocators[i]);
    regex_t *compiled = known ? NULL : compile(hpf__allocator_names[i].expression);
    if (known || !compiled) {
        return known;
    }
    if (!atomic_compare_exchange_strong(&rules->allocators[i], &known, compiled)) {
        destroy_expression(compiled);
        return known;
    }
    return compiled;
}

static bool matches(const regex_t *expression, const char *text)
{
    return expression && regexec(expression, text, 0, NULL, 0) == 0;
}

/* Returns whether an allocator has this label, or the user skips it. Without the memory to find
 * out, neither. */
static bool is_skipped(const hpf_frame_rules *rules, hpf_str label)
{
    char text[MAX_MATCHED_BYTES + 1];
    size_t n = label.length < MAX_MATCHED_BYTES ? label.length : MAX_MATCHED_BYTES;
    bool is_found = false;
    memcpy(text, n ? label.data : "", n);
    text[n] = '\0';
    for (size_t i = 0; i < N_ALLOCATOR_NAMES && !is_found; i++) {
        is_found =
            strstr(text, hpf__allocator_names[i].word) && matches(expression_of(rules, i), text);
    }
    for (size_t i = 0; i < rules->n_skipped && !is_found; i++) {
        is_found = matches(&rules->skipped[i], text);
    }
    return is_found;
}

static bool begins_with_any(hpf_str text, const char *const *list)
{
    while (*list && !hpf_str_begins(text, *list)) {
        list++;
    }
    return *list != NULL;
}

static bool has_any(hpf_str text, const char *const *list)
{
    while (*list && !hpf_str_find(text, *list)) {
        list++;
    }
    return *list != NULL;
}

/* Returns whether a frame is of Python: its place is a script, or code without a file. */
static bool is_python(const hpf_frame *f)
{
    static const char *const others[] = {"<frozen ", "<string>", "<stdin>", NULL};
    return hpf_str_find(f->source, ".py:") || begins_with_any(f->source, others);
}

/* Returns the owner of a place. A command of a Python package only calls the package. */
static hpf_frame_owner owner_of_source(hpf_str source)
{
    static const char *const packages[] = {"/site-packages/", "/dist-packages/",
                                           "/.cargo/registry/", NULL};
    static const char *const standard[] = {"/include/c++/", "libstdc++-v3/", "/rustc/",
                                           "/lib/python", NULL};
    static const char *const rust[] = {"/rust/deps/", "library/alloc/src/", "library/core/src/",
                                       "library/std/src/", NULL};
    static const char *const installed[] = {"/usr/include/", "/usr/local/include/", "/usr/lib/",
                                            NULL};
    bool is_command = hpf_str_find(source, "/bin/") && !hpf_str_find(hpf__base_name(source), ".");
    return is_command || has_any(source, packages)                          ? HPF_FRAME_OF_LIBRARY
           : has_any(source, standard) || hpf_str_begins(source, "<frozen") ? HPF_FRAME_OF_STANDARD
           : begins_with_any(source, rust)                                  ? HPF_FRAME_OF_STANDARD
           : begins_with_any(source, installed)                             ? HPF_FRAME_OF_LIBRARY
                                                                            : HPF_FRAME_OF_PROGRAM;
}

static bool is_of_standard_module(hpf_str module)
{
    static const char *const modules[] = {
        "libc.so",       "libc-2",        "ld-linux",  "ld-musl",  "libm.so",
        "libpthread.so", "libgcc_s.so",   "libstdc++", "libc++.",  "libc++abi.",
        "libstd-",       "librt.so",      "libdl.so",  "libglib-", "libgobject-",
        "libQt5Core.so", "libQt6Core.so", NULL};
    return begins_with_any(hpf__base_name(module), modules);
}

/* Returns whether a function without a known place is one of C++, Rust or the loader by its name,
 * perhaps with a return type before it: "void std::sort<int*>(int*, int*)". */
static bool is_of_standard_label(hpf_str label)
{
    static const char *const names[] = {
        "std::",           "<std::",        "__gnu_cxx::",    "alloc::alloc::", "alloc::boxed::",
        "alloc::borrow::", "alloc::coll",   "alloc::fmt::",   "alloc::raw_vec", "alloc::rc::",
        "alloc::slice::",  "alloc::str",    "alloc::sync::",  "alloc::vec::",   "<alloc::",
        "core::array::",   "core::clone::", "core::fmt::",    "core::iter::",   "core::ops::",
        "core::option::",  "core::ptr::",   "core::result::", "core::slice::",  "core::str::",
        "<core::",         "hashbrown::",   "_dl_",           "call_init",      NULL};
    const char *type_end = hpf_str_find(label, " std::");
    if (type_end && !memchr(label.data, '(', (size_t)(type_end - label.data))) {
        return true;
    }
    return begins_with_any(label, names);
}

hpf_frame_owner hpf_frame_rules_owner(const hpf_frame_rules *rules, const hpf_frame *frame)
{
    if (!rules || rules->skips_none) {
        return HPF_FRAME_OF_PROGRAM;
    }
    if (is_skipped(rules, frame->label)) {
        return HPF_FRAME_OF_ALLOCATOR;
    }
    hpf_str module =
        hpf_str_begins(frame->label, "[") ? hpf_str_from(frame->label, 1) : frame->module;
    if (is_of_standard_module(module)) {
        return HPF_FRAME_OF_STANDARD;
    }
    if (frame->source.length > 0) {
        return owner_of_source(frame->source);
    }
    bool is_nameless = module.data == frame->label.data + 1 && hpf_str_find(module, ".so");
    return is_of_standard_label(frame->label) ? HPF_FRAME_OF_STANDARD
           : is_nameless                      ? HPF_FRAME_OF_LIBRARY
                                              : HPF_FRAME_OF_PROGRAM;
}

size_t hpf_frame_rules_own(const hpf_frame_rules *rules, const hpf_frame *frames, size_t n)
{
    hpf_frame_owner best = HPF_FRAME_OF_ALLOCATOR;
    size_t own = 0;
    bool has_python = false;
    for (size_t i = 0; i < n && !has_python && rules && !rules->skips_none; i++) {
        has_python = is_python(&frames[i]);
    }
    for (size_t i = 0; i < n && best > HPF_FRAME_OF_PROGRAM; i++) {
        hpf_frame_owner owner = has_python && !is_python(&frames[i])
                                    ? HPF_FRAME_OF_ALLOCATOR
                                    : hpf_frame_rules_owner(rules, &frames[i]);
        if (owner < best) {
            best = owner;
            own = i;
        }
    }
    return own;
}
