/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes heap snapshots of any size for measurements, as V8 writes them: make_snapshot SESSIONS
 * >FILE. A bus has a list of functions; each holds a session, with a list of twenty messages: 86
 * objects and 3.7 KB of the file.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_MESSAGES = 20, PER_MESSAGE = 4, PER_SESSION = 6 + PER_MESSAGE * N_MESSAGES };
enum { FIRST_SESSION = 4, N_FIELDS = 7 };
enum { ARRAY = 1, STRING = 2, OBJECT = 3, CLOSURE = 5, SYNTHETIC = 9, CONCATENATED = 10 };
enum { CONTEXT = 0, ELEMENT = 1, PROPERTY = 2, INTERNAL = 3 };

static const char head[] =
    "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\","
    "\"edge_count\",\"trace_node_id\",\"detachedness\"],\"node_types\":[[\"hidden\",\"array\","
    "\"string\",\"object\",\"code\",\"closure\",\"regexp\",\"number\",\"native\",\"synthetic\","
    "\"concatenated string\"],\"string\",\"number\",\"number\",\"number\",\"number\",\"number\"],"
    "\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],\"edge_types\":[[\"context\","
    "\"element\",\"property\",\"internal\"],\"string_or_number\",\"node\"]}},\n\"nodes\":[\n";

enum {
    ROOT,
    BUS,
    LIST,
    SYSTEM_CONTEXT,
    SESSION,
    SET,
    MESSAGE,
    TEXT,
    USER,
    LISTENERS,
    ELEMENTS,
    CONTEXT_NAME,
    SESSION_NAME,
    MESSAGES,
    SEEN,
    AT,
    N_NAMES
};
static const char *const names[N_NAMES] = {
    "",     "Bus",       "Array",    "system / Context", "Session", "Set",      "Message", "text",
    "user", "listeners", "elements", "context",          "session", "messages", "seen",    "at"};

static bool is_first = true;

static void node(int type, int name, unsigned long size, unsigned long n_edges)
{
    static unsigned long id = 1;
    printf("%s%d,%d,%lu,%lu,%lu,0,0\n", is_first ? "" : ",", type, name, id, size, n_edges);
    id += 2;
    is_first = false;
}

static void edge(int type, unsigned long name, unsigned long target)
{
    printf("%s%d,%lu,%lu\n", is_first ? "" : ",", type, name, target * N_FIELDS);
    is_first = false;
}

static void make_session_nodes(void)
{
    node(CLOSURE, ROOT, 56, 1);
    node(OBJECT, SYSTEM_CONTEXT, 40, 1);
    node(OBJECT, SESSION, 48, 2);
    node(OBJECT, LIST, 32, 1);
    node(ARRAY, ROOT, 16 + 8 * N_MESSAGES, N_MESSAGES);
    node(OBJECT, SET, 16, 0);
    for (int i = 0; i < N_MESSAGES; i++) {
        node(OBJECT, MESSAGE, 40, 2);
        node(CONCATENATED, ROOT, 32, 2);
        node(STRING, TEXT, 24, 0);
        node(STRING, USER, 24, 0);
    }
}

static void make_session_edges(unsigned long at)
{
    const unsigned long messages = at + 6;
    edge(INTERNAL, CONTEXT_NAME, at + 1);
    edge(CONTEXT, SESSION_NAME, at + 2);
    edge(PROPERTY, MESSAGES, at + 3);
    edge(PROPERTY, SEEN, at + 5);
    edge(INTERNAL, ELEMENTS, at + 4);
    for (unsigned long i = 0; i < N_MESSAGES; i++) {
        edge(ELEMENT, i, messages + PER_MESSAGE * i);
    }
    for (unsigned long i = 0; i < N_MESSAGES; i++) {
        const unsigned long message = messages + PER_MESSAGE * i;
        edge(PROPERTY, TEXT, message + 1);
        edge(PROPERTY, AT, message + 3);
        edge(INTERNAL, TEXT, message + 2);
        edge(INTERNAL, USER, message + 3);
    }
}

int main(int argc, char **argv)
{
    const unsigned long n = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
    if (n == 0) {
        fputs("usage: make_snapshot SESSIONS >FILE\n", stderr);
        return 2;
    }
    fputs(head, stdout);
    node(SYNTHETIC, ROOT, 0, 1);
    node(OBJECT, BUS, 160, 1);
    node(OBJECT, LIST, 32, 1);
    node(ARRAY, ROOT, 8 * n, n);
    for (unsigned long i = 0; i < n; i++) {
        make_session_nodes();
    }
    fputs("],\n\"edges\":[\n", stdout);
    is_first = true;
    edge(PROPERTY, BUS, 1);
    edge(PROPERTY, LISTENERS, 2);
    edge(INTERNAL, ELEMENTS, 3);
    for (unsigned long i = 0; i < n; i++) {
        edge(ELEMENT, i, FIRST_SESSION + PER_SESSION * i);
    }
    for (unsigned long i = 0; i < n; i++) {
        make_session_edges(FIRST_SESSION + PER_SESSION * i);
    }
    fputs("],\n\"strings\":[", stdout);
    for (int i = 0; i < N_NAMES; i++) {
        printf("%s\"%s\"", i > 0 ? "," : "", names[i]);
    }
    puts("]}");
    return fclose(stdout) == 0 ? 0 : 1;
}
