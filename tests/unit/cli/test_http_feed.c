/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Messages for the events of a profile: their kinds, their data, and when a snapshot is requested.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/live.h"
#include "watch/web/http_feed.h"

#define HEADERS "JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n"

enum { MOST_BYTES = 4 << 20 };

typedef struct fixture {
    watched profile;
    http_feed feed;
    http_channel channel;
} fixture;

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    (void)err;
    http_feed_add_name(&((fixture *)context)->feed, name, text);
    return HPF_OK;
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    (void)err;
    http_feed_add_sample(&((fixture *)context)->feed, sample);
    return HPF_OK;
}

static hpf_status on_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    (void)err;
    http_feed_add_mark(&((fixture *)context)->feed, time, label);
    return HPF_OK;
}

static void feed(fixture *f, const char *text)
{
    hpf_error err = {0};
    cr_assert_eq(hpf_live_feed(f->profile.live, text, strlen(text), &err), HPF_OK, "%s",
                 err.message);
}

/* Starts with viewers that have a profile of one sample: a 100, b 50. */
static void begin(fixture *f)
{
    static const hpf_events events = {.name = on_name, .sample = on_sample, .mark = on_mark};
    const hpf_live_options options = {
        .size = sizeof options, .listener = &events, .listener_context = f};
    *f = (fixture){.profile = {.number = 7, .name = "p", .state = WATCHED_GROWING},
                   .channel = {.instance = "me"}};
    http_feed_init(&f->feed, &f->profile, false);
    cr_assert_eq(hpf_live_create(&f->profile.live, &options, NULL), HPF_OK);
    feed(f, HEADERS "BEGIN_SAMPLE 1\na 100\nb 50\nEND_SAMPLE 1\nBEGIN");
    cr_assert(f->feed.needs_snapshot);
    cr_assert(http_feed_send_snapshot(&f->feed, MOST_BYTES, &f->channel));
    cr_assert(!f->feed.needs_snapshot);
    http_ring_clear(&f->channel.ring);
}

static void end(fixture *f)
{
    http_feed_finish(&f->feed);
    http_ring_finish(&f->channel.ring);
    hpf_live_destroy(f->profile.live);
}

/* Returns the next messages, one after the other. */
static const char *sent(fixture *f)
{
    static char all[1 << 16];
    size_t length = 0;
    uint64_t number = f->channel.ring.base_number;
    for (http_text *m; (m = http_ring_next(&f->channel.ring, &number)) != NULL;) {
        cr_assert_lt(length + m->length, sizeof all);
        memcpy(all + length, m->bytes, m->length);
        length += m->length;
        http_text_release(m);
    }
    all[length] = '\0';
    http_ring_clear(&f->channel.ring);
    return all;
}

static void expect_sent(fixture *f, const char *event, const char *data)
{
    char expected[1000];
    uint64_t number = f->channel.ring.last_number + 1;
    http_feed_flush(&f->feed, &f->channel);
    snprintf(expected, sizeof expected, "id: me-%llu\nevent: %s\ndata: %s\n\n",
             (unsigned long long)number, event, data);
    cr_expect_str_eq(sent(f), expected);
}

Test(http_feed, samples_refer_to_places)
{
    fixture f;
    begin(&f);
    feed(&f, "_SAMPLE 2\nb 7\na 1.5\nEND_SAMPLE 2\nBEGIN_SAMPLE 3\nEND_SAMPLE 3\nB");
    expect_sent(&f, "samples",
                "{\"id\":7,\"names\":[],\"samples\":[[2,8.5,[1,7,0,1.5]],[3,0,[]]]}");
    http_feed_flush(&f.feed, &f.channel);
    cr_expect_str_eq(sent(&f), "", "what is feed is feed again");
    end(&f);
}

Test(http_feed, adds_up_repeated_names)
{
    fixture f;
    begin(&f);
    feed(&f, "_SAMPLE 2\na 1\nb 1\na 2\nEND_SAMPLE 2\nB");
    expect_sent(&f, "samples", "{\"id\":7,\"names\":[],\"samples\":[[2,4,[0,3,1,1]]]}");
    end(&f);
}

Test(http_feed, new_names_extend_the_list)
{
    fixture f;
    begin(&f);
    feed(&f, "_SAMPLE 2\na 1\nn\"\xff 9\nEND_SAMPLE 2\nBEGIN_SAMPLE 3\nm 1\nEND_SAMPLE 3\nB");
    http_feed_flush(&f.feed, &f.channel);
    const char *text = sent(&f);
    cr_expect(strstr(text, "[{\"name\":\"n\\\"\\udcff\",\"colour\":"), "%s", text);
    cr_expect(strstr(text, "{\"name\":\"m\",\"colour\":"), "%s", text);
    cr_expect(strstr(text, "\"samples\":[[2,10,[0,1,2,9]],[3,1,[3,1]]]"), "%s", text);
    feed(&f, "EGIN_SAMPLE 4\nm 2\nEND_SAMPLE 4\nB");
    expect_sent(&f, "samples", "{\"id\":7,\"names\":[],\"samples\":[[4,2,[3,2]]]}");
    end(&f);
}

Test(http_feed, marks)
{
    fixture f;
    begin(&f);
    feed(&f, "_SAMPLE 2\nEND_SAMPLE 2\nMARK 2.5\n");
    uint64_t number = f.channel.ring.last_number + 1;
    http_feed_flush(&f.feed, &f.channel);
    char expected[100];
    snprintf(expected, sizeof expected,
             "id: me-%llu\nevent: mark\ndata: {\"id\":7,\"time\":2.5,\"label\":\"\"}\n\n",
             (unsigned long long)number);
    cr_expect_eq(strncmp(sent(&f), expected, strlen(expected)), 0);
    end(&f);
}

Test(http_feed, sends_points_of_a_quantity_together)
{
    fixture f;
    static const hpf_str heap = {"heap", 4};
    static const hpf_str rss = {"rss", 3};
    begin(&f);
    for (int i = 0; i < 2; i++) {
        http_feed_add_line(&f.feed, heap, (hpf_quantity_point){i, 10});
        http_feed_add_line(&f.feed, rss, (hpf_quantity_point){i, 20});
        http_feed_add_line(&f.feed, HPF_STR("visits (per object)"), (hpf_quantity_point){i, 2});
    }
    http_feed_flush(&f.feed, &f.channel);
    const char *text = sent(&f);
    cr_expect(strstr(text, "{\"id\":7,\"name\":\"heap\",\"points\":[[0,10],[1,10]]}"), "%s", text);
    cr_expect(strstr(text, "{\"id\":7,\"name\":\"rss\",\"points\":[[0,20],[1,20]]}"), "%s", text);
    cr_expect_null(strstr(text, "visits"), "a quantity in a unit of its own");
    end(&f);
}

Test(http_feed, sends_state_only_when_changed)
{
    fixture f;
    begin(&f);
    http_feed_flush_state(&f.feed, &f.channel);
    cr_expect(strstr(sent(&f), "data: "
                               "{\"id\":7,\"name\":\"p\",\"state\":\"growing\",\"message\":\"\","
                               "\"caveat\":\"\",\"control\":false,"
                               "\"age_s\":null,\"findings\":[]}"));
    http_feed_flush_state(&f.feed, &f.channel);
    cr_expect_str_eq(sent(&f), "");
    f.feed.has_news = true;
    f.profile.state = WATCHED_FAILED;
    strcpy(f.profile.message, "it is <gone>");
    http_feed_flush_state(&f.feed, &f.channel);
    cr_expect(strstr(sent(&f), "\"failed\",\"message\":\"it is \\u003cgone>\""));
    end(&f);
}

/* Starts with names that are too small for their own places, b000 ... b999, and `a`. */
static void begin_with_rest(fixture *f)
{
    char line[64];
    begin(f);
    feed(f, "_SAMPLE 2\na 1000000\n");
    for (int i = 0; i < 1000; i++) {
        snprintf(line, sizeof line, "b%03d %d\n", i, 2000 - i);
        feed(f, line);
    }
    feed(f, "END_SAMPLE 2\nB");
    cr_assert(http_feed_send_snapshot(&f->feed, MOST_BYTES, &f->channel));
    cr_assert(!f->feed.prefers_snapshot);
    http_ring_clear(&f->channel.ring);
}

Test(http_feed, growing_name_without_place_requests_snapshot)
{
    fixture f;
    begin_with_rest(&f);
    feed(&f, "EGIN_SAMPLE 3\na 1000\nb999 9\nEND_SAMPLE 3\nB");
    cr_expect(!f.feed.prefers_snapshot, "for a hundredth less");
    expect_sent(&f, "samples", "{\"id\":7,\"names\":[],\"samples\":[[3,1009,[0,1000]]]}");
    feed(&f, "EGIN_SAMPLE 4\na 1000\nb999 900000\nEND_SAMPLE 4\nB");
    cr_expect(f.feed.prefers_snapshot);
    cr_assert(http_feed_send_snapshot(&f.feed, MOST_BYTES, &f.channel));
    http_ring_clear(&f.channel.ring);
    feed(&f, "EGIN_SAMPLE 5\nb999 5\nEND_SAMPLE 5\nB");
    http_feed_flush(&f.feed, &f.channel);
    cr_expect(strstr(sent(&f), "[[5,5,[1,5]]]"), "it has a place now");
    end(&f);
}

Test(http_feed, rejected_name_waits_before_next_request)
{
    fixture f;
    begin_with_rest(&f);
    feed(&f, "EGIN_SAMPLE 3\na 1000\nb999 20\nEND_SAMPLE 3\nB");
    cr_expect(f.feed.prefers_snapshot);
    cr_assert(http_feed_send_snapshot(&f.feed, MOST_BYTES, &f.channel));
    feed(&f, "EGIN_SAMPLE 4\na 1000\nb999 40\nEND_SAMPLE 4\nB");
    cr_expect(!f.feed.prefers_snapshot);
    feed(&f, "EGIN_SAMPLE 5\na 1000\nb999 41\nEND_SAMPLE 5\nB");
    cr_expect(f.feed.prefers_snapshot);
    end(&f);
}

Test(http_feed, too_long_list_requests_snapshot)
{
    fixture f;
    char line[64];
    begin(&f);
    feed(&f, "_SAMPLE 2\n");
    for (int i = 0; i < 1000; i++) {
        snprintf(line, sizeof line, "n%d 1\n", i);
        feed(&f, line);
    }
    feed(&f, "END_SAMPLE 2\nB");
    cr_expect(f.feed.prefers_snapshot);
    cr_expect(!f.feed.needs_snapshot);
    http_feed_flush(&f.feed, &f.channel);
    const char *text = sent(&f);
    cr_expect(strstr(text, "[[2,1000,["));
    cr_expect(strstr(text, ",599,1]]]"), "as many names as fit");
    end(&f);
}

Test(http_feed, many_samples_at_once_need_snapshot)
{
    fixture f;
    char sample[200];
    begin(&f);
    feed(&f, "_SAMPLE 2\nEND_SAMPLE 2\n");
    for (int i = 0; i < 20000 && !f.feed.needs_snapshot; i++) {
        snprintf(sample, sizeof sample, "BEGIN_SAMPLE 3\na 123456789\nEND_SAMPLE 3\n");
        feed(&f, sample);
    }
    cr_expect(f.feed.needs_snapshot);
    http_feed_flush(&f.feed, &f.channel);
    cr_expect_str_eq(sent(&f), "");
    cr_expect(http_feed_send_snapshot(&f.feed, MOST_BYTES, &f.channel));
    cr_expect(!f.feed.needs_snapshot);
    end(&f);
}

Test(http_feed, restarts)
{
    fixture f;
    begin(&f);
    feed(&f, "_SAMPLE 2\na 1\nEND_SAMPLE 2\nB");
    http_feed_restart(&f.feed);
    http_feed_flush(&f.feed, &f.channel);
    cr_expect_str_eq(sent(&f), "");
    cr_expect(f.feed.needs_snapshot && f.feed.has_news);
    end(&f);
}

Test(http_feed, base_is_complete_and_ends_with_its_number)
{
    fixture f;
    hpf_sink *base = hpf_sink_to_memory();
    hpf_error err = {0};
    begin(&f);
    cr_assert(http_feed_put_base(&f.feed, MOST_BYTES, &f.channel, base, 12));
    cr_assert_eq(hpf_sink_finish(base, &err), HPF_OK);
    hpf_str text = hpf_sink_bytes(base);
    static const char first[] = "event: snapshot\ndata: {\"id\":7,\"epoch\":0,\"title\":\"j\"";
    static const char last[] = "\n\nid: me-12\nevent: state\ndata: {\"id\":7,\"name\":\"p\","
                               "\"state\":\"growing\",\"message\":\"\",\"caveat\":\"\",\"control\":"
                               "false,\"age_s\":null,\"findings\":[]}\n\n";
    cr_assert_gt(text.length, sizeof first + sizeof last);
    cr_expect_eq(strncmp(text.data, first, sizeof first - 1), 0);
    cr_expect_eq(memcmp(text.data + text.length - (sizeof last - 1), last, sizeof last - 1), 0);
    hpf_sink_destroy(base);
    end(&f);
}
