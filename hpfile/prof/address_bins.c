/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Files of bins. All numbers are 64 bits, the lowest byte first: eight bytes of magic, six numbers,
 * then pairs of address and count.
 */
#include "prof/address_bins.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

enum {
    WORD_BYTES = 8,
    BIN_BYTES = 2 * WORD_BYTES,
    VERSION = 1,
};

/* After the magic. */
typedef enum head_word {
    HEAD_VERSION,
    HEAD_KIND,
    HEAD_UNIT,
    HEAD_BASE,
    HEAD_UNKNOWN,
    HEAD_N_BINS,
    N_HEAD_WORDS
} head_word;

static const char magic[WORD_BYTES] = {'h', 'p', 'f', '.', 'b', 'i', 'n', 's'};

enum { HEAD_BYTES = (1 + N_HEAD_WORDS) * WORD_BYTES };

static void put_word(hpf_sink *sink, uint64_t word)
{
    unsigned char bytes[WORD_BYTES];
    for (int i = 0; i < WORD_BYTES; i++) {
        bytes[i] = (unsigned char)(word >> 8 * i);
    }
    hpf_sink_write(sink, bytes, sizeof bytes);
}

static uint64_t get_word(const char *at)
{
    uint64_t word = 0;
    for (int i = WORD_BYTES; i-- > 0;) {
        word = word << 8 | (unsigned char)at[i];
    }
    return word;
}

void hpf_bins_write(hpf_sink *sink, const hpf_bins *bins)
{
    size_t n_bins = 0;
    for (size_t i = 0; i < bins->n_bins; i++) {
        n_bins += bins->bins[i].count != 0;
    }
    hpf_sink_write(sink, magic, sizeof magic);
    put_word(sink, VERSION);
    put_word(sink, (uint64_t)bins->kind);
    put_word(sink, bins->unit);
    put_word(sink, bins->base_address);
    put_word(sink, bins->unknown_count);
    put_word(sink, n_bins);
    for (size_t i = 0; i < bins->n_bins; i++) {
        if (bins->bins[i].count != 0) {
            put_word(sink, bins->bins[i].address);
            put_word(sink, bins->bins[i].count);
        }
    }
}

static hpf_status fail_at(hpf_error *err, hpf_status status, uint64_t offset, const char *message)
{
    hpf_error_set(err, status, "%s", message);
    if (err) {
        err->offset = offset;
    }
    return status;
}

static hpf_status slurp(hpf__buffer *all, hpf_source *source, hpf_error *err)
{
    for (;;) {
        hpf_str piece;
        hpf_status status = hpf_source_next(source, &piece, err);
        if (status != HPF_OK) {
            return status == HPF_END ? HPF_OK : status;
        }
        if (!hpf__buffer_append(all, piece.data, piece.length)) {
            return hpf_error_set_memory(err);
        }
    }
}

static uint64_t head_of(const hpf__buffer *all, head_word which)
{
    return get_word(all->bytes + (1 + (size_t)which) * WORD_BYTES);
}

static hpf_status check_head(const hpf__buffer *all, hpf_error *err)
{
    if (all->length < HEAD_BYTES || memcmp(all->bytes, magic, sizeof magic) != 0) {
        return fail_at(err, HPF_ERR_SYNTAX, 0, "not an address bin file");
    }
    if (head_of(all, HEAD_VERSION) != VERSION) {
        return fail_at(err, HPF_ERR_VERSION, WORD_BYTES,
                       "unsupported version of the address bin file, expected 1");
    }
    uint64_t kind = head_of(all, HEAD_KIND);
    if (kind != HPF_BINS_TIME && kind != HPF_BINS_HEAP) {
        return fail_at(err, HPF_ERR_SYNTAX, (1 + HEAD_KIND) * WORD_BYTES,
                       "unknown kind of address bins, expected time or heap");
    }
    uint64_t n_bins = head_of(all, HEAD_N_BINS);
    size_t n_bytes = all->length - HEAD_BYTES;
    if (n_bytes % BIN_BYTES != 0 || n_bytes / BIN_BYTES != n_bins) {
        return fail_at(err, HPF_ERR_SYNTAX, all->length, "wrong number of address bins");
    }
    return HPF_OK;
}

static int by_address(const void *a, const void *b)
{
    uint64_t x = ((const hpf_bin *)a)->address;
    uint64_t y = ((const hpf_bin *)b)->address;
    return (x > y) - (x < y);
}

static uint64_t add_up(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

/* Joins neighbours with the same address. Returns how many are left. */
static size_t join_equal(hpf_bin *bins, size_t n_bins)
{
    size_t n = 0;
    for (size_t i = 0; i < n_bins; i++) {
        if (n > 0 && bins[n - 1].address == bins[i].address) {
            bins[n - 1].count = add_up(bins[n - 1].count, bins[i].count);
        } else {
            bins[n++] = bins[i];
        }
    }
    return n;
}

static hpf_status decode(hpf_bins *out, const hpf__buffer *all, hpf_error *err)
{
    size_t n_bins = (all->length - HEAD_BYTES) / BIN_BYTES;
    hpf_bin *bins = calloc(n_bins > 0 ? n_bins : 1, sizeof *bins);
    if (!bins) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < n_bins; i++) {
        const char *at = all->bytes + HEAD_BYTES + i * BIN_BYTES;
        bins[i] = (hpf_bin){get_word(at), get_word(at + WORD_BYTES)};
    }
    qsort(bins, n_bins, sizeof *bins, by_address);
    *out = (hpf_bins){.kind = (hpf_bins_kind)head_of(all, HEAD_KIND),
                      .unit = head_of(all, HEAD_UNIT),
                      .base_address = head_of(all, HEAD_BASE),
                      .unknown_count = head_of(all, HEAD_UNKNOWN),
                      .bins = bins,
                      .n_bins = join_equal(bins, n_bins)};
    return HPF_OK;
}

hpf_status hpf_bins_read(hpf_bins *out, hpf_source *source, hpf_error *err)
{
    hpf__buffer all = {0};
    memset(out, 0, sizeof *out);
    hpf_status status = slurp(&all, source, err);
    if (status == HPF_OK) {
        status = check_head(&all, err);
    }
    if (status == HPF_OK) {
        status = decode(out, &all, err);
    }
    hpf__buffer_finish(&all);
    return status;
}

void hpf_bins_finish(hpf_bins *bins)
{
    free((void *)(uintptr_t)bins->bins);
    memset(bins, 0, sizeof *bins);
}
