/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Three kinds of sink share one buffer: memory keeps it, a descriptor is written when it is full,
 * and a file is a descriptor on a temporary that finish renames.
 */
#include "hpfile/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/lex.h"
#include "base/number.h"
#include "base/utf8.h"

#define BUFFER_BYTES (64u << 10)

struct hpf_sink {
    hpf__buffer buf;
    uint64_t flushed_bytes;
    int fd; /* -1: memory */
    bool owns_fd;
    char *path;           /* final place, or NULL */
    char *temporary_path; /* NULL unless a temporary exists */
    hpf_sink *next;       /* in the list of sinks with a temporary */
    mode_t mode;
    hpf_error error; /* the first one; status HPF_OK until then */
};

hpf_sink *hpf_sink_to_memory(void)
{
    return hpf_sink_to_fd(-1);
}

hpf_sink *hpf_sink_to_fd(int fd)
{
    hpf_sink *sink = calloc(1, sizeof *sink);
    if (sink) {
        sink->fd = fd;
    }
    return sink;
}

/* Bytes of a path up to and with the last slash. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* --- the list of temporaries, which a signal handler removes --- */

static hpf_sink *with_temporary;
static pid_t owner; /* the process that filled the list, not a child of it */
static atomic_flag list_is_locked = ATOMIC_FLAG_INIT;

/* Signals are blocked while the list is locked, so that a handler never waits for its own thread.
 */
static void lock_list(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
    while (atomic_flag_test_and_set(&list_is_locked)) {
    }
}

static void unlock_list(const sigset_t *before)
{
    atomic_flag_clear(&list_is_locked);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

void hpf_sink_remove_temporaries(void)
{
    sigset_t before;
    lock_list(&before);
    for (const hpf_sink *sink = with_temporary; sink && owner == getpid(); sink = sink->next) {
        unlink(sink->temporary_path);
    }
    unlock_list(&before);
}

/* Creates the file `name` for the sink and takes the name over. Returns false with errno set. */
static bool add_temporary(hpf_sink *sink, char *name)
{
    sigset_t before;
    lock_list(&before);
    sink->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (sink->fd >= 0) {
        with_temporary = owner == getpid() ? with_temporary : NULL;
        owner = getpid();
        sink->temporary_path = name;
        sink->next = with_temporary;
        with_temporary = sink;
    }
    unlock_list(&before);
    return sink->fd >= 0;
}

/* Renames the temporary file to `path`, or with NULL removes it. Returns what the system call
 * returns. */
static int take_temporary(hpf_sink *sink, const char *path)
{
    sigset_t before;
    lock_list(&before);
    int result = path ? rename(sink->temporary_path, path) : unlink(sink->temporary_path);
    if (result == 0 || !path) {
        hpf_sink **at = &with_temporary;
        while (*at && *at != sink) {
            at = &(*at)->next;
        }
        if (*at) {
            *at = sink->next;
        }
        free(sink->temporary_path);
        sink->temporary_path = NULL;
    }
    unlock_list(&before);
    return result;
}

/* --- files --- */

/* Creates the temporary file in the folder of the target, with a short name, as the target's may
 * have the maximum length. open(2), unlike mkstemp, applies the umask. */
static bool create_temporary(hpf_sink *sink, const char *target)
{
    size_t length = folder_length(target);
    size_t room = length + 64;
    char *name = malloc(room);
    if (!name) {
        errno = ENOMEM;
        return false;
    }
    memcpy(name, target, length);
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        snprintf(name + length, room - length, ".census-%ld-%u.tmp", (long)getpid(), attempt);
        if (add_temporary(sink, name)) {
            return true;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    int why = errno;
    free(name);
    errno = why;
    return false;
}

/* Returns what the link `path` points to, as a path from here; NULL with errno set. */
static char *read_link(const char *path)
{
    char inside[PATH_MAX];
    ssize_t n = readlink(path, inside, sizeof inside);
    if (n < 0) {
        return NULL;
    }
    size_t length = inside[0] == '/' ? 0 : folder_length(path);
    char *joined = malloc(length + (size_t)n + 1);
    if (joined) {
        memcpy(joined, path, length);
        memcpy(joined + length, inside, (size_t)n);
        joined[length + (size_t)n] = '\0';
    }
    return joined;
}

/* Returns what `path` is after all its links, which may not exist. Returns NULL with errno set,
 * also for links and pipes that another user made: a link would choose the file that we write for
 * them, and opening a pipe would wait for them. */
static char *final_path(const char *path)
{
    enum { MOST_LINKS = 40 };
    struct stat st;
    char *at = strdup(path);
    for (int i = 0; at && lstat(at, &st) == 0; i++) {
        bool is_foreign = st.st_uid != geteuid() && st.st_uid != 0;
        bool is_link = S_ISLNK(st.st_mode);
        bool is_refused = (is_foreign && (is_link || S_ISFIFO(st.st_mode))) || i == MOST_LINKS;
        if (!is_refused && !is_link) {
            return at;
        }
        char *next = is_refused ? NULL : read_link(at);
        int why = is_refused ? i == MOST_LINKS ? ELOOP : EPERM : errno;
        free(at);
        at = next;
        errno = why;
    }
    return at;
}

int hpf_sink_open_growing(const char *path)
{
    struct stat st;
    char *end = final_path(path);
    bool is_other = end && stat(path, &st) == 0 && !S_ISREG(st.st_mode);
    const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
    int fd = !end ? -1 : is_other ? open(path, flags, 0666) : open(end, flags | O_NOFOLLOW, 0666);
    int why = errno;
    free(end);
    errno = why;
    return fd;
}

/* Decides between the temporary and direct writing, and opens. Returns false with errno set. */
static bool open_target(hpf_sink *sink, const char *path)
{
    struct stat st;
    bool exists = stat(path, &st) == 0;
    if (!exists && (errno != ENOENT || *path == '\0')) {
        return false;
    }
    if (!(sink->path = final_path(path))) {
        return false;
    }
    if (exists && !S_ISREG(st.st_mode)) {
        free(sink->path);
        sink->path = NULL;
        sink->fd = open(path, O_WRONLY | O_CLOEXEC);
        return sink->fd >= 0;
    }
    if (exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0) {
        return false;
    }
    sink->mode = exists ? st.st_mode & 07777 : 0;
    return create_temporary(sink, sink->path);
}

hpf_sink *hpf_sink_to_path(const char *path, hpf_error *err)
{
    hpf_sink *sink = hpf_sink_to_fd(-1);
    if (!sink) {
        hpf_error_set_memory(err);
        return NULL;
    }
    sink->owns_fd = true;
    if (!open_target(sink, path)) {
        hpf_error_set_os(err, errno, "cannot write");
        hpf_sink_destroy(sink);
        return NULL;
    }
    return sink;
}

void hpf_sink_fail(hpf_sink *sink, const hpf_error *why)
{
    if (sink->error.status == HPF_OK) {
        sink->error = *why;
    }
}

static void write_all(hpf_sink *sink, const char *bytes, size_t n_bytes)
{
    while (n_bytes) {
        ssize_t n = write(sink->fd, bytes, n_bytes);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            hpf_error_set_os(&sink->error, n < 0 ? errno : EIO, "cannot write");
            return;
        }
        bytes += n;
        n_bytes -= (size_t)n;
        sink->flushed_bytes += (uint64_t)n;
    }
}

static bool is_memory(const hpf_sink *sink)
{
    return sink->fd < 0;
}

void hpf_sink_write(hpf_sink *sink, const void *bytes, size_t n_bytes)
{
    if (sink->error.status != HPF_OK) {
        return;
    }
    if (!is_memory(sink) && sink->buf.length + n_bytes > BUFFER_BYTES) {
        write_all(sink, sink->buf.bytes, sink->buf.length);
        sink->buf.length = 0;
        if (n_bytes >= BUFFER_BYTES && sink->error.status == HPF_OK) {
            write_all(sink, bytes, n_bytes);
            return;
        }
    }
    if (sink->error.status == HPF_OK && !hpf__buffer_append(&sink->buf, bytes, n_bytes)) {
        hpf_error_set_memory(&sink->error);
    }
}

void hpf_sink_str(hpf_sink *sink, hpf_str text)
{
    hpf_sink_write(sink, text.data, text.length);
}

void hpf_sink_text(hpf_sink *sink, const char *text)
{
    hpf_sink_write(sink, text, strlen(text));
}

/* Appends text for people, except that the characters `kept` stay, and as markup if `is_markup`. */
static void write_printable(hpf_sink *sink, hpf_str text, const char *kept, bool is_markup)
{
    char *printable = text.length < SIZE_MAX / 3 ? malloc(3 * text.length + 1) : NULL;
    if (!printable) {
        hpf_error why;
        hpf_error_set_memory(&why);
        hpf_sink_fail(sink, &why);
        return;
    }
    size_t length = hpf_utf8_printable(printable, text, kept);
    for (const char *at = printable; length > 0; at++) {
        size_t n = is_markup ? strcspn(at, "<>&\"") : length;
        hpf_sink_write(sink, at, n);
        at += n;
        hpf_sink_text(sink, *at == '<'   ? "&lt;"
                            : *at == '>' ? "&gt;"
                            : *at == '&' ? "&amp;"
                            : *at == '"' ? "&quot;"
                                         : "");
        length -= n < length ? n + 1 : n;
    }
    free(printable);
}

void hpf_sink_name(hpf_sink *sink, hpf_str name)
{
    write_printable(sink, name, "", false);
}

void hpf_sink_lines(hpf_sink *sink, hpf_str lines)
{
    write_printable(sink, lines, "\n\t", false);
}

void hpf_sink_markup(hpf_sink *sink, hpf_str text)
{
    write_printable(sink, text, "\n\t", true);
}

void hpf_sink_cell(hpf_sink *sink, hpf_str text, bool is_raw)
{
    hpf_sink_text(sink, !is_raw && hpf__is_formula(text) ? "\"'" : "\"");
    while (text.length > 0) {
        const char *quote = memchr(text.data, '"', text.length);
        size_t n = quote ? (size_t)(quote - text.data) + 1 : text.length;
        hpf_sink_write(sink, text.data, n);
        hpf_sink_write(sink, "\"", quote != NULL);
        text = hpf_str_from(text, n);
    }
    hpf_sink_write(sink, "\"", 1);
}

/* Returns the quotes for a word of a command line: double ones for a mere apostrophe, as in names
 * of Haskell. */
static const char *quote_for(hpf_str word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./%+-,:";
    bool is_plain = word.length > 0, is_safe = true, has_apostrophe = false;
    for (size_t i = 0; i < word.length; i++) {
        is_plain = is_plain && memchr(plain, word.data[i], sizeof plain - 1);
        is_safe = is_safe && !memchr("\"$`\\!", word.data[i], 5);
        has_apostrophe |= word.data[i] == '\'';
    }
    return is_plain ? "" : is_safe && has_apostrophe ? "\"" : "'";
}

void hpf_sink_word(hpf_sink *sink, hpf_str word)
{
    const char *quote = quote_for(word);
    hpf_sink_text(sink, quote);
    while (word.length > 0) {
        const char *end = *quote == '\'' ? memchr(word.data, '\'', word.length) : NULL;
        size_t n = end ? (size_t)(end - word.data) : word.length;
        hpf_sink_write(sink, word.data, n);
        hpf_sink_text(sink, end ? "'\\''" : "");
        word = hpf_str_from(word, n + (end != NULL));
    }
    hpf_sink_text(sink, quote);
}

void hpf_sink_printf(hpf_sink *sink, const char *format, ...)
{
    char small[256];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    if (n >= 0 && (size_t)n < sizeof small) {
        hpf_sink_write(sink, small, (size_t)n);
        return;
    }
    char *large = n < 0 ? NULL : malloc((size_t)n + 1);
    if (!large) {
        hpf_error why;
        hpf_error_set_memory(&why);
        hpf_sink_fail(sink, &why);
        return;
    }
    va_start(arguments, format);
    vsnprintf(large, (size_t)n + 1, format, arguments);
    va_end(arguments);
    hpf_sink_write(sink, large, (size_t)n);
    free(large);
}

void hpf_sink_whole(hpf_sink *sink, uint64_t value)
{
    char text[HPF__NUMBER_BYTES];
    hpf_sink_write(sink, text, hpf__number_whole(text, value));
}

static bool is_printable(hpf_sink *sink, double value)
{
    if (!isfinite(value)) {
        hpf_error why;
        hpf_error_set(&why, HPF_ERR_RANGE, "cannot write a number that is not finite");
        hpf_sink_fail(sink, &why);
    }
    return isfinite(value);
}

void hpf_sink_fixed(hpf_sink *sink, double value, int decimals)
{
    char text[HPF__NUMBER_BYTES];
    if (is_printable(sink, value)) {
        hpf_sink_write(sink, text, hpf__number_fixed(text, value, decimals));
    }
}

void hpf_sink_shortest(hpf_sink *sink, double value)
{
    char text[HPF__NUMBER_BYTES];
    if (is_printable(sink, value)) {
        hpf_sink_write(sink, text, hpf__number_shortest(text, value));
    }
}

hpf_status hpf_sink_flush(hpf_sink *sink, hpf_error *err)
{
    if (!is_memory(sink) && sink->error.status == HPF_OK) {
        write_all(sink, sink->buf.bytes, sink->buf.length);
        sink->buf.length = 0;
    }
    if (sink->error.status != HPF_OK && err) {
        *err = sink->error;
    }
    return sink->error.status;
}

uint64_t hpf_sink_position(const hpf_sink *sink)
{
    return sink->flushed_bytes + sink->buf.length;
}

void hpf_sink_clear(hpf_sink *sink)
{
    sink->flushed_bytes += sink->buf.length;
    sink->buf.length = 0;
    if (sink->buf.capacity > 4 * BUFFER_BYTES) {
        hpf__buffer_finish(&sink->buf);
    }
}

hpf_str hpf_sink_bytes(const hpf_sink *sink)
{
    return is_memory(sink) ? (hpf_str){sink->buf.bytes ? sink->buf.bytes : "", sink->buf.length}
                           : (hpf_str){"", 0};
}

/* Closes the temporary and puts it in place. Some file systems report a failed write only at close.
 */
static void put_in_place(hpf_sink *sink)
{
    if (sink->mode && fchmod(sink->fd, sink->mode) != 0) {
        hpf_error_set_os(&sink->error, errno, "cannot set the file mode");
        return;
    }
    int fd = sink->fd;
    sink->owns_fd = false;
    if (close(fd) != 0) {
        hpf_error_set_os(&sink->error, errno, "cannot write");
    } else if (take_temporary(sink, sink->path) != 0) {
        hpf_error_set_os(&sink->error, errno, "cannot replace the file");
    }
}

hpf_status hpf_sink_finish(hpf_sink *sink, hpf_error *err)
{
    if (hpf_sink_flush(sink, NULL) == HPF_OK && sink->temporary_path) {
        put_in_place(sink);
    }
    return hpf_sink_flush(sink, err);
}

void hpf_sink_destroy(hpf_sink *sink)
{
    if (!sink) {
        return;
    }
    if (sink->owns_fd && sink->fd >= 0) {
        close(sink->fd);
    }
    if (sink->temporary_path) {
        (void)take_temporary(sink, NULL);
    }
    free(sink->path);
    hpf__buffer_finish(&sink->buf);
    free(sink);
}
