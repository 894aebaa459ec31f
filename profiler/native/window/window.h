/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The window: the memory that a profiled program and the collector share. The program counts in it,
 * the collector reads it; neither ever waits for the other, and what the program has counted
 * outlives it, however it ends.
 *
 * It is a sealed memfd that the program makes and hands to the collector: nobody can shorten it
 * under the reader, it has no name to clean up, and no limit of /dev/shm. It is sparse: its size is
 * the most that it can ever take, and only pages that were written to exist.
 *
 *   page 0             hpp_window_head
 *   directories        fixed places, below: for each table, the first page of each of its chunks
 *   the rest           chunks, handed out page by page from `used_bytes`, never given back
 *
 * Four tables grow chunk by chunk, so that an index never moves:
 *   nodes     the trie of call stacks: a node is a return address below the node of its caller
 *   sites     what costs are counted for: a node (the allocating call) and the call used
 *   slots     one per living thread; a slot that a thread has left serves another
 *   modules   what was mapped where, as nodes name it
 *
 * The counters of a site are cells, one per slot that touched it; only the thread that holds the
 * slot writes them. A site costs the sum of its cells over all slots. All counters only grow, so
 * that live bytes = allocated - freed, in any order of reading, once the program rests.
 *
 * Publication: nothing waits, so indices are handed out by counting and filled in any order. The
 * counts of nodes, sites and modules say how many were handed out; a record is complete before what
 * leads to it is stored with release, and the reader comes from there: cell -> site -> node ->
 * parent and module. A site from HPP_FIRST_SITE on whose node is still 0 is not complete yet, and
 * costs nothing yet. Some indices are never filled, or never referred to. Chunks and pages are
 * there before the directory entry that names them. The reader trusts nothing: every index is
 * loaded once and checked.
 *
 * All numbers are in the machine's byte order; both ends run on one machine.
 */
#ifndef HPP_NATIVE_WINDOW_H
#define HPP_NATIVE_WINDOW_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define HPP_WINDOW_MAGIC   "CENSUSW1"
#define HPP_WINDOW_VERSION 2u

enum {
    HPP_WINDOW_PAGE_BYTES = 4096,

    HPP_NODES_PER_CHUNK = 4096, /* 64 KiB */
    HPP_MAX_NODE_CHUNKS = 8192,
    HPP_SITES_PER_CHUNK = 8192, /* 64 KiB */
    HPP_MAX_SITE_CHUNKS = 512,
    HPP_CELLS_PER_CHUNK = 128, /* 4 KiB */
    HPP_MAX_SITES = HPP_SITES_PER_CHUNK * HPP_MAX_SITE_CHUNKS,
    HPP_MAX_CELL_CHUNKS = HPP_MAX_SITES / HPP_CELLS_PER_CHUNK,
    HPP_MAX_SLOTS = 16384,
    HPP_MODULES_PER_CHUNK = 4, /* 4 KiB */
    HPP_MAX_MODULE_CHUNKS = 4096,
    HPP_MAX_MODULES = HPP_MODULES_PER_CHUNK * HPP_MAX_MODULE_CHUNKS,
    HPP_MAX_MARKS = 4096,
};

/* How a block came to be: the call used (-hT). */
typedef enum hpp_call {
    HPP_CALL_MALLOC,
    HPP_CALL_CALLOC,
    HPP_CALL_REALLOC,
    HPP_CALL_ALIGNED,   /* memalign, posix_memalign, aligned_alloc, valloc, pvalloc */
    HPP_CALL_NEW,       /* operator new of an allocator that does not go through malloc */
    HPP_CALL_NEW_ARRAY, /* operator new[], the same */
    HPP_CALL_POOL,      /* reported by a pool (hpprof/native.h) */
    HPP_CALL_TICK,      /* no block: `allocations` counts ticks of processor time (-p) */
    HPP_N_CALLS
} hpp_call;

/* Node 0 is the root, above the outermost frame of every thread. */
typedef struct hpp_window_node {
    uint64_t address;      /* return address, or the interrupted address of a signal frame */
    uint32_t parent;       /* node of the caller; less than the own index */
    uint16_t module_index; /* plus 1; 0: in no known module (generated code) */
    uint16_t flags;        /* HPP_NODE_ values */
} hpp_window_node;

enum {
    HPP_NODE_EXACT = 1u << 0,   /* `address` is that of an instruction, not behind a call */
    HPP_NODE_GUESSED = 1u << 1, /* found by frame pointer: no unwind information there */
    HPP_NODE_CUT = 1u << 2,     /* callers further out could not be found */
};

typedef struct hpp_window_site {
    uint32_t node;
    uint32_t call; /* hpp_call */
} hpp_window_site;

/* Sites that exist from the start, all with node 0. */
enum {
    HPP_SITE_NONE = 0,      /* no site: never counted */
    HPP_SITE_UNKNOWN = 1,   /* the stack could not be kept: window full, limit reached */
    HPP_SITE_INHERITED = 2, /* blocks of which a forked child knows no more than that */
    HPP_FIRST_SITE = 3
};

/* Counters of one site in one slot. */
typedef struct hpp_window_cell {
    _Atomic uint64_t allocations, allocated_bytes;
    _Atomic uint64_t frees, freed_bytes;
} hpp_window_cell;

typedef enum hpp_slot_state {
    HPP_SLOT_FREE,
    HPP_SLOT_LIVE,
    HPP_SLOT_LEFT, /* its thread is ending, and may still count */
} hpp_slot_state;

/* A slot begins a run of pages: this page, then the directory of its cells. */
typedef struct hpp_window_slot {
    _Atomic uint32_t state; /* hpp_slot_state */
    _Atomic uint32_t thread_id;
    _Atomic uint64_t n_threads; /* that have held the slot */
    char padding[HPP_WINDOW_PAGE_BYTES - 16];
    _Atomic uint32_t cell_pages[HPP_MAX_CELL_CHUNKS]; /* page of 128 cells, or 0 */
} hpp_window_slot;

/* A loaded object. A place that is mapped anew has a new module. */
typedef struct hpp_window_module {
    uint64_t begin, end; /* addresses, end behind the last */
    uint64_t bias;       /* address = bias + address in the file's own terms (l_addr) */
    uint32_t n_build_id;
    uint8_t build_id[36];
    char path[960]; /* absolute, terminated, cut */
} hpp_window_module;

typedef struct hpp_window_mark {
    _Atomic uint64_t time_ns; /* CLOCK_MONOTONIC; 0: not complete yet. Stored last */
    char text[120];           /* terminated, cut */
} hpp_window_mark;

/* How far the program has come. */
typedef enum hpp_window_state {
    HPP_WINDOW_LIVE = 1,
    HPP_WINDOW_EXITED = 2, /* went through exit or returned from main */
} hpp_window_state;

/* What the collector asks of the program. */
enum {
    HPP_CONTROL_NO_NEW_STACKS = 1u << 0, /* the memory limit is near: new stacks are UNKNOWN */
    HPP_CONTROL_NO_NEW_BLOCKS = 1u << 1, /* it is passed: new blocks are not counted */
};

typedef struct hpp_window_head {
    char magic[8];
    uint32_t version;
    uint32_t cell_bytes;
    uint64_t size_bytes;
    _Atomic uint64_t used_bytes; /* a whole number of pages */
    uint32_t process_id, parent_id;
    uint64_t start_ns;        /* CLOCK_MONOTONIC when the window was made */
    uint64_t parent_key;      /* `key` of the window that this one was forked from, or 0 */
    uint64_t key;             /* tells this window from all others: pid << 32 | low bits of time */
    _Atomic uint32_t state;   /* hpp_window_state */
    _Atomic uint32_t control; /* HPP_CONTROL_ values, written by the collector */
    _Atomic uint32_t n_nodes, n_sites, n_slots, n_modules, n_marks;
    uint32_t tick_us; /* of processor time per tick, or 0 */

    /* The program's private memory that blocks are kept in, for the memory guard: each leaf is
     * `leaf_bytes` of address space at these addresses. */
    uint64_t leaf_bytes;
    _Atomic uint32_t n_leaves;
    _Atomic uint32_t n_leaf_pages; /* page of the list of leaf addresses (uint64_t), or 0 */

    /* What went wrong. */
    _Atomic uint64_t n_lost_stacks;   /* allocations counted for HPP_SITE_UNKNOWN */
    _Atomic uint64_t n_uncounted;     /* blocks that were not counted, */
    _Atomic uint64_t uncounted_bytes; /*   and their bytes when they were made */
    _Atomic uint64_t n_missed_frees;  /* blocks that went by a way the library does not see */
    _Atomic uint64_t n_cut_stacks;    /* unwinds that ended in a node with HPP_NODE_CUT */

    /* Unwinding, for curious people and tests. */
    _Atomic uint64_t n_unwinds;         /* stacks that no memo knew */
    _Atomic uint64_t n_frames;          /* and the frames walked for them */
    _Atomic uint64_t n_checked;         /* --verify-stacks: stacks compared */
    _Atomic uint64_t n_memo_mismatches; /* with a fresh unwind */
    _Atomic uint64_t n_peer_mismatches; /* with glibc's backtrace, */
    _Atomic uint64_t n_peer_cut;        /*   but for those that it provably cut */

    char command[1024]; /* words of the command line, each terminated, ends with an empty one */
} hpp_window_head;

/* Fixed places behind the head. Directories hold page numbers; 0: no such chunk. */
typedef struct hpp_window {
    union {
        hpp_window_head head;
        char head_page[HPP_WINDOW_PAGE_BYTES];
    };
    _Atomic uint32_t node_pages[HPP_MAX_NODE_CHUNKS];
    _Atomic uint32_t site_pages[HPP_MAX_SITE_CHUNKS];
    _Atomic uint32_t slot_pages[HPP_MAX_SLOTS];
    _Atomic uint32_t module_pages[HPP_MAX_MODULE_CHUNKS];
    char padding[HPP_WINDOW_PAGE_BYTES - HPP_MAX_SITE_CHUNKS * 4 % HPP_WINDOW_PAGE_BYTES];
    hpp_window_mark marks[HPP_MAX_MARKS];
} hpp_window;

_Static_assert(sizeof(hpp_window_node) == 16, "64 KiB chunks of nodes");
_Static_assert(sizeof(hpp_window_site) == 8, "64 KiB chunks of sites");
_Static_assert(sizeof(hpp_window_cell) == 32, "4 KiB chunks of cells");
_Static_assert(sizeof(hpp_window_module) == 1024, "4 KiB chunks of modules");
_Static_assert(sizeof(hpp_window_mark) == 128, "");
_Static_assert(sizeof(hpp_window_head) <= HPP_WINDOW_PAGE_BYTES, "one page");
_Static_assert(sizeof(hpp_window) % HPP_WINDOW_PAGE_BYTES == 0, "whole pages");

/* ---- how the program finds the collector
 * ---------------------------------------------------------
 *
 * The variable CENSUS_RUN in the program's environment holds words separated by commas:
 *
 *   socket=NAME     abstract unix stream socket (without the leading NUL) where windows are handed
 *                   in; NAME ends with 32 random hexadecimal digits, which are the secret
 *   root=PID        the process that `census run` started
 *   children=0|1    whether other processes than the root make windows
 *   window=BYTES    size of a window
 *   tick=US         microseconds of processor time per tick, 0 for none
 *   verify=N        compare one stack in N with fresh unwinds, 0 for none
 *
 * A program that makes a window connects, sends hpp_window_hello with the memfd as SCM_RIGHTS, and
 * closes; it waits for no answer. `census mark` connects and sends a hello with a text instead. */
#define HPP_WINDOW_VARIABLE "CENSUS_RUN"

typedef enum hpp_hello_kind { HPP_HELLO_WINDOW = 1, HPP_HELLO_MARK = 2 } hpp_hello_kind;

typedef struct hpp_window_hello {
    char magic[8];
    uint32_t kind; /* hpp_hello_kind */
    uint32_t process_id;
    char text[120]; /* of a mark: terminated */
} hpp_window_hello;

#endif
