/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs the instructions that build the rows of an entry's table one from another, up to the row of
 * a pc. DWARF 5, section 6.4.2; LSB 5 for GNU's.
 */
#include "cfi_entry.h"

/* States that DW_CFA_remember_state keeps. Compilers nest it once or twice. */
enum { MAX_REMEMBERED = 4 };

typedef struct machine {
    const hpp_cfi_entry *entry;
    uintptr_t pc;     /* that is looked for */
    uintptr_t header; /* of the tables */
    hpp_bytes bytes;
    hpp_cfi_row *row;
    const hpp_cfi_row *first_row; /* the result of the CIE; NULL while it runs */
    unsigned n_remembered;
    hpp_cfi_row remembered[MAX_REMEMBERED];
} machine;

static void fail(machine *m)
{
    hpp__bytes_fail(&m->bytes);
}

/* Registers that have no column here, such as vector registers, lead to no frame. */
static void set_rule(machine *m, uint64_t column, hpp_cfi_kind kind, int64_t value)
{
    if (column < HPP_CFI_N_REGISTERS) {
        m->row->kind[column] = (uint8_t)kind;
        m->row->value[column] = value;
    }
}

static void restore(machine *m, uint64_t column)
{
    if (!m->first_row) {
        fail(m);
    } else if (column < HPP_CFI_N_REGISTERS) {
        m->row->kind[column] = m->first_row->kind[column];
        m->row->value[column] = m->first_row->value[column];
    }
}

static void set_cfa_register(machine *m, uint64_t column)
{
    if (column >= HPP_CFI_N_REGISTERS) {
        fail(m);
        return;
    }
    m->row->cfa_is_expression = false;
    m->row->cfa_register = (uint8_t)column;
}

static void set_cfa_offset(machine *m, int64_t offset)
{
    if (m->row->cfa_is_expression) {
        fail(m);
    }
    m->row->cfa_value = offset;
}

/* Skips an expression and returns its place. */
static int64_t expression(machine *m)
{
    const uint8_t *place = m->bytes.at;
    hpp__bytes_skip(&m->bytes, hpp__bytes_uleb(&m->bytes));
    return (int64_t)(uintptr_t)place;
}

static int64_t factored(machine *m)
{
    return (int64_t)(hpp__bytes_uleb(&m->bytes) * (uint64_t)m->entry->data_factor);
}

static int64_t factored_signed(machine *m)
{
    return (int64_t)((uint64_t)hpp__bytes_sleb(&m->bytes) * (uint64_t)m->entry->data_factor);
}

static void remember(machine *m)
{
    if (m->n_remembered == MAX_REMEMBERED) {
        fail(m);
    } else {
        m->remembered[m->n_remembered++] = *m->row;
    }
}

static void recall(machine *m)
{
    if (m->n_remembered == 0) {
        fail(m);
        return;
    }
    uintptr_t begin = m->row->begin;
    *m->row = m->remembered[--m->n_remembered];
    m->row->begin = begin;
}

/* Begins the next row at `pc`. Returns false if the row before is the wanted one. */
static bool advance_to(machine *m, uintptr_t pc)
{
    if (pc > m->pc) {
        m->row->end = pc;
        return false;
    }
    m->row->begin = pc;
    return true;
}

static bool advance(machine *m, uint64_t delta)
{
    return advance_to(m, m->row->begin + (uintptr_t)(delta * m->entry->code_factor));
}

/* DW_CFA_set_loc */
static bool set_place(machine *m)
{
    uintptr_t pc = hpp__cfi_pointer(&m->bytes, m->entry->pointer_encoding, m->header);
    if (pc < m->row->begin) {
        fail(m);
        return true;
    }
    return advance_to(m, pc);
}

/* Instructions about the frame address. False: not one of those. */
static bool run_cfa_instruction(machine *m, unsigned code)
{
    switch (code) {
    case 0x0c: /* DW_CFA_def_cfa */
        set_cfa_register(m, hpp__bytes_uleb(&m->bytes));
        set_cfa_offset(m, (int64_t)hpp__bytes_uleb(&m->bytes));
        return true;
    case 0x0d: /* DW_CFA_def_cfa_register */
        if (m->row->cfa_is_expression) {
            fail(m);
        }
        set_cfa_register(m, hpp__bytes_uleb(&m->bytes));
        return true;
    case 0x0e: /* DW_CFA_def_cfa_offset */
        set_cfa_offset(m, (int64_t)hpp__bytes_uleb(&m->bytes));
        return true;
    case 0x0f: /* DW_CFA_def_cfa_expression */
        m->row->cfa_is_expression = true;
        m->row->cfa_value = expression(m);
        return true;
    case 0x12: /* DW_CFA_def_cfa_sf */
        set_cfa_register(m, hpp__bytes_uleb(&m->bytes));
        set_cfa_offset(m, factored_signed(m));
        return true;
    case 0x13: /* DW_CFA_def_cfa_offset_sf */
        set_cfa_offset(m, factored_signed(m));
        return true;
    default:
        return false;
    }
}

/* Runs an instruction whose first operand is a register. */
static void run_register_instruction(machine *m, unsigned code)
{
    uint64_t column = hpp__bytes_uleb(&m->bytes);
    switch (code) {
    case 0x05: /* DW_CFA_offset_extended */
        set_rule(m, column, HPP_CFI_AT_CFA, factored(m));
        break;
    case 0x06: /* DW_CFA_restore_extended */
        restore(m, column);
        break;
    case 0x07:
        set_rule(m, column, HPP_CFI_UNDEFINED, 0);
        break;
    case 0x08:
        set_rule(m, column, HPP_CFI_SAME, 0);
        break;
    case 0x09: { /* DW_CFA_register */
        uint64_t other = hpp__bytes_uleb(&m->bytes);
        set_rule(m, column, other < HPP_CFI_N_REGISTERS ? HPP_CFI_IN_REGISTER : HPP_CFI_UNDEFINED,
                 (int64_t)other);
        break;
    }
    case 0x10: /* DW_CFA_expression */
        set_rule(m, column, HPP_CFI_AT_EXPRESSION, expression(m));
        break;
    case 0x11: /* DW_CFA_offset_extended_sf */
        set_rule(m, column, HPP_CFI_AT_CFA, factored_signed(m));
        break;
    case 0x14: /* DW_CFA_val_offset */
        set_rule(m, column, HPP_CFI_CFA_PLUS, factored(m));
        break;
    case 0x15: /* DW_CFA_val_offset_sf */
        set_rule(m, column, HPP_CFI_CFA_PLUS, factored_signed(m));
        break;
    case 0x16: /* DW_CFA_val_expression */
        set_rule(m, column, HPP_CFI_EXPRESSION, expression(m));
        break;
    case 0x2f: /* DW_CFA_GNU_negative_offset_extended */
        set_rule(m, column, HPP_CFI_AT_CFA, (int64_t)(0 - (uint64_t)factored(m)));
        break;
    default:
        fail(m);
        break;
    }
}

/* Runs an instruction without an operand in its code. Returns false if the wanted row is complete.
 */
static bool run_extended(machine *m, unsigned code)
{
    switch (code) {
    case 0x00: /* DW_CFA_nop */
        return true;
    case 0x01:
        return set_place(m);
    case 0x02: /* DW_CFA_advance_loc1 and on */
        return advance(m, hpp__bytes_fixed(&m->bytes, 1));
    case 0x03:
        return advance(m, hpp__bytes_fixed(&m->bytes, 2));
    case 0x04:
        return advance(m, hpp__bytes_fixed(&m->bytes, 4));
    case 0x1d: /* DW_CFA_MIPS_advance_loc8 */
        return advance(m, hpp__bytes_fixed(&m->bytes, 8));
    case 0x0a:
        remember(m);
        return true;
    case 0x0b:
        recall(m);
        return true;
    case 0x2d: /* DW_CFA_AARCH64_negate_ra_state: see hpp__return_address */
        return true;
    case 0x2e: /* DW_CFA_GNU_args_size: matters to handlers of exceptions only */
        hpp__bytes_uleb(&m->bytes);
        return true;
    default:
        if (!run_cfa_instruction(m, code)) {
            run_register_instruction(m, code);
        }
        return true;
    }
}

static bool run_instruction(machine *m)
{
    unsigned code = (unsigned)hpp__bytes_fixed(&m->bytes, 1);
    switch (code >> 6) {
    case 1: /* DW_CFA_advance_loc */
        return advance(m, code & 0x3f);
    case 2: /* DW_CFA_offset */
        set_rule(m, code & 0x3f, HPP_CFI_AT_CFA, factored(m));
        return true;
    case 3: /* DW_CFA_restore */
        restore(m, code & 0x3f);
        return true;
    default:
        return run_extended(m, code);
    }
}

/* Runs a program. Returns false if it is invalid. */
static bool run(machine *m, hpp_bytes program)
{
    m->bytes = program;
    while (m->bytes.at < m->bytes.end && run_instruction(m)) {
    }
    return !m->bytes.failed;
}

hpp_cfi_found hpp__cfi_row(hpp_cfi_row *out, const hpp_cfi_tables *tables, uintptr_t pc)
{
    hpp_cfi_entry entry;
    hpp_cfi_found found = hpp__cfi_entry_find(&entry, tables, pc);
    if (found != HPP_CFI_FOUND) {
        return found;
    }
    *out = (hpp_cfi_row){.is_signal = entry.is_signal,
                         .return_register = entry.return_register,
                         .cfa_register = HPP_CFI_SP,
                         .begin = entry.begin,
                         .end = entry.end};
    machine m = {.entry = &entry, .pc = pc, .header = tables->header, .row = out};
    if (!run(&m, entry.first_program)) {
        return HPP_CFI_BROKEN;
    }
    hpp_cfi_row first_row = *out;
    m.first_row = &first_row;
    m.n_remembered = 0;
    out->end = entry.end;
    return run(&m, entry.program) ? HPP_CFI_FOUND : HPP_CFI_BROKEN;
}
