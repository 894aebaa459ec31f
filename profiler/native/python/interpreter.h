/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The Python interpreter in the profiled program, if there is one: its version, and the functions
 * and types by which its frames are found. Nothing of it is linked: a program without it gets the
 * same library.
 *
 * Threads: start it once, before the interpreter; read it in any.
 */
#ifndef HPP_NATIVE_PYTHON_INTERPRETER_H
#define HPP_NATIVE_PYTHON_INTERPRETER_H

#include "native/target/unwind/memory.h"
#include "native/window/platform.h"
#include "layouts.h"

typedef struct hpp_python {
    const hpp_python_offsets *offsets;
    /* Return the thread state (PyThreadState) of the holder of the global lock (without one, of the
     * calling thread), and of the calling thread, which need not hold it; NULL if there is none. */
    const void *(*lock_holder)(void);
    const void *(*own_thread)(void);
    uintptr_t code_type, text_type, bytes_type;
    /* hpp__blocks_mark, of a floor above; NULL: frees of code objects are not noticed. */
    uint32_t (*mark_block)(const void *block);
} hpp_python;

extern HPP_HIDDEN hpp_python hpp__python;

/* Looks for an interpreter, stores its version and its state in the window, and lets walks end at
 * its frames if they can be read and `with_frames`. Returns whether there is one whose allocators
 * may be hooked: those of a free-threaded one only with `hooks_unlocked`. While it runs, a thread
 * could call one that is being set, with the context of another; and it looks for its objects in
 * the memory of its own allocator, where watched blocks are not. */
bool hpp__python_start(bool with_frames, bool hooks_unlocked);

/* Stores the address of a function of the interpreter; NULL: it has none of that name. */
void hpp__python_function(void *function, const char *name);

/* Ends the walking of Python frames: this interpreter is not laid out as its version is. Stacks are
 * native ones from now on. */
void hpp__python_give_up(void);

#endif
