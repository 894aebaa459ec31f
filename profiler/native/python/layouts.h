/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where CPython keeps what the profiler reads, by version of the interpreter. The preload library
 * reads it in the running program, the collector in an image.
 *
 * Source: the headers of CPython 3.9 to 3.15 (Include/internal/pycore_*.h), for 64 bits. A version
 * keeps these through all of its releases. Builds without the global lock have wider objects
 * (hpp__python_unlock), builds with Py_TRACE_REFS other ones: whoever uses the table checks it
 * against a known object first.
 *
 * Offsets are in bytes. A frame is a PyFrameObject up to 3.10, and a _PyInterpreterFrame since.
 */
#ifndef HPP_NATIVE_PYTHON_LAYOUTS_H
#define HPP_NATIVE_PYTHON_LAYOUTS_H

#include <stdbool.h>
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

/* All fields: name, and offset in 3.9, 3.10, 3.11, 3.12, 3.13, 3.14 and 3.15.
 * `tests/native/python_layouts.py` compares them with the headers of an interpreter. */
#define HPP_PYTHON_FIELDS(F)                                                                       \
    /* The interpreters of _PyRuntime, and their threads. */                                       \
    F(runtime_interpreters, 32, 32, 40, 40, 632, 808, 936) /* the first one */                     \
    F(interpreter_next, 0, 0, 0, 0, 7264, 7272, 7264)                                              \
    F(interpreter_threads, 8, 8, 16, 72, 7344, 7344, 7336)                                         \
    F(interpreter_gc, 616, 616, 648, 112, 7400, 7408, 7400)                                        \
    F(interpreter_modules, 856, 856, 888, 944, 7656, 7688, 7592)                                   \
    F(thread_next, 8, 8, 8, 8, 8, 8, 8)                                                            \
    F(thread_interpreter, 16, 16, 16, 16, 16, 16, 16)                                              \
    F(thread_id, 176, 176, 152, 136, 152, 152, 176) /* pthread_t */                                \
    /* The innermost frame of a thread: at `thread_frame`, or, if `cframe_frame` is a field, in    \
     * what the thread has a pointer to at `thread_frame`. */                                      \
    F(thread_frame, 24, 24, 56, 56, 72, 72, 72)                                                    \
    F(cframe_frame, NONE, NONE, 8, 0, NONE, NONE, NONE)                                            \
    F(frame_previous, 24, 24, 48, 8, 8, 8, 8)                                                      \
    F(frame_code, 32, 32, 32, 0, 0, 0, 0)                                                          \
    F(frame_globals, 48, 48, 8, 24, 24, 24, 24)                                                    \
    F(frame_locals, 360, 352, 72, 72, 72, 80, 80)                                                  \
    /* Up to 3.10 an int: see HPP_PYTHON_LNOTAB and HPP_PYTHON_LINETABLE. */                       \
    F(frame_instruction, 104, 96, 56, 56, 56, 56, 56)                                              \
    F(frame_owner, NONE, NONE, 69, 70, 70, 74, 74) /* a char */                                    \
    /* How far the words from frame_locals on are in use: hpp__python_words_in_use. */             \
    F(frame_stack_top, NONE, NONE, 64, 64, 64, 64, 64)                                             \
    F(generator_frame, NONE, NONE, 80, 72, 72, 72, 72) /* in a generator */                        \
    F(code_first_line, 40, 40, 72, 68, 68, 68, 68)                                                 \
    F(code_file, 104, 104, 112, 112, 112, 112, 112)                                                \
    F(code_name, 112, 112, 120, 120, 120, 120, 120)                                                \
    F(code_qualified_name, NONE, NONE, 128, 128, 128, 128, 128)                                    \
    F(code_lines, 120, 120, 136, 136, 136, 136, 136)                                               \
    /* An int: number of an instruction. */                                                        \
    F(code_first_traceable, NONE, NONE, 168, 176, 184, 192, 192)                                   \
    F(code_instructions, 48, 48, 184, 192, 200, 208, 208) /* up to 3.10 a pointer to bytes */      \
    /* Size of the object, without instructions. */                                                \
    F(code_bytes, 176, 176, 184, 192, 200, 208, 208)                                               \
    F(code_locals, NONE, NONE, 76, 72, 72, 72, 72)   /* an int: words of a frame, and */           \
    F(code_stack, NONE, NONE, 68, 64, 64, 64, 64)    /* an int: those of its stack */              \
    F(ascii_bytes, 48, 48, 48, 40, 40, 40, 40)       /* sizes of the heads of strings, */          \
    F(compact_bytes, 72, 72, 72, 56, 56, 56, 56)     /* before the text */                         \
    F(type_bytes, 880, 888, 904, 920, 928, 936, 944) /* of a type made at run time */              \
    F(type_qualified_name, 856, 864, 864, 872, 872, 872, 880)                                      \
    F(keys_bytes, 40, 40, 32, 32, 32, 32, 32) /* before the indices of the keys of a dict */       \
    F(values, 0, 0, 0, 0, 8, 8, 8)            /* of a dict, from their address */

typedef struct hpp_python_offsets {
    uint16_t minor; /* of version 3 */
    hpp_python_lines lines;
    uint16_t object_bytes; /* the head of an object, which ends with its type */
    /* Where a code object has the copies of its instructions that threads run: an address of their
     * number and addresses. NONE: threads run its own. */
    uint16_t code_copies;
#define HPP_PYTHON_MEMBER(name, ...) uint16_t name;
    HPP_PYTHON_FIELDS(HPP_PYTHON_MEMBER)
#undef HPP_PYTHON_MEMBER
} hpp_python_offsets;

/* The same in all of these versions, with the global lock. */
enum {
    HPP_PYTHON_OBJECT_BYTES = 16,
    HPP_PYTHON_OBJECT_TYPE = 8, /* after the reference count */
    HPP_PYTHON_OBJECT_LENGTH = 16,

    HPP_PYTHON_TEXT_LENGTH = 16, /* of a str, in characters */
    HPP_PYTHON_TEXT_STATE = 32,  /* a uint32_t: hpp__python_text_form */

    HPP_PYTHON_BYTES_DATA = 32,

    HPP_PYTHON_TYPE_NAME = 24,
    HPP_PYTHON_TYPE_BASIC_BYTES = 32,
    HPP_PYTHON_TYPE_ITEM_BYTES = 40,
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
    HPP_PYTHON_OWNED_BY_INTERPRETER, /* from here on no function of Python: since 3.12 */
};

/* Since 3.14, a frame refers to objects with these bits, whose meaning is the interpreter's.
 * Objects are at multiples of 8. */
#define HPP_PYTHON_REFERENCE_TAGS UINT64_C(3)

/* Returns how many words of a frame are in use, from frame_locals on, by the word at
 * frame_stack_top: a number, or since 3.14 an address. UINT64_MAX: it is not stored, since the
 * frame runs. */
static inline uint64_t hpp__python_words_in_use(const hpp_python_offsets *at, uint64_t frame,
                                                uint64_t top)
{
    uint64_t begin = frame + at->frame_locals;
    if (at->minor < 14) {
        return (int32_t)top >= 0 ? (uint32_t)top : UINT64_MAX;
    }
    return top >= begin ? (top - begin) / sizeof(uint64_t) : UINT64_MAX;
}

/* How a str has its characters. */
typedef struct hpp_python_text_form {
    unsigned width; /* bytes of a character: 1, 2 or 4; 0: they are in another block */
    bool is_ascii;
} hpp_python_text_form;

/* Returns what the state of a str says. Below these bits are how it is interned, up to 3: two bits,
 * without the global lock eight, or in some releases of 3.14 sixteen. */
static inline hpp_python_text_form hpp__python_text_form(uint32_t state)
{
    uint32_t bits = state & 0x1c ? state >> 2 : state & 0x700 ? state >> 8 : state >> 16;
    unsigned width = bits & 7;
    bool is_compact = bits & 8 && (width == 1 || width == 2 || width == 4);
    return (hpp_python_text_form){is_compact ? width : 0, bits & 16};
}

/* Returns the offsets of a version, as in PY_VERSION_HEX; NULL if it is not one of them. */
static inline const hpp_python_offsets *hpp__python_offsets(uint32_t version)
{
    enum { NONE = HPP_PYTHON_NONE };
    static const hpp_python_offsets all[] = {
#define V9(name, v9, v10, v11, v12, v13, v14, v15)  .name = v9,
#define V10(name, v9, v10, v11, v12, v13, v14, v15) .name = v10,
#define V11(name, v9, v10, v11, v12, v13, v14, v15) .name = v11,
#define V12(name, v9, v10, v11, v12, v13, v14, v15) .name = v12,
#define V13(name, v9, v10, v11, v12, v13, v14, v15) .name = v13,
#define V14(name, v9, v10, v11, v12, v13, v14, v15) .name = v14,
#define V15(name, v9, v10, v11, v12, v13, v14, v15) .name = v15,
#define ROW(number, form, column)                                                                  \
    {.minor = number,                                                                              \
     .lines = form,                                                                                \
     .object_bytes = HPP_PYTHON_OBJECT_BYTES,                                                      \
     .code_copies = NONE,                                                                          \
     HPP_PYTHON_FIELDS(column)}
        ROW(9, HPP_PYTHON_LNOTAB, V9),      ROW(10, HPP_PYTHON_LINETABLE, V10),
        ROW(11, HPP_PYTHON_LOCATIONS, V11), ROW(12, HPP_PYTHON_LOCATIONS, V12),
        ROW(13, HPP_PYTHON_LOCATIONS, V13), ROW(14, HPP_PYTHON_LOCATIONS, V14),
        ROW(15, HPP_PYTHON_LOCATIONS, V15),
#undef ROW
#undef V9
#undef V10
#undef V11
#undef V12
#undef V13
#undef V14
#undef V15
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(*all) && version >> 24 == 3; i++) {
        if (all[i].minor == (version >> 16 & 0xff)) {
            return &all[i];
        }
    }
    return NULL;
}

/* Makes the offsets of a version, from 3.13 on, those of its build without the global lock, as far
 * as they are of frames and what these refer to. */
static inline void hpp__python_unlock(hpp_python_offsets *at)
{
    enum { WIDER = 16 }; /* an object: its thread, lock and second count */
    uint16_t *const of_objects[] = {
        &at->object_bytes,    &at->code_first_line,      &at->code_file,   &at->code_name,
        &at->code_lines,      &at->code_qualified_name,  &at->code_locals, &at->code_stack,
        &at->code_bytes,      &at->code_first_traceable, &at->ascii_bytes, &at->compact_bytes,
        &at->generator_frame, &at->code_instructions,
    };
    for (size_t i = 0; i < sizeof(of_objects) / sizeof(*of_objects); i++) {
        *of_objects[i] = (uint16_t)(*of_objects[i] + WIDER);
    }
    at->interpreter_modules += at->minor == 13 ? 8 : at->minor == 14 ? 24 : 0;
    if (at->minor >= 14) {
        at->frame_owner += 4; /* behind the number of its copy */
        at->code_copies = at->code_instructions;
        at->code_instructions += 8;
        at->code_bytes += 8;
    }
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
