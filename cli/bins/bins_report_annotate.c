/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Machine code with amounts: objdump disassembles, and each of its instructions gets the amounts of
 * the addresses up to the next one.
 */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hpfile/sink.h"
#include "base/buffer.h"
#include "base/words.h"
#include "hpfile/str.h"

#include "bins_report.h"
#include "diag.h"
#include "output.h"
#include "unit_format.h"

extern char **environ;

/* Reads to the end of a pipe. Returns false without memory. */
static bool read_all(int from, hpf__buffer *to)
{
    enum { PIECE = 65536 };
    while (hpf__buffer_reserve(to, PIECE)) {
        ssize_t n = read(from, to->bytes + to->length, PIECE);
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return true;
        }
        to->length += n > 0 ? (size_t)n : 0;
    }
    return false;
}

/* Stores what objdump prints for a function of an object. Returns false after a message. */
static bool disassemble(hpf__buffer *out, const char *path, const char *symbol)
{
    char only[8192];
    snprintf(only, sizeof only, "--disassemble=%s", symbol);
    const char *const argv[] = {"objdump", "--source", "--no-show-raw-insn", only, "--",
                                path,      NULL};
    int ends[2];
    pid_t child;
    posix_spawn_file_actions_t actions;
    if (pipe(ends) != 0) {
        diag_say("cannot create a pipe: %s", strerror(errno));
        return false;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    int error =
        posix_spawnp(&child, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    bool has_read = error == 0 && read_all(ends[0], out);
    close(ends[0]);
    int status = 0;
    if (error == 0) {
        waitpid(child, &status, 0);
    }
    if (error == ENOENT) {
        diag_say("--annotate needs objdump (Debian: binutils)");
    } else if (error != 0) {
        diag_say("cannot start objdump: %s", strerror(error));
    } else if (!has_read) {
        diag_say("out of memory");
    } else if (status != 0) {
        diag_say("objdump could not disassemble %s in %s", symbol, path);
    }
    return error == 0 && has_read && status == 0;
}

/* Finds the address of an instruction: "  401136:\tpush %rbp". */
static bool is_instruction(hpf_str line, uint64_t *address)
{
    while (hpf__take_word(&line, " ")) {
    }
    return hpf__take_whole(&line, 16, address) && hpf_str_begins(line, ":\t");
}

/* Returns the address of the next instruction in `text`, or UINT64_MAX. */
static uint64_t next_instruction(hpf_str text)
{
    uint64_t address;
    while (text.length > 0) {
        if (is_instruction(hpf__take_until(&text, '\n'), &address)) {
            return address;
        }
    }
    return UINT64_MAX;
}

/* Writes text with spaces for tabs. */
static void write_expanded(hpf_sink *sink, hpf_str text)
{
    size_t begin = 0;
    for (size_t i = 0; i <= text.length; i++) {
        if (i == text.length || text.data[i] == '\t') {
            hpf_sink_name(sink, (hpf_str){text.data + begin, i - begin});
            hpf_sink_text(sink, i < text.length ? "    " : "");
            begin = i + 1;
        }
    }
}

static void write_code(hpf_sink *sink, const hpp_bins_table *bins, hpf_str path, hpf_str code)
{
    bool is_code = false;
    while (code.length > 0) {
        uint64_t address;
        hpf_str line = hpf__take_until(&code, '\n');
        bool is_step = is_instruction(line, &address);
        uint64_t next = is_step ? next_instruction(code) : 0;
        /* Parts of a function in other sections have their addresses far away. */
        uint64_t end = next > address && next - address <= 15 ? next : address + 15;
        uint64_t amount = is_step ? hpp_bins_amount_between(bins, path, address, end) : 0;
        is_code |= is_step || (line.length > 0 && line.data[line.length - 1] == ':' &&
                               memchr(line.data, '<', line.length));
        if (!is_code) {
            continue; /* the head of objdump's output */
        }
        if (amount > 0) {
            double share = (double)amount / (double)bins->totals[0];
            hpf_sink_printf(sink, "%7s  ", format_share(share).text);
        } else {
            hpf_sink_text(sink, "         ");
        }
        write_expanded(sink, line);
        hpf_sink_text(sink, "\n");
    }
}

/* Writes the code of each function with that name, once. Returns their number, or -1 after a
 * message. */
static int write_functions(hpf_sink *sink, const hpp_bins_table *bins, hpf_str function)
{
    int n = 0;
    for (size_t i = 0; i < bins->n_rows; i++) {
        const hpp_bins_row *row = &bins->rows[i];
        bool is_first = row->linkage.length > 0 && (hpf_str_equal(row->function, function) ||
                                                    hpf_str_equal(row->linkage, function));
        for (size_t k = 0; k < i && is_first; k++) {
            is_first = !hpf_str_equal(bins->rows[k].linkage, row->linkage) ||
                       !hpf_str_equal(bins->rows[k].path, row->path);
        }
        hpf__buffer code = {0};
        if (is_first && !disassemble(&code, row->path.data, row->linkage.data)) {
            hpf__buffer_finish(&code);
            return -1;
        }
        if (is_first) {
            hpf_sink_text(sink, n++ ? "\n" : "");
            hpf_sink_name(sink, row->path);
            hpf_sink_text(sink, "\n");
            write_code(sink, bins, row->path, hpf__buffer_str(&code));
        }
        hpf__buffer_finish(&code);
    }
    return n;
}

int bins_annotate(const char *const *paths, size_t n, const char *function, const bins_output *to)
{
    hpp_bins_table bins;
    int status = EXIT_FAILED;
    if (!bins_load(&bins, paths, n, false)) {
        return EXIT_FAILED;
    }
    const char *name;
    hpf_sink *sink = output_open(to->output, &name);
    if (sink) {
        hpp_bins_group_rows(&bins, HPP_BINS_BY_ADDRESS);
        int n_functions = write_functions(sink, &bins, hpf_str_of(function));
        if (n_functions > 0) {
            status = output_close(sink, name);
        } else {
            if (n_functions == 0) {
                diag_say("no address is in a function '%s' with a symbol", function);
            }
            hpf_sink_destroy(sink);
        }
    }
    hpp_bins_finish(&bins);
    return status;
}
