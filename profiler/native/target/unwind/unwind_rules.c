/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A key that is being written belongs to its writer; a reader takes a rule only if its key is the
 * same before and after.
 */
#include "unwind_rules.h"

#include "bytes.h"

enum { BEING_WRITTEN = 1, MAX_CFA_WORDS = 1 << 23, MAX_FP_WORDS = 1 << 15, GENERATIONS = 1 << 16 };

hpp_code_range hpp__evaluator[HPP_EVALUATOR_PARTS];
HPP_LARGE hpp_unwind_rule_line hpp__unwind_rule_lines[HPP_UNWIND_RULE_LINES];
_Atomic uint32_t hpp__unwind_rule_page_bits = HPP_UNWIND_RULE_FIRST_BITS;
static _Atomic uint32_t n_kept; /* rules stored since the number of pages has changed */

static hpp_unwind_rule pack(hpp_unwind_rule_kind kind, int64_t cfa_words, int64_t fp_words,
                            const hpp_module *module)
{
    return (uint64_t)kind | (uint64_t)module->is_loader << 3 |
           (uint64_t)(uint32_t)((uint32_t)cfa_words << 8) | (uint64_t)(uint16_t)fp_words << 32 |
           (uint64_t)module->number << 48;
}

/* Stores a number of bytes in words. Returns false if it is not a whole number below `max`. */
static bool words(int64_t *out, int64_t n_bytes, int64_t max)
{
    *out = n_bytes / 8;
    return n_bytes % 8 == 0 && *out > -max && *out < max;
}

/* Returns whether the expression at an address is "fp + offset", followed by `rest`. */
static bool is_fp_plus(int64_t *out, int64_t place, const uint8_t *rest, size_t n_rest)
{
    enum { BREG_FP = 0x70 + HPP_CFI_FP, MAX_BYTES = 16 };
    const uint8_t *at = (const uint8_t *)(uintptr_t)place;
    hpp_bytes bytes = {at, at + 1, false};
    uint64_t length = hpp__bytes_uleb(&bytes); /* fails if it takes more than a byte */
    if (bytes.failed || length > MAX_BYTES) {
        return false;
    }
    bytes.end = bytes.at + length;
    if (hpp__bytes_fixed(&bytes, 1) != BREG_FP) {
        return false;
    }
    *out = hpp__bytes_sleb(&bytes);
    return !bytes.failed && hpp__bytes_left(&bytes) == n_rest &&
           (n_rest == 0 || memcmp(bytes.at, rest, n_rest) == 0);
}

/* Returns the rule of a function that aligns its stack: a pointer below fp leads to its frame. */
static hpp_unwind_rule from_realigned(const hpp_cfi_row *row, const hpp_module *module)
{
    static const uint8_t dereference[] = {0x06};
    int64_t cfa_offset;
    int64_t fp_offset;
    int64_t cfa_words;
    int64_t fp_words;
    if (is_fp_plus(&cfa_offset, row->cfa_value, dereference, 1) &&
        row->kind[HPP_CFI_FP] == HPP_CFI_AT_EXPRESSION &&
        is_fp_plus(&fp_offset, row->value[HPP_CFI_FP], NULL, 0) &&
        words(&cfa_words, cfa_offset, MAX_CFA_WORDS) && words(&fp_words, fp_offset, MAX_FP_WORDS)) {
        return pack(HPP_UNWIND_RULE_FP_AT, cfa_words, fp_words, module);
    }
    return pack(HPP_UNWIND_RULE_HARD, 0, 0, module);
}

hpp_unwind_rule hpp__unwind_rules_from_row(const hpp_cfi_row *row, const hpp_module *module)
{
    if (row->kind[row->return_register] == HPP_CFI_UNDEFINED) {
        return pack(HPP_UNWIND_RULE_END, 0, 0, module);
    }
    bool keeps_fp = row->kind[HPP_CFI_FP] == HPP_CFI_SAME;
    int64_t offset;
    if (row->is_signal || row->return_register != HPP_CFI_RETURN ||
        row->kind[HPP_CFI_RETURN] != HPP_CFI_AT_CFA || row->kind[HPP_CFI_SP] != HPP_CFI_SAME ||
        !hpp__is_usual_frame(&offset, keeps_fp, row->value[HPP_CFI_FP],
                             row->value[HPP_CFI_RETURN])) {
        return pack(HPP_UNWIND_RULE_HARD, 0, 0, module);
    }
    if (row->cfa_is_expression) {
        return from_realigned(row, module);
    }
    int64_t cfa_words;
    int64_t offset_words;
    if (!words(&cfa_words, row->cfa_value, MAX_CFA_WORDS) ||
        !words(&offset_words, offset, MAX_FP_WORDS) ||
        (row->cfa_register != HPP_CFI_SP && row->cfa_register != HPP_CFI_FP) ||
        (!keeps_fp && row->kind[HPP_CFI_FP] != HPP_CFI_AT_CFA)) {
        return pack(HPP_UNWIND_RULE_HARD, 0, 0, module);
    }
    hpp_unwind_rule_kind kind =
        row->cfa_register == HPP_CFI_FP ? HPP_UNWIND_RULE_FP : HPP_UNWIND_RULE_SP;
    return pack(kind, cfa_words, offset_words, module) | (keeps_fp ? HPP_UNWIND_RULE_FP_KEPT : 0);
}

static hpp_unwind_rule work_out(uintptr_t pc)
{
    hpp_module module;
    if (!hpp__modules_find(&module, pc)) {
        return pack(HPP_UNWIND_RULE_NONE, 0, 0, &(hpp_module){0});
    }
    if (hpp__unwind_rules_is_evaluator(pc)) {
        return pack(HPP_UNWIND_RULE_END, 0, 0, &module);
    }
    hpp_cfi_row row;
    if (hpp__cfi_row(&row, &module.tables, pc) != HPP_CFI_FOUND) {
        return pack(HPP_UNWIND_RULE_NONE, 0, 0, &module);
    }
    return hpp__unwind_rules_from_row(&row, &module);
}

/* Returns a place for a rule: one without a rule of this generation, else any of the four. */
static unsigned choose(hpp_unwind_rule_line *line, uint64_t key)
{
    for (unsigned i = 0; i < HPP_UNWIND_RULES_PER_LINE; i++) {
        uint64_t old = atomic_load_explicit(&line->key[i], memory_order_relaxed);
        if (old != BEING_WRITTEN && old >> 48 != key >> 48) {
            return i;
        }
    }
    return (unsigned)(key >> 2) % HPP_UNWIND_RULES_PER_LINE;
}

/* Uses eight times as many pages once there are two rules for each line. Most of the rules so far
 * belong elsewhere then, and are computed again. */
static void count_kept(void)
{
    enum { MORE_BITS = 3 };
    uint32_t bits = atomic_load_explicit(&hpp__unwind_rule_page_bits, memory_order_relaxed);
    if (bits < HPP_UNWIND_RULE_PAGE_BITS &&
        atomic_fetch_add(&n_kept, 1) == 2u << (bits + HPP_UNWIND_RULE_LINE_BITS)) {
        uint32_t next = bits + MORE_BITS;
        atomic_store(&n_kept, 0);
        atomic_store(&hpp__unwind_rule_page_bits,
                     next < HPP_UNWIND_RULE_PAGE_BITS ? next : HPP_UNWIND_RULE_PAGE_BITS);
    }
}

/* Stores a rule, unless another thread is writing to its place. */
static void keep(uintptr_t pc, uint64_t key, hpp_unwind_rule rule)
{
    hpp_unwind_rule_line *line = hpp__unwind_rule_line(pc);
    unsigned i = choose(line, key);
    uint64_t old = atomic_load_explicit(&line->key[i], memory_order_relaxed);
    if (old != BEING_WRITTEN &&
        atomic_compare_exchange_strong_explicit(&line->key[i], &old, BEING_WRITTEN,
                                                memory_order_acq_rel, memory_order_relaxed)) {
        atomic_store_explicit(&line->rule[i], rule, memory_order_release);
        atomic_store_explicit(&line->key[i], key, memory_order_release);
        count_kept();
    }
}

HPP_COLD hpp_unwind_rule hpp__unwind_rules_make(uintptr_t pc)
{
    uint64_t key = hpp__unwind_rule_key(pc);
    hpp_unwind_rule rule = work_out(pc);
    if (pc >> 48 == 0 && pc > BEING_WRITTEN) {
        keep(pc, key, rule);
    }
    return rule;
}

/* Clears all rules. Keys contain only 16 bits of the generation, which must not repeat. */
static void forget_all(void)
{
    for (size_t i = 0; i < HPP_UNWIND_RULE_LINES; i++) {
        for (unsigned j = 0; j < HPP_UNWIND_RULES_PER_LINE; j++) {
            uint64_t old =
                atomic_load_explicit(&hpp__unwind_rule_lines[i].key[j], memory_order_relaxed);
            if (old != BEING_WRITTEN) {
                atomic_compare_exchange_strong(&hpp__unwind_rule_lines[i].key[j], &old, 0);
            }
        }
    }
}

void hpp__unwind_rules_new_generation(void)
{
    if (hpp__modules_new_generation() % GENERATIONS == 0) {
        forget_all();
    }
}

void hpp__unwind_rules_end_at(unsigned part, uintptr_t begin, uintptr_t end)
{
    hpp_code_range *range = &hpp__evaluator[part];
    atomic_store(&range->end, 0);
    atomic_store(&range->begin, begin);
    atomic_store(&range->end, end);
    hpp__unwind_rules_new_generation();
}
