/* SPDX-License-Identifier: BSD-2-Clause */
#include "closures.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "hpfile/str.h"
#include "native/collector/roots/piece_reader.h"

enum {
    HEADER_WORDS = 1,
    THUNK_HEADER_WORDS = 2, /* with room for the result */
    LEAST_PAYLOAD_WORDS = 1,
    TABLE_BYTES = 24, /* of an info table, with what a constructor's has before */
    MOST_PAYLOAD_WORDS = 1 << 16,
    MOST_INFOS = 1 << 20,
    MOST_NAME_BYTES = 200,
};
#define NOT_AN_INFO UINT64_MAX

void hpp__haskell_closures_finish(hpp__haskell_closures *c)
{
    free(c->infos);
    free(c->uses);
    hpp__map_finish(&c->info_at);
    hpp__map_finish(&c->use_of);
    *c = (hpp__haskell_closures){0};
}

/* Returns whether closures of a type have pointers before other words, as their table says. */
static bool has_plain_layout(uint8_t type)
{
    return type < HPP_HASKELL_THUNK_SELECTOR || type == HPP_HASKELL_BLOCKING_QUEUE ||
           (type >= HPP_HASKELL_MVAR_CLEAN && type <= HPP_HASKELL_TVAR) ||
           (type >= HPP_HASKELL_MUT_VAR_CLEAN && type <= HPP_HASKELL_MUT_PRIM);
}

/* Reads the info table at an address. Returns false if there is none. */
static bool read_info(hpp__haskell_heap *heap, uint64_t address, hpp__haskell_info *out)
{
    const hpp__image_map *map =
        address % sizeof address == 0 ? hpp__image_map_of(heap->image, address) : NULL;
    struct table {
        int32_t name;
        uint32_t unused, n_pointers, n_others, type;
        int32_t references;
    } table;
    _Static_assert(sizeof table == TABLE_BYTES, "as in memory");
    if (!map || !map->is_executable || address < TABLE_BYTES ||
        !hpp__haskell_read(heap, &table, address - TABLE_BYTES, TABLE_BYTES) || table.type == 0 ||
        table.type >= heap->layout->n_types) {
        return false;
    }
    *out = (hpp__haskell_info){
        .address = address,
        .type = (uint8_t)table.type,
        .n_pointers = table.n_pointers,
        .n_words = table.n_pointers + table.n_others,
        .bitmap = (uint64_t)table.n_others << 32 | table.n_pointers,
    };
    /* In a constructor's, this is its tag. */
    out->table = table.references != 0 && !hpp__haskell_is_constructor(out->type)
                     ? address + (uint64_t)(int64_t)table.references
                     : 0;
    return !has_plain_layout(out->type) ||
           (table.n_pointers < MOST_PAYLOAD_WORDS && table.n_others < MOST_PAYLOAD_WORDS);
}

hpp__haskell_info *hpp__haskell_info_at(hpp__haskell_closures *c, uint64_t address)
{
    uint32_t *recent = &c->recent[address / 8 % (sizeof c->recent / sizeof *c->recent)];
    if (*recent != 0 && c->infos[*recent - 1].address == address) {
        return &c->infos[*recent - 1];
    }
    hpp__haskell_info info;
    uint64_t *place =
        address != 0 && c->info_at.n_keys < MOST_INFOS ? hpp__map_add(&c->info_at, address) : NULL;
    if (place && *place == 0) {
        bool is_info = read_info(c->heap, address, &info);
        for (size_t i = 0; i < HPP__HASKELL_APPLICATIONS && is_info; i++) {
            info.is_application |= c->variables->applications[i] == address;
        }
        is_info = is_info && HPF__ARRAY_PUSH(c->infos, c->n_infos, c->infos_capacity, info);
        *place = is_info ? c->n_infos : NOT_AN_INFO;
    }
    if (!place || *place == NOT_AN_INFO) {
        return NULL;
    }
    *recent = (uint32_t)*place;
    return &c->infos[*place - 1];
}

static uint64_t at_least_one(uint64_t n)
{
    return n > LEAST_PAYLOAD_WORDS ? n : LEAST_PAYLOAD_WORDS;
}

/* Returns a number of words plus some more; 0 if it is too large for any heap. */
static uint64_t sum(uint64_t n_words, uint64_t more)
{
    return n_words < UINT64_C(1) << 48 ? n_words + more : 0;
}

uint64_t hpp__haskell_closure_words(const hpp__haskell_closures *c, const hpp__haskell_info *info,
                                    const uint64_t *words, size_t n)
{
    const uint64_t one = n > 1 ? words[1] : 0, two = n > 2 ? words[2] : 0;
    const uint64_t four = n > 4 ? words[4] : 0;
    switch (info->type) {
    case HPP_HASKELL_THUNK:
    case HPP_HASKELL_THUNK_1_0:
    case HPP_HASKELL_THUNK_0_1:
    case HPP_HASKELL_THUNK_2_0:
    case HPP_HASKELL_THUNK_1_1:
    case HPP_HASKELL_THUNK_0_2:
        return THUNK_HEADER_WORDS + at_least_one(info->n_words);
    case HPP_HASKELL_THUNK_SELECTOR:
        return THUNK_HEADER_WORDS + 1;
    case HPP_HASKELL_AP:
        return THUNK_HEADER_WORDS + 2 + (two >> 32);
    case HPP_HASKELL_PAP:
        return HEADER_WORDS + 2 + (one >> 32);
    case HPP_HASKELL_AP_STACK:
        return sum(two, THUNK_HEADER_WORDS + 2);
    case HPP_HASKELL_IND:
    case HPP_HASKELL_BLACKHOLE:
    case HPP_HASKELL_WHITEHOLE:
        return HEADER_WORDS + 1;
    case HPP_HASKELL_ARR_WORDS:
        return sum(one / sizeof(uint64_t) + (one % sizeof(uint64_t) != 0), HEADER_WORDS + 1);
    case HPP_HASKELL_MUT_ARR_PTRS_CLEAN:
    case HPP_HASKELL_MUT_ARR_PTRS_DIRTY:
    case HPP_HASKELL_MUT_ARR_PTRS_FROZEN_CLEAN:
    case HPP_HASKELL_MUT_ARR_PTRS_FROZEN_DIRTY:
        return one <= two ? sum(two, HEADER_WORDS + 2) : 0; /* with the table of cards */
    case HPP_HASKELL_SMALL_MUT_ARR_PTRS_CLEAN:
    case HPP_HASKELL_SMALL_MUT_ARR_PTRS_DIRTY:
    case HPP_HASKELL_SMALL_MUT_ARR_PTRS_FROZEN_CLEAN:
    case HPP_HASKELL_SMALL_MUT_ARR_PTRS_FROZEN_DIRTY:
        return sum(one, HEADER_WORDS + 1);
    case HPP_HASKELL_TSO:
        return c->heap->layout->thread_bytes / sizeof(uint64_t);
    case HPP_HASKELL_STACK:
        return HEADER_WORDS + 2 + (one & UINT32_MAX);
    case HPP_HASKELL_BCO:
        return four >> 32;
    case HPP_HASKELL_TREC_CHUNK:
        return c->heap->layout->record_chunk_bytes[c->heap->is_threaded] / sizeof(uint64_t);
    case HPP_HASKELL_CONTINUATION:
        return sum(n > 3 ? words[3] : UINT64_MAX, HEADER_WORDS + 3);
    case HPP_HASKELL_COMPACT_NFDATA:
        return sum(one, 0); /* the whole region */
    default:
        return has_plain_layout(info->type) ? HEADER_WORDS + at_least_one(info->n_words) : 0;
    }
}

uint32_t hpp__haskell_use_number(hpp__haskell_closures *c, uint32_t info,
                                 const hpp__haskell_info *subject)
{
    hpp__haskell_use use = {.info = info,
                            .subject = subject ? (uint32_t)(subject - c->infos) : UINT32_MAX};
    uint64_t *place =
        hpp__map_add(&c->use_of, ((uint64_t)use.info + 1) << 32 | (use.subject + UINT32_C(1)));
    if (place && *place == 0 && HPF__ARRAY_PUSH(c->uses, c->n_uses, c->uses_capacity, use)) {
        *place = c->n_uses;
    }
    return place ? (uint32_t)*place : 0;
}

static bool is_printable(unsigned char byte)
{
    return byte > ' ' && byte != 0x7f; /* names are UTF-8 */
}

void hpp__haskell_closure_name(const hpp__haskell_closures *c, const hpp__haskell_info *info,
                               hpp__text *out)
{
#define NAME(name) #name
    static const char *const names[] = {HPP_HASKELL_TYPES(NAME)};
#undef NAME
    int32_t offset;
    bool is_named =
        hpp__haskell_is_constructor(info->type) &&
        hpp__haskell_read(c->heap, &offset, info->address - TABLE_BYTES, sizeof offset) &&
        hpp__image_text(c->heap->image, out, info->address + (uint64_t)(int64_t)offset,
                        MOST_NAME_BYTES, is_printable);
    if (!is_named) {
        out->length = 0;
        hpp__text_add(out, hpf_str_of(names[info->type]));
    }
}
