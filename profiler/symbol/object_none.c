/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Replaces object.c in builds without elfutils: no object has symbols.
 */
#include "object.h"

#include <stdlib.h>

struct hpp__objects {
    bool is_used;
};

hpp__objects *hpp__objects_create(const char *debug_folder, bool symbols_only)
{
    (void)debug_folder;
    (void)symbols_only;
    return calloc(1, sizeof(hpp__objects));
}

void hpp__objects_destroy(hpp__objects *objects)
{
    free(objects);
}

hpp__object *hpp__object_open(hpp__objects *objects, const char *path, hpf_str build_id)
{
    (void)path;
    (void)build_id;
    objects->is_used = true;
    return NULL;
}

void hpp__object_close(hpp__object *object)
{
    (void)object;
}

bool hpp__object_is_overwritten(const hpp__object *object)
{
    (void)object;
    return false;
}

uint64_t hpp__object_address(hpp__object *object, uint64_t offset)
{
    (void)object;
    return offset;
}

const hpp__symbol *hpp__object_symbol(hpp__object *object, uint64_t address)
{
    (void)object;
    (void)address;
    return NULL;
}

const hpp__symbol *hpp__object_next_symbol(hpp__object *object, uint64_t address)
{
    (void)object;
    (void)address;
    return NULL;
}

const hpp__symbol *hpp__object_variable(hpp__object *object, uint64_t address,
                                        const hpp__symbol **next)
{
    (void)object;
    (void)address;
    *next = NULL;
    return NULL;
}

bool hpp__object_function_start(hpp__object *object, uint64_t address, uint64_t *start)
{
    (void)object;
    (void)address;
    (void)start;
    return false;
}

size_t hpp__object_frames(hpp__object *object, uint64_t address, hpp__debug_frame *frames)
{
    (void)object;
    (void)address;
    (void)frames;
    return 0;
}

size_t hpp__object_locals(hpp__object *object, uint64_t address, const hpp_caller_rule *rule,
                          hpp__debug_local *locals)
{
    (void)object;
    (void)address;
    (void)rule;
    (void)locals;
    return 0;
}

bool hpp__object_result_type(hpp__object *object, uint64_t address, hpp__text *out,
                             bool *is_structure)
{
    (void)object;
    (void)address;
    (void)out;
    (void)is_structure;
    return false;
}

bool hpp__object_member(hpp__object *object, hpf_str type, uint64_t size_bytes, uint64_t offset,
                        hpp__text *out)
{
    (void)object;
    (void)type;
    (void)size_bytes;
    (void)offset;
    (void)out;
    return false;
}

bool hpp__object_caller(hpp__object *object, uint64_t address, hpp_caller_rule *out)
{
    (void)object;
    (void)address;
    (void)out;
    return false;
}

bool hpp__object_is_of_ghc(hpp__object *object)
{
    (void)object;
    return false;
}

bool hpp__object_is_built_in(void)
{
    return false;
}
