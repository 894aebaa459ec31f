/* SPDX-License-Identifier: BSD-2-Clause */
#include "frames.h"

#include "native/target/unwind/recursion.h"
#include "native/window/trie.h"

enum {
    MAX_FRAMES = 1 << 17,
    MAX_STEPS = 8, /* calls or returns since the last allocation; after more, frames are counted */
};

static hpp_python_level *levels_of(const hpp_python_chain *chain)
{
    return chain->levels.data;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Returns whether a frame is of a function that tracebacks have. */
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
    return owner < HPP_PYTHON_OWNED_BY_INTERPRETER &&
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

static uint64_t hash_of(hpp_python_place place, uint32_t parent)
{
    return (place.instruction + place.code * 31 + ((uint64_t)parent << 20)) * 0x9e3779b97f4a7c15 >>
           32;
}

static bool is_same(hpp_python_place a, hpp_python_place b)
{
    return a.instruction == b.instruction && a.code == b.code;
}

/* Returns the number of a place's code and its line, as nodes have them; 0 if it has none. Also for
 * a frame that is not shown, so that the death of its code is noticed. */
static uint64_t address_of(hpp_python_chain *chain, hpp_python_place place, hpp_memory *memory)
{
    hpp_known_line *known = &chain->lines[hash_of(place, 0) % HPP_N_KNOWN_LINES];
    if (!is_same(known->place, place) ||
        !hpp__codes_lived(place.code, &known->deaths, chain->deaths, memory)) {
        uint64_t number = hpp__codes_number(place.code, memory);
        uint64_t line = number != 0 ? hpp__codes_line(place, memory) : 0;
        *known = (hpp_known_line){place, number << 32 | line, chain->deaths};
    }
    return known->address;
}

/* Finds the node of a frame whose caller has the node `*node`; that one if the frame is not shown.
 * Returns false if the window is full. */
static bool find_node(uint32_t *node, hpp_python_chain *chain, const hpp_python_frame *frame,
                      hpp_memory *memory)
{
    uint64_t address = address_of(chain, frame->place, memory);
    if (address == 0 || !is_shown(frame, memory)) {
        return true;
    }
    bool is_import = hpp__codes_is_import((uint32_t)(address >> 32));
    uint32_t caller = is_import ? *node : without_import(*node);
    hpp_call_edge edge = {address, caller, 0, HPP_NODE_PYTHON};
    *node = hpp__recursion_fold(&edge).node;
    return *node != 0;
}

bool hpp__frames_push(uint32_t *node, hpp_python_chain *chain, const hpp_python_frame *frame,
                      bool is_careful)
{
    hpp_memory memory = is_careful ? (hpp_memory){0} : HPP_ALL_MEMORY;
    hpp_python_place place = frame->place;
    uint32_t parent = *node;
    hpp_known_python *known = &chain->known[hash_of(place, parent) % HPP_N_KNOWN_PYTHON];
    if (HPP_LIKELY(is_same(known->place, place) && known->parent == parent &&
                   hpp__codes_lived(place.code, &known->deaths, chain->deaths, &memory))) {
        *node = known->node;
        return true;
    }
    if (!find_node(node, chain, frame, &memory)) {
        return false;
    }
    *known = (hpp_known_python){place, parent, *node, chain->deaths};
    return true;
}

/* ---- the chain ------------------------------------------------------------------------------- */

/* Whether the interpreter is laid out as its version is. Set at the first frame. */
static atomic_bool is_checked;

/* Checks that, at the first frame of a function, in a thread that runs it. */
static HPP_NO_INLINE bool check(const hpp_python_chain *chain)
{
    hpp_memory memory = {0};
    for (uint32_t i = 0; i < chain->n_levels; i++) {
        const hpp_python_frame *frame = &levels_of(chain)[i].frame;
        if (is_shown(frame, &memory)) {
            is_checked = hpp__codes_check(frame->place, &memory);
            break;
        }
    }
    if (!is_checked) {
        hpp__python_give_up();
    }
    return is_checked;
}

HPP_ALWAYS_INLINE uintptr_t code_of(uintptr_t frame)
{
    return hpp__memory_word(frame + hpp__python.offsets->frame_code) &
           ~(uintptr_t)HPP_PYTHON_REFERENCE_TAGS;
}

/* Returns the instruction of a frame: an address, or up to 3.10 an int. */
HPP_ALWAYS_INLINE uintptr_t instruction_of(uintptr_t frame, bool is_address)
{
    uintptr_t word = hpp__memory_word(frame + hpp__python.offsets->frame_instruction);
    return is_address ? word : (uint32_t)word;
}

/* Returns the frame of the caller; 0: it has none. */
HPP_ALWAYS_INLINE uintptr_t caller_of(uintptr_t frame)
{
    return hpp__memory_word(frame + hpp__python.offsets->frame_previous);
}

/* Returns the number of frames from `frame` on; 0 if they cannot be read, or there are too many. */
static uint32_t count_frames(uintptr_t frame, hpp_memory *memory)
{
    const hpp_python_offsets *at = hpp__python.offsets;
    uintptr_t word;
    uint32_t n = 0;
    for (; frame != 0; n++) {
        if (n == MAX_FRAMES || frame % 8 != 0 ||
            !hpp__memory_read(&word, memory, frame + at->frame_code) ||
            !hpp__memory_read(&word, memory, frame + at->frame_instruction) ||
            !hpp__memory_read(&frame, memory, frame + at->frame_previous)) {
            return 0;
        }
    }
    return n;
}

/* Returns the number of frames from `frame` on if it or its caller is among the innermost of the
 * first `n` levels, 0 if not. It may be wrong, since addresses are used again. */
HPP_ALWAYS_INLINE uint32_t guess_frames(const hpp_python_chain *chain, uint32_t n, uintptr_t frame)
{
    const hpp_python_level *levels = levels_of(chain);
    uintptr_t caller = caller_of(frame);
    for (uint32_t i = n; i > 0 && n - i < MAX_STEPS; i--) {
        uintptr_t known = levels[i - 1].frame.frame;
        if (known == frame || known == caller) {
            return i + (known == caller);
        }
    }
    return 0;
}

HPP_ALWAYS_INLINE bool follow_as(bool has_addresses, bool knows_codes, hpp_python_chain *chain,
                                 uint32_t n, uintptr_t frame)
{
    hpp_python_level *outermost = levels_of(chain);
    hpp_python_level *level = outermost + n;
    uint32_t n_equal = n;
    for (; level != outermost && frame != 0; frame = caller_of(frame)) {
        hpp_python_place *known = &(--level)->frame.place;
        uintptr_t instruction = instruction_of(frame, has_addresses);
        if (HPP_UNLIKELY(instruction != known->instruction ||
                         (!knows_codes && code_of(frame) != known->code))) {
            n_equal = (uint32_t)(level - outermost);
            *known = (hpp_python_place){code_of(frame), instruction};
        }
        level->frame.frame = frame;
    }
    chain->n_nodes = chain->n_nodes < n_equal ? chain->n_nodes : n_equal;
    chain->n_levels = n;
    return level == outermost && frame == 0;
}

/* Makes the chain the frames from `frame` on, which should be `n`. Levels keep their nodes up to
 * the first frame that is not what it was. Returns false if the number is wrong. */
HPP_ALWAYS_INLINE bool follow(hpp_python_chain *chain, uint32_t n, uintptr_t frame)
{
    const hpp_python_offsets *at = hpp__python.offsets;
    bool has_addresses = at->lines == HPP_PYTHON_LOCATIONS;
    bool knows_codes = has_addresses && at->code_copies == HPP_PYTHON_NONE;
    return HPP_LIKELY(knows_codes) ? follow_as(true, true, chain, n, frame)
           : has_addresses         ? follow_as(true, false, chain, n, frame)
                                   : follow_as(false, false, chain, n, frame);
}

static HPP_NO_INLINE bool read_new_chain(hpp_python_chain *chain, uintptr_t frame,
                                         hpp_memory *memory)
{
    uint32_t n = count_frames(frame, memory);
    return n > 0 && hpp__growing_reserve(&chain->levels, n * sizeof(hpp_python_level)) &&
           follow(chain, n, frame);
}

/* Reads a chain that has not returned to a frame of the last one: calls have perhaps gone to frames
 * that had returned before, whose levels are still there. */
static HPP_NO_INLINE bool read_other_chain(hpp_python_chain *chain, uintptr_t frame)
{
    size_t n_room = chain->levels.n_bytes / sizeof(hpp_python_level);
    size_t n_deeper = chain->n_levels + MAX_STEPS;
    uint32_t n = guess_frames(chain, (uint32_t)(n_deeper < n_room ? n_deeper : n_room), frame);
    return (n > 0 && n <= n_room && follow(chain, n, frame)) ||
           read_new_chain(chain, frame, &(HPP_ALL_MEMORY));
}

/* Reads the frames of the calling thread. Returns false if it has none. */
HPP_ALWAYS_INLINE bool read_chain(hpp_python_chain *chain, const void *thread_state)
{
    const hpp_python_offsets *at = hpp__python.offsets;
    uintptr_t frame = hpp__memory_word((uintptr_t)thread_state + at->thread_frame);
    if (at->cframe_frame != HPP_PYTHON_NONE && frame != 0) {
        frame = hpp__memory_word(frame + at->cframe_frame);
    }
    if (HPP_UNLIKELY(frame == 0)) {
        return false;
    }
    uint32_t n = guess_frames(chain, chain->n_levels, frame);
    return (HPP_LIKELY(n > 0 && n * sizeof(hpp_python_level) <= chain->levels.n_bytes) &&
            follow(chain, n, frame)) ||
           read_other_chain(chain, frame);
}

/* Does the same for a thread that was interrupted anywhere. */
static bool read_chain_carefully(hpp_python_chain *chain, const void *thread_state)
{
    const hpp_python_offsets *at = hpp__python.offsets;
    hpp_memory memory = {0};
    uintptr_t frame;
    return hpp__memory_read(&frame, &memory, (uintptr_t)thread_state + at->thread_frame) &&
           (at->cframe_frame == HPP_PYTHON_NONE || frame == 0 ||
            hpp__memory_read(&frame, &memory, frame + at->cframe_frame)) &&
           read_new_chain(chain, frame, &memory);
}

/* Forgets all places and nodes, since code objects have died: others may have their addresses. */
static HPP_NO_INLINE void forget(hpp_python_chain *chain, uint32_t deaths)
{
    hpp_python_level *levels = levels_of(chain);
    for (size_t i = 0; i < chain->levels.n_bytes / sizeof(*levels); i++) {
        levels[i].frame.place = (hpp_python_place){0, UINTPTR_MAX};
    }
    chain->n_nodes = 0;
    chain->deaths = deaths;
}

HPP_ALWAYS_INLINE void notice_deaths(hpp_python_chain *chain)
{
    uint32_t deaths = hpp__codes_count_deaths();
    if (HPP_UNLIKELY(chain->deaths != deaths)) {
        forget(chain, deaths);
    }
}

/* Finds the nodes of the levels that have none, but for the innermost. Returns false if the window
 * is full. */
static HPP_NO_INLINE bool push_callers(hpp_python_chain *chain, bool is_careful)
{
    hpp_python_level *levels = levels_of(chain);
    for (; chain->n_nodes < chain->n_levels - 1; chain->n_nodes++) {
        hpp_python_level *level = &levels[chain->n_nodes];
        level->node = chain->n_nodes > 0 ? level[-1].node : 0;
        if (!hpp__frames_push(&level->node, chain, &level->frame, is_careful)) {
            return false;
        }
    }
    return true;
}

/* Returns the stack of a chain that was read. */
HPP_ALWAYS_INLINE hpp_python_stack stack_of(hpp_python_chain *chain, bool is_careful)
{
    uint32_t n_callers = chain->n_levels - 1;
    if (chain->n_nodes < n_callers && !push_callers(chain, is_careful)) {
        return (hpp_python_stack){.found = HPP_FRAMES_LOST};
    }
    const hpp_python_level *innermost = &levels_of(chain)[n_callers];
    uint32_t callers = n_callers > 0 ? innermost[-1].node : 0;
    return (hpp_python_stack){&innermost->frame, callers, HPP_FRAMES_FOUND};
}

hpp_python_stack hpp__frames_read(hpp_python_chain *chain, const void *thread_state)
{
    notice_deaths(chain);
    if (HPP_UNLIKELY(thread_state == NULL || !read_chain(chain, thread_state)) ||
        (HPP_UNLIKELY(!atomic_load_explicit(&is_checked, memory_order_relaxed)) && !check(chain))) {
        return (hpp_python_stack){.found = HPP_FRAMES_NONE};
    }
    return stack_of(chain, false);
}

hpp_python_stack hpp__frames_read_carefully(hpp_python_chain *chain, const void *thread_state)
{
    notice_deaths(chain);
    if (thread_state == NULL || !read_chain_carefully(chain, thread_state) || !is_checked) {
        return (hpp_python_stack){.found = HPP_FRAMES_NONE};
    }
    return stack_of(chain, true);
}
