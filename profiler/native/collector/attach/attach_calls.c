/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The stub is written behind the end of the code of some object of the process, where the last page
 * has room; always the same bytes. What is particular to one attachment is in a frame on the stack
 * of the thread, below its red zone, and in scratch memory at a fixed address, which the stub maps
 * once and for all. Only one thread at a time uses the scratch memory: it takes a lock there. After
 * the thread was started in the stub, this process writes to scratch memory only, so it cannot harm
 * a thread that has gone home.
 *
 * Which thread is stopped: one in a system call that the kernel restarts without a trace; else one
 * that runs; else one in a call that returns EINTR because of the stop, and can be made again; else
 * one in a transfer of which the stop ended the first part: the stub transfers the rest.
 */
#include "attach_calls.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "native/collector/image/proc.h"
#include "native/machine/clock.h"
#include "native/machine/linux_numbers.h"
#include "seccomp_filter.h"

enum {
    RED_ZONE_BYTES = 128,
    N_TRIES = 5000, /* to stop a thread at a safe point, a millisecond apart */
    MAX_STACK_SEEN = 65536,
    N_PLACES = 8,
};
static const uint64_t patience_ns = 20000000000;
static const uint64_t first_place = 0x20c3e4500000, next_place = 0x10000000000;

/* ---- the stub -------------------------------------------------------------------------------- */

/* A frame on the thread's stack. */
typedef struct frame {
    int64_t token; /* or -errno if there is no scratch memory */
    uint64_t errno_function, scratch_at;
    uint64_t mask;                 /* of signals */
    int64_t n_transferred, number; /* of a transfer that is to go on */
    uint64_t rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15;
    uint64_t flags, rip;
} frame;

/* The begin of the scratch memory. Its end is the stack of the stub. */
typedef struct scratch {
    uint32_t lock, step; /* the lock is 0 or the token of the attachment that has it */
    uint64_t function, arguments[3], result;
    int32_t file; /* to be closed */
    uint32_t unused;
    char padding[72];
    char state[HPP__GUEST_STATE_BYTES]; /* of the vector registers */
    char text[HPP__GUEST_TEXT_BYTES];
} scratch;

/* Steps. */
#define READY    1 /* the stub waits */
#define CALLED   2 /* a call is there */
#define RUNNING  3 /* the stub has taken it */
#define ENDED    4 /* the stub is to end */
#define FINISHED 5 /* it has ended, but for the registers */
#define GONE     6 /* it has gone home, or is to go */

#define SCRATCH_BYTES   0x80000
#define TEXT_OF(number) #number
#define SET(name)       ".set " #name ", " TEXT_OF(name) "\n"

_Static_assert(offsetof(frame, n_transferred) == 32 && offsetof(frame, rax) == 48 &&
                   offsetof(frame, rdx) == 72 && offsetof(frame, r8) == 104 && sizeof(frame) == 184,
               "the stub knows the frame");
_Static_assert(offsetof(scratch, result) == 40 && offsetof(scratch, file) == 48 &&
                   offsetof(scratch, state) == 128 && sizeof(scratch) < SCRATCH_BYTES / 4,
               "the stub knows the scratch memory");

/* The stub has the names of steps, too. */
__asm__(SET(READY) SET(CALLED) SET(RUNNING) SET(ENDED) SET(FINISHED) SET(GONE) SET(SCRATCH_BYTES));

/* rbx: frame, rbp: scratch, r12: address of errno, r13d: errno, r14d and r15d: patience in ms. */
__asm__(".pushsection .rodata\n"
        ".hidden hpp__stub_begin, hpp__stub_end\n"
        ".globl hpp__stub_begin, hpp__stub_end\n"
        "hpp__stub_begin:\n"
        "movq %rsp, %rbx\n"
        "cld\n"
        "movl $9, %eax\n" /* mmap: private, anonymous, at this place only, without reserve */
        "movq 16(%rbx), %rdi\n"
        "movl $SCRATCH_BYTES, %esi\n"
        "movl $3, %edx\n"
        "movl $0x104022, %r10d\n"
        "movq $-1, %r8\n"
        "xorl %r9d, %r9d\n"
        "syscall\n"
        "cmpq $-17, %rax\n" /* EEXIST: it is there */
        "je 1f\n"
        "cmpq 16(%rbx), %rax\n"
        "jne 8f\n"
        "movl $28, %eax\n" /* madvise: a forked child does not get it */
        "movq 16(%rbx), %rdi\n"
        "movl $SCRATCH_BYTES, %esi\n"
        "movl $10, %edx\n"
        "syscall\n"
        "1:\n"
        "movq 16(%rbx), %rbp\n"
        "xorl %eax, %eax\n"
        "movl (%rbx), %ecx\n"
        "lock cmpxchgl %ecx, (%rbp)\n"
        "movq $-16, %rax\n" /* EBUSY */
        "jne 8f\n"
        "movl $-1, 48(%rbp)\n"
        "movl $-1, %eax\n"
        "movl %eax, %edx\n"
        "xsave64 128(%rbp)\n"
        "leaq SCRATCH_BYTES(%rbp), %rsp\n"
        "fninit\n"
        "pushq $0x1f80\n"
        "ldmxcsr (%rsp)\n"
        "addq $8, %rsp\n"
        "call *8(%rbx)\n"
        "movq %rax, %r12\n"
        "movl (%rax), %r13d\n"
        "2:\n" /* wait for a call */
        "movl $READY, 4(%rbp)\n"
        "movl $1000, %r14d\n"
        "3:\n"
        "cmpl $CALLED, 4(%rbp)\n"
        "je 4f\n"
        "cmpl $ENDED, 4(%rbp)\n"
        "je 5f\n"
        "decl %r14d\n"
        "js 6f\n"
        "call 10f\n"
        "jmp 3b\n"
        "4:\n"
        "movl $RUNNING, 4(%rbp)\n"
        "movq 16(%rbp), %rdi\n"
        "movq 24(%rbp), %rsi\n"
        "movq 32(%rbp), %rdx\n"
        "xorl %eax, %eax\n"
        "call *8(%rbp)\n"
        "movq %rax, 40(%rbp)\n"
        "jmp 2b\n"
        "6:\n" /* no call comes */
        "movl $READY, %eax\n"
        "movl $GONE, %ecx\n"
        "lock cmpxchgl %ecx, 4(%rbp)\n"
        "jne 3b\n"
        "movl $1, %r15d\n"
        "jmp 7f\n"
        "5:\n"
        "movl $1000, %r15d\n"
        "7:\n" /* end */
        "movl 48(%rbp), %edi\n"
        "testl %edi, %edi\n"
        "js 1f\n"
        "movl $3, %eax\n" /* close */
        "syscall\n"
        "1:\n"
        "movl %r13d, (%r12)\n"
        "movl $-1, %eax\n"
        "movl %eax, %edx\n"
        "xrstor64 128(%rbp)\n"
        "movl $FINISHED, 4(%rbp)\n"
        "2:\n"
        "cmpl $FINISHED, 4(%rbp)\n"
        "jne 3f\n"
        "decl %r15d\n"
        "js 3f\n"
        "call 10f\n"
        "jmp 2b\n"
        "3:\n"
        "movl $GONE, 4(%rbp)\n"
        "movl $0, (%rbp)\n"
        "movq %rbx, %rsp\n"
        "jmp 9f\n"
        "8:\n" /* no scratch memory */
        "movq %rax, (%rbx)\n"
        "movl $1000, %r15d\n"
        "1:\n"
        "decl %r15d\n"
        "js 9f\n"
        "call 10f\n"
        "jmp 1b\n"
        "9:\n"             /* go home */
        "movl $14, %eax\n" /* rt_sigprocmask, SIG_SETMASK */
        "movl $2, %edi\n"
        "leaq 24(%rbx), %rsi\n"
        "xorl %edx, %edx\n"
        "movl $8, %r10d\n"
        "syscall\n"
        "cmpq $0, 32(%rbx)\n"
        "je 3f\n"
        "1:\n" /* transfer the rest */
        "movq 32(%rbx), %rcx\n"
        "movq 72(%rbx), %rdx\n"
        "subq %rcx, %rdx\n"
        "je 2f\n"
        "movq 40(%rbx), %rax\n"
        "movq 88(%rbx), %rdi\n"
        "movq 80(%rbx), %rsi\n"
        "addq %rcx, %rsi\n"
        "movq 120(%rbx), %r10\n"
        "movq 104(%rbx), %r8\n"
        "movq 112(%rbx), %r9\n"
        "syscall\n"
        "testq %rax, %rax\n"
        "jle 2f\n"
        "addq %rax, 32(%rbx)\n"
        "jmp 1b\n"
        "2:\n"
        "movq 32(%rbx), %rax\n"
        "movq %rax, 48(%rbx)\n"
        "3:\n"
        "leaq 48(%rbx), %rsp\n"
        "popq %rax\n"
        "popq %rbx\n"
        "popq %rcx\n"
        "popq %rdx\n"
        "popq %rsi\n"
        "popq %rdi\n"
        "popq %rbp\n"
        "popq %r8\n"
        "popq %r9\n"
        "popq %r10\n"
        "popq %r11\n"
        "popq %r12\n"
        "popq %r13\n"
        "popq %r14\n"
        "popq %r15\n"
        "popfq\n"
        "ret $128\n"
        "10:\n" /* pselect6: a pause of 1 ms, which leaves the thread's restart_syscall alone */
        "pushq $1000000\n"
        "pushq $0\n"
        "movq %rsp, %r8\n"
        "movl $270, %eax\n"
        "xorl %edi, %edi\n"
        "xorl %esi, %esi\n"
        "xorl %edx, %edx\n"
        "xorl %r10d, %r10d\n"
        "xorl %r9d, %r9d\n"
        "syscall\n"
        "addq $16, %rsp\n"
        "ret\n"
        "hpp__stub_end:\n"
        ".popsection\n");
extern const char hpp__stub_begin[], hpp__stub_end[];

static size_t stub_bytes(void)
{
    return (size_t)((uintptr_t)hpp__stub_end - (uintptr_t)hpp__stub_begin);
}

/* ---- memory of the process ------------------------------------------------------------------- */

static bool write_to(const hpp__guest *g, uint64_t address, const void *bytes, size_t n)
{
    struct iovec from = {(void *)(uintptr_t)bytes, n}, to = {(void *)(uintptr_t)address, n};
    return process_vm_writev((pid_t)g->thread->id, &from, 1, &to, 1, 0) == (ssize_t)n;
}

static bool read_from(const hpp__guest *g, uint64_t address, void *out, size_t n)
{
    return hpp__proc_read_memory(g->thread->id, out, address, n);
}

static bool write_step(const hpp__guest *g, uint32_t step)
{
    return write_to(g, g->scratch_at + offsetof(scratch, step), &step, sizeof step);
}

/* Returns the step of the stub: GONE until it has the scratch memory, and after it had it. */
static uint32_t read_step(const hpp__guest *g)
{
    uint32_t words[2];
    bool is_there = read_from(g, g->scratch_at, words, sizeof words);
    return is_there && words[0] == g->token ? words[1] : GONE;
}

/* Writes the stub, unless it is there. The memory is read-only for the process itself. */
static bool write_stub(const hpp__guest *g)
{
    char before[4096], path[64];
    size_t n = stub_bytes();
    if (!read_from(g, g->stub_at, before, n)) {
        return false;
    }
    if (memcmp(before, hpp__stub_begin, n) == 0) {
        return true;
    }
    snprintf(path, sizeof path, "/proc/%u/mem", (unsigned)g->thread->id);
    int memory = open(path, O_RDWR | O_CLOEXEC);
    bool is_done =
        memory >= 0 && pwrite(memory, hpp__stub_begin, n, (off_t)g->stub_at) == (ssize_t)n;
    hpf__close(memory);
    return is_done;
}

/* ---- choice of a thread ---------------------------------------------------------------------- */

/* What a stop means for a thread. Each kind is considered after this many tries. */
enum { NEVER = N_TRIES, RESTARTED = 0, MOVING = 20, REPEATED = 50, CONTINUED = 500 };

static bool is_transfer(uint64_t number, uint64_t flags)
{
    return number == SYS_write || (number == SYS_sendto && !(flags & MSG_DONTWAIT)) ||
           (number == SYS_recvfrom && (flags & MSG_WAITALL) && !(flags & MSG_DONTWAIT));
}

/* Returns the kind of a system call, in which `flags` is the fourth argument. */
static int kind_of(long number, uint64_t flags)
{
    static const long restarted[] = {
        SYS_read,     SYS_readv,           SYS_poll,  SYS_ppoll,           SYS_select,
        SYS_pselect6, SYS_restart_syscall, SYS_futex, SYS_clock_nanosleep, SYS_nanosleep,
        SYS_wait4,    SYS_waitid,          SYS_pause, SYS_rt_sigsuspend,   SYS_accept,
        SYS_accept4,  SYS_recvfrom,        SYS_flock, SYS_connect,         SYS_msgrcv,
        SYS_fcntl,    SYS_mq_timedreceive};
    static const long repeated[] = {SYS_epoll_wait,      SYS_epoll_pwait, SYS_epoll_pwait2,
                                    SYS_rt_sigtimedwait, SYS_semop,       SYS_semtimedop,
                                    SYS_io_getevents,    SYS_recvmsg,     SYS_io_pgetevents};
    if (is_transfer((uint64_t)number, flags)) {
        return CONTINUED;
    }
    for (size_t i = 0; i < sizeof restarted / sizeof *restarted; i++) {
        if (restarted[i] == number) {
            return RESTARTED;
        }
    }
    for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++) {
        if (repeated[i] == number) {
            return REPEATED;
        }
    }
    return NEVER;
}

static int kind_of_thread(uint32_t process_id, uint32_t thread_id)
{
    char path[64], text[256];
    long number;
    unsigned long long flags;
    snprintf(path, sizeof path, "/proc/%u/task/%u/syscall", (unsigned)process_id,
             (unsigned)thread_id);
    if (!hpp__proc_read_text(path, text, sizeof text)) {
        return MOVING;
    }
    int n = sscanf(text, "%ld %*x %*x %*x %llx", &number, &flags);
    return n == 2 && number >= 0 ? kind_of(number, flags) : MOVING;
}

/* Returns whether the thread seems to be inside of dl_iterate_phdr, in which it holds a lock that
 * dlopen takes second. */
static bool is_iterating(const hpp__guest *g)
{
    static uint64_t words[MAX_STACK_SEEN / sizeof(uint64_t)];
    uint64_t n_code, sp = g->thread->registers.rsp;
    uint64_t code = hpp__memory_symbol(g->tracer.process_id, g->libc, "dl_iterate_phdr", &n_code);
    const hpp__mapping *stack = hpp__mappings_at(&g->mappings, sp);
    size_t n = stack && stack->end - sp < sizeof words ? (size_t)(stack->end - sp) : sizeof words;
    if (code == 0 || !read_from(g, sp, words, n)) {
        return false;
    }
    bool is_found = g->thread->registers.rip - code < n_code;
    for (size_t i = 0; i < n / sizeof *words; i++) {
        is_found |= words[i] - code < n_code;
    }
    return is_found;
}

/* Returns whether the thread holds no lock that dlopen takes, and can be sent away and back. In the
 * stub, it can while it transfers the rest of what an earlier stop has cut short. */
static bool is_safe(const hpp__guest *g)
{
    const struct user_regs_struct *r = &g->thread->registers;
    uint32_t process_id = g->tracer.process_id;
    const hpp__mapping *at = hpp__mappings_at(&g->mappings, r->rip);
    int kind = (long)r->orig_rax >= 0 ? kind_of((long)r->orig_rax, r->r10) : MOVING;
    bool is_in_stub = r->rip - g->stub_at < stub_bytes();
    if (!at || at->base == 0 || (is_in_stub && kind != CONTINUED) ||
        hpp__memory_symbol(process_id, at->base, "__tls_get_addr", NULL) != 0 || /* the loader */
        hpp__memory_symbol(process_id, at->base, "census_attach", NULL) != 0 || is_iterating(g)) {
        return false;
    }
    return kind != MOVING ? kind != NEVER
                          : hpp__memory_symbol(process_id, at->base, "malloc", NULL) == 0 &&
                                !hpp__tracer_is_in_sequence(g->thread);
}

/* Stops a thread, and reads its registers. Returns false if that fails. */
static bool stop(hpp__guest *g, uint32_t thread_id)
{
    struct iovec state = {g->state, sizeof g->state};
    g->thread = hpp__tracer_stop_one(&g->tracer, thread_id);
    if (g->thread && ptrace(PTRACE_GETREGSET, thread_id, NT_X86_XSTATE, &state) == 0 &&
        ptrace(PTRACE_GETSIGMASK, thread_id, sizeof g->mask, &g->mask) == 0) {
        g->n_state = state.iov_len;
        return true;
    }
    int error = errno;
    hpp__tracer_go_on(&g->tracer);
    errno = error;
    return false;
}

/* ---- away and back --------------------------------------------------------------------------- */

/* Returns how much a system call has transferred of what it would have without the stop; 0 if it is
 * none of these, or is complete. */
static int64_t transferred(const hpp__guest *g)
{
    const struct user_regs_struct *r = &g->thread->registers;
    char path[64], text[128];
    unsigned flags = O_NONBLOCK;
    if (!is_transfer(r->orig_rax, r->r10) || (int64_t)r->rax <= 0 || r->rax >= r->rdx) {
        return 0;
    }
    snprintf(path, sizeof path, "/proc/%u/fdinfo/%d", (unsigned)g->thread->id, (int)r->rdi);
    if (hpp__proc_read_text(path, text, sizeof text)) {
        const char *line = strstr(text, "flags:");
        flags = line ? (unsigned)strtoul(line + strlen("flags:"), NULL, 8) : flags;
    }
    return flags & O_NONBLOCK ? 0 : (int64_t)r->rax;
}

/* Writes the frame and the stub. */
static bool prepare(hpp__guest *g)
{
    struct user_regs_struct r = hpp__tracer_resumed(g->thread);
    const frame f = {
        .token = g->token,
        .errno_function =
            hpp__memory_symbol(g->tracer.process_id, g->libc, "__errno_location", NULL),
        .scratch_at = g->scratch_at,
        .mask = g->mask,
        .n_transferred = transferred(g),
        .number = (int64_t)g->thread->registers.orig_rax,
        .rax = r.rax,
        .rbx = r.rbx,
        .rcx = r.rcx,
        .rdx = r.rdx,
        .rsi = r.rsi,
        .rdi = r.rdi,
        .rbp = r.rbp,
        .r8 = r.r8,
        .r9 = r.r9,
        .r10 = r.r10,
        .r11 = r.r11,
        .r12 = r.r12,
        .r13 = r.r13,
        .r14 = r.r14,
        .r15 = r.r15,
        .flags = r.eflags,
        .rip = r.rip,
    };
    g->frame_at = r.rsp - RED_ZONE_BYTES - sizeof f;
    g->is_transfer = f.n_transferred != 0;
    return f.errno_function != 0 && write_to(g, g->frame_at, &f, sizeof f) && write_stub(g);
}

/* Lets the thread run in the stub. From the first line on, it comes home by itself. */
static bool send_away(hpp__guest *g)
{
    pid_t id = (pid_t)g->thread->id;
    const uint64_t faults = 1u << (SIGSEGV - 1) | 1u << (SIGBUS - 1) | 1u << (SIGILL - 1) |
                            1u << (SIGFPE - 1) | 1u << (SIGTRAP - 1);
    const uint64_t mask = ~faults;
    struct user_regs_struct r = g->thread->registers;
    r.rsp = g->frame_at;
    r.rip = g->stub_at;
    r.orig_rax = (unsigned long long)-1;
    if (ptrace(PTRACE_SETREGS, id, 0, &r) != 0) {
        return false;
    }
    g->thread->is_away = true;
    ptrace(PTRACE_SETSIGMASK, id, sizeof mask, &mask);
    g->thread->is_stopped = ptrace(PTRACE_CONT, id, 0, 0) != 0;
    return true;
}

/* Gives the thread, which is stopped in the stub, back what the stub would. */
static void bring_home(hpp__guest *g, bool has_finished)
{
    const uint32_t gone[2] = {0, GONE}; /* and unlocked */
    struct iovec state = {g->state, g->n_state};
    pid_t id = (pid_t)g->thread->id;
    if (g->has_scratch) {
        write_to(g, g->scratch_at, gone, sizeof gone);
    }
    if (!has_finished) {
        ptrace(PTRACE_SETREGSET, id, NT_X86_XSTATE, &state);
    }
    ptrace(PTRACE_SETSIGMASK, id, sizeof g->mask, &g->mask);
}

static bool is_fault(int signal_number)
{
    return signal_number == SIGSEGV || signal_number == SIGBUS || signal_number == SIGILL ||
           signal_number == SIGFPE || signal_number == SIGTRAP;
}

/* Deals with a stop of the thread in the stub. Job control does not stop it there; it gets signals
 * that the library has unblocked. Returns false if it has faulted. */
static bool pass_on(const hpp__guest *g, int status)
{
    int signal_number = status >> 8 == 0 ? status : 0;
    return !is_fault(signal_number) &&
           ptrace(PTRACE_CONT, (pid_t)g->thread->id, 0, (long)signal_number) == 0;
}

/* Waits until the stub is in step `wanted`. */
static hpf_status await(const hpp__guest *g, uint32_t wanted, hpf_error *err)
{
    const struct timespec pause = {0, 100000};
    uint64_t end_ns = hpp__now_ns() + patience_ns;
    int64_t failure;
    while (hpp__now_ns() < end_ns) {
        uint32_t step = read_step(g);
        if (step == wanted) {
            return HPF_OK;
        }
        if (step == GONE && g->has_scratch) {
            break;
        }
        if (step == GONE && read_from(g, g->frame_at, &failure, sizeof failure) && failure < 0) {
            return hpf_error_set(err, HPF_ERR_IO,
                                 failure == -EBUSY ? "another census is attaching to it"
                                                   : "it has no memory for a stack: %s",
                                 strerror((int)-failure));
        }
        int status = hpp__tracer_wait(g->thread->id, 0);
        if (status != 0 && !pass_on(g, status)) {
            return hpf_error_set(err, HPF_ERR_IO, "a call in it failed with signal %d", status);
        }
        if (status == 0 && kill((pid_t)g->tracer.process_id, 0) != 0) {
            return hpf_error_set(err, HPF_ERR_IO, "it has ended");
        }
        nanosleep(&pause, NULL);
    }
    return hpf_error_set(err, HPF_ERR_IO, "a call in it does not return");
}

/* ---- the interface --------------------------------------------------------------------------- */

/* Chooses the place of the scratch memory: the first that nothing else uses. */
static uint64_t choose_place(const hpp__mappings *m)
{
    for (int i = 0; i < N_PLACES; i++) {
        uint64_t begin = first_place + (uint64_t)i * next_place, end = begin + SCRATCH_BYTES;
        const hpp__mapping *there = hpp__mappings_overlap(m, begin, end);
        if (!there || (there->begin == begin && there->end == end && there->path[0] == '\0')) {
            return begin;
        }
    }
    return 0;
}

/* Says why what /proc has of a process cannot be read. */
static hpf_status refused_by_proc(hpf_error *err)
{
    return errno == ENOENT || errno == ESRCH
               ? hpf_error_set(err, HPF_ERR_ARGUMENT, "there is no such process")
               : hpf_error_set_os(err, errno, "cannot read what /proc has of it");
}

static hpf_status find_places(hpp__guest *g, hpf_error *err)
{
    uint32_t process_id = g->tracer.process_id;
    if (!hpp__mappings_read(&g->mappings, process_id)) {
        return refused_by_proc(err);
    }
    const hpp__mapping *libc = hpp__mappings_named(&g->mappings, "libc.so.6");
    libc = libc ? libc : hpp__mappings_named(&g->mappings, "libc-2.*.so"); /* up to 2.33 */
    if (!libc) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "it does not use glibc");
    }
    g->libc = libc->base;
    if (hpp__memory_symbol(process_id, g->libc, "dlopen", NULL) == 0) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "its glibc is older than 2.34");
    }
    g->stub_at = hpp__memory_room(&g->mappings, hpp__stub_begin, stub_bytes());
    g->scratch_at = choose_place(&g->mappings);
    return g->stub_at != 0 && g->scratch_at != 0
               ? HPF_OK
               : hpf_error_set(err, HPF_ERR_UNSUPPORTED, "its memory has no room for our code");
}

/* Tries to send one of the threads away, if possible the first one. Returns HPF_MORE if it cannot.
 */
static hpf_status try_threads(hpp__guest *g, int n_tries, hpf_error *err)
{
    uint32_t process_id = g->tracer.process_id;
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/task", (unsigned)process_id);
    DIR *threads = opendir(path);
    if (!threads) {
        return refused_by_proc(err);
    }
    hpf_status status = HPF_MORE;
    for (const struct dirent *e; status == HPF_MORE && (e = readdir(threads));) {
        uint32_t thread_id = (uint32_t)atol(e->d_name);
        if (thread_id == 0 || kind_of_thread(process_id, thread_id) > n_tries) {
            continue;
        }
        errno = 0;
        if (!stop(g, thread_id)) {
            status = thread_id == process_id && errno == EPERM
                         ? hpp__tracer_refused(hpp__proc_tracer(process_id),
                                               hpp__proc_ptrace_scope(HPP__PTRACE_SCOPE), err)
                         : HPF_MORE;
            continue;
        }
        if (hpp__mappings_read(&g->mappings, process_id) && is_safe(g)) {
            status = hpp__seccomp_check(process_id, thread_id, err);
            status = status == HPF_OK && !(prepare(g) && send_away(g)) ? HPF_MORE : status;
        }
        if (status != HPF_OK) {
            hpp__tracer_go_on(&g->tracer);
        }
    }
    closedir(threads);
    return status;
}

hpf_status hpp__guest_enter(hpp__guest *g, uint32_t process_id, hpf_error *err)
{
    const struct timespec ms = {0, 1000000};
    g->token = (uint32_t)(hpp__now_ns() & INT32_MAX) | 1;
    hpp__tracer_init(&g->tracer, process_id);
    hpf_status status = find_places(g, err);
    for (int i = 0; status == HPF_OK && i < N_TRIES; i++) {
        status = try_threads(g, i, err);
        if (status == HPF_OK) {
            status = await(g, READY, err);
            g->has_scratch = status == HPF_OK;
            return status;
        }
        if (status != HPF_MORE) {
            return status;
        }
        status = HPF_OK;
        hpp__tracer_follow_up(&g->tracer);
        nanosleep(&ms, NULL);
        if (g->between) {
            g->between(g->between_context);
        }
    }
    return status != HPF_OK ? status
                            : hpf_error_set(err, HPF_ERR_IO,
                                            "none of its threads could be stopped at a safe point");
}

hpf_status hpp__guest_call(const hpp__guest *g, uint64_t function, const char *text,
                           const uint64_t arguments[3], uint64_t *result, hpf_error *err)
{
    uint64_t text_at = g->scratch_at + offsetof(scratch, text);
    uint64_t call[4] = {function, arguments[0], arguments[1], arguments[2]};
    size_t n = text ? strlen(text) + 1 : 0;
    if (n > HPP__GUEST_TEXT_BYTES) {
        return hpf_error_set(err, HPF_ERR_LIMIT, "a text for it is too long");
    }
    call[1] = text ? text_at : call[1];
    if (!write_to(g, text_at, text, n) ||
        !write_to(g, g->scratch_at + offsetof(scratch, function), call, sizeof call) ||
        !write_step(g, CALLED)) {
        return hpf_error_set_os(err, errno, "cannot write its memory");
    }
    hpf_status status = await(g, READY, err);
    if (status == HPF_OK &&
        !read_from(g, g->scratch_at + offsetof(scratch, result), result, sizeof *result)) {
        status = hpf_error_set_os(err, errno, "cannot read its memory");
    }
    return status;
}

void hpp__guest_read_text(const hpp__guest *g, uint64_t address, char *out, size_t n_bytes)
{
    size_t n = 0;
    while (n + 1 < n_bytes && read_from(g, address + n, out + n, 1) && out[n] != '\0') {
        n++;
    }
    out[n] = '\0';
}

bool hpp__guest_close_later(const hpp__guest *g, int file)
{
    return write_to(g, g->scratch_at + offsetof(scratch, file), &file, sizeof file);
}

/* Stops the thread again, and takes it home if it is ready to. Otherwise it comes home by itself.
 */
static void fetch(hpp__guest *g)
{
    hpf_error err;
    hpp__traced *thread = g->thread;
    pid_t id = (pid_t)thread->id;
    struct user_regs_struct now;
    bool has_finished = g->has_scratch && read_step(g) == READY && write_step(g, ENDED) &&
                        await(g, FINISHED, &err) == HPF_OK;
    ptrace(PTRACE_INTERRUPT, id, 0, 0);
    int status = hpp__tracer_wait(thread->id, hpp__now_ns() + patience_ns);
    thread->is_stopped = status != 0 && ptrace(PTRACE_GETREGS, id, 0, &now) == 0;
    if (!thread->is_stopped) {
        return;
    }
    thread->signal = status >> 8 == 0 ? status : 0;
    bool is_at_end = now.rip - g->stub_at < stub_bytes() &&
                     (g->has_scratch ? read_step(g) == FINISHED : now.rsp <= g->frame_at);
    if (is_fault(thread->signal) || (is_at_end && !g->is_transfer)) {
        thread->signal = is_fault(thread->signal) ? 0 : thread->signal;
        bring_home(g, has_finished);
    } else {
        if (is_at_end && g->has_scratch) {
            write_step(g, GONE);
        }
        thread->is_away = false;
        thread->registers = now;
    }
}

void hpp__guest_leave(hpp__guest *g)
{
    if (g->thread && g->thread->is_away) {
        fetch(g);
    }
    hpp__tracer_go_on(&g->tracer);
    hpp__tracer_finish(&g->tracer);
    hpp__mappings_free(&g->mappings);
}
