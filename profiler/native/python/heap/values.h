/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads objects of CPython by their addresses: texts, and the entries of dicts. Addresses may be
 * any numbers.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_PYTHON_HEAP_VALUES_H
#define HPP_NATIVE_PYTHON_HEAP_VALUES_H

#include "model.h"

/* Returns the number of the block of an object, or HPP__NO_BLOCK. */
uint32_t hpp__python_block(const hpp__python *python, uint64_t object);

/* Reads a word; returns 0 if it cannot be read. */
uint64_t hpp__python_word(const hpp__python *python, uint64_t address);

/* Appends the text of a str as UTF-8, at most 200 characters. Returns false if it is none. */
bool hpp__python_text(const hpp__python *python, uint64_t object, hpp__text *out);

/* Visits the entries of a dict, until a visit returns false. Returns false if it cannot be read. */
typedef bool hpp__python_visit(void *context, uint64_t key, uint64_t value);
bool hpp__python_each(const hpp__python *python, uint64_t dict, hpp__python_visit *visit,
                      void *context);

/* Returns the value of a key in a dict; 0 if there is none. */
uint64_t hpp__python_get(const hpp__python *python, uint64_t dict, const char *key);

/* Appends the name of the module that has the file of the variables in `dict`. Returns false if
 * they have none. */
bool hpp__python_file_module(const hpp__python *python, uint64_t dict, hpp__text *out);

/* Appends the name of a module, a str, as stacks have it: of "__main__", whose variables are in
 * `dict`, the name of its file. Returns false if it is no name. */
bool hpp__python_module_name(const hpp__python *python, uint64_t name, uint64_t dict,
                             hpp__text *out);

/* Where the entries of a dict are. */
typedef struct hpp__python_entries {
    uint64_t begin;  /* of entries with a key and a value, in this order, at their ends */
    uint64_t values; /* 0: the entries have the values */
    uint64_t n;
    unsigned n_words; /* of an entry: with or without a hash */
} hpp__python_entries;

enum { HPP__PYTHON_KEYS_WORDS = 5 /* before the indices of the keys of a dict */ };

/* Returns the address of the keys that the instances of a class share, which is after its qualified
 * name; 0: none. */
uint64_t hpp__python_shared_keys(const hpp__python *python, uint64_t type);

/* Finds the entries of keys, which have the values, in `n_bytes` at an address that begin with the
 * words `head`. Returns false if they are not there. While a dict grows, its new keys get their
 * entries before the number of them, and the old ones are freed in between; so keys without a
 * number have all for which they have room: those that are not in use are 0. */
bool hpp__python_parse_keys(const hpp__python *python, const uint64_t head[HPP__PYTHON_KEYS_WORDS],
                            uint64_t keys, uint64_t n_bytes, hpp__python_entries *out);

/* Finds them at an address. Returns false if they cannot be read. */
bool hpp__python_entries_at(const hpp__python *python, uint64_t keys, hpp__python_entries *out);

/* Finds those of a dict. Returns false if they cannot be read. */
bool hpp__python_dict_entries(const hpp__python *python, uint64_t dict, hpp__python_entries *out);

/* Returns how many of the values at an address can be in use, of a dict that has `n_used` or of an
 * instance without a dict. The rest of their block has what was there before. */
uint64_t hpp__python_values_in_use(const hpp__python *python, uint64_t values, uint64_t n_used);

/* Returns where the entries of a dict are stored: the address of its keys. */
uint64_t hpp__python_keys(const hpp__python *python, uint64_t dict);

#endif
