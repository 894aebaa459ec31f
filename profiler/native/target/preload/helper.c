/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The helper runs without thread-local storage of its own: it makes bare system calls only, and
 * calls no function of libc.
 */
#include "helper.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "native/machine/linux_numbers.h"
#include "native/window/window_writer.h"

enum {
    LINK = 0, /* descriptors of the helper */
    SIGNALS = 1,
    STACK_BYTES = 16384,
    FIRST_SYSTEM_IDS = 64, /* tries to find one that is not in use */
    LAST_ID = 32767,       /* that every name space has */
};
static const uint64_t all_signals = UINT64_MAX;
static const uint64_t ns_per_s = 1000000000;
static const uint64_t hold_ns = 100000000;        /* that a thread rests at most */
static const uint64_t most_patience_ns = 2000000; /* with threads that are to rest */
static const uint64_t least_patience_ns = 50000;

typedef struct helper {
    _Atomic int id; /* in the name space of the program; 0: none */
    int program_id;
    int link;
    bool has_own_ids; /* the program is in a name space of process ids that is not the first */
    atomic_bool should_end;
    uint64_t patience_ns;
    _Alignas(16) char stack[STACK_BYTES];
} helper;
static HPP_LARGE helper this;

/* Futexes: the number of the rest, which is odd while threads are asked to rest; and how many of
 * them do. */
static _Atomic uint32_t rest_number, n_resting;
static _Atomic uint64_t last_mark_ns; /* the copy has it as it was; the window changes */

static uint64_t now_ns(void)
{
    struct timespec now = {0};
    hpp__bare_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
    return (uint64_t)now.tv_sec * ns_per_s + (uint64_t)now.tv_nsec;
}

static struct timespec time_of(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / ns_per_s), (long)(ns % ns_per_s)};
}

/* ---- resting --------------------------------------------------------------------------------- */

static void begin_rest(void)
{
    uint32_t alive = atomic_load(&hpp__alive_page.is_alive);
    atomic_store(&n_resting, 0);
    atomic_fetch_add(&rest_number, 1);
    while (alive != 0 && !atomic_compare_exchange_weak(&hpp__alive_page.is_alive, &alive,
                                                       alive | HPP_ALIVE_RESTING)) {
    }
}

/* Ends the rest with this number, if it is not over. */
static void end_rest(uint32_t number)
{
    if (atomic_compare_exchange_strong(&rest_number, &number, number + 1)) {
        atomic_fetch_and(&hpp__alive_page.is_alive, ~(uint32_t)HPP_ALIVE_RESTING);
        hpp__bare_syscall(SYS_futex, (long)&rest_number, FUTEX_WAKE_PRIVATE, INT32_MAX, 0, 0, 0);
    }
}

HPP_COLD HPP_ANY_STACK void hpp__helper_rest(const void *block)
{
    hpp_thread *self = hpp__self;
    uint32_t number = atomic_load(&rest_number);
    if (self == NULL || number % 2 == 0 || hpp__isolation != HPP_NOT_ISOLATED ||
        (uint32_t)hpp__syscall(SYS_gettid, 0, 0, 0, 0, 0, 0) != self->thread_id) {
        return; /* the last: a child of vfork has the memory of a thread that waits for it */
    }
    hpp_thread_state *state = hpp__thread_state(self);
    hpp__preserved_registers(state->registers);
    state->block = (uintptr_t)block;
    atomic_store(&state->rest, number);
    atomic_fetch_add(&n_resting, 1);
    hpp__syscall(SYS_futex, (long)&n_resting, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    uint64_t end_ns = now_ns() + hold_ns;
    while (atomic_load(&rest_number) == number && now_ns() < end_ns) {
        struct timespec left = time_of(hold_ns);
        hpp__syscall(SYS_futex, (long)&rest_number, FUTEX_WAIT_PRIVATE, number, (long)&left, 0, 0);
    }
    end_rest(number); /* the helper may have been killed */
    atomic_store(&state->rest, 0);
}

void hpp__helper_note_mark(uint64_t time_ns)
{
    uint64_t last_ns = atomic_load(&last_mark_ns);
    while (last_ns < time_ns && !atomic_compare_exchange_weak(&last_mark_ns, &last_ns, time_ns)) {
    }
}

/* ---- the copy -------------------------------------------------------------------------------- */

static long send_answer(uint32_t number, long error, uint64_t time_ns)
{
    const hpp_image_answer answer = {number, (int32_t)error, atomic_load(&rest_number), time_ns};
    return hpp__bare_syscall(SYS_sendto, LINK, (long)&answer, sizeof answer, MSG_NOSIGNAL, 0, 0);
}

/* Waits until the collector kills it, or has ended. It tells who it is: the kernel adds its process
 * id to the message. It may be read although its parent ends. */
static void stay(uint32_t number, uint64_t begin_ns)
{
    struct pollfd end = {.fd = LINK};
    uint64_t mark_ns = atomic_load(&last_mark_ns);
    uint64_t time_ns = mark_ns > begin_ns ? mark_ns : begin_ns;
    hpp__bare_syscall(SYS_prctl, PR_SET_PTRACER, (long)PR_SET_PTRACER_ANY, 0, 0, 0, 0);
    if (send_answer(number, 0, time_ns) > 0) {
        hpp__bare_syscall(SYS_ppoll, (long)&end, 1, 0, 0, sizeof all_signals, 0);
    }
    hpp__bare_syscall(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

/* Makes a process with an id that the program's own children will not have: in a new name space,
 * programs know which ids come next. Returns a negated errno if it may not choose one. */
static long clone_with_high_id(struct clone_args *arguments, long (*make)(struct clone_args *))
{
    long result = -EEXIST;
    for (int i = 0; i < FIRST_SYSTEM_IDS && result == -EEXIST; i++) {
        pid_t id = LAST_ID - i;
        arguments->set_tid = (uintptr_t)&id;
        arguments->set_tid_size = 1;
        result = make(arguments);
    }
    return result;
}

static long clone_copy(struct clone_args *arguments)
{
    return hpp__bare_syscall(SYS_clone3, (long)arguments, sizeof *arguments, 0, 0, 0, 0);
}

static long fork_copy(void)
{
    struct clone_args arguments = {.flags = CLONE_UNTRACED, .exit_signal = SIGCHLD};
    long id = this.has_own_ids ? clone_with_high_id(&arguments, clone_copy) : -EPERM;
    return id != -EPERM && id != -ENOSYS && id != -EEXIST
               ? id
               : hpp__bare_syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0, 0);
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Waits until that many threads rest, for `patience_ns` at most. Returns how many do. */
static uint32_t wait_for_resting(uint32_t n_running, uint64_t patience_ns)
{
    uint64_t end_ns = now_ns() + patience_ns;
    uint32_t n = atomic_load(&n_resting);
    for (uint64_t now = end_ns - patience_ns; n < n_running && now < end_ns; now = now_ns()) {
        struct timespec left = time_of(end_ns - now);
        hpp__bare_syscall(SYS_futex, (long)&n_resting, FUTEX_WAIT_PRIVATE, n, (long)&left, 0, 0);
        n = atomic_load(&n_resting);
    }
    return n;
}

/* Gives the threads that run time to come, more of it the more useful that was so far. */
static void wait_a_while(uint32_t n_running)
{
    uint32_t n = wait_for_resting(n_running, this.patience_ns);
    uint64_t next = n < n_running ? this.patience_ns / 2 : this.patience_ns * 2;
    next = next < most_patience_ns ? next : most_patience_ns;
    this.patience_ns = next > least_patience_ns ? next : least_patience_ns;
}

/* Waits for a message or a signal. Returns whether it is a message. */
static bool wait_for_message(const struct timespec *limit)
{
    struct pollfd both[2] = {{.fd = LINK, .events = POLLIN}, {.fd = SIGNALS, .events = POLLIN}};
    struct timespec left = limit != NULL ? *limit : (struct timespec){0};
    long n = hpp__bare_syscall(SYS_ppoll, (long)both, 2, limit != NULL ? (long)&left : 0, 0,
                               sizeof all_signals, 0);
    return n > 0 && both[0].revents != 0;
}

static bool receive(hpp_image_request *request)
{
    return hpp__bare_syscall(SYS_recvfrom, LINK, (long)request, sizeof *request, MSG_DONTWAIT, 0,
                             0) == sizeof *request;
}

static void take_image(const hpp_image_request *request)
{
    uint64_t begin_ns = now_ns();
    bool wants_rest = request->n_running > 0 || request->holds;
    if (wants_rest) {
        begin_rest();
    }
    if (wants_rest && request->patience_us > 0) {
        (void)wait_for_resting(request->n_running, request->patience_us * UINT64_C(1000));
        begin_ns = now_ns(); /* no thread has waited before */
    } else if (wants_rest) {
        wait_a_while(request->n_running);
    }
    uint32_t rest = atomic_load(&rest_number);
    long id = fork_copy();
    if (id == 0) {
        stay(request->number, begin_ns);
    }
    if (id < 0) {
        send_answer(request->number, -id, begin_ns);
    }
    if (wants_rest) {
        struct timespec limit = time_of(hold_ns);
        hpp_image_request over;
        if (request->holds && id > 0 && wait_for_message(&limit)) {
            (void)receive(&over);
        }
        end_rest(rest);
    }
}

/* Returns whether the helper has no reason to end. A thread that was its parent may have ended
 * alone. */
static bool should_go_on(void)
{
    struct signalfd_siginfo signal;
    hpp__bare_syscall(SYS_read, SIGNALS, (long)&signal, sizeof signal, 0, 0, 0);
    return !atomic_load(&this.should_end) &&
           hpp__bare_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0) == this.program_id;
}

static void serve(void)
{
    hpp_image_request request;
    while (should_go_on()) {
        if (wait_for_message(NULL)) {
            if (!receive(&request)) {
                return; /* the collector has ended */
            }
            if (request.number != 0) {
                take_image(&request);
            }
        }
    }
    send_answer(0, 0, 0);
}

/* ---- the process ----------------------------------------------------------------------------- */

#define ALLOW_IF(number, then) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), then
#define ALLOW                  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define LOAD(field)            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))

/* Gives up all system calls but the ones above. Returns a negated errno. */
static long confine(void)
{
    struct sock_filter filter[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        LOAD(nr),
        ALLOW_IF(SYS_ppoll, ALLOW),
        ALLOW_IF(SYS_recvfrom, ALLOW),
        ALLOW_IF(SYS_sendto, ALLOW),
        ALLOW_IF(SYS_futex, ALLOW),
        ALLOW_IF(SYS_read, ALLOW),
        ALLOW_IF(SYS_getppid, ALLOW),
        ALLOW_IF(SYS_clock_gettime, ALLOW),
        ALLOW_IF(SYS_exit_group, ALLOW),
        ALLOW_IF(SYS_clone3,
                 BPF_STMT(BPF_RET | BPF_K,
                          this.has_own_ids ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | EPERM)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 2),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLONE_UNTRACED | SIGCHLD, 3, 4),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_PTRACER, 0, 1),
        ALLOW,
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    long result = hpp__bare_syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0);
    return result < 0 ? result
                      : hpp__bare_syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, (long)&program,
                                          0, 0, 0);
}

/* Shares nothing with the program but its memory. All signals are blocked. */
static bool part(void)
{
    static const struct {
        void (*handler)(int);
        unsigned long flags;
        void (*restorer)(void);
        uint64_t mask;
    } ignored = {SIG_IGN, 0, NULL, 0}; /* the kernel reaps children of those who ignore them */
    static const char name[] = "census";
    static const char root[] = "/";
    const uint64_t waited_for = UINT64_C(1) << (SIGTERM - 1);
    hpp__bare_syscall(SYS_prctl, PR_SET_NAME, (long)name, 0, 0, 0, 0);
    hpp__bare_syscall(SYS_setsid, 0, 0, 0, 0, 0, 0);
    hpp__bare_syscall(SYS_chdir, (long)root, 0, 0, 0, 0, 0);
    return (this.link == LINK ||
            hpp__bare_syscall(SYS_dup3, this.link, LINK, O_CLOEXEC, 0, 0, 0) == LINK) &&
           hpp__bare_syscall(SYS_close_range, LINK + 1, UINT32_MAX, 0, 0, 0, 0) == 0 &&
           hpp__bare_syscall(SYS_signalfd4, -1, (long)&waited_for, sizeof waited_for,
                             SFD_CLOEXEC | SFD_NONBLOCK, 0, 0) == SIGNALS &&
           hpp__bare_syscall(SYS_rt_sigaction, SIGCHLD, (long)&ignored, 0, sizeof all_signals, 0,
                             0) == 0 &&
           hpp__bare_syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0, 0) == 0 &&
           confine() == 0;
}

/* Called from assembly only. */
void hpp__helper_main(void);
HPP_HIDDEN void hpp__helper_main(void)
{
    if (part()) {
        serve();
    }
    hpp__bare_syscall(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

/* Makes a process by clone3, which calls hpp__helper_main on the stack that `arguments` have.
 * Returns its id, or a negated errno. hpp__helper_clone_old does so by clone. */
HPP_HIDDEN long hpp__helper_clone(struct clone_args *arguments);
HPP_HIDDEN long hpp__helper_clone_old(long flags, void *stack_end);

__asm__(".text\n"
        ".type hpp__helper_clone, @function\n"
        ".hidden hpp__helper_clone\n"
        "hpp__helper_clone:\n"
        ".cfi_startproc\n"
        "movl $435, %eax\n" /* clone3 */
        "movl $88, %esi\n"  /* the size of clone_args */
        "1:\n"
        "xorl %edx, %edx\n"
        "xorl %r10d, %r10d\n"
        "xorl %r8d, %r8d\n"
        "syscall\n"
        "testq %rax, %rax\n"
        "jz 2f\n"
        "ret\n"
        "2:\n"
        ".cfi_undefined rip\n"
        "xorl %ebp, %ebp\n"
        "call hpp__helper_main\n"
        "hlt\n"
        ".cfi_endproc\n"
        ".size hpp__helper_clone, . - hpp__helper_clone\n"
        ".type hpp__helper_clone_old, @function\n"
        ".hidden hpp__helper_clone_old\n"
        "hpp__helper_clone_old:\n"
        "movl $56, %eax\n" /* clone */
        "jmp 1b\n"
        ".size hpp__helper_clone_old, . - hpp__helper_clone_old\n");
_Static_assert(sizeof(struct clone_args) == 88, "as the assembly code has it");

/* ---- beginning and end ----------------------------------------------------------------------- */

/* Compares the name space of this process with the one that its children will be in. In a new one,
 * the helper would be its first process. */
static bool has_children_here(bool *has_own_ids)
{
    static const char own_path[] = "/proc/self/ns/pid";
    static const char next_path[] = "/proc/self/ns/pid_for_children";
    static const char first[] = "pid:[4026531836]";
    char own[64] = "", next[64] = "";
    long n = hpp__syscall(SYS_readlinkat, AT_FDCWD, (long)own_path, (long)own, sizeof own, 0, 0);
    long n_next =
        hpp__syscall(SYS_readlinkat, AT_FDCWD, (long)next_path, (long)next, sizeof next, 0, 0);
    *has_own_ids = n != (long)sizeof first - 1 || memcmp(own, first, sizeof first - 1) != 0;
    return n > 0 && n == n_next && memcmp(own, next, (size_t)n) == 0;
}

/* Makes the process, while all signals are blocked. */
static long make_helper(void)
{
    uint64_t before;
    struct clone_args arguments = {.flags = CLONE_VM | CLONE_UNTRACED,
                                   .stack = (uintptr_t)this.stack,
                                   .stack_size = sizeof this.stack};
    hpp__syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all_signals, (long)&before, sizeof before,
                 0, 0);
    long id = this.has_own_ids ? clone_with_high_id(&arguments, hpp__helper_clone) : -EPERM;
    if (id == -EPERM || id == -ENOSYS || id == -EEXIST) {
        id = hpp__helper_clone_old(CLONE_VM | CLONE_UNTRACED, this.stack + sizeof this.stack);
    }
    hpp__syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, sizeof before, 0, 0);
    return id;
}

int hpp__helper_start(void)
{
    int ends[2];
    if (!has_children_here(&this.has_own_ids)) {
        return -ECHILD;
    }
    long result =
        hpp__syscall(SYS_socketpair, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, (long)ends, 0, 0);
    if (result < 0) {
        return (int)result;
    }
    this.program_id = (int)hpp__syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
    this.link = ends[1];
    this.patience_ns = most_patience_ns;
    atomic_store(&this.should_end, false);
    atomic_store(&rest_number, 0);
    long id = make_helper();
    hpp__syscall(SYS_close, ends[1], 0, 0, 0, 0, 0);
    if (id < 0) {
        hpp__syscall(SYS_close, ends[0], 0, 0, 0, 0, 0);
        return (int)id;
    }
    atomic_store(&this.id, (int)id);
    return ends[0];
}

bool hpp__helper_end(void)
{
    if (hpp__syscall(SYS_getpid, 0, 0, 0, 0, 0, 0) != this.program_id) {
        return false; /* a child of the program, or of vfork */
    }
    int id = atomic_exchange(&this.id, 0);
    atomic_store(&this.should_end, true);
    if (id != 0 && hpp__syscall(SYS_kill, id, SIGTERM, 0, 0, 0, 0) == 0) {
        while (hpp__syscall(SYS_wait4, id, 0, __WALL, 0, 0, 0) == -EINTR) {
        }
    }
    return id != 0;
}

void hpp__helper_hide(long wait_options)
{
    if (wait_options & (__WALL | __WCLONE) && hpp__alive()) {
        hpp__helper_end();
        atomic_store(&hpp__window->head.helper_error, EBUSY);
    }
}
