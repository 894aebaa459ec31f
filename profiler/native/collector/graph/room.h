/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How full containers of C++ and Rust are, by the words that refer to their blocks: what libstdc++,
 * libc++ (vectors) and the standard library of Rust store next to the address of a block.
 */
#ifndef HPP_NATIVE_COLLECTOR_GRAPH_ROOM_H
#define HPP_NATIVE_COLLECTOR_GRAPH_ROOM_H

#include "native/collector/image/image.h"
#include "native/python/heap/contents.h"

/* What the words around the address of a block are. */
typedef enum hpp__room_layout {
    HPP__ROOM_NONE,
    HPP__ROOM_ARRAY,   /* std::vector: begin, end, end of the room */
    HPP__ROOM_BITS,    /* std::vector<bool>: begin, bit, end, bit, end of the room */
    HPP__ROOM_TEXT,    /* std::string: address, length, room */
    HPP__ROOM_BUCKETS, /* std::unordered_map and its like: address, number, first node, elements */
    HPP__ROOM_DEQUE,   /* index, length of the index, and two iterators */
    HPP__ROOM_RUST,    /* room, address, length; or address, room, length */
    HPP__ROOM_RING,    /* of Rust: room, address, first element, length */
    HPP__ROOM_TABLE, /* HashMap of Rust: an address inside, number - 1, number that may still come,
                        elements; or the second before the address */
    HPP__ROOM_ANY,   /* the type of the block is not known: std::vector, text, buckets */
    HPP__N_ROOM_LAYOUTS
} hpp__room_layout;

enum { HPP__ROOM_WORDS = 11 /* from the one before the address */ };

/* Returns the layout that the type of a block says. */
hpp__room_layout hpp__room_layout_of(hpf_str type);

/* Finds the room of a container. `words[1]` is the address of its block, or one inside of it if it
 * is a HashMap of Rust, `words[0]` the word before or 0; others are 0 if there are none. `rounding`
 * is by how much the block can be larger than what was asked for. Returns the layout that fits, or
 * HPP__ROOM_NONE. */
hpp__room_layout hpp__room_find(hpp__room *out, hpp__room_layout layout,
                                const hpp__image_block *block,
                                const uint64_t words[HPP__ROOM_WORDS], uint64_t rounding);

/* Returns the type of a block in a container, for one that has no other. */
hpf_str hpp__room_type(hpp__room_layout layout);

#endif
