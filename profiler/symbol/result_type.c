/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Locations are as in DWARF 5, 2.6. Instructions are looked for at every byte after the call; a
 * match counts only if a variable with a pointer type is at that very place.
 */
#include "result_type.h"

#include <dwarf.h>
#include <string.h>

enum {
    DEPTH_MAX = 200,
    NEST_MAX = 8,         /* structures in structures; pointers to pointers */
    WINDOW_BYTES = 24,    /* a variable gets the result in its register this soon */
    RETURN_REGISTER = 0,  /* rax, in DWARF's order */
    FRAME_REGISTER = 6,   /* rbp */
    CFA_ABOVE_FRAME = 16, /* of a function that keeps rbp */
};

/* ---- Types ---- */

/* Stores what a type points to. Returns false if it is no pointer, or one to void, to a pointer to
 * void, or to a function. */
static bool pointee(Dwarf_Die type, Dwarf_Die *out)
{
    if (!hpp__peel_type(&type, true) || dwarf_tag(&type) != DW_TAG_pointer_type ||
        !hpp__type_of(&type, out)) {
        return false;
    }
    Dwarf_Die plain = *out, further;
    if (!hpp__peel_type(&plain, true)) {
        return false;
    }
    int tag = dwarf_tag(&plain);
    return tag != DW_TAG_subroutine_type &&
           (tag != DW_TAG_pointer_type || hpp__type_of(&plain, &further));
}

static bool is_in_c(Dwarf_Die *unit)
{
    int language = dwarf_srclang(unit);
    return language == DW_LANG_C89 || language == DW_LANG_C || language == DW_LANG_C99 ||
           language == DW_LANG_C11;
}

static void add(hpp__text *out, const char *text)
{
    hpp__text_add(out, hpf_str_of(text));
}

/* Appends the name of a type: the name of the structure behind typedefs, if it has one. */
static bool add_type_name(hpp__text *out, hpp__scope_names *names, Dwarf_Die *unit, Dwarf_Die type,
                          unsigned depth)
{
    Dwarf_Die target, plain;
    if (depth > NEST_MAX || !hpp__peel_type(&type, false)) {
        return false;
    }
    if (dwarf_tag(&type) == DW_TAG_pointer_type) {
        bool is_named =
            hpp__type_of(&type, &target) && add_type_name(out, names, unit, target, depth + 1);
        add(out, is_named ? " *" : "void *");
        return true;
    }
    plain = type;
    bool is_plain = hpp__peel_type(&plain, true);
    int tag = is_plain ? dwarf_tag(&plain) : 0;
    bool has_tag = hpp__is_structure_tag(tag) || tag == DW_TAG_enumeration_type;
    const char *name = has_tag ? hpp__scoped_name(names, &plain) : NULL;
    if (name && is_in_c(unit)) {
        add(out, tag == DW_TAG_union_type         ? "union "
                 : tag == DW_TAG_enumeration_type ? "enum "
                                                  : "struct ");
    }
    name = name ? name : hpp__scoped_name(names, &type);
    add(out, name ? name : "");
    return name != NULL;
}

/* ---- Members ---- */

/* Finds the type of the pointer at an offset in a structure. */
static bool member_at(Dwarf_Die structure, uint64_t offset, unsigned depth, Dwarf_Die *out)
{
    hpp__walk walk = {0};
    Dwarf_Die member, type;
    if (depth > NEST_MAX || !hpp__peel_type(&structure, true) ||
        !hpp__is_structure_tag(dwarf_tag(&structure))) {
        return false;
    }
    bool is_there = hpp__walk_child(&walk, &structure, &member);
    for (; is_there; is_there = hpp__walk_next(&walk, &member)) {
        Dwarf_Word begin, n_bytes;
        if (!hpp__find_member(&member, &type, &begin)) {
            continue;
        }
        if (begin == offset && pointee(type, out)) {
            return true;
        }
        if (begin <= offset && dwarf_aggregate_size(&type, &n_bytes) == 0 &&
            offset - begin < n_bytes && member_at(type, offset - begin, depth + 1, out)) {
            return true;
        }
    }
    return false;
}

/* ---- Variables ---- */

typedef enum location_kind {
    IN_RESULT,   /* in register `number`, from soon after `address` on */
    IN_SLOT,     /* at an offset from the frame base */
    IN_REGISTER, /* in register `number` at `address` */
    AT_ADDRESS,
} location_kind;

typedef struct location {
    location_kind kind;
    uint64_t address;
    int64_t number;
} location;

typedef struct found_variable {
    Dwarf_Die target; /* what it points to */
    uint64_t begin;   /* where it gets into the return register */
    bool is_there;
} found_variable;

static bool is_register(const Dwarf_Op *op, size_t n, uint64_t number)
{
    return n == 1 && op->atom == DW_OP_reg0 + number;
}

/* Returns the address that an operation gives, or 0. */
static uint64_t address_of(Dwarf_Attribute *attribute, const Dwarf_Op *op)
{
    Dwarf_Attribute indexed;
    Dwarf_Addr address;
    if (op->atom == DW_OP_addr) {
        return op->number;
    }
    bool is_indexed = op->atom == DW_OP_addrx || op->atom == DW_OP_GNU_addr_index;
    return is_indexed && dwarf_getlocation_attr(attribute, op, &indexed) == 0 &&
                   dwarf_formaddr(&indexed, &address) == 0
               ? address
               : 0;
}

/* Returns whether a variable is at a place, and since when. */
static bool is_at(Dwarf_Die *variable, const location *where, uint64_t *begin)
{
    Dwarf_Attribute attribute;
    Dwarf_Addr base, start, end;
    Dwarf_Op *op;
    size_t n;
    ptrdiff_t at = 0;
    if (!dwarf_attr(variable, DW_AT_location, &attribute)) {
        return false;
    }
    while ((at = dwarf_getlocations(&attribute, at, &base, &start, &end, &op, &n)) > 0) {
        bool is_here = false;
        switch (where->kind) {
        case IN_RESULT:
            is_here = is_register(op, n, (uint64_t)where->number) && start >= where->address &&
                      start - where->address < WINDOW_BYTES;
            break;
        case IN_SLOT:
            is_here = n == 1 && op->atom == DW_OP_fbreg && (int64_t)op->number == where->number;
            break;
        case IN_REGISTER:
            is_here = is_register(op, n, (uint64_t)where->number) && start <= where->address &&
                      where->address < end;
            break;
        case AT_ADDRESS:
            is_here = n == 1 && address_of(&attribute, op) == where->address;
            break;
        }
        if (is_here) {
            *begin = start;
            return true;
        }
    }
    return false;
}

/* Returns whether a block or an inlined function may contain the code around an address. Without
 * ranges, it may. (libdw takes an empty range at address 0 for the end of a list.) */
static bool may_contain(Dwarf_Die *die, uint64_t address)
{
    Dwarf_Addr base, start, end;
    return dwarf_haspc(die, address) > 0 || dwarf_haspc(die, address - 1) > 0 ||
           dwarf_ranges(die, 0, &base, &start, &end) <= 0;
}

static bool is_scope(int tag)
{
    return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
           tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* Finds the variable at a place, below `die`: of all that get the result the first, outer ones
 * before inner ones. */
static void find_variable(hpp__walk *walk, Dwarf_Die *die, const location *where, unsigned depth,
                          found_variable *found)
{
    Dwarf_Die child, type, target;
    bool is_there = depth < DEPTH_MAX && hpp__walk_child(walk, die, &child);
    for (; is_there; is_there = hpp__walk_next(walk, &child)) {
        int tag = dwarf_tag(&child);
        uint64_t begin;
        if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) &&
            is_at(&child, where, &begin) && hpp__type_of(&child, &type) && pointee(type, &target)) {
            if (!found->is_there || begin < found->begin) {
                *found = (found_variable){target, begin, true};
            }
        } else if (is_scope(tag) &&
                   (where->kind == AT_ADDRESS || may_contain(&child, where->address))) {
            find_variable(walk, &child, where, depth + 1, found);
        }
    }
}

static bool variable_at(Dwarf_Die *below, location where, Dwarf_Die *target)
{
    hpp__walk walk = {0};
    found_variable found = {.is_there = false};
    find_variable(&walk, below, &where, 0, &found);
    *target = found.target;
    return found.is_there;
}

/* ---- Code ---- */

/* Opcodes, with the prefix for 64 bits. */
enum { STORE = 0x89, LOAD = 0x8b };

/* `mov %rax, offset(base)`. */
typedef struct store {
    int base; /* register in DWARF's order; -1: an absolute address, which `offset` is */
    int64_t offset;
    size_t n_bytes;
} store;

static int64_t read_signed(const uint8_t *bytes, size_t n_bytes)
{
    int32_t wide;
    if (n_bytes == 1) {
        return (int8_t)bytes[0];
    }
    memcpy(&wide, bytes, sizeof wide);
    return wide;
}

/* Decodes `mov register, offset(base)` or its inverse at `at`. Returns false for other code. */
static bool decode(const hpp__code *code, size_t at, uint8_t opcode, unsigned from, store *out)
{
    static const uint8_t dwarf_order[] = {0, 2, 1, 3, 7, 6, 4, 5};
    const uint8_t *b = code->bytes + at;
    if (at + 7 > code->n_bytes || (b[0] & 0xfe) != 0x48 || b[1] != opcode) {
        return false;
    }
    unsigned mode = b[2] >> 6, reg = b[2] >> 3 & 7, base = b[2] & 7;
    if (reg != from || mode == 3 || base == 4) {
        return false;
    }
    size_t n_offset = mode == 1 ? 1 : mode == 2 || base == 5 ? 4 : 0;
    out->offset = n_offset > 0 ? read_signed(b + 3, n_offset) : 0;
    out->base = (b[0] & 1) != 0 ? 8 + (int)base : dwarf_order[base];
    out->n_bytes = 3 + n_offset;
    if (mode == 0 && base == 5) { /* relative to the next instruction */
        out->base = -1;
        out->offset += (int64_t)(code->address + at + out->n_bytes);
    }
    return true;
}

/* Finds the variable that is in the register of `result` at its address, or soon after. */
static bool gets_result(Dwarf_Die *function, location result, Dwarf_Die *target)
{
    location now = {IN_REGISTER, result.address, result.number};
    return variable_at(function, now, target) || variable_at(function, result, target);
}

/* Decodes `mov %rax, register` for a register that calls preserve, and stores where the result is
 * then. */
static bool decode_copy(const hpp__code *code, size_t at, location *out)
{
    enum { RBX = 3, R12 = 12, R15 = 15, COPY_BYTES = 3 };
    const uint8_t *b = code->bytes + at;
    if (at + COPY_BYTES > code->n_bytes || (b[0] & 0xfe) != 0x48 || b[1] != STORE ||
        (b[2] & 0xf8) != 0xc0) {
        return false;
    }
    int number = (b[0] & 1) != 0 ? 8 + (b[2] & 7) : (b[2] & 7) == 5 ? FRAME_REGISTER : b[2] & 7;
    *out = (location){IN_RESULT, code->address + at + COPY_BYTES, number};
    return number == RBX || number == FRAME_REGISTER || (number >= R12 && number <= R15);
}

/* Returns the offset from the frame base for one from rbp. */
static int64_t slot_of(Dwarf_Die *function, int64_t offset)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *op;
    size_t n;
    bool is_cfa = dwarf_attr(function, DW_AT_frame_base, &attribute) &&
                  dwarf_getlocation(&attribute, &op, &n) == 0 && n == 1 &&
                  op->atom == DW_OP_call_frame_cfa;
    return offset - (is_cfa ? CFA_ABOVE_FRAME : 0);
}

/* Finds what the place of a store points to. `address` is in the code. */
static bool stored_at(const store *to, uint64_t address, Dwarf_Die *unit, Dwarf_Die *function,
                      Dwarf_Die *target)
{
    Dwarf_Die structure;
    if (to->base == -1) {
        return variable_at(unit, (location){AT_ADDRESS, (uint64_t)to->offset, 0}, target) ||
               variable_at(function, (location){AT_ADDRESS, (uint64_t)to->offset, 0}, target);
    }
    if (to->base == FRAME_REGISTER &&
        variable_at(function, (location){IN_SLOT, address, slot_of(function, to->offset)},
                    target)) {
        return true;
    }
    return to->offset >= 0 &&
           variable_at(function, (location){IN_REGISTER, address, to->base}, &structure) &&
           member_at(structure, (uint64_t)to->offset, 0, target);
}

/* Finds the member that unoptimised code stores the result in: the result is moved to another
 * register, a local variable to rax, and that register stored at an offset from it. */
static bool stored_in_member(const hpp__code *code, size_t at, Dwarf_Die *function,
                             Dwarf_Die *target)
{
    enum { MOVE_BYTES = 3 }; /* mov %rax,%rcx or %rdx */
    const uint8_t *b = code->bytes + at;
    store load, to;
    Dwarf_Die structure;
    if (at + MOVE_BYTES > code->n_bytes || b[0] != 0x48 || b[1] != STORE ||
        (b[2] != 0xc1 && b[2] != 0xc2) || !decode(code, at + MOVE_BYTES, LOAD, 0, &load) ||
        !decode(code, at + MOVE_BYTES + load.n_bytes, STORE, b[2] & 7, &to)) {
        return false;
    }
    location slot = {IN_SLOT, code->address, slot_of(function, load.offset)};
    return load.base == FRAME_REGISTER && to.base == 0 && to.offset >= 0 &&
           variable_at(function, slot, &structure) &&
           member_at(structure, (uint64_t)to.offset, 0, target);
}

/* Returns whether the function returns the result as it is: what follows only restores registers.
 */
static bool is_returned(const hpp__code *code)
{
    enum { RET = 0xc3, LEAVE = 0xc9, POP = 0x58 };
    for (size_t at = 0; at < code->n_bytes; at++) {
        const uint8_t *b = code->bytes + at;
        size_t left = code->n_bytes - at;
        if (*b == RET) {
            return true;
        }
        if (left > 4 && b[0] == 0x48 && b[1] == 0x83 && b[2] == 0xc4) { /* add $n, %rsp */
            at += 3;
        } else if (left > 1 && b[0] == 0x41 && (b[1] & 0xf8) == POP) {
            at++;
        } else if (*b != LEAVE && (*b & 0xf8) != POP) {
            return false;
        }
    }
    return false;
}

/* Returns whether code that begins here, if an instruction does, may give rax another value: a
 * call, or the usual moves to rax. */
static bool may_change_result(const uint8_t *bytes, size_t n_bytes)
{
    enum { CALL = 0xe8, LOAD_ADDRESS = 0x8d, CLEAR = 0x31, RAX_RAX = 0xc0 };
    if (bytes[0] == CALL) {
        return true;
    }
    bool has_prefix = n_bytes > 2 && bytes[0] == 0x48;
    bytes += has_prefix;
    return n_bytes > 2 && (((bytes[0] == LOAD || (has_prefix && bytes[0] == LOAD_ADDRESS)) &&
                            (bytes[1] >> 3 & 7) == 0) ||
                           (bytes[0] == CLEAR && bytes[1] == RAX_RAX));
}

bool hpp__result_type(hpp__text *out, bool *is_structure, hpp__scope_names *names, Dwarf_Die *unit,
                      Dwarf_Die *function, const hpp__code *code)
{
    Dwarf_Die target = {0}, returned;
    location result = {IN_RESULT, code->address, RETURN_REGISTER};
    bool is_found =
        gets_result(function, result, &target) ||
        (is_returned(code) && hpp__type_of(function, &returned) && pointee(returned, &target));
    for (size_t at = 0; at < code->n_bytes && !is_found; at++) {
        store to;
        is_found = (decode_copy(code, at, &result) && gets_result(function, result, &target)) ||
                   (decode(code, at, STORE, 0, &to) &&
                    stored_at(&to, code->address + at, unit, function, &target)) ||
                   stored_in_member(code, at, function, &target);
        if (may_change_result(code->bytes + at, code->n_bytes - at)) {
            break;
        }
    }
    Dwarf_Die plain = target;
    *is_structure =
        is_found && hpp__peel_type(&plain, true) && hpp__is_structure_tag(dwarf_tag(&plain));
    out->length = 0;
    return is_found && add_type_name(out, names, unit, target, 0);
}
