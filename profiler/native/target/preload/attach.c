/* SPDX-License-Identifier: BSD-2-Clause
 *
 * System V ABI, "Dynamic Linking", and its supplements for each processor, "Relocation"; the hash
 * table of symbols is the one of DT_GNU_HASH.
 */
#include "attach.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <string.h>

#include "accounting.h"
#include "cpu_ticks.h"
#include "entry.h"
#include "native/target/counting/next_allocator.h"
#include "native/target/counting/peak.h"
#include "process.h"
#include "python_hooks.h"
#include "tasks.h"
#include "native/target/counting/thread.h"
#include "native/window/window_writer.h"

enum { MAX_SLOTS = 65536, PAGE_BYTES = 4096 };

/* The begin of this library, by the linker. */
extern const char __ehdr_start[] HPP_HIDDEN;

/* An address that was replaced. */
typedef struct slot {
    uintptr_t *at;
    uintptr_t before;
} slot;

static slot *slots; /* in the order of replacement */
static size_t n_slots;

/* ---- objects --------------------------------------------------------------------------------- */

typedef struct object {
    uintptr_t bias;
    const ElfW(Sym) * symbols;
    const char *names;
    const uint32_t *hash;
    const ElfW(Rela) * relocations[2];
    size_t n_relocations[2];
    uintptr_t relro_begin, relro_end; /* pages that are read-only after relocation */
} object;

/* Reads the dynamic section, whose pointers the loader has relocated. */
static object read_dynamic(const ElfW(Dyn) * entry, uintptr_t bias)
{
    object o = {.bias = bias};
    for (; entry->d_tag != DT_NULL; entry++) {
        void *at = (void *)entry->d_un.d_ptr;
        switch (entry->d_tag) {
        case DT_SYMTAB:
            o.symbols = at;
            break;
        case DT_STRTAB:
            o.names = at;
            break;
        case DT_GNU_HASH:
            o.hash = at;
            break;
        case DT_RELA:
            o.relocations[0] = at;
            break;
        case DT_RELASZ:
            o.n_relocations[0] = entry->d_un.d_val / sizeof(ElfW(Rela));
            break;
        case DT_JMPREL:
            o.relocations[1] = at;
            break;
        case DT_PLTRELSZ:
            o.n_relocations[1] = entry->d_un.d_val / sizeof(ElfW(Rela));
            break;
        default:
            break;
        }
    }
    return o;
}

/* Returns the address of a function that this library exports, or 0. */
static uintptr_t find_own(const char *name)
{
    object o = read_dynamic(_DYNAMIC, (uintptr_t)__ehdr_start);
    uint32_t n_buckets = o.hash[0], first = o.hash[1], n_filters = o.hash[2];
    const uint32_t *buckets = o.hash + 4 + n_filters * (sizeof(uintptr_t) / sizeof(uint32_t));
    const uint32_t *chains = buckets + n_buckets;
    uint32_t hash = 5381;
    for (const char *c = name; *c != '\0'; c++) {
        hash = hash * 33 + (unsigned char)*c;
    }
    for (uint32_t i = buckets[hash % n_buckets]; i >= first; i++) {
        const ElfW(Sym) *symbol = &o.symbols[i];
        if ((chains[i - first] | 1) == (hash | 1) && strcmp(o.names + symbol->st_name, name) == 0) {
            return o.bias + symbol->st_value;
        }
        if (chains[i - first] & 1) {
            break;
        }
    }
    return 0;
}

/* ---- slots ----------------------------------------------------------------------------------- */

static void write_slot(const object *o, uintptr_t *at, uintptr_t value)
{
    uintptr_t page = (uintptr_t)at & ~(uintptr_t)(PAGE_BYTES - 1);
    bool is_read_only = page >= o->relro_begin && page < o->relro_end;
    if (!is_read_only ||
        hpp__syscall(SYS_mprotect, (long)page, PAGE_BYTES, PROT_READ | PROT_WRITE, 0, 0, 0) == 0) {
        __atomic_store_n(at, value, __ATOMIC_RELEASE);
    }
    if (is_read_only) {
        hpp__syscall(SYS_mprotect, (long)page, PAGE_BYTES, PROT_READ, 0, 0, 0);
    }
}

/* The program's lookups of symbols pass through these, which then jump to libc's functions. */
void hpp__attach_dlsym(void);
void hpp__attach_dlopen(void);
void *hpp__before_dlsym(void);
void *hpp__before_dlopen(void);
static void *next_dlsym, *next_dlopen;

/* Returns what a name is replaced by, or 0. Other functions that this library exports are for
 * programs that were compiled for it. */
static uintptr_t replacement_of(const char *name)
{
    static const char *const names[] = {"malloc",         "calloc",         "realloc",
                                        "reallocarray",   "free",           "cfree",
                                        "free_sized",     "posix_memalign", "free_aligned_sized",
                                        "memalign",       "aligned_alloc",  "valloc",
                                        "pvalloc",        "sdallocx",       "prctl",
                                        "pthread_create", "syscall",        "setns",
                                        "unshare",        "mmap",           "mmap64",
                                        "munmap",         "mremap",         "mprotect",
                                        "clock_gettime"};
    bool is_operator = strncmp(name, "_Zn", 3) == 0 || strncmp(name, "_Zd", 3) == 0;
    if (strcmp(name, "dlsym") == 0) {
        return (uintptr_t)hpp__attach_dlsym;
    }
    if (strcmp(name, "dlopen") == 0) {
        return (uintptr_t)hpp__attach_dlopen;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names && !is_operator; i++) {
        if (strcmp(name, names[i]) == 0) {
            return find_own(name);
        }
    }
    return is_operator ? find_own(name) : 0;
}

static bool is_next_allocator(uintptr_t address)
{
    uintptr_t functions[sizeof hpp__next / sizeof(uintptr_t)];
    memcpy(functions, &hpp__next, sizeof functions);
    size_t i = 0;
    while (i < sizeof functions / sizeof *functions && functions[i] != address) {
        i++;
    }
    return address != 0 && i < sizeof functions / sizeof *functions;
}

static void replace(const object *o, const ElfW(Rela) * r)
{
    unsigned type = ELF64_R_TYPE(r->r_info);
    bool is_pointer =
        type == HPP_RELOCATION_POINTER; /* a variable, which the program may have changed */
    if (type != HPP_RELOCATION_SLOT && type != HPP_RELOCATION_GOT && !is_pointer) {
        return;
    }
    const char *name = o->names + o->symbols[ELF64_R_SYM(r->r_info)].st_name;
    uintptr_t ours = replacement_of(name);
    uintptr_t *at = (uintptr_t *)(o->bias + r->r_offset);
    if (ours == 0 || *at == ours || n_slots == MAX_SLOTS ||
        (is_pointer && !is_next_allocator(*at))) {
        return;
    }
    slots[n_slots++] = (slot){at, *at};
    write_slot(o, at, ours);
}

static void restore(const object *o, const ElfW(Rela) * r)
{
    uintptr_t *at = (uintptr_t *)(o->bias + r->r_offset);
    size_t i = n_slots;
    while (i > 0 && slots[i - 1].at != at) {
        i--;
    }
    if (i > 0 && hpp__next_allocator_is_own(*at)) {
        write_slot(o, at, slots[i - 1].before);
    }
}

/* Replaces or restores the addresses of one object. */
static int visit_object(struct dl_phdr_info *info, size_t n_bytes, void *context)
{
    bool *is_end = context;
    const ElfW(Dyn) *dynamic = NULL;
    (void)n_bytes;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        dynamic = p->p_type == PT_DYNAMIC ? (const void *)(info->dlpi_addr + p->p_vaddr) : dynamic;
    }
    /* The pointers of the kernel's own object are not relocated. */
    if (dynamic == NULL || dynamic == _DYNAMIC || strncmp(info->dlpi_name, "linux-", 6) == 0) {
        return 0;
    }
    object o = read_dynamic(dynamic, info->dlpi_addr);
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_GNU_RELRO) {
            uintptr_t begin = info->dlpi_addr + p->p_vaddr, mask = ~(uintptr_t)(PAGE_BYTES - 1);
            o.relro_begin = begin & mask;
            o.relro_end = (begin + p->p_memsz) & mask;
        }
    }
    for (int table = 0; table < 2 && o.symbols != NULL && o.names != NULL; table++) {
        for (size_t i = 0; i < o.n_relocations[table]; i++) {
            if (*is_end) {
                restore(&o, &o.relocations[table][i]);
            } else {
                replace(&o, &o.relocations[table][i]);
            }
        }
    }
    return 0;
}

static int store_adds(struct dl_phdr_info *info, size_t n_bytes, void *out)
{
    (void)n_bytes;
    *(unsigned long long *)out = info->dlpi_adds;
    return 1;
}

/* Replaces the addresses in objects that were loaded since the last call. */
static void look(void)
{
    static _Atomic unsigned long long n_seen;
    unsigned long long n_now = 0;
    bool is_end = false;
    int error = errno;
    dl_iterate_phdr(store_adds, &n_now);
    if (hpp__alive() && atomic_exchange(&n_seen, n_now) != n_now) {
        dl_iterate_phdr(visit_object, &is_end);
    }
    errno = error;
}

/* The functions of libc find their caller by its return address: they are entered by a jump. */
HPP_ANY_STACK void *hpp__before_dlsym(void)
{
    look();
    return next_dlsym;
}

HPP_ANY_STACK void *hpp__before_dlopen(void)
{
    look();
    return next_dlopen;
}
HPP_ASM_FUNCTION(".local", "hpp__attach_dlsym", HPP_CALL_THEN_JUMP("hpp__before_dlsym", "0"));
HPP_ASM_FUNCTION(".local", "hpp__attach_dlopen", HPP_CALL_THEN_JUMP("hpp__before_dlopen", "0"));

/* ---- blocks that existed before -------------------------------------------------------------- */

static _Atomic uint64_t inherited_bytes; /* what is left of these blocks */
static size_t (*usable_bytes)(void *block);

/* struct mallinfo2 of glibc, since 2.33. */
typedef struct allocator_sums {
    size_t arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost;
} allocator_sums;

/* Counts what the C library's allocator has handed out, with its own overhead. Other allocators,
 * and older libraries, do not say. */
static void inherit(void)
{
    allocator_sums (*info)(void) = NULL;
    void *found = hpp__next_function("mallinfo2");
    memcpy(&info, &found, sizeof info);
    if (!hpp__next_allocator_is_together(found, (const void *)(uintptr_t)hpp__next.malloc)) {
        return;
    }
    found = hpp__next_function("malloc_usable_size");
    memcpy(&usable_bytes, &found, sizeof usable_bytes);
    allocator_sums now = info();
    uint64_t n_bytes = now.uordblks + now.hblkhd;
    hpp_thread *self = hpp__self;
    hpp_window_cell *cell = self != NULL ? hpp__thread_cell(self, HPP_SITE_INHERITED) : NULL;
    if (cell != NULL && usable_bytes != NULL && n_bytes > 0) {
        hpp__peak_keep(cell);
        hpp__add_own(&cell->allocations, 1);
        hpp__add_own(&cell->allocated_bytes, n_bytes);
        hpp__peak_add(self, n_bytes);
        atomic_store(&inherited_bytes, n_bytes);
    }
}

uint64_t hpp__inherited_size(void *block)
{
    bool has_any = atomic_load_explicit(&inherited_bytes, memory_order_relaxed) > 0;
    return has_any && hpp__alive() ? usable_bytes(block) + sizeof(size_t) : 0;
}

void hpp__inherited_free(uint64_t n_bytes)
{
    if (HPP_LIKELY(n_bytes == 0)) { /* there may be no window */
        return;
    }
    uint64_t left = atomic_load(&inherited_bytes);
    uint64_t n;
    do {
        n = n_bytes < left ? n_bytes : left;
    } while (!atomic_compare_exchange_weak(&inherited_bytes, &left, left - n));
    hpp_window_cell *cell = hpp__shared_cell(HPP_SITE_INHERITED);
    if (n > 0 && cell != NULL) {
        hpp__peak_change_shared(-(int64_t)n);
        hpp__peak_keep(cell);
        atomic_fetch_add(&cell->frees, n == left);
        atomic_fetch_add(&cell->freed_bytes, n);
    }
}

/* ---- begin and end --------------------------------------------------------------------------- */

int census_attach(const char *settings)
{
    hpp__is_attached = true;
    slots = hpp__map(MAX_SLOTS * sizeof *slots);
    if (slots == NULL || !hpp__process_attach(settings)) {
        return 1;
    }
    if (!hpp__blocks_are_samples) { /* frees of blocks that are no samples are not seen */
        inherit();
    }
    hpp__python_hooks_begin();
    next_dlsym = hpp__next_function("dlsym");
    next_dlopen = hpp__next_function("dlopen");
    look();
    if (hpp__cpu_ticks_are_wanted()) {
        hpp__tasks_visit(hpp__cpu_ticks_adopt); /* the calling one has its ticks */
    }
    return 0;
}

int census_detach(void)
{
    bool is_end = true;
    dl_iterate_phdr(visit_object, &is_end);
    hpp__python_hooks_end();
    hpp__process_detach();
    return 0;
}
