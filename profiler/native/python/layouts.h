/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where CPython keeps what the profiler reads, by version of the interpreter. The preload library
 * reads it in the running program, the collector in an image.
 *
 * Source: the headers of CPython 3.9 to 3.13 (Include/internal/pycore_*.h), for 64 bits. A version
 * keeps its layout through all of its releases. Builds with Py_TRACE_REFS or without the global
 * lock have other layouts: whoever uses the table checks it against a known object first.
 *
 * Offsets are in bytes. A frame is a PyFrameObject up to 3.10, and a _PyInterpreterFrame since.
 */
#ifndef HPP_NATIVE_PYTHON_LAYOUTS_H
#define HPP_NATIVE_PYTHON_LAYOUTS_H

#include <stddef.h>
#include <stdint.h>

/* How a code object stores the lines of its instructions. */
typedef enum hpp_python_lines {
    HPP_PYTHON_LNOTAB,    /* 3.9: pairs of increments (Objects/lnotab_notes.txt of 3.9) */
    HPP_PYTHON_LINETABLE, /* 3.10: pairs of a length and an increment (PEP 626) */
    HPP_PYTHON_LOCATIONS, /* since 3.11: entries of variable length (Objects/locations.md) */
} hpp_python_lines;

/* A field that a version does not have. */
enum { HPP_PYTHON_NONE = UINT16_MAX };

typedef struct hpp_python_offsets {
    uint16_t minor; /* of version 3 */

    /* The interpreters of _PyRuntime, and their threads. */
    uint16_t runtime_interpreters; /* the first one */
    uint16_t interpreter_next, interpreter_threads, interpreter_gc;
    uint16_t thread_next, thread_interpreter, thread_id; /* pthread_t */
    /* The innermost frame of a thread: at `thread_frame`, or, if `cframe_frame` is a field, in what
     * the thread has a pointer to at `thread_frame`. */
    uint16_t thread_frame, cframe_frame;

    uint16_t frame_previous, frame_code, frame_globals, frame_locals;
    uint16_t frame_instruction; /* up to 3.10 an int: HPP_PYTHON_LNOTAB, _LINETABLE */
    uint16_t frame_owner;       /* a char */
    uint16_t frame_stack_top;   /* number of words from frame_locals in use */

    uint16_t code_first_line, code_file, code_name, code_qualified_name, code_lines;
    uint16_t code_first_traceable; /* an int: number of the first instruction of the function */
    uint16_t code_instructions;    /* in the object; up to 3.10 a pointer to bytes */
    uint16_t code_bytes;           /* size of the object, without instructions in it */
    hpp_python_lines lines;

    uint16_t ascii_bytes, compact_bytes; /* sizes of the heads of strings, before the text */

    uint16_t gc_generations; /* from interpreter_gc: three of `gc_generation_bytes` */
    uint16_t gc_generation_bytes, gc_permanent;
} hpp_python_offsets;

/* The same in all of these versions. */
enum {
    HPP_PYTHON_OBJECT_TYPE = 8, /* after the reference count */
    HPP_PYTHON_OBJECT_LENGTH = 16,

    HPP_PYTHON_TEXT_LENGTH = 16,    /* of a str, in characters */
    HPP_PYTHON_TEXT_STATE = 32,     /* a uint32_t: */
    HPP_PYTHON_TEXT_KIND_SHIFT = 2, /* bytes of a character: 1, 2 or 4, in three bits */
    HPP_PYTHON_TEXT_COMPACT = 1 << 5,
    HPP_PYTHON_TEXT_ASCII = 1 << 6,

    HPP_PYTHON_BYTES_DATA = 32,

    HPP_PYTHON_TYPE_NAME = 24,
    HPP_PYTHON_TYPE_BASIC_BYTES = 32,
    HPP_PYTHON_TYPE_FLAGS = 168,
    HPP_PYTHON_TYPE_WEAK_LIST_OFFSET = 208,
    HPP_PYTHON_TYPE_DICT = 264,
    HPP_PYTHON_TYPE_DICT_OFFSET = 288,

    HPP_PYTHON_GC_HEAD_BYTES = 16, /* before each object of a type with Py_TPFLAGS_HAVE_GC */
};

/* Values of frame_owner. */
enum {
    HPP_PYTHON_OWNED_BY_THREAD,
    HPP_PYTHON_OWNED_BY_GENERATOR,
    HPP_PYTHON_OWNED_BY_FRAME_OBJECT,
    HPP_PYTHON_OWNED_BY_C_STACK, /* since 3.12: not a function of Python */
};

/* Returns the offsets of a version, as in PY_VERSION_HEX; NULL if it is not one of them. */
static inline const hpp_python_offsets *hpp__python_offsets(uint32_t version)
{
    enum { NONE = HPP_PYTHON_NONE };
    static const hpp_python_offsets all[] = {
        {.minor = 9,
         .runtime_interpreters = 32,
         .interpreter_next = 0,
         .interpreter_threads = 8,
         .interpreter_gc = 616,
         .thread_next = 8,
         .thread_interpreter = 16,
         .thread_id = 176,
         .thread_frame = 24,
         .cframe_frame = NONE,
         .frame_previous = 24,
         .frame_code = 32,
         .frame_globals = 48,
         .frame_locals = 360,
         .frame_instruction = 104,
         .frame_owner = NONE,
         .frame_stack_top = NONE,
         .code_first_line = 40,
         .code_file = 104,
         .code_name = 112,
         .code_qualified_name = NONE,
         .code_lines = 120,
         .code_first_traceable = NONE,
         .code_instructions = 48,
         .code_bytes = 176,
         .lines = HPP_PYTHON_LNOTAB,
         .ascii_bytes = 48,
         .compact_bytes = 72,
         .gc_generations = 24,
         .gc_generation_bytes = 24,
         .gc_permanent = 104},
        {.minor = 10,
         .runtime_interpreters = 32,
         .interpreter_next = 0,
         .interpreter_threads = 8,
         .interpreter_gc = 616,
         .thread_next = 8,
         .thread_interpreter = 16,
         .thread_id = 176,
         .thread_frame = 24,
         .cframe_frame = NONE,
         .frame_previous = 24,
         .frame_code = 32,
         .frame_globals = 48,
         .frame_locals = 352,
         .frame_instruction = 96,
         .frame_owner = NONE,
         .frame_stack_top = NONE,
         .code_first_line = 40,
         .code_file = 104,
         .code_name = 112,
         .code_qualified_name = NONE,
         .code_lines = 120,
         .code_first_traceable = NONE,
         .code_instructions = 48,
         .code_bytes = 176,
         .lines = HPP_PYTHON_LINETABLE,
         .ascii_bytes = 48,
         .compact_bytes = 72,
         .gc_generations = 24,
         .gc_generation_bytes = 24,
         .gc_permanent = 104},
        {.minor = 11,
         .runtime_interpreters = 40,
         .interpreter_next = 0,
         .interpreter_threads = 16,
         .interpreter_gc = 648,
         .thread_next = 8,
         .thread_interpreter = 16,
         .thread_id = 152,
         .thread_frame = 56,
         .cframe_frame = 8,
         .frame_previous = 48,
         .frame_code = 32,
         .frame_globals = 8,
         .frame_locals = 72,
         .frame_instruction = 56,
         .frame_owner = 69,
         .frame_stack_top = 64,
         .code_first_line = 72,
         .code_file = 112,
         .code_name = 120,
         .code_qualified_name = 128,
         .code_lines = 136,
         .code_first_traceable = 168,
         .code_instructions = 184,
         .code_bytes = 184,
         .lines = HPP_PYTHON_LOCATIONS,
         .ascii_bytes = 48,
         .compact_bytes = 72,
         .gc_generations = 24,
         .gc_generation_bytes = 24,
         .gc_permanent = 104},
        {.minor = 12,
         .runtime_interpreters = 40,
         .interpreter_next = 0,
         .interpreter_threads = 72,
         .interpreter_gc = 112,
         .thread_next = 8,
         .thread_interpreter = 16,
         .thread_id = 136,
         .thread_frame = 56,
         .cframe_frame = 0,
         .frame_previous = 8,
         .frame_code = 0,
         .frame_globals = 24,
         .frame_locals = 72,
         .frame_instruction = 56,
         .frame_owner = 70,
         .frame_stack_top = 64,
         .code_first_line = 68,
         .code_file = 112,
         .code_name = 120,
         .code_qualified_name = 128,
         .code_lines = 136,
         .code_first_traceable = 176,
         .code_instructions = 192,
         .code_bytes = 192,
         .lines = HPP_PYTHON_LOCATIONS,
         .ascii_bytes = 40,
         .compact_bytes = 56,
         .gc_generations = 24,
         .gc_generation_bytes = 24,
         .gc_permanent = 104},
        {.minor = 13,
         .runtime_interpreters = 632,
         .interpreter_next = 7264,
         .interpreter_threads = 7344,
         .interpreter_gc = 7400,
         .thread_next = 8,
         .thread_interpreter = 16,
         .thread_id = 152,
         .thread_frame = 72,
         .cframe_frame = NONE,
         .frame_previous = 8,
         .frame_code = 0,
         .frame_globals = 24,
         .frame_locals = 72,
         .frame_instruction = 56,
         .frame_owner = 70,
         .frame_stack_top = 64,
         .code_first_line = 68,
         .code_file = 112,
         .code_name = 120,
         .code_qualified_name = 128,
         .code_lines = 136,
         .code_first_traceable = 184,
         .code_instructions = 200,
         .code_bytes = 200,
         .lines = HPP_PYTHON_LOCATIONS,
         .ascii_bytes = 40,
         .compact_bytes = 56,
         .gc_generations = 24,
         .gc_generation_bytes = 24,
         .gc_permanent = 104},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(*all) && version >> 24 == 3; i++) {
        if (all[i].minor == (version >> 16 & 0xff)) {
            return &all[i];
        }
    }
    return NULL;
}

/* Returns the version in a text such as "3.11.2 (main, ...)", as in PY_VERSION_HEX without the
 * level of the release; 0 if there is none. */
static inline uint32_t hpp__python_version(const char *text)
{
    uint32_t version = 0;
    for (int shift = 24; shift >= 8; shift -= 8) {
        if (*text < '0' || *text > '9') {
            return shift == 24 ? 0 : version;
        }
        uint32_t part = 0;
        for (; *text >= '0' && *text <= '9'; text++) {
            part = part < 100 ? part * 10 + (uint32_t)(*text - '0') : 255;
        }
        version |= (part & 255) << shift;
        text += *text == '.';
    }
    return version;
}

#endif
