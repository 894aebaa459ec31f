/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A line at a time until `%%EndComments`. Conventions: Adobe technical notes 5001 (document
 * structuring) and 5002 (EPS).
 */
#include "ps_header.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_LINE_BYTES 255

static bool is_plain_text(const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c < ' ' || *c > '~') {
            return false;
        }
    }
    return text[0] != '(';
}

/* One byte as it stands in a PostScript string, NUL-terminated; returns its length. */
static size_t escape(char out[5], char byte)
{
    if (byte < ' ' || byte > '~') {
        return (size_t)snprintf(out, 5, "\\%03o", (unsigned)(unsigned char)byte);
    }
    bool is_special = byte == '(' || byte == ')' || byte == '\\';
    return (size_t)snprintf(out, 5, "%s%c", is_special ? "\\" : "", byte);
}

void hpr__ps_comment(hpf_sink *sink, const char *key, const char *text)
{
    char line[MAX_LINE_BYTES + 1];
    char piece[5];
    bool is_plain = is_plain_text(text);
    size_t n = (size_t)snprintf(line, sizeof line, "%s%s", key, is_plain ? "" : "(");
    for (; *text; text++) {
        size_t length = is_plain ? 1 : escape(piece, *text);
        if (n + length + 1 > MAX_LINE_BYTES) {
            break;
        }
        memcpy(line + n, is_plain ? text : piece, length);
        n += length;
    }
    hpf_sink_write(sink, line, n);
    hpf_sink_text(sink, is_plain ? "\n" : ")\n");
}

static void write_boxes(hpf_sink *sink, const hpr_paper *page)
{
    hpf_sink_printf(sink, "%%%%BoundingBox: 0 0 %.0f %.0f\n", floor(page->width_pt + 0.5),
                    floor(page->height_pt + 0.5));
    hpf_sink_text(sink, "%%HiResBoundingBox: 0 0 ");
    hpf_sink_fixed(sink, page->width_pt, 4);
    hpf_sink_text(sink, " ");
    hpf_sink_fixed(sink, page->height_pt, 4);
    hpf_sink_text(sink, "\n");
}

void hpr__ps_comments(hpf_sink *sink, const hpr_scene *scene, const hpr_paper *eps_page)
{
    hpr__ps_comment(sink, "%%Title: ", scene->title);
    hpr__ps_comment(sink, "%%Creator: ", scene->creator);
    hpr__ps_comment(sink, "%%CreationDate: ", scene->date);
    if (eps_page) {
        write_boxes(sink, eps_page);
    }
}

static bool begins_with(const char *line, const char *prefix)
{
    return strncmp(line, prefix, strlen(prefix)) == 0;
}

/* Whether a line of cairo's gives way to one of ours. */
static bool is_replaced(const hpr__ps_header *header, const char *line)
{
    return begins_with(line, "%%Title:") || begins_with(line, "%%Creator:") ||
           begins_with(line, "%%CreationDate:") ||
           (header->is_eps &&
            (begins_with(line, "%%BoundingBox:") || begins_with(line, "%%HiResBoundingBox:")));
}

/* Handles the gathered line, which ends in a newline. */
static void end_line(hpr__ps_header *header)
{
    header->line[header->n_bytes] = '\0';
    if (!is_replaced(header, header->line)) {
        hpf_sink_write(header->sink, header->line, header->n_bytes);
    }
    if (begins_with(header->line, "%!PS")) {
        hpr__ps_comments(header->sink, header->scene, header->is_eps ? &header->paper : NULL);
    }
    header->is_past = begins_with(header->line, "%%EndComments");
    header->n_bytes = 0;
}

void hpr__ps_header_write(hpr__ps_header *header, const unsigned char *bytes, size_t n_bytes)
{
    size_t i = 0;
    for (; i < n_bytes && !header->is_past; i++) {
        header->line[header->n_bytes++] = (char)bytes[i];
        if (bytes[i] == '\n' || header->n_bytes == sizeof header->line - 1) {
            end_line(header);
        }
    }
    hpf_sink_write(header->sink, bytes + i, n_bytes - i);
}
