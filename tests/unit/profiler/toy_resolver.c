/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A list of functions instead of object files.
 */
#include "toy_resolver.h"
#include "symbol/resolve.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_OBJECTS = 64, MAX_FUNCTIONS = 256 };

/* An address that was asked for. */
typedef struct answer {
    const char *module;
    uint64_t address;
    hpp_functions functions;
} answer;

struct hpp_resolver {
    char *paths[MAX_OBJECTS];
    uint32_t n_paths;
    hpp_function found[MAX_FUNCTIONS]; /* of all answers, which stay */
    size_t n_found;
    answer answers[MAX_FUNCTIONS];
    size_t n_answers;
};

static const toy_function nothing = {0};
static const toy_function *all = &nothing;

void toy_resolver_functions(const toy_function *functions)
{
    all = functions;
}

static hpf_str text(const char *from)
{
    return from ? (hpf_str){from, strlen(from)} : (hpf_str){"", 0};
}

hpf_status hpp_resolver_create(hpp_resolver **out, const hpp_resolver_options *options,
                               hpf_error *err)
{
    (void)options;
    *out = calloc(1, sizeof **out);
    return *out ? HPF_OK : hpf_error_set_memory(err);
}

void hpp_resolver_destroy(hpp_resolver *resolver)
{
    for (uint32_t i = 0; resolver && i < resolver->n_paths; i++) {
        free(resolver->paths[i]);
    }
    free(resolver);
}

uint32_t hpp_resolver_object(hpp_resolver *resolver, const hpp_object_file *object)
{
    uint32_t i = 0;
    while (i < resolver->n_paths && strcmp(resolver->paths[i], object->path) != 0) {
        i++;
    }
    if (i == resolver->n_paths && i < MAX_OBJECTS) {
        resolver->paths[resolver->n_paths++] = strdup(object->path);
    }
    return i;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void add_function(hpp_resolver *resolver, const char *module, const toy_function *f)
{
    resolver->found[resolver->n_found++] = (hpp_function){
        .name = text(f->name),
        .linkage = text(f->linkage),
        .module = text(module),
        .file = text(f->file),
        .line = f->line,
        .has_symbol = !f->has_no_symbol,
    };
}

uint64_t toy_resolver_lookups;

static hpp_functions find(hpp_resolver *resolver, const char *module, uint64_t address)
{
    toy_resolver_lookups++;
    static const hpp_function unknown = {
        .name = {"unknown", 7}, .linkage = {"", 0}, .module = {"unknown", 7}, .file = {"", 0}};
    for (size_t i = 0; i < resolver->n_answers; i++) {
        const answer *known = &resolver->answers[i];
        if (known->address == address && known->module == module) {
            return known->functions;
        }
    }
    size_t begin = resolver->n_found;
    for (const toy_function *f = all; f->name; f++) {
        if (f->address == address && resolver->n_found < MAX_FUNCTIONS) {
            add_function(resolver, module, f);
        }
    }
    if (resolver->n_found == begin || resolver->n_answers == MAX_FUNCTIONS) {
        return (hpp_functions){&unknown, 1};
    }
    answer *made = &resolver->answers[resolver->n_answers++];
    *made = (answer){module, address, {&resolver->found[begin], resolver->n_found - begin}};
    return made->functions;
}

hpp_functions hpp_resolver_find(hpp_resolver *resolver, uint32_t object, uint64_t address)
{
    return find(resolver, object < resolver->n_paths ? base_name(resolver->paths[object]) : "",
                address);
}

uint64_t hpp_resolver_address(hpp_resolver *resolver, uint32_t object, uint64_t offset)
{
    (void)resolver;
    (void)object;
    return offset;
}

void hpp__resolver_name_by_symbol(hpp_resolver *resolver, hpp__needs_no_place *functions)
{
    (void)resolver;
    (void)functions;
}

void hpp__resolver_expect_code(hpp_resolver *resolver)
{
    (void)resolver;
}

hpp_functions hpp__resolver_find_generated(hpp_resolver *resolver, uint32_t process_id,
                                           uint64_t address)
{
    (void)process_id;
    return find(resolver, "[generated]", address);
}

bool hpp__resolver_variable(hpp_resolver *resolver, uint32_t object, uint64_t address,
                            hpp_variable *out)
{
    (void)resolver;
    (void)object;
    (void)address;
    *out = (hpp_variable){.name = HPF_STR("")};
    return false;
}

bool hpp__resolver_variable_named(hpp_resolver *resolver, uint32_t object, const char *name,
                                  uint64_t *address)
{
    (void)resolver;
    (void)object;
    (void)name;
    (void)address;
    return false;
}

int hpp_resolver_each_unnamed(hpp_resolver *resolver, hpp_visit_object_file *visit, void *context)
{
    (void)resolver;
    (void)visit;
    (void)context;
    return 0;
}

const char *hpp__resolver_missing(void)
{
    return "";
}

bool hpp__resolver_caller(hpp_resolver *resolver, uint32_t object, uint64_t address,
                          hpp_caller_rule *out)
{
    (void)resolver;
    (void)object;
    (void)address;
    (void)out;
    return false;
}

bool hpp__resolver_local(hpp_resolver *resolver, uint32_t object, uint64_t address, int64_t offset,
                         hpp_local *out)
{
    (void)resolver;
    (void)object;
    (void)address;
    (void)offset;
    (void)out;
    return false;
}

hpp_code hpp__resolver_code(hpp_resolver *resolver, uint32_t object, uint64_t address)
{
    (void)resolver;
    (void)object;
    (void)address;
    return (hpp_code){.symbol = text(NULL), .name = text(NULL), .file = text(NULL)};
}

hpf_str hpp__resolver_result_type(hpp_resolver *resolver, uint32_t object, uint64_t address,
                                  bool *is_structure)
{
    *is_structure = false;
    (void)resolver;
    (void)object;
    (void)address;
    return text(NULL);
}

bool hpp__resolver_member(hpp_resolver *resolver, hpf_str type, uint64_t size_bytes,
                          uint64_t offset, hpp__text *out)
{
    (void)resolver;
    (void)type;
    (void)size_bytes;
    (void)offset;
    (void)out;
    return false;
}
