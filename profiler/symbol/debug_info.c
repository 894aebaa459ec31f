/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From a function on, the search descends its tree of inlined functions. See the DWARF standard,
 * version 5, sections 3.1.1 (units), 3.3 (functions) and 3.3.8 (inlined ones).
 */
#include "base/arena.h"
#include "debug_info.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "members.h"
#include "result_type.h"
#include "scope_names.h"

/* Deeper trees are not descended: they are damaged. */
#define DEPTH_MAX 200

/* A span is nested in at most this many others. */
#define NESTING_MAX 16

/* Linkers leave functions that they dropped at address 0 or 1. */
#define FIRST_ADDRESS 2

typedef struct span {
    uint64_t start;
    uint64_t end;
    size_t index; /* of a unit, or of a function in its unit */
} span;

typedef struct span_list {
    span *list;
    size_t n;
    size_t capacity;
} span_list;

typedef struct compilation {
    Dwarf_CU *handle;
    bool is_read, is_haskell;
    span_list spans; /* of functions */
    Dwarf_Die *functions;
    size_t n_functions;
    size_t functions_capacity;
} compilation;

struct hpp__debug_info {
    Dwarf *dwarf; /* borrowed */
    compilation *units;
    size_t n_units;
    size_t units_capacity;
    span_list spans; /* of units */
    hpp__scope_names names;
    hpp__structures structures;
};

/* ---- Spans of addresses ---- */

static int compare_spans(const void *left, const void *right)
{
    const span *a = left, *b = right;
    if (a->start != b->start) {
        return a->start < b->start ? -1 : 1;
    }
    /* The inner one, or the later, is found first. */
    if (a->end != b->end) {
        return a->end > b->end ? -1 : 1;
    }
    return a->index < b->index ? -1 : a->index > b->index;
}

static void sort_spans(span_list *spans)
{
    HPF__ARRAY_SORT(spans->list, spans->n, compare_spans);
}

/* Adds where the code of a unit or function is. False when there is no memory. */
static bool add_spans(span_list *to, Dwarf_Die *die, size_t index)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;
    while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
        if (start < FIRST_ADDRESS || end <= start) {
            continue;
        }
        if (!HPF__ARRAY_RESERVE(to->list, to->capacity, to->n + 1)) {
            return false;
        }
        to->list[to->n++] = (span){start, end, index};
    }
    return true;
}

/* Returns the innermost span around an address, or NULL. */
static const span *find_span(const span_list *in, uint64_t address)
{
    size_t n_before; /* spans that begin at the address or before */
    HPF__ARRAY_BISECT(n_before, in->n, i, in->list[i].start <= address);
    for (size_t i = 0; i < NESTING_MAX && i < n_before; i++) {
        const span *candidate = &in->list[n_before - 1 - i];
        if (address < candidate->end) {
            return candidate;
        }
    }
    return NULL;
}

/* ---- Units ---- */

static bool read_units(hpp__debug_info *in)
{
    Dwarf_CU *handle = NULL;
    uint8_t type;
    Dwarf_Die die;
    while (dwarf_get_units(in->dwarf, handle, &handle, NULL, &type, &die, NULL) == 0) {
        if (type != DW_UT_compile && type != DW_UT_skeleton) {
            continue;
        }
        if (!HPF__ARRAY_RESERVE_ZEROED(in->units, in->units_capacity, in->n_units + 1) ||
            !add_spans(&in->spans, &die, in->n_units)) {
            return false;
        }
        in->units[in->n_units++].handle = handle;
    }
    sort_spans(&in->spans);
    return in->spans.n > 0;
}

hpp__debug_info *hpp__debug_info_read(Dwarf *dwarf)
{
    hpp__debug_info *in = calloc(1, sizeof *in);
    if (!in) {
        return NULL;
    }
    in->names.arena = hpf_arena_create();
    in->dwarf = dwarf;
    if (!in->names.arena || !read_units(in)) {
        hpp__debug_info_free(in);
        return NULL;
    }
    return in;
}

void hpp__debug_info_free(hpp__debug_info *in)
{
    if (!in) {
        return;
    }
    for (size_t i = 0; i < in->n_units; i++) {
        free(in->units[i].functions);
        free(in->units[i].spans.list);
    }
    free(in->units);
    free(in->spans.list);
    hpf_arena_destroy(in->names.arena);
    hpp__scope_names_finish(&in->names);
    hpp__structures_finish(&in->structures);
    free(in);
}

/* ---- Functions of a unit ---- */

/* Returns whether there may be functions inside, other than inlined ones. */
static bool may_hold_functions(int tag)
{
    switch (tag) {
    case DW_TAG_compile_unit:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        return true;
    default:
        return false;
    }
}

/* Adds a function if it has code. Returns false without memory. */
static bool add_function(compilation *unit, Dwarf_Die *die)
{
    size_t n_spans = unit->spans.n;
    if (!HPF__ARRAY_RESERVE(unit->functions, unit->functions_capacity, unit->n_functions + 1) ||
        !add_spans(&unit->spans, die, unit->n_functions)) {
        unit->spans.n = n_spans;
        return false;
    }
    if (unit->spans.n > n_spans) {
        unit->functions[unit->n_functions++] = *die;
    }
    return true;
}

/* Adds the functions in a function, a unit or a scope. `around` is the number of the function
 * around them: GHC gives it the code of its first block only, and the others their own. */
static void add_functions(hpp__walk *walk, compilation *unit, Dwarf_Die *parent, size_t around,
                          unsigned depth)
{
    Dwarf_Die die;
    bool is_there = depth < DEPTH_MAX && hpp__walk_child(walk, parent, &die);
    for (; is_there; is_there = hpp__walk_next(walk, &die)) {
        int tag = dwarf_tag(&die);
        size_t n_before = unit->n_functions;
        bool is_block = tag == DW_TAG_lexical_block && unit->is_haskell && around < n_before;
        if ((tag == DW_TAG_subprogram && !add_function(unit, &die)) ||
            (is_block && !add_spans(&unit->spans, &die, around))) {
            return;
        }
        if (may_hold_functions(tag)) {
            add_functions(walk, unit, &die, unit->n_functions > n_before ? n_before : around,
                          depth + 1);
        }
    }
}

/* Reads a unit, whose tree may be in a file of its own (-gsplit-dwarf). */
static void read_unit(compilation *unit)
{
    Dwarf_Die die, split;
    uint8_t type;
    unit->is_read = true;
    if (dwarf_cu_info(unit->handle, NULL, &type, &die, &split, NULL, NULL, NULL) != 0) {
        return;
    }
    hpp__walk walk = {0};
    bool is_split = type == DW_UT_skeleton && split.addr;
    unit->is_haskell = dwarf_srclang(&die) == DW_LANG_Haskell;
    add_functions(&walk, unit, is_split ? &split : &die, SIZE_MAX, 0);
    sort_spans(&unit->spans);
}

/* ---- An address ---- */

static const char *text_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    return dwarf_attr_integrate(die, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

static uint64_t number_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word number;
    bool is_there = dwarf_attr(die, name, &attribute) != NULL;
    return is_there && dwarf_formudata(&attribute, &number) == 0 ? number : 0;
}

/* Returns the file that an attribute gives by its number, or NULL. In version 5, number 0 is one.
 */
static const char *file_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word index;
    Dwarf_Half version;
    Dwarf_Die unit;
    Dwarf_Files *files;
    size_t n_files;
    bool is_known =
        dwarf_attr_integrate(die, name, &attribute) && dwarf_formudata(&attribute, &index) == 0 &&
        dwarf_cu_info(attribute.cu, &version, NULL, &unit, NULL, NULL, NULL, NULL) == 0 &&
        (index > 0 || version >= 5) && dwarf_getsrcfiles(&unit, &files, &n_files) == 0;
    return is_known && index < n_files ? dwarf_filesrc(files, (size_t)index, NULL, NULL) : NULL;
}

static hpp__debug_frame name_frame(hpp__debug_info *in, Dwarf_Die *die)
{
    hpp__debug_frame frame = {.linkage = text_of(die, DW_AT_linkage_name)};
    if (!frame.linkage) {
        frame.linkage = text_of(die, DW_AT_MIPS_linkage_name);
    }
    frame.name = frame.linkage ? text_of(die, DW_AT_name) : hpp__scoped_name(&in->names, die);
    int line = 0;
    frame.start_file = file_of(die, DW_AT_decl_file);
    frame.start_line = dwarf_decl_line(die, &line) == 0 && line > 0 ? (uint32_t)line : 0;
    return frame;
}

/* Sets the place where an inlined function was called. */
static void set_call_place(Dwarf_Die *inlined, hpp__debug_frame *caller)
{
    caller->line = (uint32_t)number_of(inlined, DW_AT_call_line);
    caller->file = file_of(inlined, DW_AT_call_file);
}

static void set_own_place(Dwarf_Die *unit, uint64_t address, hpp__debug_frame *innermost)
{
    int number;
    Dwarf_Line *line = dwarf_getsrc_die(unit, address);
    if (line && dwarf_lineno(line, &number) == 0) {
        innermost->line = number > 0 ? (uint32_t)number : 0;
        innermost->file = dwarf_linesrc(line, NULL, NULL);
    }
}

static bool is_block(int tag)
{
    return tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

static bool has_no_range(Dwarf_Die *die)
{
    Dwarf_Addr base, start, end;
    return dwarf_ranges(die, 0, &base, &start, &end) <= 0;
}

/* Finds the inlined function at an address that is a child of `die` or of its blocks. A block may
 * seem to have no ranges: libdw takes an empty range at address 0 for the end of a list. */
static bool find_inlined(hpp__walk *walk, Dwarf_Die *die, uint64_t address, unsigned depth,
                         Dwarf_Die *out)
{
    Dwarf_Die child;
    bool is_child = depth < DEPTH_MAX && hpp__walk_child(walk, die, &child);
    for (; is_child; is_child = hpp__walk_next(walk, &child)) {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_inlined_subroutine && dwarf_haspc(&child, address) > 0) {
            *out = child;
            return true;
        }
        if (is_block(tag)) {
            bool is_around = dwarf_haspc(&child, address) > 0;
            bool is_there = (is_around || has_no_range(&child)) &&
                            find_inlined(walk, &child, address, depth + 1, out);
            if (is_there || is_around) {
                return is_there;
            }
        }
    }
    return false;
}

/* Stores the function and the functions inlined in it, outermost first. */
static size_t descend(hpp__debug_info *in, Dwarf_Die die, uint64_t address,
                      hpp__debug_frame *frames)
{
    hpp__walk walk = {0};
    size_t n = 0;
    frames[n++] = name_frame(in, &die);
    while (n < HPP__FRAMES_MAX && find_inlined(&walk, &die, address, 0, &die)) {
        set_call_place(&die, &frames[n - 1]);
        frames[n++] = name_frame(in, &die);
    }
    return n;
}

/* Returns the unit at an address, with its functions read, and stores its root, and the root of its
 * tree if that is in another file, else one without an address. NULL if there is none. */
static compilation *unit_at(hpp__debug_info *in, uint64_t address, Dwarf_Die *die, Dwarf_Die *split)
{
    const span *in_unit = find_span(&in->spans, address);
    compilation *unit = in_unit ? &in->units[in_unit->index] : NULL;
    if (!unit || dwarf_cu_info(unit->handle, NULL, NULL, die, split, NULL, NULL, NULL) != 0) {
        return NULL;
    }
    if (!unit->is_read) {
        read_unit(unit);
    }
    return unit;
}

size_t hpp__debug_info_find(hpp__debug_info *in, uint64_t address, hpp__debug_frame *frames)
{
    Dwarf_Die die, split;
    compilation *unit = unit_at(in, address, &die, &split);
    if (!unit) {
        return 0;
    }
    const span *in_function = find_span(&unit->spans, address);
    size_t n = 1;
    frames[0] = (hpp__debug_frame){0};
    if (in_function) {
        n = descend(in, unit->functions[in_function->index], address, frames);
        for (size_t i = 0; i < n / 2; i++) {
            hpp__debug_frame other = frames[i];
            frames[i] = frames[n - 1 - i];
            frames[n - 1 - i] = other;
        }
    }
    set_own_place(&die, address, &frames[0]);
    return n > 1 || frames[0].linkage || frames[0].name || frames[0].file ? n : 0;
}

bool hpp__debug_info_result_type(hpp__debug_info *in, const hpp__code *code, hpp__text *out,
                                 bool *is_structure)
{
    Dwarf_Die die, split;
    const uint64_t call = code->address - 1; /* the function may end with the call */
    compilation *unit = unit_at(in, call, &die, &split);
    const span *in_function = unit ? find_span(&unit->spans, call) : NULL;
    return in_function &&
           hpp__result_type(out, is_structure, &in->names, split.addr ? &split : &die,
                            &unit->functions[in_function->index], code);
}

bool hpp__debug_info_member(hpp__debug_info *in, hpf_str type, uint64_t size_bytes, uint64_t offset,
                            hpp__text *out)
{
    return hpp__structures_member(&in->structures, in->dwarf, type, size_bytes, offset, out);
}

/* ---- Variables in frames ---- */

typedef struct locals {
    hpp__debug_info *in;
    hpp__walk walk;
    uint64_t address;
    int64_t frame_base; /* from which places are counted, relative to the CFA */
    bool wants_over;
    hpp__debug_local *list;
    size_t n;
} locals;

/* Finds the only operation that gives a location at an address. */
static const Dwarf_Op *location_at(Dwarf_Die *die, unsigned name, uint64_t address)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *op;
    size_t n;
    bool is_there = dwarf_attr_integrate(die, name, &attribute) &&
                    dwarf_getlocation_addr(&attribute, address, &op, &n, 1) == 1 && n == 1;
    return is_there ? op : NULL;
}

/* A frame base is the CFA, or the register from which the CFA is found, too. */
static bool find_frame_base(locals *l, Dwarf_Die *function, const hpp_caller_rule *rule)
{
    const Dwarf_Op *op = location_at(function, DW_AT_frame_base, l->address);
    bool is_cfa = op && op->atom == DW_OP_call_frame_cfa;
    l->frame_base = is_cfa ? 0 : -rule->cfa_offset;
    return is_cfa || (op && op->atom == DW_OP_reg0 + rule->cfa_register);
}

static void add_local(locals *l, Dwarf_Die *variable, const hpp__debug_frame *function,
                      bool is_inlined, bool is_over)
{
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    Dwarf_Word n_bytes = 0;
    const char *name = dwarf_diename(variable);
    const Dwarf_Op *op = location_at(variable, DW_AT_location, l->address);
    bool is_in_frame = name && op && op->atom == DW_OP_fbreg && l->n < HPP__LOCALS_MAX &&
                       dwarf_attr_integrate(variable, DW_AT_type, &attribute) &&
                       dwarf_formref_die(&attribute, &type) &&
                       dwarf_aggregate_size(&type, &n_bytes) == 0;
    if (is_in_frame) {
        uint64_t begin = (uint64_t)l->frame_base + op->number;
        l->list[l->n++] = (hpp__debug_local){name,    *function,      is_inlined,
                                             is_over, (int64_t)begin, (int64_t)(begin + n_bytes)};
    }
}

/* Adds the variables of a function or block, and of those inside at the address; or only those of
 * the other blocks inside, which are over: `is_over` says that this is one. */
static void add_locals(locals *l, Dwarf_Die *die, const hpp__debug_frame *function, bool is_inlined,
                       bool is_over, unsigned depth)
{
    Dwarf_Die child;
    bool is_there = depth < DEPTH_MAX && hpp__walk_child(&l->walk, die, &child);
    for (; is_there; is_there = hpp__walk_next(&l->walk, &child)) {
        int tag = dwarf_tag(&child);
        bool is_variable = tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
        bool is_here = !is_variable && dwarf_haspc(&child, l->address) > 0;
        if (is_variable && is_over == l->wants_over) {
            add_local(l, &child, function, is_inlined, is_over);
        } else if (is_block(tag) && (is_here || l->wants_over)) {
            add_locals(l, &child, function, is_inlined, is_over || !is_here, depth + 1);
        } else if (tag == DW_TAG_inlined_subroutine && is_here) {
            hpp__debug_frame inlined = name_frame(l->in, &child);
            add_locals(l, &child, &inlined, true, false, depth + 1);
        }
    }
}

size_t hpp__debug_info_locals(hpp__debug_info *in, uint64_t address, const hpp_caller_rule *rule,
                              hpp__debug_local *list)
{
    Dwarf_Die die, split;
    locals l = {.in = in, .address = address, .list = list};
    compilation *unit = unit_at(in, address, &die, &split);
    const span *in_function = unit ? find_span(&unit->spans, address) : NULL;
    if (in_function) {
        Dwarf_Die function = unit->functions[in_function->index];
        hpp__debug_frame frame = name_frame(in, &function);
        if (find_frame_base(&l, &function, rule)) {
            add_locals(&l, &function, &frame, false, false, 0);
            l.wants_over = true;
            l.walk = (hpp__walk){0};
            add_locals(&l, &function, &frame, false, false, 0);
        }
    }
    return l.n;
}
