/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A table of the classes and functions of the libraries, by the beginnings of their names. The
 * innermost function with a row decides: a string that is copied into a node of a map is a text of
 * the string.
 */
#include "containers.h"

#include <stdlib.h>

#include "base/words.h"
#include "hpfile/str.h"

enum { MAX_ARGUMENTS = 12 };

/* How the arguments of a template become a type. */
typedef enum form {
    ALLOCATOR, /* <T>: T, if no container follows */
    TRAITS,    /* <std::allocator<T>,...>: the same */
    FIRST,     /* part, container<T> */
    LETTERS,   /* part, and the class itself: std::string, std::basic_string<char16_t> */
    TREE,      /* <K,V,...> of map or set, where V is pair<K const,M> or K */
    HASH,      /* the same with buckets; the last argument says whether keys repeat */
    HASH_BASE, /* <std::allocator<_Hash_node<V,...>>> */
    SHOWN_MAP, /* <K,M,...>: the container itself */
    DEQUE,     /* <T,...>: chunks, and the index of them */
    OBJECT,    /* part, T */
    PART,      /* part alone */
    VEC,       /* part, container<T>, unless a String or VecDeque keeps it */
    VEC_USER,  /* the same */
} form;

typedef struct name_rule {
    const char *name;
    form form;
    const char *part;      /* before the container or type */
    const char *container; /* without arguments; NULL: none */
} name_rule;

static const name_rule rules[] = {
    {"std::__new_allocator", ALLOCATOR, "", NULL},
    {"__gnu_cxx::new_allocator", ALLOCATOR, "", NULL},
    {"std::allocator", ALLOCATOR, "", NULL},
    {"std::allocator_traits", TRAITS, "", NULL},
    {"__gnu_cxx::__alloc_traits", TRAITS, "", NULL},
    {"std::_Vector_base", FIRST, "array of ", "std::vector"},
    {"std::vector", FIRST, "array of ", "std::vector"},
    {"std::__split_buffer", FIRST, "array of ", "std::vector"},
    {"std::_Bvector_base", PART, "array of std::vector<bool>", NULL},
    {"std::string", LETTERS, "text of ", NULL},
    {"std::wstring", LETTERS, "text of ", NULL},
    {"std::basic_string", LETTERS, "text of ", NULL},
    {"std::basic_filebuf", LETTERS, "buffer of ", NULL},
    {"std::_Rb_tree", TREE, "node of ", "std::"},
    {"std::map", SHOWN_MAP, "node of ", "std::map"},
    {"std::multimap", SHOWN_MAP, "node of ", "std::multimap"},
    {"std::set", FIRST, "node of ", "std::set"},
    {"std::multiset", FIRST, "node of ", "std::multiset"},
    {"std::_Hashtable", HASH, "node of ", "std::unordered_"},
    {"std::__detail::_Map_base", HASH, "node of ", "std::unordered_"},
    {"std::__detail::_Insert", HASH, "node of ", "std::unordered_"},
    {"std::__detail::_Insert_base", HASH, "node of ", "std::unordered_"},
    {"std::__detail::_Hashtable_alloc", HASH_BASE, "node of ", "std::unordered_"},
    {"std::unordered_map", SHOWN_MAP, "node of ", "std::unordered_map"},
    {"std::unordered_multimap", SHOWN_MAP, "node of ", "std::unordered_multimap"},
    {"std::unordered_set", FIRST, "node of ", "std::unordered_set"},
    {"std::unordered_multiset", FIRST, "node of ", "std::unordered_multiset"},
    {"std::_List_base", FIRST, "node of ", "std::list"},
    {"std::list", FIRST, "node of ", "std::list"},
    {"std::_Fwd_list_base", FIRST, "node of ", "std::forward_list"},
    {"std::forward_list", FIRST, "node of ", "std::forward_list"},
    {"std::_Deque_base", DEQUE, "chunk of ", "std::deque"},
    {"std::deque", DEQUE, "chunk of ", "std::deque"},
    {"std::make_shared", OBJECT, "shared ", NULL},
    {"std::allocate_shared", OBJECT, "shared ", NULL},
    {"std::make_unique", OBJECT, "", NULL},
    {"std::_Function_base", PART, "target of std::function", NULL},
    {"std::function", PART, "target of std::function", NULL},
    {"alloc::raw_vec::RawVec", VEC, "array of ", "Vec"},
    {"alloc::vec::Vec", VEC, "array of ", "Vec"},
    {"alloc::collections::vec_deque::VecDeque", VEC_USER, "array of ", "VecDeque"},
    {"alloc::string::String", VEC_USER, "text of ", "String"},
    {"alloc::collections::btree::node::LeafNode", SHOWN_MAP, "node of ", "BTreeMap"},
    {"alloc::collections::btree::node::InternalNode", SHOWN_MAP, "node of ", "BTreeMap"},
    {"alloc::boxed::Box", OBJECT, "", NULL},
    {"alloc::rc::Rc", OBJECT, "shared ", NULL},
    {"alloc::rc::RcInner", OBJECT, "shared ", NULL},
    {"alloc::sync::Arc", OBJECT, "shared ", NULL},
    {"alloc::sync::ArcInner", OBJECT, "shared ", NULL},
    {"alloc::collections::btree::map::BTreeMap", SHOWN_MAP, "node of ", "BTreeMap"},
    {"hashbrown::map::HashMap", SHOWN_MAP, "table of ", "HashMap"},
    {"std::collections::hash::map::HashMap", SHOWN_MAP, "table of ", "HashMap"},
};

/* Classes with a vtable that own an object of the program. */
static const name_rule class_rules[] = {
    {"std::_Sp_counted_ptr_inplace", OBJECT, "shared ", NULL},
    {"std::__shared_ptr_emplace", OBJECT, "shared ", NULL},
    {"std::_Sp_counted_ptr", OBJECT, "count of shared ", NULL},
    {"std::_Sp_counted_deleter", OBJECT, "count of shared ", NULL},
    {"std::__shared_ptr_pointer", OBJECT, "count of shared ", NULL},
};

/* A name that matches a rule: "NAME<ARGUMENTS>REST". */
typedef struct matched {
    const name_rule *rule;
    hpf_str whole; /* NAME<ARGUMENTS> */
    hpf_str arguments[MAX_ARGUMENTS];
    size_t n_arguments;
    hpf_str rest;
} matched;

/* ---- Parts of a name ---- */

static hpf_str without_end(hpf_str text, const char *word)
{
    hpf_str rest = text;
    return hpf__drop_end(&rest, word) && rest.length > 0 ? rest : text;
}

/* Splits "<A,B<C,D>>REST" into A and B<C,D>. Returns the length up to REST, or 0 if the brackets do
 * not match. */
static size_t split(hpf_str text, hpf_str *arguments, size_t *n_arguments)
{
    size_t depth = 0, begin = 1;
    *n_arguments = 0;
    for (size_t at = 0; at < text.length; at++) {
        char c = text.data[at];
        bool opens = c == '<' || c == '(' || c == '{' || c == '[';
        bool closes = (c == '>' && text.data[at - 1] != '-') || c == ')' || c == '}' || c == ']';
        if (closes && depth == 0) {
            return 0;
        }
        depth = depth + opens - closes;
        if ((depth == 1 && c == ',') || depth == 0) {
            if (*n_arguments < MAX_ARGUMENTS) {
                arguments[(*n_arguments)++] = (hpf_str){text.data + begin, at - begin};
            }
            begin = at + 1;
        }
        if (depth == 0) {
            return at + 1;
        }
    }
    return 0;
}

/* Returns the first argument of "NAME<A,...>", or an empty text. */
static hpf_str argument_of(hpf_str text, const char *name)
{
    hpf_str arguments[MAX_ARGUMENTS];
    size_t n;
    size_t length = strlen(name);
    bool is_it = hpf_str_begins(text, name) && text.length > length && text.data[length] == '<' &&
                 split(hpf_str_from(text, length), arguments, &n) > 0;
    return is_it ? arguments[0] : HPF_STR("");
}

/* Returns whether a name, maybe in the form "<NAME<...> as TRAIT>::f" of Rust, matches a rule. */
static bool match(matched *out, hpf_str name, const name_rule *rule)
{
    name = name.length > 0 && name.data[0] == '<' ? hpf_str_from(name, 1) : name;
    if (!hpf_str_begins(name, rule->name)) {
        return false;
    }
    *out = (matched){.rule = rule};
    size_t n = strlen(rule->name);
    hpf_str rest = hpf_str_from(name, n);
    if (hpf_str_begins(rest, "<")) {
        size_t n_arguments = split(rest, out->arguments, &out->n_arguments);
        n += n_arguments;
        out->rest = hpf_str_from(rest, n_arguments);
        out->whole = (hpf_str){name.data, n};
        return n_arguments > 0 && out->arguments[0].length > 0;
    }
    bool may_be_bare = rule->form == LETTERS || rule->form == PART || rule->form == VEC_USER;
    out->rest = rest;
    out->whole = (hpf_str){name.data, n};
    return may_be_bare && (hpf_str_begins(rest, "::") || hpf_str_begins(rest, ">") ||
                           hpf_str_begins(rest, " as "));
}

static bool find_rule(matched *out, hpf_str name, const name_rule *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (match(out, name, &list[i])) {
            return true;
        }
    }
    return false;
}

bool hpp__container_is_of_library(hpf_str name)
{
    static const char *const beginnings[] = {
        "std::",       "__gnu_cxx::", "operator new", "alloc::",      "<alloc::", "hashbrown::",
        "<hashbrown:", "core::",      "<core::",      "<std::",       "__rust_",  "__rustc",
        "__rdl_",      "malloc",      "calloc",       "aligned_alloc"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        if (hpf_str_begins(name, beginnings[i])) {
            return true;
        }
    }
    return false;
}

/* ---- Types ---- */

static void add(hpp__text *out, const char *text)
{
    hpp__text_add(out, hpf_str_of(text));
}

/* Returns whether an argument is only the name of a parameter: symbols of Rust may lack types. */
static bool is_placeholder(hpf_str argument)
{
    return argument.length == 1 && argument.data[0] >= 'A' && argument.data[0] <= 'Z';
}

/* Appends "CONTAINER<A,B>". */
static void add_container(hpp__text *out, const char *container, hpf_str first, hpf_str second)
{
    add(out, container);
    if (first.length == 0 || is_placeholder(first)) {
        return;
    }
    add(out, "<");
    hpp__text_add(out, first);
    if (second.length > 0) {
        add(out, ",");
        hpp__text_add(out, second);
    }
    add(out, ">");
}

/* Returns whether keys may repeat in a tree or hash table, by the functions from the one that was
 * found outwards: the traits of a hash table end with "unique keys", trees insert "equal" keys. */
static bool has_equal_keys(const hpf_str *functions, size_t n)
{
    for (size_t i = 0; i < n && hpp__container_is_of_library(functions[i]); i++) {
        static const char traits[] = "std::__detail::_Hashtable_traits<";
        const char *open = memchr(functions[i].data, '<', functions[i].length);
        hpf_str arguments[MAX_ARGUMENTS], rest = HPF_STR("");
        size_t n_arguments = 0;
        if (open) {
            rest = hpf_str_from(functions[i], (size_t)(open - functions[i].data));
            rest = hpf_str_from(rest, split(rest, arguments, &n_arguments));
        }
        for (size_t k = 0; k < n_arguments; k++) {
            if (hpf_str_begins(arguments[k], traits)) {
                return without_end(arguments[k], ",false>").length < arguments[k].length;
            }
        }
        if (hpf_str_begins(rest, "::_M_insert_equal") ||
            hpf_str_begins(rest, "::_M_emplace_equal") ||
            hpf_str_begins(functions[i], "std::multi")) {
            return true;
        }
    }
    return false;
}

/* Appends a map or a set of the values of a tree or hash table. */
static void add_keyed(hpp__text *out, const char *family, hpf_str value, bool is_multi)
{
    hpf_str pair[MAX_ARGUMENTS];
    size_t n = 0;
    bool is_map = hpf_str_begins(value, "std::pair<") &&
                  split(hpf_str_from(value, strlen("std::pair")), pair, &n) > 0 && n == 2 &&
                  without_end(pair[0], " const").length < pair[0].length;
    add(out, family);
    add(out, is_multi ? "multi" : "");
    add_container(out, is_map ? "map" : "set", is_map ? without_end(pair[0], " const") : value,
                  is_map ? pair[1] : HPF_STR(""));
}

/* Returns whether a block is the part of a container that points to its other blocks. `element` is
 * what the allocator was asked for, empty if unknown. */
static bool is_directory(const matched *found, hpf_str element)
{
    hpf_str rest = found->rest;
    switch (found->rule->form) {
    case DEQUE:
        return element.length > 0 ? element.length == found->arguments[0].length + 1
                                  : hpf_str_begins(rest, "::_M_reallocate_map");
    case HASH:
    case HASH_BASE:
        return element.length > 0 ? hpf_str_begins(element, "std::__detail::_Hash_node_base*")
                                  : hpf_str_begins(rest, "::_M_rehash");
    default:
        return false;
    }
}

/* Returns the name of a map, or of the set that it is if it maps to nothing, as those of Rust. */
static const char *name_of_map(const char *map, hpf_str value)
{
    bool is_set = hpf_str_is(value, "()") ||
                  hpf_str_is(value, "alloc::collections::btree::set_val::SetValZST");
    return !is_set ? map : map[0] == 'H' ? "HashSet" : "BTreeSet";
}

/* Appends the type of a block that a function of a container allocated. `functions` are that one
 * and its callers. */
static void add_type(hpp__text *out, const matched *found, hpf_str element,
                     const hpf_str *functions, size_t n)
{
    const name_rule *rule = found->rule;
    hpf_str first = found->arguments[0];
    hpf_str second = found->n_arguments > 1 ? found->arguments[1] : HPF_STR("");
    bool is_deque = rule->form == DEQUE;
    add(out, !is_directory(found, element) ? rule->part : is_deque ? "index of " : "buckets of ");
    switch (rule->form) {
    case HASH_BASE:
        second = argument_of(argument_of(first, "std::allocator"), "std::__detail::_Hash_node");
        add_keyed(out, rule->container, second, has_equal_keys(functions, n));
        break;
    case TREE:
    case HASH:
        add_keyed(out, rule->container, second, has_equal_keys(functions, n));
        break;
    case SHOWN_MAP: {
        const char *name = name_of_map(rule->container, second);
        add_container(out, name, first, name == rule->container ? second : HPF_STR(""));
        break;
    }
    case LETTERS:
        hpp__text_add(out, found->whole);
        break;
    case OBJECT:
        hpp__text_add(out, first);
        break;
    case PART:
        break;
    default:
        add_container(out, rule->container, first, HPF_STR(""));
    }
}

/* Returns whether an element that was asked for in the heap is a node of a container: sets `*found`
 * to its rule. */
static bool is_node(matched *found, hpf_str element)
{
    return find_rule(found, element, rules, sizeof rules / sizeof *rules) &&
           (found->rule->form == SHOWN_MAP || found->rule->form == OBJECT);
}

/* Replaces a Vec by the String or VecDeque that uses it, if one of the next functions is theirs. */
static void find_user(matched *found, const hpf_str *functions, size_t n)
{
    for (size_t i = 0; i < n && hpp__container_is_of_library(functions[i]); i++) {
        matched user;
        if (find_rule(&user, functions[i], rules, sizeof rules / sizeof *rules) &&
            user.rule->form != VEC) {
            *found = user.rule->form == VEC_USER ? user : *found;
            return;
        }
    }
}

/* Returns whether a type is a class or structure: no pointer, and not one of the language. */
static bool is_class(hpf_str type)
{
    static const char *const plain[] = {
        "char", "signed char", "unsigned", "short", "int",   "long", "float", "double",
        "bool", "wchar_t",     "void",     "u8",    "u16",   "u32",  "u64",   "usize",
        "i8",   "i16",         "i32",      "i64",   "isize", "f32",  "f64",   "str"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        size_t length = strlen(plain[i]);
        if (hpf_str_begins(type, plain[i]) && (type.length == length || type.data[length] == ' ')) {
            return false;
        }
    }
    return type.length > 0 && type.data[type.length - 1] != '*';
}

bool hpp__container_type(hpp__text *out, const hpf_str *functions, size_t n)
{
    hpf_str element = {"", 0};
    out->length = 0;
    for (size_t i = 0; i < n && hpp__container_is_of_library(functions[i]); i++) {
        matched found, node;
        if (!find_rule(&found, functions[i], rules, sizeof rules / sizeof *rules)) {
            continue;
        }
        hpf_str first = found.arguments[0];
        if (found.rule->form == ALLOCATOR) {
            element = first;
        } else if (found.rule->form == TRAITS) {
            element = argument_of(first, "std::allocator");
        } else if (found.rule->form != OBJECT || !is_placeholder(first)) {
            if (found.rule->form == OBJECT && is_node(&node, first)) {
                found = node;
            } else if (found.rule->form == VEC) {
                find_user(&found, &functions[i + 1], n - i - 1);
            }
            add_type(out, &found, element, &functions[i], n - i);
            return found.rule->form == OBJECT && is_class(found.arguments[0]);
        }
    }
    if (!is_placeholder(element)) {
        hpp__text_add(out, element);
        hpp__container_class(out);
    }
    return is_class(element);
}

void hpp__container_class(hpp__text *name)
{
    matched found;
    if (find_rule(&found, hpp__text_str(name), class_rules,
                  sizeof class_rules / sizeof *class_rules)) {
        hpp__text shorter = {0};
        hpf_str object = without_end(found.arguments[0], "*");
        add_type(&shorter, &(matched){.rule = found.rule, .arguments = {object}}, HPF_STR(""), NULL,
                 0);
        hpp__text_finish(name);
        *name = shorter;
    }
}
