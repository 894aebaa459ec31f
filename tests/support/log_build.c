/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Bytes of made-up event logs.
 */
#include "hpfile/sink.h"
#include "log_build.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    unsigned id;
    int n_bytes;
    const char *description;
} types[] = {
    {9, 0, "Starting GC"},
    {10, 0, "Finished GC"},
    {18, 14, "Block marker"},
    {29, -1, "RTS name and version"},
    {30, -1, "Program arguments"},
    {32, 8, "Process ID"},
    {43, 16, "Wall clock time"},
    {50, 12, "Current heap size"},
    {51, 12, "Current heap live data"},
    {52, 38, "Heap static parameters"},
    {53, 58, "GC statistics"},
    {58, -1, "User marker"},
    {90, 16, "Memory return statistics"},
    {91, 12, "Current heap size (size of allocated blocks)"},
    {160, -1, "Start of heap profile"},
    {161, -1, "Cost center definition"},
    {162, 8, "Start of heap profile sample"},
    {163, -1, "Heap profile cost-centre sample"},
    {164, -1, "Heap profile string sample"},
    {165, 8, "End of heap profile sample"},
    {166, 16, "Start of heap profile (biographical) sample"},
    {167, -1, "Time profile cost-centre stack"},
    {168, 8, "Start of a time profile"},
    {169, -1, "Info Table Source Position"},
    {181, -1, "User binary message"},
    {207, 14, "Nonmoving heap census"},
    {210, -1, "Ticky-ticky entry counter definition"},
    {211, 32, "Ticky-ticky entry counter sample"},
    {212, 0, "Ticky-ticky entry counter begin sample"},
};

#define N_TYPES (sizeof types / sizeof types[0])

static void put_number(hpf_sink *to, unsigned long long number, int n_bytes)
{
    for (int i = n_bytes - 1; i >= 0; i--) {
        char byte = (char)(number >> 8 * i);
        hpf_sink_write(to, &byte, 1);
    }
}

void log_declare(hpf_sink *log, unsigned id, int n_bytes, const char *description)
{
    hpf_sink_write(log, "etb\0", 4);
    put_number(log, id, 2);
    put_number(log, (unsigned)n_bytes & 0xffffu, 2);
    put_number(log, strlen(description), 4);
    hpf_sink_text(log, description);
    put_number(log, 0, 4);
    hpf_sink_write(log, "ete\0", 4);
}

void log_begin(hpf_sink *log, unsigned but)
{
    hpf_sink_text(log, "hdrbhetb");
    for (size_t i = 0; i < N_TYPES; i++) {
        if (types[i].id != but) {
            log_declare(log, types[i].id, types[i].n_bytes, types[i].description);
        }
    }
}

void log_end_header(hpf_sink *log)
{
    hpf_sink_text(log, "hetehdredatb");
}

void log_end(hpf_sink *log)
{
    put_number(log, 0xffff, 2);
}

static bool is_variable(unsigned id)
{
    for (size_t i = 0; i < N_TYPES; i++) {
        if (types[i].id == id) {
            return types[i].n_bytes < 0;
        }
    }
    return false;
}

static void put_payload(hpf_sink *to, const char *layout, va_list arguments)
{
    for (; *layout; layout++) {
        if (*layout >= '1' && *layout <= '8') {
            put_number(to, va_arg(arguments, unsigned long long), *layout - '0');
        } else {
            const char *text = va_arg(arguments, const char *);
            hpf_sink_write(to, text, strlen(text) + (*layout == 's'));
        }
    }
}

void log_put(hpf_sink *log, unsigned id, unsigned long long time_ns, const char *layout, ...)
{
    hpf_sink *payload = hpf_sink_to_memory();
    va_list arguments;
    va_start(arguments, layout);
    put_payload(payload, layout, arguments);
    va_end(arguments);
    put_number(log, id, 2);
    put_number(log, time_ns, 8);
    if (is_variable(id)) {
        put_number(log, hpf_sink_bytes(payload).length, 2);
    }
    hpf_sink_str(log, hpf_sink_bytes(payload));
    hpf_sink_destroy(payload);
}

void log_put_example(hpf_sink *log)
{
    log_begin(log, 0);
    log_end_header(log);
    log_put(log, 29, 100, "4t", 0ull, "GHC-9.2.8 rts_p");
    log_put(log, 30, 110, "4ssssss", 0ull, "./dir/prog", "+RTS", "-hc", "-l", "-RTS", "word");
    log_put(log, 43, 120, "484", 0ull, 1700000000ull, 5ull);
    log_put(log, 52, 125, "428888", 0ull, 2ull, 0ull, 4ull, 2097152ull, 4096ull);
    log_put(log, 161, 130, "4sss1", 1ull, "main", "Main", "Main.hs:3:1-10", 0ull);
    log_put(log, 161, 131, "4sss1", 2ull, "go", "Main", "Main.hs:5:1-9", 0ull);
    log_put(log, 161, 132, "4sss1", 3ull, "CAF", "GHC.Show", "<no location>", 1ull);
    log_put(log, 160, 140, "184sssssss", 0ull, 100000000ull, 1ull, "", "", "", "", "", "", "");
    log_put(log, 18, 1000, "482", 24ull + 22 + 22 + 32, 5000ull, 1ull);
    log_put(log, 50, 4000, "48", 0ull, 4096ull);
    log_put(log, 51, 4000, "48", 0ull, 2048ull);
    log_put(log, 58, 4500, "t", "late");
    log_put(log, 162, 1500000000, "8", 0ull);
    log_put(log, 163, 1500000001, "18144", 0ull, 48ull, 2ull, 2ull, 1ull);
    log_put(log, 163, 1500000002, "1814", 0ull, 16ull, 1ull, 3ull);
    log_put(log, 163, 1500000003, "181", 0ull, 8ull, 0ull);
    log_put(log, 165, 1500000004, "8", 0ull);
    log_put(log, 58, 1600000000, "t", "phase two");
    log_put(log, 90, 1600000001, "4444", 0ull, 3ull, 2ull, 1ull);
    log_put(log, 162, 2500000000, "8", 1ull);
    log_put(log, 163, 2500000001, "18144", 0ull, 64ull, 2ull, 2ull, 1ull);
    log_put(log, 165, 2500000002, "8", 1ull);
    log_end(log);
}
