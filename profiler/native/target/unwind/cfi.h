/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the unwind tables of one object: finds the row of a pc, which gives the caller's frame and
 * registers.
 *
 * The tables belong to a loaded object, in memory. They must be readable within the given spans;
 * otherwise they are untrusted. Sources: LSB 5, "Exception Frames" (.eh_frame, .eh_frame_hdr);
 * DWARF 5, section 6.4 (call frame information).
 *
 * Threads: pure functions.
 */
#ifndef HPP_NATIVE_TARGET_UNWIND_CFI_H
#define HPP_NATIVE_TARGET_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "native/machine/machine.h"

/* Readable memory. */
typedef struct hpp_cfi_span {
    uintptr_t low, end;
} hpp_cfi_span;

enum { HPP_CFI_MAX_SPANS = 8 };

typedef struct hpp_cfi_tables {
    uintptr_t header; /* .eh_frame_hdr; 0: the object has none */
    uint32_t n_spans;
    hpp_cfi_span spans[HPP_CFI_MAX_SPANS]; /* the object's segments */
} hpp_cfi_tables;

/* How to find the caller's value of a register. */
typedef enum hpp_cfi_kind {
    HPP_CFI_SAME,          /* it still has it */
    HPP_CFI_UNDEFINED,     /* lost */
    HPP_CFI_AT_CFA,        /* saved at CFA + value */
    HPP_CFI_CFA_PLUS,      /* it is CFA + value */
    HPP_CFI_IN_REGISTER,   /* in register `value` */
    HPP_CFI_AT_EXPRESSION, /* saved at the address that the expression computes; `value` is the
                              expression's address */
    HPP_CFI_EXPRESSION,    /* it is the value of the expression */
} hpp_cfi_kind;

/* An expression's address is where its length is (ULEB128), followed by its bytes; it is within a
 * span. */
typedef struct hpp_cfi_row {
    bool is_signal;                    /* the frame of a signal handler's return */
    bool cfa_is_expression;            /* else CFA = register + value */
    uint8_t cfa_register;              /* < HPP_CFI_N_REGISTERS */
    uint8_t return_register;           /* column of the return address, the same */
    int64_t cfa_value;                 /* or the expression's address */
    uintptr_t begin, end;              /* pcs that the row covers */
    uint8_t kind[HPP_CFI_N_REGISTERS]; /* hpp_cfi_kind */
    int64_t value[HPP_CFI_N_REGISTERS];
} hpp_cfi_row;

typedef enum hpp_cfi_found {
    HPP_CFI_FOUND,
    HPP_CFI_NONE,   /* no table covers the pc */
    HPP_CFI_BROKEN, /* the table is invalid, or uses a feature that is not supported */
} hpp_cfi_found;

/* Finds the row for the instruction at `pc`. For a return address, pass the byte before. */
hpp_cfi_found hpp__cfi_row(hpp_cfi_row *out, const hpp_cfi_tables *tables, uintptr_t pc);

/* The known registers of a frame. */
typedef struct hpp_cfi_registers {
    uintptr_t value[HPP_CFI_N_REGISTERS];
    uint64_t known; /* bit set */
} hpp_cfi_registers;

/* Reads a word of the program's memory. Returns false if it is not mapped. */
typedef bool hpp_cfi_read(uintptr_t *out, uintptr_t address, void *context);

typedef enum hpp_cfi_step {
    HPP_CFI_UP,      /* the registers are now the caller's */
    HPP_CFI_TOP,     /* the row has no caller */
    HPP_CFI_UNKNOWN, /* needs a register with an unknown value */
    HPP_CFI_LOST,    /* a word is not mapped, or an expression is invalid */
} hpp_cfi_step;

/* Goes up one frame. Changes `registers` only if the result is HPP_CFI_UP. */
hpp_cfi_step hpp__cfi_step(hpp_cfi_registers *registers, const hpp_cfi_row *row, hpp_cfi_read *read,
                           void *context);

/* Goes up one frame, but computes only the registers of the set `wanted`, the stack pointer and the
 * return address; the others become unknown. */
hpp_cfi_step hpp__cfi_step_some(hpp_cfi_registers *registers, const hpp_cfi_row *row,
                                uint64_t wanted, hpp_cfi_read *read, void *context);

#endif
