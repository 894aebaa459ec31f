/* SPDX-License-Identifier: BSD-2-Clause */
#include "interpreter.h"

#include <dlfcn.h>
#include <string.h>

#include "native/target/unwind/cfi_entry.h"
#include "native/target/unwind/unwind_rules.h"
#include "native/window/window_writer.h"

hpp_python hpp__python;

static void *find(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    if (found == NULL) {
        dlerror(); /* the program does not see it */
    }
    return found;
}

void hpp__python_function(void *function, const char *name)
{
    void *found = find(name);
    memcpy(function, &found, sizeof(found));
}

/* Since 3.13, an interpreter begins with offsets for debuggers: _Py_DebugOffsets at _PyRuntime,
 * words that are constants of its build. Returns NULL if there are none. */
static const uint64_t *own_offsets(void)
{
    const uint64_t *words = find("_PyRuntime");
    bool has_words = hpp__window->head.python_version >= 0x030d0000 && words != NULL;
    return has_words && memcmp(words, "xdebugpy", sizeof(*words)) == 0 ? words : NULL;
}

/* Returns whether the table of the version agrees with the interpreter's own offsets. */
static bool agrees(const hpp_python_offsets *at, const uint64_t *own)
{
    const struct {
        uint8_t words[3]; /* of the interpreter's list, in 3.13, 3.14 and 3.15 */
        uint16_t expected;
    } rows[] = {
        {{5, 5, 5}, at->runtime_interpreters},   {{8, 8, 8}, at->interpreter_next},
        {{9, 9, 9}, at->interpreter_threads},    {{10, 11, 11}, at->interpreter_gc},
        {{11, 12, 12}, at->interpreter_modules}, {{21, 24, 24}, at->thread_next},
        {{22, 25, 25}, at->thread_interpreter},  {{23, 26, 26}, at->thread_frame},
        {{24, 27, 30}, at->thread_id},           {{29, 32, 40}, at->frame_previous},
        {{30, 33, 41}, at->frame_code},          {{31, 34, 42}, at->frame_instruction},
        {{32, 35, 43}, at->frame_locals},        {{33, 36, 44}, at->frame_owner},
        {{35, 40, 48}, at->code_file},           {{36, 41, 49}, at->code_name},
        {{37, 42, 50}, at->code_qualified_name}, {{38, 43, 51}, at->code_lines},
        {{39, 44, 52}, at->code_first_line},     {{43, 48, 56}, at->code_instructions},
    };
    size_t column = at->minor - 13u;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (own[rows[i].words[column]] != rows[i].expected) {
            return false;
        }
    }
    return true;
}

/* Returns the offsets of this build; NULL if its version is not known. */
static const hpp_python_offsets *find_offsets(bool is_free_threaded)
{
    static hpp_python_offsets unlocked;
    const hpp_python_offsets *at = hpp__python_offsets(hpp__window->head.python_version);
    if (at == NULL || !is_free_threaded) {
        return at;
    }
    unlocked = *at;
    hpp__python_unlock(&unlocked);
    return &unlocked;
}

/* Returns how its frames are profiled. */
static hpp_python_state find_parts(bool with_frames, bool hooks_unlocked)
{
    enum { FREE_THREADED = 2 };
    const uint64_t *own = own_offsets();
    bool is_free_threaded = own != NULL && own[FREE_THREADED] != 0;
    if (is_free_threaded && !hooks_unlocked) {
        return HPP_PYTHON_UNLOCKED;
    }
    hpp__python.offsets = find_offsets(is_free_threaded);
    if (hpp__python.offsets == NULL) {
        return HPP_PYTHON_UNKNOWN;
    }
    if (own != NULL && !agrees(hpp__python.offsets, own)) {
        return HPP_PYTHON_DIFFERENT;
    }
    hpp__python_function(&hpp__python.own_thread, "PyGILState_GetThisThreadState");
    hpp__python_function(&hpp__python.lock_holder, hpp__python.offsets->minor < 13
                                                       ? "_PyThreadState_UncheckedGet"
                                                       : "PyThreadState_GetUnchecked");
    hpp__python.code_type = (uintptr_t)find("PyCode_Type");
    hpp__python.text_type = (uintptr_t)find("PyUnicode_Type");
    hpp__python.bytes_type = (uintptr_t)find("PyBytes_Type");
    void *evaluator = find("_PyEval_EvalFrameDefault");
    if (hpp__python.own_thread == NULL || hpp__python.lock_holder == NULL ||
        hpp__python.code_type == 0 || hpp__python.text_type == 0 || hpp__python.bytes_type == 0 ||
        evaluator == NULL) {
        return HPP_PYTHON_DIFFERENT;
    }
    if (!with_frames) {
        return HPP_PYTHON_UNWANTED;
    }
    hpp_module module;
    hpp_cfi_entry function, part;
    if (!hpp__modules_find(&module, (uintptr_t)evaluator) ||
        hpp__cfi_entry_find(&function, &module.tables, (uintptr_t)evaluator) != HPP_CFI_FOUND) {
        return HPP_PYTHON_DIFFERENT;
    }
    hpp__unwind_rules_end_at(0, function.begin, function.end);
    if (hpp__cfi_entry_other_part(&part, &module.tables, &function)) {
        hpp__unwind_rules_end_at(1, part.begin, part.end);
    }
    return is_free_threaded ? HPP_PYTHON_WALKED_UNLOCKED : HPP_PYTHON_WALKED;
}

bool hpp__python_start(bool with_frames, bool hooks_unlocked)
{
    const char *(*version_of)(void);
    hpp__python_function(&version_of, "Py_GetVersion");
    hpp__window->head.python_version = hpp__python_version(version_of != NULL ? version_of() : "");
    hpp_python_state state = find_parts(with_frames, hooks_unlocked);
    atomic_store(&hpp__window->head.python_state, state);
    return state != HPP_PYTHON_UNLOCKED;
}

void hpp__python_give_up(void)
{
    atomic_store(&hpp__window->head.python_state, HPP_PYTHON_DIFFERENT);
    hpp__unwind_rules_end_at(0, 0, 0);
    hpp__unwind_rules_end_at(1, 0, 0);
}
