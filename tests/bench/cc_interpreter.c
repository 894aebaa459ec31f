/* SPDX-License-Identifier: BSD-2-Clause
 *
 * For bench_cc.py: an interpreter of a small language of S-expressions, as a program with many
 * small functions, small blocks and accesses to them. It sorts lists, fills tables and computes
 * recursively. Prints the seconds of processor time that it needed, the least of some rounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N_ROUNDS = 5, N_SYMBOLS = 64, N_BUILTINS = 10 };

typedef enum kind { NUMBER, PAIR, SYMBOL, NIL } kind;

/* Values are counted by references. */
typedef struct value {
    kind kind;
    int n_references;
    long number; /* or index of a symbol */
    struct value *head, *tail;
} value;

typedef struct frame {
    value *arguments[4];
} frame;

static const char *const builtins[N_BUILTINS] = {"+",    "-",    "<",    "if",  "cons",
                                                 "head", "tail", "nil?", "put", "get"};
static char symbols[N_SYMBOLS][16];
static value *functions[N_SYMBOLS];
static value nil = {NIL, 1 << 20, 0, NULL, NULL};
static struct {
    value **slots;
    long n_slots;
} table;

static value *keep(value *v)
{
    v->n_references++;
    return v;
}

static void drop(value *v)
{
    while (v && --v->n_references == 0) {
        value *tail = v->tail;
        if (v->head) {
            drop(v->head);
        }
        free(v);
        v = tail;
    }
}

static value *make(kind kind, long number, value *head, value *tail)
{
    value *v = malloc(sizeof *v);
    *v = (value){kind, 1, number, head, tail};
    return v;
}

/* ---- reading --------------------------------------------------------------------------------- */

static value *read_value(const char **text);

static value *read_list(const char **text)
{
    while (**text == ' ' || **text == '\n') {
        ++*text;
    }
    if (**text == ')') {
        ++*text;
        return keep(&nil);
    }
    value *head = read_value(text);
    return make(PAIR, 0, head, read_list(text));
}

static long symbol_of(const char *word, size_t n)
{
    long i = 0;
    while (symbols[i][0] && (strlen(symbols[i]) != n || memcmp(symbols[i], word, n) != 0)) {
        i++;
    }
    memcpy(symbols[i], word, n);
    return i;
}

static value *read_value(const char **text)
{
    *text += strspn(*text, " \n");
    if (**text == '(') {
        ++*text;
        return read_list(text);
    }
    size_t n = strcspn(*text, " \n()");
    const char *word = *text;
    *text += n;
    if (word[0] >= '0' && word[0] <= '9') {
        return make(NUMBER, atol(word), NULL, NULL);
    }
    return make(SYMBOL, symbol_of(word, n), NULL, NULL);
}

/* ---- evaluating: $0 to $3 are the arguments of a function -------------------------------------
 */

static value *evaluate(const value *code, const frame *f);

static value *put(const value *key, const value *item)
{
    long i = key->number;
    if (i >= table.n_slots) {
        long n = 2 * i + 16;
        table.slots = realloc(table.slots, (size_t)n * sizeof *table.slots);
        memset(table.slots + table.n_slots, 0, (size_t)(n - table.n_slots) * sizeof *table.slots);
        table.n_slots = n;
    }
    drop(table.slots[i]);
    table.slots[i] = make(NUMBER, item->number, NULL, NULL);
    return keep(&nil);
}

static value *apply_builtin(long which, value **a)
{
    switch (which) {
    case 0:
        return make(NUMBER, a[0]->number + a[1]->number, NULL, NULL);
    case 1:
        return make(NUMBER, a[0]->number - a[1]->number, NULL, NULL);
    case 2:
        return make(NUMBER, a[0]->number < a[1]->number, NULL, NULL);
    case 4:
        return make(PAIR, 0, keep(a[0]), keep(a[1]));
    case 5:
        return keep(a[0]->head);
    case 6:
        return keep(a[0]->tail);
    case 7:
        return make(NUMBER, a[0]->kind == NIL, NULL, NULL);
    case 8:
        return put(a[0], a[1]);
    default:
        return keep(table.slots[a[0]->number]);
    }
}

static value *call(const value *code, const frame *f)
{
    frame inner = {{NULL, NULL, NULL, NULL}};
    int n = 0;
    for (const value *rest = code->tail; rest->kind == PAIR; rest = rest->tail) {
        inner.arguments[n++] = evaluate(rest->head, f);
    }
    long which = code->head->number;
    value *result = which < N_BUILTINS ? apply_builtin(which, inner.arguments)
                                       : evaluate(functions[which], &inner);
    while (n > 0) {
        drop(inner.arguments[--n]);
    }
    return result;
}

static value *evaluate(const value *code, const frame *f)
{
    if (code->kind == NUMBER) {
        return make(NUMBER, code->number, NULL, NULL);
    }
    if (code->kind == NIL) {
        return keep(&nil);
    }
    if (code->kind == SYMBOL) {
        return keep(f->arguments[symbols[code->number][1] - '0']);
    }
    if (code->head->number == 3) { /* if */
        value *condition = evaluate(code->tail->head, f);
        const value *branches = code->tail->tail;
        const value *chosen = condition->number ? branches->head : branches->tail->head;
        drop(condition);
        return evaluate(chosen, f);
    }
    return call(code, f);
}

static void define(const char *name, const char *text)
{
    value *code = read_value(&text);
    functions[symbol_of(name, strlen(name))] = code;
}

static long run(const char *text)
{
    const frame none = {{NULL, NULL, NULL, NULL}};
    value *code = read_value(&text);
    value *result = evaluate(code, &none);
    long number = result->number;
    drop(result);
    drop(code);
    return number;
}

int main(void)
{
    double least = 1e9;
    long sum = 0;
    for (int i = 0; i < N_BUILTINS; i++) {
        symbol_of(builtins[i], strlen(builtins[i]));
    }
    define("fib", "(if (< $0 2) $0 (+ (fib (- $0 1)) (fib (- $0 2))))");
    define("insert", "(if (nil? $1) (cons $0 ()) (if (< $0 (head $1)) (cons $0 $1)"
                     " (cons (head $1) (insert $0 (tail $1)))))");
    define("sort", "(if (nil? $0) () (insert (head $0) (sort (tail $0))))");
    define("down", "(if (< $0 1) () (cons (get (- 600 $0)) (down (- $0 1))))");
    define("fill", "(if (< $0 1) 0 (+ (fill (- $0 1)) (head (cons 0 (put $0 (- 1000 $0))))))");
    for (int round = 0; round < N_ROUNDS; round++) {
        clock_t begin = clock();
        run("(put 0 7)");
        sum += run("(fib 22)") + run("(fill 600)") + run("(head (sort (down 400)))");
        double spent = (double)(clock() - begin) / CLOCKS_PER_SEC;
        least = spent < least ? spent : least;
    }
    printf("%.4f\n", least);
    return sum == 0;
}
