/* SPDX-License-Identifier: BSD-2-Clause */
#include "frames.h"

#include "native/unwind/recursion.h"
#include "native/window/trie.h"

enum { MAX_FRAMES = 1 << 17 };

static uintptr_t word_at(uintptr_t address)
{
    return hpp__memory_word(address);
}

static hpp_python_level *levels_of(const hpp_python_chain *chain)
{
    return chain->levels.data;
}

static hpp_python_frame *frames_of(const hpp_python_chain *chain)
{
    return chain->frames.data;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool has_room(hpp_python_chain *chain, uint32_t n)
{
    return (n + 1) * sizeof(hpp_python_frame) <= chain->frames.n_bytes ||
           (n < MAX_FRAMES &&
            hpp__growing_reserve(&chain->frames, (n + 1) * sizeof(hpp_python_frame)));
}

/* Up to 3.10 the instruction is an int. */
static uintptr_t instruction_in(uintptr_t word)
{
    return hpp__python.offsets->lines == HPP_PYTHON_LOCATIONS ? word : (uint32_t)word;
}

/* Reads the frames from `frame` on. Returns their number; 0 without memory. */
static uint32_t read_frames(hpp_python_chain *chain, uintptr_t frame)
{
    const hpp_python_offsets *at = hpp__python.offsets;
    uint32_t n = 0;
    for (; frame != 0; frame = word_at(frame + at->frame_previous)) {
        if (HPP_UNLIKELY(!has_room(chain, n))) {
            return 0;
        }
        frames_of(chain)[n++] =
            (hpp_python_frame){{word_at(frame + at->frame_code),
                                instruction_in(word_at(frame + at->frame_instruction))},
                               frame};
    }
    return n;
}

static uint32_t read_frames_carefully(hpp_python_chain *chain, uintptr_t frame, hpp_memory *memory)
{
    const hpp_python_offsets *at = hpp__python.offsets;
    uint32_t n = 0;
    while (frame != 0) {
        hpp_python_frame read = {.frame = frame};
        uintptr_t instruction;
        if (!has_room(chain, n) || frame % 8 != 0 ||
            !hpp__memory_read(&read.place.code, memory, frame + at->frame_code) ||
            !hpp__memory_read(&instruction, memory, frame + at->frame_instruction) ||
            !hpp__memory_read(&frame, memory, frame + at->frame_previous)) {
            return 0;
        }
        read.place.instruction = instruction_in(instruction);
        frames_of(chain)[n++] = read;
    }
    return n;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Returns whether a frame is that of a function that tracebacks have. */
static bool is_shown(const hpp_python_frame *frame, hpp_memory *memory)
{
    const hpp_python_offsets *at = hpp__python.offsets;
    uintptr_t word = 0;
    if (at->frame_owner == HPP_PYTHON_NONE) {
        return true;
    }
    if (!hpp__memory_read(&word, memory, frame->frame + at->frame_owner)) {
        return false;
    }
    uint8_t owner = (uint8_t)word;
    return owner != HPP_PYTHON_OWNED_BY_C_STACK &&
           (owner == HPP_PYTHON_OWNED_BY_GENERATOR ||
            !hpp__codes_is_before_start(frame->place, memory));
}

/* Returns the node without frames of the import system on top. */
static uint32_t without_import(uint32_t node)
{
    while (node != 0) {
        const hpp_window_node *record = hpp__trie_look(node);
        if (!hpp__codes_is_import((uint32_t)(record->address >> 32))) {
            break;
        }
        node = record->parent;
    }
    return node;
}

/* Finds the node of a frame whose caller has the node `*node`; that one if the frame is not shown.
 * Returns false if the window is full. */
static bool find_node(uint32_t *node, const hpp_python_frame *frame, hpp_memory *memory)
{
    uint32_t number = is_shown(frame, memory) ? hpp__codes_number(frame->place.code, memory) : 0;
    if (number != 0) {
        uint64_t line = hpp__codes_line(frame->place, memory);
        uint32_t caller = hpp__codes_is_import(number) ? *node : without_import(*node);
        hpp_call_edge edge = {(uint64_t)number << 32 | line, caller, 0, HPP_NODE_PYTHON};
        *node = hpp__recursion_fold(&edge).node;
    }
    return number == 0 || *node != 0;
}

bool hpp__frames_push(uint32_t *node, hpp_python_chain *chain, const hpp_python_frame *frame,
                      bool is_careful)
{
    hpp_memory memory = is_careful ? (hpp_memory){0} : HPP_ALL_MEMORY;
    hpp_python_place place = frame->place;
    uint32_t parent = *node;
    uint64_t hash =
        (place.instruction + place.code * 31 + ((uint64_t)parent << 20)) * 0x9e3779b97f4a7c15;
    hpp_known_python *known = &chain->known[hash >> 32 & (HPP_N_KNOWN_PYTHON - 1)];
    if (HPP_LIKELY(known->place.instruction == place.instruction &&
                   known->place.code == place.code && known->parent == parent &&
                   known->deaths == chain->deaths)) {
        *node = known->node;
        return true;
    }
    if (!find_node(node, frame, &memory)) {
        return false;
    }
    *known = (hpp_known_python){place, parent, *node, chain->deaths};
    return true;
}

/* ---- the chain ------------------------------------------------------------------------------- */

/* Whether the interpreter is laid out as its version is. Set at the first frame. */
static atomic_bool is_checked;

/* Checks that, at the first frame of a function, in a thread that runs it. */
static bool check(const hpp_python_frame *frames, uint32_t n, bool is_careful)
{
    if (HPP_LIKELY(atomic_load_explicit(&is_checked, memory_order_relaxed)) || is_careful) {
        return is_checked;
    }
    hpp_memory memory = {0};
    for (uint32_t i = n; i-- > 0;) {
        if (is_shown(&frames[i], &memory)) {
            is_checked = hpp__codes_check(frames[i].place, &memory);
            break;
        }
    }
    if (!is_checked) {
        hpp__python_give_up();
    }
    return is_checked;
}

static uint32_t read_chain(hpp_python_chain *chain, const void *thread_state, bool is_careful)
{
    const hpp_python_offsets *at = hpp__python.offsets;
    if (HPP_UNLIKELY(is_careful)) {
        hpp_memory memory = {0};
        uintptr_t frame;
        return hpp__python_innermost(&frame, &memory, thread_state)
                   ? read_frames_carefully(chain, frame, &memory)
                   : 0;
    }
    uintptr_t frame = word_at((uintptr_t)thread_state + at->thread_frame);
    if (at->cframe_frame != HPP_PYTHON_NONE && frame != 0) {
        frame = word_at(frame + at->cframe_frame);
    }
    return read_frames(chain, frame);
}

hpp_frames_found hpp__frames_callers(hpp_python_frame *innermost, uint32_t *callers,
                                     hpp_python_chain *chain, const void *thread_state,
                                     bool is_careful)
{
    uint32_t n = thread_state != NULL ? read_chain(chain, thread_state, is_careful) : 0;
    const hpp_python_frame *frames = frames_of(chain);
    if (n == 0 || !check(frames, n, is_careful)) {
        return HPP_FRAMES_NONE;
    }
    uint32_t deaths = atomic_load_explicit(&hpp__codes_deaths, memory_order_relaxed);
    if (HPP_UNLIKELY(chain->deaths != deaths)) {
        chain->deaths = deaths;
        chain->n_levels = 0;
    }
    hpp_python_level *levels = levels_of(chain);
    uint32_t n_outer = n - 1;
    uint32_t most = n_outer < chain->n_levels ? n_outer : chain->n_levels;
    const hpp_python_frame *frame = frames + n_outer;
    uint32_t i = 0;
    for (; i < most && levels[i].place.instruction == frame->place.instruction &&
           levels[i].place.code == frame->place.code;
         i++) {
        frame--;
    }
    *callers = i > 0 ? levels[i - 1].node : 0;
    *innermost = frames[0];
    if (HPP_LIKELY(i == n_outer)) {
        return HPP_FRAMES_FOUND;
    }
    if (!hpp__growing_reserve(&chain->levels, n * sizeof(hpp_python_level))) {
        return HPP_FRAMES_LOST;
    }
    levels = levels_of(chain);
    for (; i < n_outer && hpp__frames_push(callers, chain, frame, is_careful); i++) {
        levels[i] = (hpp_python_level){frame->place, *callers};
        frame--;
    }
    chain->n_levels = i;
    return i == n_outer ? HPP_FRAMES_FOUND : HPP_FRAMES_LOST;
}
