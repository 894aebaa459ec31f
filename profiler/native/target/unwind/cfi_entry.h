/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the entry of .eh_frame that covers a pc: the description of one function (FDE), with the
 * part that it shares with others (CIE).
 */
#ifndef HPP_NATIVE_TARGET_UNWIND_CFI_ENTRY_H
#define HPP_NATIVE_TARGET_UNWIND_CFI_ENTRY_H

#include "bytes.h"
#include "cfi.h"

typedef struct hpp_cfi_entry {
    uintptr_t begin, end; /* pcs of the function */
    uint64_t code_factor;
    int64_t data_factor;
    uint8_t return_register;
    uint8_t pointer_encoding; /* DW_EH_PE_ value of addresses in the programs */
    bool is_signal;
    hpp_bytes first_program; /* instructions of the CIE, */
    hpp_bytes program;       /*   and of the FDE */
    uintptr_t next;          /* address of the entry behind it */
} hpp_cfi_entry;

hpp_cfi_found hpp__cfi_entry_find(hpp_cfi_entry *out, const hpp_cfi_tables *tables, uintptr_t pc);

/* Finds the part of a function that its compiler has put elsewhere, as it does with code that it
 * takes for seldom run: its entry is behind the function's, and begins with a frame. Returns false
 * if there is none. */
bool hpp__cfi_entry_other_part(hpp_cfi_entry *out, const hpp_cfi_tables *tables,
                               const hpp_cfi_entry *function);

/* Reads an address in one of the DW_EH_PE_ encodings, without following indirect ones. `data_base`
 * is the base of DW_EH_PE_datarel. */
uintptr_t hpp__cfi_pointer(hpp_bytes *bytes, uint8_t encoding, uintptr_t data_base);

#endif
