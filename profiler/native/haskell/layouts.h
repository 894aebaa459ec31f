/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How GHC's run-time system lays out its heap, by version. To add a version: a row, from
 * `tests/native/haskell_layouts.py`, and the closure types that are new.
 *
 * Sizes and places are in bytes. What no version has changed is a constant: blocks and their
 * descriptors (rts/storage/Block.h), info tables before code (InfoTables.h), closures (Closures.h).
 */
#ifndef HPP_NATIVE_HASKELL_LAYOUTS_H
#define HPP_NATIVE_HASKELL_LAYOUTS_H

#include <stddef.h>
#include <stdint.h>

/* Memory comes in megablocks, which begin with descriptors of their blocks. */
enum {
    HPP_HASKELL_BLOCK_BYTES = 4096,
    HPP_HASKELL_MEGABLOCK_BYTES = 1 << 20,
    HPP_HASKELL_MEGABLOCK_BLOCKS = 256,
    HPP_HASKELL_FIRST_BLOCK = 4, /* the descriptors take the ones before */
    HPP_HASKELL_DESCRIPTOR_BYTES = 64,
};

/* A descriptor of a group of blocks; those of its other blocks have 0 `n_blocks`. */
typedef struct hpp_haskell_descriptor {
    uint64_t start, free; /* free: UINT64_MAX if the group is not in use */
    uint64_t link, other, generation;
    uint16_t generation_number, destination, node, flags;
    uint32_t n_blocks, unused[3];
} hpp_haskell_descriptor;

enum {
    HPP_HASKELL_IS_EVACUATED = 1,
    HPP_HASKELL_IS_LARGE = 2,
    HPP_HASKELL_IS_PINNED = 4,
    HPP_HASKELL_IS_COMPACT = 512,
    HPP_HASKELL_IS_NONMOVING = 1024,
};

/* What depends on the version, and on whether the run-time system is the threaded one (index 1). */
typedef struct hpp_haskell_layout {
    char version[8];  /* "9.0": all its releases */
    uint16_t n_types; /* of closures */
    uint16_t generation_bytes[2];
    uint16_t generation_threads, generation_weaks, generation_to;
    uint16_t generation_old_blocks[2];
    uint16_t thread_bytes, thread_what_next, thread_block_info, thread_id, thread_capability;
    uint16_t thread_record;
    uint16_t thread_label; /* 0: it has none */
    uint16_t thread_exceptions, thread_queue;
    uint16_t record_chunk_bytes[2]; /* of transactions */
    /* In a capability. */
    uint16_t current_thread, nursery, current_nursery;
    uint16_t binding_bytes; /* of an entry of -finfo-table-map; 0: there are none */
} hpp_haskell_layout;

static const hpp_haskell_layout hpp__haskell_layouts[] = {
    {
        .version = "8.8",
        .n_types = 64,
        .generation_bytes = {232, 384},
        .generation_threads = 104,
        .generation_weaks = 112,
        .generation_to = 120,
        .generation_old_blocks = {152, 304},
        .thread_bytes = 120,
        .thread_what_next = 32,
        .thread_block_info = 40,
        .thread_id = 48,
        .thread_capability = 72,
        .thread_record = 80,
        .thread_label = 0,
        .thread_exceptions = 88,
        .thread_queue = 96,
        .record_chunk_bytes = {408, 536},
        .current_thread = 896,
        .nursery = 904,
        .current_nursery = 912,
        .binding_bytes = 0,
    },
    {
        .version = "9.0",
        .n_types = 64,
        .generation_bytes = {232, 384},
        .generation_threads = 104,
        .generation_weaks = 112,
        .generation_to = 120,
        .generation_old_blocks = {152, 304},
        .thread_bytes = 120,
        .thread_what_next = 32,
        .thread_block_info = 40,
        .thread_id = 48,
        .thread_capability = 72,
        .thread_record = 80,
        .thread_label = 0,
        .thread_exceptions = 88,
        .thread_queue = 96,
        .record_chunk_bytes = {408, 536},
        .current_thread = 896,
        .nursery = 904,
        .current_nursery = 912,
        .binding_bytes = 0,
    },
    {
        .version = "9.6",
        .n_types = 65,
        .generation_bytes = {232, 368},
        .generation_threads = 104,
        .generation_weaks = 112,
        .generation_to = 120,
        .generation_old_blocks = {152, 288},
        .thread_bytes = 128,
        .thread_what_next = 32,
        .thread_block_info = 40,
        .thread_id = 48,
        .thread_capability = 72,
        .thread_record = 80,
        .thread_label = 88,
        .thread_exceptions = 96,
        .thread_queue = 104,
        .record_chunk_bytes = {408, 536},
        .current_thread = 896,
        .nursery = 904,
        .current_nursery = 912,
        .binding_bytes = 40,
    },
    {
        .version = "9.10",
        .n_types = 65,
        .generation_bytes = {232, 368},
        .generation_threads = 104,
        .generation_weaks = 112,
        .generation_to = 120,
        .generation_old_blocks = {152, 288},
        .thread_bytes = 136,
        .thread_what_next = 32,
        .thread_block_info = 48,
        .thread_id = 56,
        .thread_capability = 80,
        .thread_record = 88,
        .thread_label = 96,
        .thread_exceptions = 104,
        .thread_queue = 112,
        .record_chunk_bytes = {408, 536},
        .current_thread = 896,
        .nursery = 904,
        .current_nursery = 912,
        .binding_bytes = 24,
    },
};

/* Types of closures (ClosureTypes.h), with the names that GHC's own profile by type has. */
#define HPP_HASKELL_TYPES(X)                                                                       \
    X(INVALID_OBJECT), X(CONSTR), X(CONSTR_1_0), X(CONSTR_0_1), X(CONSTR_2_0), X(CONSTR_1_1),      \
        X(CONSTR_0_2), X(CONSTR_NOCAF), X(FUN), X(FUN_1_0), X(FUN_0_1), X(FUN_2_0), X(FUN_1_1),    \
        X(FUN_0_2), X(FUN_STATIC), X(THUNK), X(THUNK_1_0), X(THUNK_0_1), X(THUNK_2_0),             \
        X(THUNK_1_1), X(THUNK_0_2), X(THUNK_STATIC), X(THUNK_SELECTOR), X(BCO), X(AP), X(PAP),     \
        X(AP_STACK), X(IND), X(IND_STATIC), X(RET_BCO), X(RET_SMALL), X(RET_BIG), X(RET_FUN),      \
        X(UPDATE_FRAME), X(CATCH_FRAME), X(UNDERFLOW_FRAME), X(STOP_FRAME), X(BLOCKING_QUEUE),     \
        X(BLACKHOLE), X(MVAR_CLEAN), X(MVAR_DIRTY), X(TVAR), X(ARR_WORDS), X(MUT_ARR_PTRS_CLEAN),  \
        X(MUT_ARR_PTRS_DIRTY), X(MUT_ARR_PTRS_FROZEN_DIRTY), X(MUT_ARR_PTRS_FROZEN_CLEAN),         \
        X(MUT_VAR_CLEAN), X(MUT_VAR_DIRTY), X(WEAK), X(PRIM), X(MUT_PRIM), X(TSO), X(STACK),       \
        X(TREC_CHUNK), X(ATOMICALLY_FRAME), X(CATCH_RETRY_FRAME), X(CATCH_STM_FRAME),              \
        X(WHITEHOLE), X(SMALL_MUT_ARR_PTRS_CLEAN), X(SMALL_MUT_ARR_PTRS_DIRTY),                    \
        X(SMALL_MUT_ARR_PTRS_FROZEN_DIRTY), X(SMALL_MUT_ARR_PTRS_FROZEN_CLEAN), X(COMPACT_NFDATA), \
        X(CONTINUATION)

#define HPP_HASKELL_TYPE(name) HPP_HASKELL_##name
typedef enum hpp_haskell_type {
    HPP_HASKELL_TYPES(HPP_HASKELL_TYPE),
    HPP_HASKELL_N_TYPES
} hpp_haskell_type;
#undef HPP_HASKELL_TYPE

#endif
