/* SPDX-License-Identifier: BSD-2-Clause */
#include "values.h"
#include "names.h"

#include <string.h>

#include "hpfile/str.h"

enum {
    WORD_BYTES = 8,
    MAX_CHARACTERS = 200, /* of a text */
    DICT_KEYS = 32,
    DICT_VALUES = 40, /* of a dict that shares its keys, else 0 */
};

uint64_t hpp__python_word(const hpp__python *p, uint64_t address)
{
    uint64_t word;
    return address % WORD_BYTES == 0 && hpp__image_read(p->image, &word, address, sizeof word)
               ? word
               : 0;
}

uint32_t hpp__python_block(const hpp__python *p, uint64_t object)
{
    uint32_t block = hpp__block_index_find(p->index, object);
    return block != HPP__NO_BLOCK && hpp__python_refers(p, object, block) ? block : HPP__NO_BLOCK;
}

/* Appends a character as UTF-8. */
static void add_character(hpp__text *out, uint32_t c)
{
    char bytes[4];
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char firsts[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n - 1; i > 0; i--, c >>= 6) {
        bytes[i] = (char)(0x80 | (c & 0x3f));
    }
    bytes[0] = (char)(firsts[n] | c);
    hpp__text_add(out, (hpf_str){bytes, n});
}

bool hpp__python_text(const hpp__python *p, uint64_t object, hpp__text *out)
{
    struct {
        uint64_t count, type, length, hash;
        uint32_t state;
    } head;
    unsigned char text[4 * MAX_CHARACTERS];
    if (object % WORD_BYTES != 0 || !hpp__image_read(p->image, &head, object, sizeof head)) {
        return false;
    }
    hpp_python_text_form form = hpp__python_text_form(head.state);
    uint64_t n = head.length < MAX_CHARACTERS ? head.length : MAX_CHARACTERS;
    uint64_t at = object + (form.is_ascii ? p->offsets->ascii_bytes : p->offsets->compact_bytes);
    if (form.width == 0 || !hpp__image_read(p->image, text, at, (size_t)(n * form.width))) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t c = 0;
        memcpy(&c, text + i * form.width, form.width);
        bool is_valid = c < 0xd800 || (c > 0xdfff && c <= 0x10ffff);
        add_character(out, is_valid ? c : 0xfffd);
    }
    return true;
}

uint64_t hpp__python_keys(const hpp__python *p, uint64_t dict)
{
    return hpp__python_word(p, dict + DICT_KEYS);
}

uint64_t hpp__python_shared_keys(const hpp__python *p, uint64_t type)
{
    return hpp__python_word(p, type + p->offsets->type_qualified_name + sizeof(uint64_t));
}

bool hpp__python_parse_keys(const hpp__python *p, const uint64_t head[HPP__PYTHON_KEYS_WORDS],
                            uint64_t keys, uint64_t n_bytes, hpp__python_entries *out)
{
    uint64_t n_index_bytes;
    out->values = 0;
    if (p->offsets->minor < 11) {
        uint64_t size = head[1];
        n_index_bytes = size * (size <= 0xff ? 1 : size <= 0xffff ? 2 : size <= 0xffffffff ? 4 : 8);
        out->n = head[4] != 0 ? head[4] : head[3];
        out->n_words = 3;
    } else {
        const unsigned char *bytes = (const unsigned char *)&head[1];
        n_index_bytes = UINT64_C(1) << (bytes[1] & 63);
        out->n = head[3] != 0 ? head[3] : head[2];
        out->n_words = bytes[2] == 0 ? 3 : 2;
    }
    uint64_t n_before = p->offsets->keys_bytes + n_index_bytes;
    out->begin = keys + n_before;
    return n_index_bytes <= n_bytes && n_before <= n_bytes &&
           out->n <= (n_bytes - n_before) / (out->n_words * WORD_BYTES);
}

/* The entries are inside the block of the keys, whatever their number is said to be; if they are no
 * block, their number is limited. */
bool hpp__python_entries_at(const hpp__python *p, uint64_t keys, hpp__python_entries *out)
{
    uint32_t block = hpp__block_index_find(p->index, keys);
    bool is_block = block != HPP__NO_BLOCK;
    uint64_t head[HPP__PYTHON_KEYS_WORDS];
    uint64_t n_bytes =
        is_block ? p->image->blocks[block].address + p->image->blocks[block].size_bytes - keys
                 : UINT32_MAX;
    return (is_block || p->has_older) && hpp__image_read(p->image, head, keys, sizeof head) &&
           hpp__python_parse_keys(p, head, keys, n_bytes, out);
}

bool hpp__python_dict_entries(const hpp__python *p, uint64_t dict, hpp__python_entries *out)
{
    uint64_t values = hpp__python_word(p, dict + DICT_VALUES);
    bool is_dict = hpp__python_entries_at(p, hpp__python_keys(p, dict), out);
    out->values = values ? values + p->offsets->values : 0;
    return is_dict;
}

/* Up to 3.10, values are in the order of the keys. Then their order is noted before them: from the
 * end, a byte, their number, and the index of each. Since 3.13 they begin with their capacity. */
uint64_t hpp__python_values_in_use(const hpp__python *p, uint64_t values, uint64_t n_used)
{
    enum { ORDER_BYTES = 64 };
    unsigned char order[ORDER_BYTES];
    if (p->offsets->minor < 11) {
        return n_used;
    }
    if (p->offsets->minor >= 13) {
        return hpp__python_word(p, values) & 0xff;
    }
    uint64_t n = 0;
    if (values && hpp__image_read(p->image, order, values - sizeof order, sizeof order)) {
        const unsigned char *last = order + sizeof order - 2;
        for (unsigned i = 1; i <= *last && i < sizeof order - 2; i++) {
            uint64_t index = last[-(int)i];
            n = index < n ? n : index + 1;
        }
    }
    return n;
}

bool hpp__python_each(const hpp__python *p, uint64_t dict, hpp__python_visit *visit, void *context)
{
    enum { PER_READ = 64 };
    hpp__python_entries entries;
    if (!hpp__python_dict_entries(p, dict, &entries)) {
        return false;
    }
    for (uint64_t i = 0; i < entries.n; i += PER_READ) {
        uint64_t words[3 * PER_READ], values[PER_READ];
        uint64_t left = entries.n - i;
        size_t n = left < PER_READ ? (size_t)left : PER_READ;
        uint64_t at = entries.begin + i * entries.n_words * WORD_BYTES;
        if (!hpp__image_read(p->image, words, at, n * entries.n_words * WORD_BYTES) ||
            (entries.values &&
             !hpp__image_read(p->image, values, entries.values + i * WORD_BYTES, n * WORD_BYTES))) {
            return false;
        }
        for (size_t k = 0; k < n; k++) {
            const uint64_t *end = words + (k + 1) * entries.n_words;
            uint64_t value = entries.values ? values[k] : end[-1];
            if (end[-2] && value && !visit(context, end[-2], value)) {
                return true;
            }
        }
    }
    return true;
}

typedef struct dict_search {
    const hpp__python *python;
    const char *key;
    uint64_t value;
} dict_search;

static bool compare_key(void *context, uint64_t key, uint64_t value)
{
    dict_search *search = context;
    hpp__text text = {0};
    bool is_found = hpp__python_text(search->python, key, &text) &&
                    hpf_str_is(hpp__text_str(&text), search->key);
    search->value = is_found ? value : 0;
    hpp__text_finish(&text);
    return !is_found;
}

uint64_t hpp__python_get(const hpp__python *p, uint64_t dict, const char *key)
{
    dict_search search = {p, key, 0};
    return hpp__python_each(p, dict, compare_key, &search) ? search.value : 0;
}

bool hpp__python_file_module(const hpp__python *p, uint64_t dict, hpp__text *out)
{
    uint64_t file = dict ? hpp__python_get(p, dict, "__file__") : 0;
    hpp__text path = {0};
    bool has_file = file && hpp__python_text(p, file, &path) && path.length > 0;
    if (has_file) {
        hpp__python_module(out, hpp__text_str(&path));
    }
    hpp__text_finish(&path);
    return has_file;
}

bool hpp__python_module_name(const hpp__python *p, uint64_t name, uint64_t dict, hpp__text *out)
{
    size_t begin = out->length;
    bool is_text = hpp__python_text(p, name, out);
    if (!is_text || !hpf_str_is(hpf_str_from(hpp__text_str(out), begin), "__main__")) {
        return is_text;
    }
    out->length = begin;
    if (dict == p->main && p->main_name.length > 0) {
        hpp__text_add(out, p->main_name);
    } else if (!hpp__python_file_module(p, dict, out)) {
        hpp__text_add(out, HPF_STR("__main__"));
    }
    return true;
}
