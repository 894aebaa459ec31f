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

static bool push(uint32_t *node, hpp_python_chain *chain, const hpp_python_frame *frame,
                 hpp_memory *memory)
{
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
    if (!find_node(node, frame, memory)) {
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
    hpp_memory memory = {0};
    if (HPP_LIKELY(is_checked) || is_careful) {
        return is_checked;
    }
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

bool hpp__frames_node(uint32_t *node, hpp_python_chain *chain, const void *thread_state,
                      bool is_careful)
{
    hpp_memory memory = is_careful ? (hpp_memory){0} : HPP_ALL_MEMORY;
    uintptr_t innermost;
    *node = 0;
    if (thread_state == NULL || !hpp__python_innermost(&innermost, &memory, thread_state)) {
        return true;
    }
    uint32_t n = is_careful ? read_frames_carefully(chain, innermost, &memory)
                            : read_frames(chain, innermost);
    const hpp_python_frame *frames = frames_of(chain);
    if (n == 0 || !check(frames, n, is_careful)) {
        return true;
    }
    if (!hpp__growing_reserve(&chain->levels, n * sizeof(hpp_python_level))) {
        return false;
    }
    uint32_t deaths = atomic_load_explicit(&hpp__codes_deaths, memory_order_relaxed);
    if (HPP_UNLIKELY(chain->deaths != deaths)) {
        chain->deaths = deaths;
        chain->n_levels = 0;
    }
    hpp_python_level *levels = levels_of(chain);
    uint32_t most = n < chain->n_levels ? n : chain->n_levels;
    uint32_t i = 0;
    while (i < most && levels[i].place.instruction == frames[n - 1 - i].place.instruction &&
           levels[i].place.code == frames[n - 1 - i].place.code) {
        i++;
    }
    *node = i > 0 ? levels[i - 1].node : 0;
    for (; i < n && push(node, chain, &frames[n - 1 - i], &memory); i++) {
        levels[i] = (hpp_python_level){frames[n - 1 - i].place, *node};
    }
    chain->n_levels = i;
    return i == n;
}
