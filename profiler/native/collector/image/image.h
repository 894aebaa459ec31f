/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The image of a process: its memory, live blocks, mappings and threads at one moment.
 *
 * The memory belongs to a copy of the process, which the kernel made by fork and which has not run
 * since (freezer.h). So it does not change while it is read, and the program has paused for the
 * fork only. What is read is untrusted: addresses and sizes of blocks are checked, contents are
 * whatever the program has stored.
 *
 * The fields may also be filled by hand, with a read function of the caller.
 *
 * Threads: use an image in one thread at a time.
 */
#ifndef HPP_NATIVE_COLLECTOR_IMAGE_IMAGE_H
#define HPP_NATIVE_COLLECTOR_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A live block. */
typedef struct hpp__image_block {
    uint64_t address, size_bytes; /* as requested; address + size_bytes does not overflow */
    uint32_t site;                /* of the window; HPP_SITE_NONE: not in the sample */
    bool is_mapping;              /* of kind mmap: whole pages that the program mapped itself */
} hpp__image_block;

/* The life of a block whose uses are followed. */
typedef struct hpp__image_life {
    uint64_t address;         /* of the block */
    uint32_t birth, last_use; /* eras; last_use 0: not used yet */
    bool may_be_used;         /* in the era after that: it is not known */
    uint64_t bytes;           /* that it represents */
} hpp__image_life;

/* Registers of x86-64 in DWARF's order; the last one is the instruction pointer. */
enum {
    HPP__REGISTER_DX = 1,
    HPP__REGISTER_SI = 4,
    HPP__REGISTER_DI = 5,
    HPP__REGISTER_BP = 6,
    HPP__REGISTER_SP = 7,
    HPP__REGISTER_R8 = 8,
    HPP__REGISTER_R9 = 9,
    HPP__REGISTER_R10 = 10,
    HPP__REGISTER_PC = 16,
    HPP__N_REGISTERS = 17,
};

/* A thread at that moment. */
typedef struct hpp__image_thread {
    uint32_t id;
    /* It ran when the image was taken: what it had in registers is not known. Of another thread,
     * these are known: the pc, the stack pointer, and the arguments of the system call in which it
     * waits, or the registers that functions preserve. Others are 0. */
    bool is_moving;
    bool is_in_call; /* the system call */
    char name[16];   /* terminated */
    uint64_t registers[HPP__N_REGISTERS];
    uint64_t thread_pointer; /* 0: unknown */
    /* The used part of its stack, with the red zone of 128 bytes below the stack pointer. glibc's
     * thread descriptor and the static TLS of other threads than the first are at the upper end. Of
     * a moving thread, this is all of its stack; if that is unknown, both are 0. */
    uint64_t stack_begin, stack_end;
} hpp__image_thread;

/* A mapping, of /proc/PID/maps. */
typedef struct hpp__image_map {
    uint64_t begin, end, offset;
    bool is_readable, is_writable, is_executable, is_shared;
    const char *path; /* "" if anonymous; "[heap]" and "[stack]" as the kernel has them */
} hpp__image_map;

/* Mappings of the profiler's library, which hold nothing of the program. */
typedef struct hpp__image_own {
    uint64_t begin, end;
} hpp__image_own;

/* Copies `n_bytes` of memory from `address`. Returns false unless all of it can be read. */
typedef bool hpp__image_reader(void *context, void *out, uint64_t address, size_t n_bytes);

typedef struct hpp__image {
    uint32_t process_id;            /* of the program */
    uint32_t frozen_id;             /* of its copy, for /proc; 0: none */
    const hpp__image_block *blocks; /* sorted by address, do not overlap */
    hpp__image_block *own_blocks;   /* the same, if the image is to free them; else NULL */
    const hpp__image_thread *threads;
    const hpp__image_map *maps;   /* sorted by address, do not overlap */
    const hpp__image_life *lives; /* sorted by address */
    const hpp__image_own *own;    /* NULL: not known; /proc shows which they are */
    size_t n_blocks, n_threads, n_maps, n_lives, n_own;
    size_t n_moving;  /* threads */
    bool names_sizes; /* no site is known: a block without a type is named by its size */
    uint64_t time_ns; /* CLOCK_MONOTONIC */
    double pause_s;   /* how long a thread can have waited for it */
    hpp__image_reader *read;
    void *read_context;
    /* Frees the image, and ends the copy of the process; NULL in an image filled by hand. */
    void (*close)(struct hpp__image *image);
} hpp__image;

/* Copies memory into `out`. Returns false unless all of it can be read; `out` is undefined then. */
static inline bool hpp__image_read(const hpp__image *image, void *out, uint64_t address,
                                   size_t n_bytes)
{
    return image->read(image->read_context, out, address, n_bytes);
}

/* Returns whether all that was read of an image was there: the kernel may have killed the copy for
 * lack of memory. */
bool hpp__image_is_whole(const hpp__image *image);

/* Returns the mapping that has an address, or NULL. */
const hpp__image_map *hpp__image_map_of(const hpp__image *image, uint64_t address);

/* Returns whether a mapping (or NULL) is memory that only the process has, and that no file or
 * device gives: an untouched page of it is one of zeros. */
bool hpp__image_map_is_anonymous(const hpp__image_map *map);

/* Returns the index of the live block that contains `address`, also in its middle; SIZE_MAX if
 * there is none. A block of 0 bytes contains its own address. */
size_t hpp__image_block_of(const hpp__image *image, uint64_t address);

/* Returns the addresses of the blocks, by number, to free; NULL without memory. */
uint64_t *hpp__image_addresses(const hpp__image *image);

/* The memory of a thread's stack. */
typedef struct hpp__image_stack {
    uint64_t begin, end; /* with the thread descriptor, and the thread-local memory below that */
    uint64_t guard_end;  /* from `begin` to here it cannot be read */
} hpp__image_stack;

/* Finds the stack of a thread, which may have ended, from its descriptor: glibc notes there what it
 * has mapped. A mapping of the kernel can be several stacks, since glibc 2.42 with their guards.
 * Returns false if there is no such note, as in the first thread. */
bool hpp__image_find_stack(const hpp__image *image, uint64_t descriptor, hpp__image_stack *out);

/* Closes an image; NULL is none. Any thread may do this. */
static inline void hpp__image_close(hpp__image *image)
{
    if (image && image->close) {
        image->close(image);
    }
}

#endif
