/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Applies a row: from the registers of a frame to its caller's. DWARF 5, sections 6.4.3 (call frame
 * calling address) and 2.5 (expressions).
 */
#include "bytes.h"
#include "cfi.h"

enum { STACK_WORDS = 24, MAX_OPERATIONS = 1000 };

/* An expression at work. */
typedef struct evaluation {
    hpp_bytes bytes;
    const uint8_t *begin;
    const hpp_cfi_registers *registers;
    hpp_cfi_read *read;
    void *context;
    hpp_cfi_step outcome; /* HPP_CFI_UP while all is well */
    unsigned n;
    uintptr_t stack[STACK_WORDS];
} evaluation;

static uintptr_t give_up(evaluation *e, hpp_cfi_step outcome)
{
    if (e->outcome == HPP_CFI_UP) {
        e->outcome = outcome;
    }
    hpp__bytes_fail(&e->bytes);
    return 0;
}

static void push(evaluation *e, uintptr_t value)
{
    if (e->n == STACK_WORDS) {
        give_up(e, HPP_CFI_LOST);
    } else {
        e->stack[e->n++] = value;
    }
}

static uintptr_t pop(evaluation *e)
{
    return e->n > 0 ? e->stack[--e->n] : give_up(e, HPP_CFI_LOST);
}

static uintptr_t pick(evaluation *e, uint64_t depth)
{
    return depth < e->n ? e->stack[e->n - 1 - depth] : give_up(e, HPP_CFI_LOST);
}

static uintptr_t register_value(evaluation *e, uint64_t column)
{
    if (column >= HPP_CFI_N_REGISTERS || !(e->registers->known >> column & 1)) {
        return give_up(e, HPP_CFI_UNKNOWN);
    }
    return e->registers->value[column];
}

static void dereference(evaluation *e, uint64_t n_bytes)
{
    uintptr_t word = 0;
    if (n_bytes == 0 || n_bytes > 8 || !e->read(&word, pop(e), e->context)) {
        give_up(e, HPP_CFI_LOST);
    } else {
        push(e, n_bytes == 8 ? word : word & (((uintptr_t)1 << 8 * n_bytes) - 1));
    }
}

/* DW_OP_rot: the third from above is on top before, below after. */
static void rotate(evaluation *e)
{
    uintptr_t a = pop(e);
    uintptr_t b = pop(e);
    uintptr_t c = pop(e);
    push(e, a);
    push(e, c);
    push(e, b);
}

static void swap(evaluation *e)
{
    uintptr_t a = pop(e);
    uintptr_t b = pop(e);
    push(e, a);
    push(e, b);
}

static void jump(evaluation *e, int64_t distance)
{
    int64_t place = (e->bytes.at - e->begin) + distance;
    if (place < 0 || place > e->bytes.end - e->begin) {
        give_up(e, HPP_CFI_LOST);
    } else {
        e->bytes.at = e->begin + place;
    }
}

static uintptr_t divide(evaluation *e, uintptr_t a, uintptr_t b, bool want_rest)
{
    if (b == 0) {
        return give_up(e, HPP_CFI_LOST);
    }
    if (want_rest) {
        return a % b;
    }
    return b == UINTPTR_MAX ? 0 - a : (uintptr_t)((intptr_t)a / (intptr_t)b);
}

static uintptr_t shift(uintptr_t value, uintptr_t n, bool is_arithmetic)
{
    if (is_arithmetic) {
        return (uintptr_t)((intptr_t)value >> (n < 64 ? n : 63));
    }
    return n < 64 ? value >> n : 0;
}

/* Operations on the two topmost values. False: not one of those. */
static bool combine(evaluation *e, unsigned code)
{
    if (code < 0x1a || code > 0x2e || code == 0x1f || code == 0x20 || code == 0x23 ||
        code == 0x28) {
        return false;
    }
    uintptr_t b = pop(e);
    uintptr_t a = pop(e);
    intptr_t signed_a = (intptr_t)a;
    intptr_t signed_b = (intptr_t)b;
    uintptr_t result = 0;
    switch (code) {
    case 0x1a:
        result = a & b;
        break;
    case 0x1b:
        result = divide(e, a, b, false);
        break;
    case 0x1c:
        result = a - b;
        break;
    case 0x1d:
        result = divide(e, a, b, true);
        break;
    case 0x1e:
        result = a * b;
        break;
    case 0x21:
        result = a | b;
        break;
    case 0x22:
        result = a + b;
        break;
    case 0x24:
        result = b < 64 ? a << b : 0;
        break;
    case 0x25:
        result = shift(a, b, false);
        break;
    case 0x26:
        result = shift(a, b, true);
        break;
    case 0x27:
        result = a ^ b;
        break;
    case 0x29:
        result = a == b;
        break;
    case 0x2a:
        result = signed_a >= signed_b;
        break;
    case 0x2b:
        result = signed_a > signed_b;
        break;
    case 0x2c:
        result = signed_a <= signed_b;
        break;
    case 0x2d:
        result = signed_a < signed_b;
        break;
    default:
        result = a != b;
        break;
    }
    push(e, result);
    return true;
}

/* Operations on the stack itself and on its top. False: not one of those. */
static bool run_stack_operation(evaluation *e, unsigned code)
{
    switch (code) {
    case 0x06:
        dereference(e, 8);
        return true;
    case 0x94:
        dereference(e, hpp__bytes_fixed(&e->bytes, 1));
        return true;
    case 0x12:
        push(e, pick(e, 0));
        return true;
    case 0x13:
        pop(e);
        return true;
    case 0x14:
        push(e, pick(e, 1));
        return true;
    case 0x15:
        push(e, pick(e, hpp__bytes_fixed(&e->bytes, 1)));
        return true;
    case 0x16:
        swap(e);
        return true;
    case 0x17:
        rotate(e);
        return true;
    case 0x19: { /* DW_OP_abs */
        uintptr_t a = pop(e);
        push(e, (intptr_t)a < 0 ? 0 - a : a);
        return true;
    }
    case 0x1f:
        push(e, 0 - pop(e));
        return true;
    case 0x20:
        push(e, ~pop(e));
        return true;
    case 0x23:
        push(e, pop(e) + (uintptr_t)hpp__bytes_uleb(&e->bytes));
        return true;
    default:
        return combine(e, code);
    }
}

/* Operations that push a constant. False: not one of those. */
static bool push_constant(evaluation *e, unsigned code)
{
    if (code >= 0x30 && code <= 0x4f) { /* DW_OP_lit0 and on */
        push(e, code - 0x30);
        return true;
    }
    switch (code) {
    case 0x03: /* DW_OP_addr */
    case 0x0e:
    case 0x0f:
        push(e, (uintptr_t)hpp__bytes_fixed(&e->bytes, 8));
        return true;
    case 0x08:
        push(e, (uintptr_t)hpp__bytes_fixed(&e->bytes, 1));
        return true;
    case 0x09:
        push(e, (uintptr_t)hpp__bytes_signed(&e->bytes, 1));
        return true;
    case 0x0a:
        push(e, (uintptr_t)hpp__bytes_fixed(&e->bytes, 2));
        return true;
    case 0x0b:
        push(e, (uintptr_t)hpp__bytes_signed(&e->bytes, 2));
        return true;
    case 0x0c:
        push(e, (uintptr_t)hpp__bytes_fixed(&e->bytes, 4));
        return true;
    case 0x0d:
        push(e, (uintptr_t)hpp__bytes_signed(&e->bytes, 4));
        return true;
    case 0x10:
        push(e, (uintptr_t)hpp__bytes_uleb(&e->bytes));
        return true;
    case 0x11:
        push(e, (uintptr_t)hpp__bytes_sleb(&e->bytes));
        return true;
    default:
        return false;
    }
}

static void run_operation(evaluation *e)
{
    unsigned code = (unsigned)hpp__bytes_fixed(&e->bytes, 1);
    if (code >= 0x70 && code <= 0x8f) { /* DW_OP_breg0 and on */
        uintptr_t base = register_value(e, code - 0x70);
        push(e, base + (uintptr_t)hpp__bytes_sleb(&e->bytes));
    } else if (code == 0x92) { /* DW_OP_bregx */
        uintptr_t base = register_value(e, hpp__bytes_uleb(&e->bytes));
        push(e, base + (uintptr_t)hpp__bytes_sleb(&e->bytes));
    } else if (code == 0x2f) { /* DW_OP_skip */
        jump(e, hpp__bytes_signed(&e->bytes, 2));
    } else if (code == 0x28) { /* DW_OP_bra */
        int64_t distance = hpp__bytes_signed(&e->bytes, 2);
        jump(e, pop(e) != 0 ? distance : 0);
    } else if (code != 0x96 && !push_constant(e, code) && !run_stack_operation(e, code)) {
        give_up(e, HPP_CFI_LOST);
    }
}

/* A frame at work: what rules are applied to. */
typedef struct frame {
    const hpp_cfi_registers *registers;
    hpp_cfi_read *read;
    void *context;
    uintptr_t cfa;
} frame;

static hpp_cfi_step evaluate(uintptr_t *out, const frame *f, int64_t place, bool with_cfa)
{
    evaluation e = {.registers = f->registers,
                    .read = f->read,
                    .context = f->context,
                    .outcome = HPP_CFI_UP,
                    .n = with_cfa};
    e.stack[0] = f->cfa;
    /* The place was checked when the row was read: the length and its bytes are there. */
    const uint8_t *at = (const uint8_t *)(uintptr_t)place;
    e.bytes = (hpp_bytes){at, at + 10, false};
    uint64_t length = hpp__bytes_uleb(&e.bytes);
    e.bytes.end = e.bytes.at + length;
    e.begin = e.bytes.at;
    unsigned n_operations = 0;
    while (e.bytes.at < e.bytes.end) {
        if (++n_operations > MAX_OPERATIONS) {
            return HPP_CFI_LOST;
        }
        run_operation(&e);
    }
    if (e.bytes.failed || e.n == 0) {
        give_up(&e, HPP_CFI_LOST);
    }
    *out = e.n > 0 ? e.stack[e.n - 1] : 0;
    return e.outcome;
}

static hpp_cfi_step load(uintptr_t *out, const frame *f, uintptr_t address)
{
    return f->read(out, address, f->context) ? HPP_CFI_UP : HPP_CFI_LOST;
}

static hpp_cfi_step copy_register(uintptr_t *out, const frame *f, uint64_t column)
{
    if (!(f->registers->known >> column & 1)) {
        return HPP_CFI_UNKNOWN;
    }
    *out = f->registers->value[column];
    return HPP_CFI_UP;
}

/* Returns the caller's value of a register. */
static hpp_cfi_step caller_value(uintptr_t *out, const frame *f, const hpp_cfi_row *row,
                                 unsigned column)
{
    int64_t value = row->value[column];
    switch ((hpp_cfi_kind)row->kind[column]) {
    case HPP_CFI_SAME:
        return copy_register(out, f, column);
    case HPP_CFI_AT_CFA:
        return load(out, f, f->cfa + (uintptr_t)value);
    case HPP_CFI_CFA_PLUS:
        *out = f->cfa + (uintptr_t)value;
        return HPP_CFI_UP;
    case HPP_CFI_IN_REGISTER:
        return copy_register(out, f, (uint64_t)value);
    case HPP_CFI_EXPRESSION:
        return evaluate(out, f, value, true);
    case HPP_CFI_AT_EXPRESSION: {
        uintptr_t address;
        hpp_cfi_step outcome = evaluate(&address, f, value, true);
        return outcome == HPP_CFI_UP ? load(out, f, address) : outcome;
    }
    default:
        return HPP_CFI_UNKNOWN;
    }
}

static hpp_cfi_step find_cfa(frame *f, const hpp_cfi_row *row)
{
    if (row->cfa_is_expression) {
        return evaluate(&f->cfa, f, row->cfa_value, false);
    }
    hpp_cfi_step outcome = copy_register(&f->cfa, f, row->cfa_register);
    f->cfa += (uintptr_t)row->cfa_value;
    return outcome;
}

hpp_cfi_step hpp__cfi_step_some(hpp_cfi_registers *registers, const hpp_cfi_row *row,
                                uint64_t wanted, hpp_cfi_read *read, void *context)
{
    frame f = {.registers = registers, .read = read, .context = context};
    if (row->kind[row->return_register] == HPP_CFI_UNDEFINED) {
        return HPP_CFI_TOP;
    }
    hpp_cfi_step outcome = find_cfa(&f, row);
    hpp_cfi_registers caller = {.known = (uint64_t)1 << HPP_CFI_SP | (uint64_t)1 << HPP_CFI_PC};
    if (outcome == HPP_CFI_UP) {
        outcome = caller_value(&caller.value[HPP_CFI_PC], &f, row, row->return_register);
    }
    caller.value[HPP_CFI_PC] = hpp__return_address(caller.value[HPP_CFI_PC]);
    caller.value[HPP_CFI_SP] = f.cfa;
    if (outcome == HPP_CFI_UP && row->kind[HPP_CFI_SP] != HPP_CFI_SAME) {
        outcome = caller_value(&caller.value[HPP_CFI_SP], &f, row, HPP_CFI_SP);
    }
    /* A register that cannot be found may not be needed: after a pop of fp, compilers leave its
     * old rule, which needs fp itself. */
    for (unsigned i = 0; i < HPP_CFI_PC && outcome == HPP_CFI_UP; i++) {
        if (i != HPP_CFI_SP && wanted >> i & 1) {
            bool is_known = caller_value(&caller.value[i], &f, row, i) == HPP_CFI_UP;
            caller.known |= (uint64_t)is_known << i;
        }
    }
    if (outcome == HPP_CFI_UP) {
        *registers = caller;
    }
    return outcome;
}

hpp_cfi_step hpp__cfi_step(hpp_cfi_registers *registers, const hpp_cfi_row *row, hpp_cfi_read *read,
                           void *context)
{
    return hpp__cfi_step_some(registers, row, UINT64_MAX, read, context);
}
