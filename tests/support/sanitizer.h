/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How many cases a test tries. Sanitizers make each of them four times as long, and show with some
 * of them what they would show with all.
 */
#ifndef SANITIZER_H
#define SANITIZER_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#define HAS_SANITIZER (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define HAS_SANITIZER 0
#endif

/* The step from a case to the next one that a test tries. */
#define CASE_STEP (HAS_SANITIZER ? 7 : 1)

/* The number of cases that a test tries, of `n`. */
#define CASES(n) ((n) / CASE_STEP)

#endif
