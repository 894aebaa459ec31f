/* SPDX-License-Identifier: BSD-2-Clause
 *
 * There is one terminal, so its previous state is static. The terminal is opened again because an
 * inherited descriptor shares its flags with the shell, which must not become non-blocking.
 */
#include "term.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <stdbool.h>

/* Output to a terminal that accepts nothing for two seconds is dropped. */
enum { PATIENCE_MS = 100, MOST_WAITS = 20 };

static const char enter_text[] = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J";
static const char leave_text[] = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";

/* Signals that end the process and are not handled elsewhere. */
static const int deadly[] = {SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGABRT, SIGQUIT, SIGSYS,
                             SIGTRAP, SIGXCPU, SIGXFSZ, SIGALRM, SIGUSR1, SIGUSR2};
enum { N_DEADLY = sizeof deadly / sizeof *deadly };

static struct {
    volatile sig_atomic_t is_taken;
    int fd;
    struct termios before;
    bool is_registered;
    struct sigaction actions[N_DEADLY]; /* previous actions of these signals */
} taken;

/* --- abilities --- */

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

static hpr__screen_depth depth_of(const char *term)
{
    const char *colour = variable("COLORTERM");
    if (*variable("NO_COLOR") || !*term || !strcmp(term, "dumb") || !strncmp(term, "vt", 2)) {
        return HPR__SCREEN_PLAIN;
    }
    if (!strcmp(colour, "truecolor") || !strcmp(colour, "24bit") || strstr(term, "direct")) {
        return HPR__SCREEN_DIRECT;
    }
    return strstr(term, "256color") ? HPR__SCREEN_256 : HPR__SCREEN_ANSI;
}

/* Returns whether the character set of the locale is UTF-8. */
static bool is_utf8_locale(void)
{
    const char *locale = variable("LC_ALL");
    locale = *locale ? locale : variable("LC_CTYPE");
    locale = *locale ? locale : variable("LANG");
    return strstr(locale, "UTF-8") || strstr(locale, "utf8") || strstr(locale, "utf-8") ||
           strstr(locale, "UTF8");
}

/* COLORFGBG is "foreground;background" with colour numbers; 7 and 9 to 15 are light. */
static bool is_dark_ground(void)
{
    const char *last = strrchr(variable("COLORFGBG"), ';');
    int ground = last ? atoi(last + 1) : 0;
    return ground < 7 || ground == 8;
}

term_abilities term_find_abilities(void)
{
    return (term_abilities){depth_of(variable("TERM")), is_utf8_locale(), is_dark_ground()};
}

void term_size(int fd, int *columns, int *rows)
{
    struct winsize size;
    bool is_notified = ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
    *columns = is_notified ? size.ws_col : 80;
    *rows = is_notified ? size.ws_row : 24;
}

/* --- taking over and restoring --- */

int term_open(void)
{
    return open("/dev/tty", O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* Writes all bytes, waiting for the terminal if necessary. */
static void write_all(int fd, const char *text, size_t n)
{
    for (int tries = 0; n > 0 && tries < MOST_WAITS; tries++) {
        ssize_t written = write(fd, text, n);
        if (written > 0) {
            text += written;
            n -= (size_t)written;
        } else {
            poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, PATIENCE_MS);
        }
    }
}

void term_restore(void)
{
    if (taken.is_taken) {
        taken.is_taken = 0;
        write_all(taken.fd, leave_text, sizeof leave_text - 1);
        tcsetattr(taken.fd, TCSANOW, &taken.before);
    }
}

/* Restores the previous action and raises the signal again. */
static void on_deadly(int number)
{
    term_restore();
    for (size_t i = 0; i < N_DEADLY; i++) {
        if (deadly[i] == number) {
            sigaction(number, &taken.actions[i], NULL);
        }
    }
    raise(number);
}

/* Ignored signals remain ignored. */
static void catch_deadly(void)
{
    for (size_t i = 0; i < N_DEADLY; i++) {
        struct sigaction ours = {.sa_handler = on_deadly};
        sigemptyset(&ours.sa_mask);
        if (sigaction(deadly[i], NULL, &taken.actions[i]) == 0 &&
            taken.actions[i].sa_handler != SIG_IGN) {
            sigaction(deadly[i], &ours, NULL);
        }
    }
}

bool term_take(int fd)
{
    struct termios wanted;
    if (tcgetattr(fd, &taken.before) != 0) {
        return false;
    }
    wanted = taken.before;
    wanted.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    wanted.c_cc[VMIN] = 1;
    wanted.c_cc[VTIME] = 0;
    taken.fd = fd;
    if (!taken.is_registered) {
        taken.is_registered = true;
        atexit(term_restore);
        catch_deadly();
    }
    if (tcsetattr(fd, TCSANOW, &wanted) != 0) {
        return false;
    }
    taken.is_taken = 1;
    write_all(fd, enter_text, sizeof enter_text - 1);
    return true;
}

/* --- keys --- */

static int arrow(char letter)
{
    switch (letter) {
    case 'A':
        return KEY_UP;
    case 'B':
        return KEY_DOWN;
    case 'C':
        return KEY_RIGHT;
    case 'D':
        return KEY_LEFT;
    default:
        return KEY_NONE;
    }
}

int keys_next(const char *bytes, size_t n_bytes, size_t *used)
{
    bool is_sequence =
        bytes[0] == KEY_ESCAPE && n_bytes > 2 && (bytes[1] == '[' || bytes[1] == 'O');
    *used = 1;
    if (!is_sequence) {
        unsigned char c = (unsigned char)bytes[0];
        return c < 128 ? c : KEY_NONE;
    }
    size_t last = 2;
    while (last + 1 < n_bytes && (bytes[last] < '@' || bytes[last] > '~')) {
        last++;
    }
    *used = last + 1;
    return last == 2 ? arrow(bytes[2]) : KEY_NONE;
}
