/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions whose names, lines and inlining are known. The test finds the lines by the comments
 * "@name"; each place calls back, so that the return address tells where it is.
 */
typedef void probe(const char *place);

#define INLINED  static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

void fixture_places(probe *at);
int fixture_sum(int a, int b);
int __fixture_product(int a, int b);
int Main_keptzq_info(int a);
extern char fixture_bare[];

INLINED void innermost(probe *at) /* @begin_innermost */
{
    at("innermost"); /* @innermost */
}

INLINED void middle(probe *at) /* @begin_middle */
{
    at("middle");  /* @middle */
    innermost(at); /* @middle_calls */
}

/* Not exported: only the whole symbol table knows it. */
static NOINLINE void hidden(probe *at) /* @begin_hidden */
{
    at("hidden_first"); /* @hidden_first */
    middle(at);         /* @hidden_calls */
    at("hidden_last");  /* @hidden_last */
}

void fixture_places(probe *at) /* @begin_exported */
{
    at("exported"); /* @exported */
    hidden(at);     /* @exported_calls */
    innermost(at);  /* @exported_inlines */
    at("exported_last");
}

int fixture_sum(int a, int b)
{
    return a + b;
}

/* Two names for one function. */
int __fixture_product(int a, int b)
{
    return a * b;
}
int fixture_product(int a, int b) __attribute__((alias("__fixture_product")));

/* Has the name that GHC gives a function. */
int Main_keptzq_info(int a)
{
    return a;
}

/* A function that assembly calls neither a function nor its size. */
__asm__(".text\n.globl fixture_bare\nfixture_bare:\n.skip 16, 0x90\nret\n");
