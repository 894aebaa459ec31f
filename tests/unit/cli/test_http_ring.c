/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The ring, and streams that read it in pieces.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "watch/web/http_ring.h"

#define GREETING "retry: 2000\n\n"

/* Returns all pending bytes of a stream, read `piece` bytes at a time. */
static const char *read_all(http_stream *stream, size_t piece)
{
    static char all[4096];
    size_t length = 0;
    for (size_t n = 1; n > 0; length += n) {
        n = http_stream_read(stream, all + length, piece);
        cr_assert_leq(n, piece);
    }
    all[length] = '\0';
    return all;
}

static void push(http_ring *ring, const char *text)
{
    cr_assert(http_ring_push(ring, (hpf_str){text, strlen(text)}));
}

Test(http_ring, new_viewer_gets_base_and_later_messages)
{
    http_ring ring = {0};
    cr_assert(http_ring_rebase(&ring, HPF_STR("base.")));
    push(&ring, "one.");
    push(&ring, "two.");
    for (size_t piece = 1; piece < 40; piece++) {
        http_stream s;
        http_stream_begin(&s, &ring, false, 0);
        cr_expect_str_eq(read_all(&s, piece), GREETING "base.one.two.");
        cr_expect_str_eq(read_all(&s, piece), "");
        http_stream_end(&s);
    }
    http_ring_finish(&ring);
}

Test(http_ring, returning_viewer_continues)
{
    http_ring ring = {0};
    http_stream s;
    cr_assert(http_ring_rebase(&ring, HPF_STR("base.")));
    uint64_t base = ring.last_number;
    push(&ring, "one.");
    push(&ring, "two.");
    http_stream_begin(&s, &ring, true, base + 1);
    cr_expect_str_eq(read_all(&s, 100), GREETING "two.");
    push(&ring, "three.");
    cr_expect_str_eq(read_all(&s, 100), "three.");
    http_stream_end(&s);
    http_stream_begin(&s, &ring, true, base);
    cr_expect_str_eq(read_all(&s, 100), GREETING "one.two.three.");
    http_stream_end(&s);
    http_ring_finish(&ring);
}

Test(http_ring, unknown_number_leads_to_base)
{
    http_ring ring = {0};
    http_stream s;
    cr_assert(http_ring_rebase(&ring, HPF_STR("old.")));
    uint64_t old = ring.last_number;
    push(&ring, "one.");
    cr_assert(http_ring_rebase(&ring, HPF_STR("new.")));
    const uint64_t numbers[] = {0, old, old + 1, ring.last_number + 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        cr_expect(!http_ring_continues(&ring, numbers[i]), "%zu", i);
        http_stream_begin(&s, &ring, true, numbers[i]);
        cr_expect_str_eq(read_all(&s, 100), GREETING "new.", "%zu", i);
        http_stream_end(&s);
    }
    http_ring_finish(&ring);
}

Test(http_ring, slow_viewer_finishes_message_and_takes_new_base)
{
    http_ring ring = {0};
    http_stream s;
    char some[8] = {0};
    cr_assert(http_ring_rebase(&ring, HPF_STR("base.")));
    http_stream_begin(&s, &ring, false, 0);
    cr_expect_str_eq(read_all(&s, 100), GREETING "base.");
    push(&ring, "one.");
    push(&ring, "two.");
    cr_assert_eq(http_stream_read(&s, some, 2), 2);
    cr_assert(http_ring_rebase(&ring, HPF_STR("new.")));
    push(&ring, "three.");
    cr_expect_str_eq(some, "on");
    cr_expect_str_eq(read_all(&s, 3), "e.new.three.");
    http_stream_end(&s);
    http_ring_finish(&ring);
}

Test(http_ring, heartbeats_are_sent_between_messages)
{
    http_ring ring = {0};
    http_stream s;
    char some[8] = {0};
    cr_assert(http_ring_rebase(&ring, HPF_STR("base.")));
    http_stream_begin(&s, &ring, false, 0);
    http_stream_beat(&s);
    cr_expect_str_eq(read_all(&s, 100), GREETING "base.");
    http_stream_beat(&s);
    cr_expect_str_eq(read_all(&s, 1), ":\n\n");
    push(&ring, "one.");
    cr_assert_eq(http_stream_read(&s, some, 1), 1);
    http_stream_beat(&s);
    cr_expect_str_eq(read_all(&s, 100), "ne.");
    http_stream_end(&s);
    http_ring_finish(&ring);
}

Test(http_ring, does_not_resume_across_clear)
{
    http_ring ring = {0};
    push(&ring, "one.");
    uint64_t number = ring.last_number;
    http_ring_clear(&ring);
    cr_expect(!http_ring_continues(&ring, number));
    cr_expect_null(http_ring_next(&ring, &number));
    cr_expect_eq(ring.n_bytes, 0);
    http_ring_finish(&ring);
}

Test(http_ring, grows)
{
    http_ring ring = {0};
    char text[16];
    uint64_t number = 0;
    for (int i = 0; i < 1000; i++) {
        snprintf(text, sizeof text, "%d", i);
        push(&ring, text);
    }
    for (int i = 0; i < 1000; i++) {
        http_text *got = http_ring_next(&ring, &number);
        int length = snprintf(text, sizeof text, "%d", i);
        cr_assert(got && got->length == (size_t)length && !memcmp(got->bytes, text, got->length));
        http_text_release(got);
    }
    cr_expect_null(http_ring_next(&ring, &number));
    http_ring_finish(&ring);
}

Test(http_stream, ids)
{
    uint64_t number = 0;
    cr_expect(http_stream_parse_id("abc-17", "abc", &number));
    cr_expect_eq(number, 17);
    static const char *const bad[] = {
        "",
        "abc",
        "abc-",
        "abc17",
        "abd-17",
        "abc-17x",
        "abc--17",
        "xabc-17",
        "abc-+1",
        "abc- 1",
        "abc-123456789012345678901",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cr_expect(!http_stream_parse_id(bad[i], "abc", &number), "%s", bad[i]);
    }
    cr_expect(!http_stream_parse_id(NULL, "abc", &number));
}
