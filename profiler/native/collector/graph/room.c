/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Source: bits/stl_vector.h, bits/stl_bvector.h, bits/basic_string.h, bits/hashtable.h and
 * bits/stl_deque.h of libstdc++; raw/mod.rs of hashbrown, the hash tables of Rust's standard
 * library.
 */
#include "room.h"

#include <string.h>

#include "hpfile/str.h"

enum { WORD_BYTES = 8, BEFORE = 0, ADDRESS = 1, FIRST = 2, SECOND = 3 };

hpp__room_layout hpp__room_layout_of(hpf_str type)
{
    static const struct {
        const char *beginning;
        hpp__room_layout layout;
    } types[] = {
        {"array of std::vector<bool>", HPP__ROOM_BITS},
        {"array of std::vector", HPP__ROOM_ARRAY},
        {"text of std::string", HPP__ROOM_TEXT},
        {"text of std::basic_string", HPP__ROOM_TEXT},
        {"text of std::wstring", HPP__ROOM_TEXT},
        {"buckets of std::unordered_", HPP__ROOM_BUCKETS},
        {"index of std::deque", HPP__ROOM_DEQUE},
        {"array of VecDeque", HPP__ROOM_RING},
        {"array of Vec", HPP__ROOM_RUST},
        {"text of String", HPP__ROOM_RUST},
        {"table of Hash", HPP__ROOM_TABLE},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (hpf_str_begins(type, types[i].beginning)) {
            return types[i].layout;
        }
    }
    return HPP__ROOM_NONE;
}

hpf_str hpp__room_type(hpp__room_layout layout)
{
    return layout == HPP__ROOM_ARRAY     ? HPF_STR("array of std::vector")
           : layout == HPP__ROOM_TEXT    ? HPF_STR("text of std::string")
           : layout == HPP__ROOM_BUCKETS ? HPF_STR("buckets of std::unordered_map or set")
                                         : HPF_STR("");
}

/* Returns whether a block has `n_bytes`, maybe rounded up. */
static bool fits(const hpp__image_block *block, uint64_t n_bytes, uint64_t rounding)
{
    return n_bytes > 0 && n_bytes <= block->size_bytes && block->size_bytes - n_bytes <= rounding;
}

/* Of unknown blocks, not if the begin is there twice: so do buffers of stdio and iterators of
 * std::deque look. */
static bool find_array(hpp__room *out, const hpp__image_block *block, const uint64_t *words,
                       uint64_t rounding)
{
    uint64_t begin = words[ADDRESS], end = words[FIRST], room_end = words[SECOND];
    *out = (hpp__room){room_end - begin, end - begin};
    return begin <= end && end <= room_end && fits(block, room_end - begin, rounding);
}

/* The begin and the end are the address of a word and the number of a bit in it. */
static bool find_bits(hpp__room *out, const hpp__image_block *block, const uint64_t *words)
{
    enum { END = 3, END_BIT = 4, ROOM_END = 5, BYTE_BITS = 8 };
    uint64_t begin = words[ADDRESS], end_bit = words[END_BIT] & UINT32_MAX;
    uint64_t end = words[END] + (end_bit + BYTE_BITS - 1) / BYTE_BITS;
    *out = (hpp__room){words[ROOM_END] - begin, end - begin};
    return (words[FIRST] & UINT32_MAX) == 0 && end_bit < WORD_BYTES * BYTE_BITS && begin <= end &&
           end <= words[ROOM_END] && fits(block, out->bytes, 0);
}

/* Characters have 1, 2 or 4 bytes; one more ends the text. A block of another size may be one of
 * anything. */
static bool find_text(hpp__room *out, const hpp__image_block *block, const uint64_t *words,
                      uint64_t rounding)
{
    uint64_t length = words[FIRST], room = words[SECOND];
    const uint64_t widest = rounding > 0 ? 1 : 4;
    for (uint64_t width = 1; width <= widest && room < UINT32_MAX; width *= 2) {
        if (length <= room && fits(block, (room + 1) * width, rounding)) {
            *out = (hpp__room){room * width, length * width};
            return true;
        }
    }
    return false;
}

/* The largest load, a float, comes after the number of elements. Words around a block of unknown
 * type are another container's unless they are as in most. */
static bool find_buckets(hpp__room *out, const hpp__image_block *block, const uint64_t *words,
                         uint64_t rounding)
{
    enum { FIRST_NODE = 3, ELEMENTS = 4, LOAD = 5 };
    bool is_usual = (words[FIRST_NODE] == 0) == (words[ELEMENTS] == 0);
    uint64_t n = words[FIRST], n_used = words[ELEMENTS] < n ? words[ELEMENTS] : n;
    float load;
    memcpy(&load, &words[LOAD], sizeof load);
    *out = (hpp__room){n * WORD_BYTES, n_used * WORD_BYTES};
    is_usual = rounding == 0 || (is_usual && load == 1.0F);
    return n < UINT32_MAX && load > 0.01F && load < 1000.0F && is_usual &&
           fits(block, n * WORD_BYTES, rounding);
}

/* An iterator is an element, the begin and end of its chunk, and the place of that in the index. */
static bool find_deque(hpp__room *out, const hpp__image_block *block, const uint64_t *words,
                       uint64_t rounding)
{
    enum { BEGIN = 3, END = 7, CHUNK_BEGIN = 1, CHUNK_END = 2, PLACE = 3 };
    const uint64_t *begin = &words[BEGIN], *end = &words[END];
    uint64_t chunk_bytes = begin[CHUNK_END] - begin[CHUNK_BEGIN];
    uint64_t n_chunks = (end[PLACE] - begin[PLACE]) / WORD_BYTES + 1;
    uint64_t n_used = (n_chunks - 1) * chunk_bytes + (end[0] - end[CHUNK_BEGIN]) -
                      (begin[0] - begin[CHUNK_BEGIN]);
    *out = (hpp__room){n_chunks * chunk_bytes, n_used};
    return words[FIRST] < UINT32_MAX && fits(block, words[FIRST] * WORD_BYTES, rounding) &&
           begin[PLACE] >= block->address && begin[PLACE] <= end[PLACE] &&
           end[PLACE] - block->address < block->size_bytes && chunk_bytes < UINT32_MAX &&
           n_used <= out->bytes;
}

/* Fills the room of `n` elements, whose size is not known: it divides the block. */
static bool fill_rust(hpp__room *out, const hpp__image_block *block, uint64_t n, uint64_t n_used)
{
    if (n == 0 || n_used > n || block->size_bytes % n != 0) {
        return false;
    }
    *out = (hpp__room){block->size_bytes, block->size_bytes / n * n_used};
    return true;
}

static bool find_rust(hpp__room *out, const hpp__image_block *block, const uint64_t *words)
{
    return fill_rust(out, block, words[BEFORE], words[FIRST]) ||
           fill_rust(out, block, words[FIRST], words[SECOND]);
}

/* The elements are before the address; after it, there is a byte for each, and 16 more. Of eight
 * places or more, an eighth stays empty. `left` is how many of the others are, too. */
static bool fill_table(hpp__room *out, const hpp__image_block *block, uint64_t address, uint64_t n,
                       uint64_t left, uint64_t n_used)
{
    enum { MORE_BYTES = 16 };
    uint64_t elements_bytes = address - block->address;
    uint64_t most = n < 8 ? n - 1 : n / 8 * 7;
    if (n < 2 || n > UINT32_MAX || (n & (n - 1)) != 0 || n_used > most || left > most - n_used ||
        elements_bytes + n + MORE_BYTES != block->size_bytes) {
        return false;
    }
    *out = (hpp__room){elements_bytes / n * most, elements_bytes / n * n_used};
    return true;
}

static bool find_table(hpp__room *out, const hpp__image_block *block, const uint64_t *words)
{
    enum { THIRD = 4 };
    uint64_t address = words[ADDRESS];
    return fill_table(out, block, address, words[FIRST] + 1, words[SECOND], words[THIRD]) ||
           fill_table(out, block, address, words[BEFORE] + 1, words[FIRST], words[SECOND]);
}

hpp__room_layout hpp__room_find(hpp__room *out, hpp__room_layout layout,
                                const hpp__image_block *block,
                                const uint64_t words[HPP__ROOM_WORDS], uint64_t rounding)
{
    bool is_any = layout == HPP__ROOM_ANY;
    if ((is_any || layout == HPP__ROOM_BUCKETS) && find_buckets(out, block, words, rounding)) {
        return HPP__ROOM_BUCKETS;
    }
    if ((is_any || layout == HPP__ROOM_TEXT) && find_text(out, block, words, rounding)) {
        return HPP__ROOM_TEXT;
    }
    bool may_be_array = words[BEFORE] != words[ADDRESS] && words[ADDRESS] != words[FIRST];
    if ((layout == HPP__ROOM_ARRAY || (is_any && may_be_array)) &&
        find_array(out, block, words, rounding)) {
        return HPP__ROOM_ARRAY;
    }
    bool fits_own =
        (layout == HPP__ROOM_DEQUE && find_deque(out, block, words, rounding)) ||
        (layout == HPP__ROOM_BITS && find_bits(out, block, words)) ||
        (layout == HPP__ROOM_RUST && find_rust(out, block, words)) ||
        (layout == HPP__ROOM_TABLE && find_table(out, block, words)) ||
        (layout == HPP__ROOM_RING && fill_rust(out, block, words[BEFORE], words[SECOND]));
    return fits_own ? layout : HPP__ROOM_NONE;
}
