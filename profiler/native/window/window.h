/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The window: the memory that a profiled program shares with the collector. The program counts in
 * it, the collector reads it. Neither waits for the other, and the counts survive the program,
 * however it ends.
 *
 * It is a sealed memfd that the program creates and sends to the collector: it cannot be shortened
 * under the reader, has no name to clean up, and does not count against /dev/shm. It is sparse: its
 * size is an upper bound, and only pages that were written exist.
 *
 *   page 0             hpp_window_head
 *   directories        for each table, the first page of each of its chunks
 *   the rest           chunks, allocated page by page from `used_bytes`, never freed
 *
 * Eight tables grow chunk by chunk, so that an index never moves:
 *   nodes     the trie of call stacks: a node is a return address below the node of its caller
 *   sites     what counters are for: a node (the allocating call) and the call used
 *   slots     one per live thread; reused after the thread has ended
 *   modules   object files and their addresses
 *   codes     functions of Python programs: what nodes of Python frames are in
 *   lives     what the blocks of a site add to each phase of its biography, by era
 *   deaths    the last uses of watched blocks that were freed; records are used again
 *   watched   places of sampled blocks, where the collector looks for uses
 *
 * The counters of a site are cells, one per slot that used it; only the thread of the slot writes
 * them. The cost of a site is the sum of its cells over all slots. Counters only grow, so live
 * bytes = allocated - freed in any order of reading, while the program does not run.
 *
 * When the heap is about to shrink from a new maximum, the program counts it as a peak. A cell
 * keeps what it had at the last peak when it changes for the first time after it, so that the peak
 * is not lost between two samples (peak.h).
 *
 * Publication: there are no locks. An index is taken by incrementing a count, and its record is
 * filled later, in any order. A record is complete before a reference to it is stored with release,
 * and the reader follows references: cell -> site -> node -> parent and module. A site from
 * HPP_FIRST_SITE on whose node is 0 is not complete yet and has no costs yet. Some indices are
 * never filled, or never referenced. Chunks and pages exist before the directory entry that refers
 * to them. The reader loads every index once and checks it.
 *
 * All numbers are in the machine's byte order.
 */
#ifndef HPP_NATIVE_WINDOW_WINDOW_H
#define HPP_NATIVE_WINDOW_WINDOW_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define HPP_WINDOW_MAGIC   "CENSUSW1"
#define HPP_WINDOW_VERSION 19u

enum {
    HPP_WINDOW_PAGE_BYTES = 4096,

    HPP_NODES_PER_CHUNK = 4096, /* 64 KiB */
    HPP_MAX_NODE_CHUNKS = 8192,
    HPP_SITES_PER_CHUNK = 8192, /* 64 KiB */
    HPP_MAX_SITE_CHUNKS = 512,
    HPP_CELLS_PER_CHUNK = 128,
    HPP_CELL_CHUNK_PAGES = 2,
    HPP_MAX_SITES = HPP_SITES_PER_CHUNK * HPP_MAX_SITE_CHUNKS,
    HPP_MAX_CELL_CHUNKS = HPP_MAX_SITES / HPP_CELLS_PER_CHUNK,
    HPP_MAX_SLOTS = 16384,
    HPP_THREADS_PER_PART = 64,
    HPP_MAX_THREAD_PARTS = HPP_MAX_SLOTS / HPP_THREADS_PER_PART,
    HPP_MODULES_PER_CHUNK = 4, /* 4 KiB */
    HPP_MAX_MODULE_CHUNKS = 4096,
    HPP_MAX_MODULES = HPP_MODULES_PER_CHUNK * HPP_MAX_MODULE_CHUNKS,
    HPP_MAX_MARKS = 4096,
    HPP_MAX_THREAD_EVENTS = 4096,
    HPP_MAX_THROWS = 1024,
    HPP_LIVES_PER_CHUNK = 8192, /* 320 KiB */
    HPP_MAX_LIFE_CHUNKS = 4096,
    HPP_MAX_LIVES = HPP_LIVES_PER_CHUNK * HPP_MAX_LIFE_CHUNKS,
    HPP_MAX_SCOPES = 4096,
    HPP_DEATHS_PER_CHUNK = 8192, /* 192 KiB */
    HPP_MAX_DEATH_CHUNKS = 128,
    HPP_MAX_DEATHS = HPP_DEATHS_PER_CHUNK * HPP_MAX_DEATH_CHUNKS,
    HPP_CODES_PER_CHUNK = 256, /* 64 KiB */
    HPP_MAX_CODE_CHUNKS = 4096,
    HPP_MAX_CODES = HPP_CODES_PER_CHUNK * HPP_MAX_CODE_CHUNKS,
    HPP_CODE_TEXT_BYTES = 244,
    HPP_WATCHED_PER_CHUNK = 2048, /* 64 KiB */
    HPP_MAX_WATCHED_CHUNKS = 512,
    HPP_MAX_WATCHED = HPP_WATCHED_PER_CHUNK * HPP_MAX_WATCHED_CHUNKS,
    HPP_MAX_PROBES = 16,
};

/* The call that allocated a block (-hT). */
typedef enum hpp_call {
    HPP_CALL_MALLOC,
    HPP_CALL_CALLOC,
    HPP_CALL_REALLOC,
    HPP_CALL_ALIGNED,       /* memalign, posix_memalign, aligned_alloc, valloc, pvalloc */
    HPP_CALL_NEW,           /* operator new of an allocator that does not go through malloc */
    HPP_CALL_NEW_ARRAY,     /* operator new[], the same */
    HPP_CALL_POOL,          /* reported by a pool (hpprof/native.h) */
    HPP_CALL_PYTHON_MEMORY, /* PyMem_Malloc and its family */
    HPP_CALL_PYTHON_OBJECT, /* PyObject_Malloc and its family */
    HPP_CALL_MMAP,          /* mapped by the program itself (preload/maps.h) */
    HPP_CALL_TICK,          /* no block: `allocations` counts ticks of processor time (-p) */
    HPP_CALL_ENTRY,         /* no block: `allocations` counts entries of a function (census cc) */
    HPP_CALL_THROW,         /* no block, no counters: where C++ exceptions are thrown (-xc) */
    HPP_N_CALLS
} hpp_call;

static inline int hpp_call_is_block(uint32_t call)
{
    return call != HPP_CALL_TICK && call != HPP_CALL_ENTRY && call != HPP_CALL_THROW;
}

/* Added to the call of a site for blocks that a forked child has inherited. They are live there,
 * and their creation counts in the parent. */
enum { HPP_CALL_INHERITED = 1u << 8 };

/* Added to the call of a site for samples of blocks (--rate), times the level of their mean: they
 * were drawn with the first mean, doubled that many times. */
enum {
    HPP_CALL_KIND = HPP_CALL_INHERITED - 1, /* the hpp_call */
    HPP_CALL_RATE_SHIFT = 9,
    HPP_CALL_RATE = 1u << HPP_CALL_RATE_SHIFT,
    HPP_MAX_RATE_LEVEL = 15,
};

/* Node 0 is the root, above the outermost frame of every thread. A function is on a stack once
 * (unwind/recursion.h). */
typedef struct hpp_window_node {
    uint64_t address;      /* return address, or the interrupted address of a signal frame */
    uint32_t parent;       /* node of the caller; less than the own index */
    uint16_t module_index; /* plus 1; 0: in no known module (generated code) */
    uint16_t flags;        /* HPP_NODE_ values */
} hpp_window_node;

enum {
    HPP_NODE_EXACT = 1u << 0,   /* `address` is an instruction's, not a return address */
    HPP_NODE_GUESSED = 1u << 1, /* found by frame pointer, without unwind information */
    HPP_NODE_AGAIN = 1u << 2, /* one of the innermost frames; its function is on the stack before */
    /* Of programs that `census cc` compiled: */
    HPP_NODE_ENTRY = 1u << 3,  /* `address` is a function that reported its entry */
    HPP_NODE_SCOPE = 1u << 4,  /* `address` is the number of a scope, from 1 */
    HPP_NODE_INSIDE = 1u << 5, /* in the frame of the function of the nearest ENTRY or SCOPE */
    /* A frame of Python: `address` is the number of its code, from 1, and below it 32 bits for the
     * line. Native frames below it are between that frame and the allocation. */
    HPP_NODE_PYTHON = 1u << 6,
};

typedef struct hpp_window_site {
    uint32_t node;
    uint32_t call; /* hpp_call, with HPP_CALL_INHERITED and a level of HPP_CALL_RATE */
} hpp_window_site;

/* Sites that exist from the start, all with node 0. */
enum {
    HPP_SITE_NONE = 0,      /* no site: never counted */
    HPP_SITE_UNKNOWN = 1,   /* the stack is unknown: window full, limit reached */
    HPP_SITE_INHERITED = 2, /* blocks that existed before, without their stacks */
    HPP_FIRST_SITE = 3
};

/* Counters of one site in one slot. Inherited blocks are negative frees. What was live at peak
 * `peak` is kept; if that is not the last one, nothing has changed since the last one. */
typedef struct hpp_window_cell {
    _Atomic uint64_t allocations, allocated_bytes;
    _Atomic uint64_t frees, freed_bytes;
    _Atomic int64_t peak_blocks, peak_bytes;
    _Atomic uint64_t peak; /* stored last */
    uint64_t padding;
} hpp_window_cell;

typedef enum hpp_slot_state {
    HPP_SLOT_FREE,
    HPP_SLOT_LIVE,
    HPP_SLOT_LEFT, /* its thread is ending, but may still count */
} hpp_slot_state;

/* A slot: this page, then the directory of its cells. */
typedef struct hpp_window_slot {
    _Atomic uint32_t state; /* hpp_slot_state */
    _Atomic uint32_t thread_id;
    _Atomic uint64_t n_threads; /* that have held the slot */
    char padding[HPP_WINDOW_PAGE_BYTES - 16];
    _Atomic uint32_t cell_pages[HPP_MAX_CELL_CHUNKS]; /* first page of 128 cells, or 0 */
} hpp_window_slot;

/* A loaded object. If other contents are mapped at its address, that is a new module. */
typedef struct hpp_window_module {
    uint64_t begin, end; /* addresses [begin, end) */
    uint64_t bias;       /* address = bias + address in the file's own terms (l_addr) */
    uint32_t n_build_id;
    uint8_t build_id[36];
    char path[960]; /* absolute, terminated, cut */
} hpp_window_module;

/* The phases of a life. A block that has not been used is in VOID; its first use moves its time
 * until then to LAG. */
typedef enum hpp_phase {
    HPP_PHASE_LAG,
    HPP_PHASE_USE,
    HPP_PHASE_DRAG,
    HPP_PHASE_VOID,
    HPP_N_PHASES
} hpp_phase;

/* From `era` on, the blocks of `site` have this many more bytes in each phase, or fewer. The sum of
 * the records of a site up to an era is what it had in that era. Record 0 is not used; there may be
 * several records of a site and an era. See lives.h. */
typedef struct hpp_window_life {
    uint32_t site; /* 0: the record is not complete yet */
    uint32_t era;  /* from 1 */
    _Atomic int64_t bytes[HPP_N_PHASES];
} hpp_window_life;

/* A watched block that was freed, and the era of its last use. The collector knows from its last
 * image what the block is; it cannot know what happened since. Death n is in record n %
 * HPP_MAX_DEATHS, once the collector has read the one that was there before. */
typedef struct hpp_window_death {
    _Atomic uint64_t number; /* n + 1, stored last */
    uint64_t address;
    uint32_t birth, last_use; /* eras */
} hpp_window_death;

/* The place of a sampled block. At the end of an era, the collector notes which of them are in the
 * page table: those have been used in it, if they were not at the end of the era before. So a
 * program that has slept through eras learns when it used what it finds (sampler.h). */
typedef struct hpp_window_watched {
    _Atomic uint64_t seen;   /* as hpp_window_head.looked: when it was first seen */
    uint64_t begin, n_pages; /* from the first page */
    uint32_t n_probes, seed; /* of a large block: pages whose entries were dropped; 0: all */
} hpp_window_watched;

/* Returns the address of the i-th probe of a large block. */
static inline uint64_t hpp_window_probe(uint64_t begin, uint64_t n_pages, uint32_t seed, uint32_t i)
{
    uint64_t hash = ((uint64_t)seed << 32 | i) * 0x9e3779b97f4a7c15;
    hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9;
    return begin + (hash >> 32) % n_pages * HPP_WINDOW_PAGE_BYTES;
}

typedef struct hpp_window_mark {
    _Atomic uint64_t time_ns; /* CLOCK_MONOTONIC; 0: not complete yet. Stored last */
    char text[120];           /* terminated, cut */
} hpp_window_mark;

/* The begin or end of a thread. Event n is in record n % HPP_MAX_THREAD_EVENTS, once the collector
 * has read the one that was there before. */
typedef struct hpp_window_thread_event {
    _Atomic uint64_t number; /* n + 1, stored last */
    uint64_t time_ns;        /* CLOCK_MONOTONIC */
    uint32_t thread_id, slot_index;
    uint32_t is_end;
    char name[16]; /* at its end: terminated */
    uint32_t padding;
} hpp_window_thread_event;

/* C++ exceptions of a type that were thrown from a site. */
typedef struct hpp_window_throw {
    _Atomic uint64_t key; /* of the type and the site; 0: not used */
    _Atomic uint64_t n;   /* how many */
    uint64_t time_ns;     /* CLOCK_MONOTONIC: of the first; its thread */
    uint32_t thread_id, site;
    _Atomic uint32_t is_complete; /* stored last */
    char type[92];                /* mangled, terminated, cut */
} hpp_window_throw;

/* A cost centre of hpprof/scope.h: texts are terminated, cut. */
typedef struct hpp_window_scope {
    _Atomic uint32_t is_complete; /* stored last */
    char label[92];
    char module[80];
    char source[80]; /* "file.c:12" */
} hpp_window_scope;

/* A function (or module, class body, lambda ...) of a Python program, as its code object describes
 * it. Texts are UTF-8; they follow each other without an end. A long name is cut at its end, a long
 * path at its beginning. */
typedef struct hpp_window_code {
    _Atomic uint32_t is_complete; /* stored last */
    uint32_t first_line;
    uint16_t n_name, n_file; /* bytes: of the qualified name, or the name; of the path */
    char texts[HPP_CODE_TEXT_BYTES];
} hpp_window_code;

/* How the frames of a Python program are profiled. */
typedef enum hpp_python_state {
    HPP_PYTHON_NONE_FOUND, /* the program is no Python interpreter */
    HPP_PYTHON_WALKED,     /* stacks have Python frames */
    HPP_PYTHON_UNWANTED,   /* `census run --native` */
    HPP_PYTHON_UNKNOWN,    /* the version has no table of offsets */
    HPP_PYTHON_DIFFERENT,  /* the interpreter is not laid out as its version is */
    /* Free-threaded: */
    HPP_PYTHON_WALKED_UNLOCKED, /* stacks have Python frames */
    HPP_PYTHON_UNLOCKED, /* its blocks are not counted: it ran already, or uses are watched */
} hpp_python_state;

/* The state of the program. */
typedef enum hpp_window_state {
    HPP_WINDOW_LIVE = 1,
    HPP_WINDOW_EXITED = 2, /* it called exit or returned from main */
} hpp_window_state;

/* Requests of the collector to the program. */
enum {
    HPP_CONTROL_NO_NEW_STACKS = 1u << 0, /* near the memory limit: new stacks are UNKNOWN */
    HPP_CONTROL_NO_NEW_BLOCKS = 1u << 1, /* over the memory limit: new blocks are not counted */
    HPP_CONTROL_START_HELPER = 1u << 2,  /* an image is wanted after all */
};

/* What the program is or did that leaves out a part of its profile. */
enum {
    HPP_EVENT_ISOLATED = 1u << 0,     /* it has entered seccomp */
    HPP_EVENT_LEFT_NETWORK = 1u << 1, /* it has entered another network namespace */
    /* These end the biography. */
    HPP_EVENT_NO_PAGEMAP = 1u << 2,    /* it cannot read /proc/self/pagemap, or has
                                          larger pages than 4 KiB */
    HPP_EVENT_LOCKED_MEMORY = 1u << 3, /* it has locked its memory (mlock) */
    HPP_EVENT_RAW_FORK = 1u << 4,      /* it has forked by a bare system call */
    HPP_EVENT_OWN_MALLOC = 1u << 5,    /* it contains the malloc that its libraries call, too */
    /* This leaves out nothing: it adopts the orphans among its descendants. */
    HPP_EVENT_SUBREAPER = 1u << 6,
    /* It has started programs into which the library is not loaded. */
    HPP_EVENT_STARTED_SANITIZER = 1u << 7, /* they have a sanitizer */
    HPP_EVENT_STARTED_OTHER = 1u << 8,     /* not linked to glibc, or to an old one */
    HPP_EVENT_TRACED = 1u << 9,            /* its ticks have ended, since a tracer follows it */
    HPP_EVENT_LEFT_SMALL = 1u << 10,       /* it exits without a last image, by `small_bytes` */
};

/* A thread of the program, in its private memory (thread_parts): number n has slot n. */
enum { HPP_SAVED_REGISTERS = 33 }; /* of the machine that has most; x86-64 uses 17 */
typedef struct hpp_thread_state {
    uint64_t thread_pointer;
    /* While it rests for an image: the registers that functions preserve, in DWARF's order, with
     * the pc at last; and the block that it is about to free, or 0. */
    uint64_t registers[HPP_SAVED_REGISTERS];
    uint64_t block;
    _Atomic uint32_t thread_id; /* 0: none yet */
    _Atomic uint32_t rest;      /* number of the rest; of others: it does not rest */
} hpp_thread_state;
/* `rest` of a thread that waits for an image that it has asked for: it rests in each. */
#define HPP_REST_ASKS UINT32_MAX

/* The mappings of the library in the program's private memory, so that none is taken for memory of
 * the program. */
enum { HPP_MAX_OWN_MAPS = 8192 };
typedef struct hpp_own_map {
    _Atomic uint64_t begin, end; /* 0: not used */
} hpp_own_map;
typedef struct hpp_own_maps {
    _Atomic uint32_t n; /* places that have been used; more than HPP_MAX_OWN_MAPS: some have none */
    hpp_own_map list[HPP_MAX_OWN_MAPS];
} hpp_own_maps;

typedef struct hpp_window_head {
    char magic[8];
    uint32_t version;
    uint32_t cell_bytes;
    uint32_t machine; /* as in ELF: EM_X86_64 ... */
    uint64_t size_bytes;
    _Atomic uint64_t used_bytes; /* a whole number of pages */
    uint32_t process_id, parent_id;
    uint64_t start_ns;        /* CLOCK_MONOTONIC when the window was made, */
    uint64_t start_stamp;     /* and the clock of the processor; 0: it cannot be read */
    uint64_t parent_key;      /* `key` of the window that this one was forked from, or 0 */
    uint64_t key;             /* unique: pid << 32 | low bits of time */
    _Atomic uint32_t state;   /* hpp_window_state */
    _Atomic uint32_t control; /* HPP_CONTROL_ values, set by the collector */
    _Atomic uint32_t n_nodes, n_sites, n_slots, n_modules, n_marks, n_scopes;
    _Atomic uint32_t n_peaks;                /* each larger than the one before */
    _Atomic uint64_t peak_bytes, peak_stamp; /* of the last one, by the clock of the processor */

    uint32_t tick_us;                     /* of processor time per tick, or 0 */
    _Atomic uint32_t events;              /* HPP_EVENT_ values: why less was counted */
    _Atomic uint32_t n_apart;             /* forked children that could not connect */
    _Atomic uint32_t rate_level;          /* of new samples of blocks; written by the collector */
    _Atomic uint64_t rate_ticks;          /* of the processor's clock, that samples have taken */
    _Atomic uint64_t most_resident_bytes; /* when the process ended by itself; else 0 */

    /* The biography. The collector numbers its censuses from 1; before census n, the era that it
     * asks for is n. The program enters that era soon after. */
    uint64_t biography_bytes;    /* bytes for each watched block; 0: no biography */
    _Atomic uint32_t wanted_era; /* written by the collector */
    _Atomic uint32_t era;        /* that the program has entered; from 1 */
    _Atomic uint32_t n_steps;    /* into eras, from 2; odd while one is taken */
    _Atomic uint32_t n_watched;  /* places */
    /* `n_steps` << 32, and the last era at whose end the collector has looked at all places. */
    _Atomic uint64_t looked;
    /* No census begins before this time of CLOCK_MONOTONIC: the program works between two steps. */
    _Atomic uint64_t next_census_ns;
    _Atomic uint32_t n_lives;      /* records */
    _Atomic uint64_t n_lost_lives; /* changes of a phase without a record */
    _Atomic uint64_t n_samples;    /* blocks that were watched */
    _Atomic uint64_t n_unsampled;  /* blocks that should have been */
    _Atomic uint64_t n_retired;    /* watched no longer after a fork */
    /* Where the lives of blocks are in the private memory of the program (life_table.h). */
    uint64_t life_table;
    /* The `era` that the program was in when the last image was taken that the collector follows
     * lives in, or 0; written by the collector right after the copy, with the next
     * `wanted_era`. The image shows all uses of eras before this one. */
    _Atomic uint32_t image_era;
    _Atomic uint64_t n_deaths;
    _Atomic uint64_t n_deaths_read;  /* written by the collector */
    _Atomic uint64_t n_other_throws; /* without a record */
    _Atomic uint64_t n_thread_events;
    _Atomic uint64_t n_thread_events_read; /* written by the collector */

    /* The program's private memory that blocks are kept in (block_table.h). */
    uint64_t branches; /* address of the table of leaves */
    _Atomic uint32_t n_leaves;
    _Atomic uint32_t n_leaf_pages; /* page of the list of leaves (uint64_t), or 0 */

    /* Address of an array of HPP_MAX_THREAD_PARTS addresses (0: no part yet). Each part begins with
     * HPP_THREADS_PER_PART of hpp_thread_state. 0: none. */
    _Atomic uint64_t thread_parts;
    _Atomic uint64_t own_maps;    /* address of hpp_own_maps; 0: it does not have all of them */
    _Atomic int32_t helper_error; /* errno: why there is no helper; or HPP_NO_HELPER_WANTED */
    _Atomic int32_t seccomp_mode; /* as prctl returned it when the helper started */
    /* Images of peaks: before the heap shrinks from this many bytes or more, but not before a time
     * of CLOCK_MONOTONIC, the program asks for one. 0: it does not. Written by both. */
    _Atomic uint64_t peak_image_bytes, peak_image_ns;
    /* A process with fewer bytes than this asks for no image of a peak; one that has always had
     * fewer, for no last one. 0: it asks. Written by the collector. The other one is for programs
     * that it starts, until the collector knows them: they can have ended by then. */
    _Atomic uint64_t small_bytes, started_small_bytes;

    _Atomic uint32_t python_state; /* hpp_python_state */
    uint32_t python_version;       /* as PY_VERSION_HEX, without the level; 0: unknown */
    _Atomic uint32_t n_codes;      /* record 0 is not used */

    /* Losses. */
    _Atomic uint64_t n_lost_stacks;   /* allocations counted for HPP_SITE_UNKNOWN */
    _Atomic uint64_t n_uncounted;     /* blocks that were not counted, */
    _Atomic uint64_t uncounted_bytes; /*   and their bytes when they were made */
    _Atomic uint64_t n_missed_frees;  /* blocks whose free was not seen */
    _Atomic uint64_t n_cut_stacks;    /* unwinds that ended before the outermost caller */

    /* Statistics of unwinding. */
    _Atomic uint64_t n_unwinds;          /* stacks that were in no cache */
    _Atomic uint64_t n_frames;           /* and the frames walked for them */
    _Atomic uint64_t n_compared;         /* and the words compared or copied for them */
    _Atomic uint64_t n_checked;          /* CENSUS_VERIFY_STACKS: stacks compared */
    _Atomic uint64_t n_cache_mismatches; /* with a fresh unwind */
    _Atomic uint64_t n_peer_mismatches;  /* with glibc's backtrace, */
    _Atomic uint64_t n_peer_cut;         /* except stacks that it cut */

    char command[1024]; /* words of the command line, each terminated, ends with an empty one */
    _Atomic uint64_t taken_bytes; /* address of hpp__taken_bytes; 0: not known */
} hpp_window_head;

/* The fixed part of a window. Directories hold page numbers; 0: no such chunk. */
typedef struct hpp_window {
    union {
        hpp_window_head head;
        char head_page[HPP_WINDOW_PAGE_BYTES];
    };
    _Atomic uint32_t node_pages[HPP_MAX_NODE_CHUNKS];
    _Atomic uint32_t site_pages[HPP_MAX_SITE_CHUNKS];
    _Atomic uint32_t slot_pages[HPP_MAX_SLOTS];
    _Atomic uint32_t module_pages[HPP_MAX_MODULE_CHUNKS];
    _Atomic uint32_t life_pages[HPP_MAX_LIFE_CHUNKS];
    _Atomic uint32_t death_pages[HPP_MAX_DEATH_CHUNKS];
    _Atomic uint32_t code_pages[HPP_MAX_CODE_CHUNKS];
    _Atomic uint32_t watched_pages[HPP_MAX_WATCHED_CHUNKS];
    char padding[HPP_WINDOW_PAGE_BYTES -
                 (HPP_MAX_SITE_CHUNKS + HPP_MAX_DEATH_CHUNKS + HPP_MAX_WATCHED_CHUNKS) * 4 %
                     HPP_WINDOW_PAGE_BYTES];
    hpp_window_mark marks[HPP_MAX_MARKS];
    hpp_window_thread_event thread_events[HPP_MAX_THREAD_EVENTS];
    hpp_window_throw throws[HPP_MAX_THROWS];
    hpp_window_scope scopes[HPP_MAX_SCOPES];
} hpp_window;

_Static_assert(sizeof(hpp_window_node) == 16, "64 KiB chunks of nodes");
_Static_assert(sizeof(hpp_window_site) == 8, "64 KiB chunks of sites");
_Static_assert(sizeof(hpp_window_cell) == 64, "8 KiB chunks of cells");
_Static_assert(sizeof(hpp_window_life) == 40, "320 KiB chunks of lives");
_Static_assert(sizeof(hpp_window_death) == 24, "192 KiB chunks of deaths");
_Static_assert(sizeof(hpp_window_module) == 1024, "4 KiB chunks of modules");
_Static_assert(sizeof(hpp_window_watched) == 32, "64 KiB chunks of places");
_Static_assert(sizeof(hpp_window_mark) == 128, "");
_Static_assert(sizeof(hpp_window_thread_event) == 48, "");
_Static_assert(sizeof(hpp_window_throw) == 128, "");
_Static_assert(sizeof(hpp_window_scope) == 256, "");
_Static_assert(sizeof(hpp_window_code) == 256, "64 KiB chunks of codes");
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
 *   images=0|1|2  whether the collector takes images: then the program waits at its exit for a last
 *                 one, until the collector answers with a byte; with 2, also at peaks
 *   threads=0|1     whether begins and ends of threads are events of the window
 *   throws=0|1      whether C++ exceptions that are thrown are counted
 *   maps=0|1        whether memory is counted that the program maps itself
 *   verify=N        compare one stack in N with fresh unwinds, 0 for none
 *   python=0|1      whether stacks of Python programs have Python frames
 *   biography=BYTES watch the use of one block in this many bytes, 0 for none
 *   seed=N          start of the random numbers that choose these blocks, 0 for the time
 *   small=BYTES     small_bytes until the collector knows the process
 *
 * The program does not see it in its environment. Other processes find the socket by the name of
 * the window, which is a file in memory: its mapping is "/memfd:census-window:NAME (deleted)".
 *
 * A program that creates a window connects, sends hpp_window_hello with the memfd as SCM_RIGHTS,
 * and closes the connection without waiting for an answer. If it cannot create one, it sends the
 * reason. `census mark` connects and sends a hello with a text. */
#define HPP_WINDOW_VARIABLE "CENSUS_RUN"
#define HPP_SMALL_SETTING   ",small=" /* the last one */
#define HPP_WINDOW_NAME     "census-window:"
enum { HPP_WINDOW_NAME_BYTES = 128 };

enum { HPP_NO_HELPER_WANTED = 1 << 16 }; /* yet: the collector takes no images */

/* The descriptors of a hello: the window, and the collector's end of the socket of the helper,
 * which takes images (preload/helper.h). */
enum { HPP_MAX_HELLO_FILES = 2 };

/* Asks the helper for a copy of the program. */
typedef struct hpp_image_request {
    uint32_t number;      /* from 1; 0: threads need not rest any longer */
    uint32_t n_running;   /* threads that should rest first; 0: none has to */
    uint32_t holds;       /* whether they rest until the next message */
    uint32_t patience_us; /* how long to wait for them; 0: as the helper thinks best */
} hpp_image_request;

/* The copy answers itself, with its process id as a credential of the socket; the helper does if
 * there is none. */
typedef struct hpp_image_answer {
    uint32_t number;  /* of the request; 0: the helper ends */
    int32_t error;    /* errno, or 0 */
    uint32_t rest;    /* number of the rest at the moment of the copy */
    uint64_t time_ns; /* CLOCK_MONOTONIC: before threads were asked to rest, or of a later mark */
} hpp_image_answer;

/* Returns from how many live bytes on a peak is worth an image, if the largest amount of which
 * there is one is `known_bytes`. */
static inline uint64_t hpp_window_peak_worth(uint64_t known_bytes)
{
    const uint64_t least_growth_bytes = 1 << 16;
    uint64_t growth_bytes = known_bytes / 10;
    return known_bytes + (growth_bytes > least_growth_bytes ? growth_bytes : least_growth_bytes);
}

typedef enum hpp_hello_kind {
    HPP_HELLO_WINDOW = 1,
    HPP_HELLO_MARK = 2,
    HPP_HELLO_EXCUSE = 3,   /* this process cannot be profiled */
    HPP_HELLO_LEAVE = 4,    /* this process is about to exit: may have a last image taken */
    HPP_HELLO_SNAPSHOT = 5, /* a heap snapshot is wanted */
    HPP_HELLO_PEAK = 6,     /* the heap of this process is about to shrink from a peak */
    HPP_HELLO_HELPER = 7,   /* it has started a helper */
} hpp_hello_kind;

/* Answers to HPP_HELLO_SNAPSHOT after the first, which says whether the process is profiled. */
typedef enum hpp_snapshot_answer {
    HPP_SNAPSHOT_TAKEN = 2, /* its image: what follows is the collector's time */
    HPP_SNAPSHOT_WRITTEN = 3,
    HPP_SNAPSHOT_FAILED = 4,
} hpp_snapshot_answer;

typedef struct hpp_window_hello {
    char magic[8];
    uint32_t kind; /* hpp_hello_kind */
    uint32_t process_id;
    char text[120]; /* of a mark, or the reason: terminated */
} hpp_window_hello;

#endif
