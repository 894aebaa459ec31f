/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the environment without libc, whose own variables may not be set yet, and whose functions a
 * program may replace by its own, as bash does.
 */
#include "process_state.h"

#include <string.h>

#include "native/window/window.h"

enum { DEFAULT_WINDOW_MIB = 1024 };

hpp_settings hpp__settings;
hpp_alive_page hpp__alive_page;
_Atomic uint32_t hpp__alive_kind = HPP_ALIVE;

/* The initial stack: the number of words of the command line, these words, a NULL, and the
 * environment. libc's own variables may not be set yet. */
extern void *__libc_stack_end;

char **hpp__initial_environment(void)
{
    long n_words = *(long *)__libc_stack_end;
    return (char **)__libc_stack_end + 1 + n_words + 1;
}

/* Returns the number of characters before one of `ends`. (strcspn would touch pages of libc that
 * are a tenth of a small program's memory.) */
static size_t length_until(const char *text, const char *ends)
{
    size_t n = 0;
    while (text[n] != '\0' && strchr(ends, text[n]) == NULL) {
        n++;
    }
    return n;
}

static const char *find_variable(char **environment, const char *name)
{
    size_t n = strlen(name);
    for (char **entry = environment; *entry != NULL; entry++) {
        if (strncmp(*entry, name, n) == 0 && (*entry)[n] == '=') {
            return *entry + n + 1;
        }
    }
    return NULL;
}

/* Returns what follows `name` in the word that begins with it, or NULL. */
static const char *value_of(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (; text != NULL; text = strchr(text, ',')) {
        text += *text == ',';
        if (strncmp(text, name, n) == 0) {
            return text + n;
        }
    }
    return NULL;
}

static uint64_t number_of(const char *text, const char *name, uint64_t otherwise)
{
    const char *value = value_of(text, name);
    if (value == NULL || *value < '0' || *value > '9') {
        return otherwise;
    }
    uint64_t n = 0;
    for (; *value >= '0' && *value <= '9'; value++) {
        n = n * 10 + (uint64_t)(*value - '0');
    }
    return n;
}

bool hpp__settings_read(const char *given)
{
    const char *text =
        given != NULL ? given : find_variable(hpp__initial_environment(), HPP_WINDOW_VARIABLE);
    const char *name = value_of(text, "socket=");
    if (name == NULL) {
        return false;
    }
    size_t n = length_until(name, ",");
    if (n == 0 || n >= sizeof(hpp__settings.socket_name)) {
        return false;
    }
    memcpy(hpp__settings.socket_name, name, n);
    hpp__settings.socket_name[n] = '\0';
    hpp__settings.root_id = (uint32_t)number_of(text, "root=", 0);
    hpp__settings.has_children = number_of(text, "children=", 1) != 0;
    hpp__settings.window_bytes =
        number_of(text, "window=", (uint64_t)DEFAULT_WINDOW_MIB * 1024 * 1024);
    hpp__settings.tick_us = (uint32_t)number_of(text, "tick=", 0);
    hpp__settings.verify_every = (uint32_t)number_of(text, "verify=", 0);
    hpp__settings.has_images = number_of(text, "images=", 0) != 0;
    hpp__caches_stay = hpp__settings.has_images;
    hpp__settings.has_peak_images = number_of(text, "images=", 0) == 2;
    hpp__settings.has_python_frames = number_of(text, "python=", 1) != 0;
    hpp__settings.has_maps = number_of(text, "maps=", 1) != 0;
    hpp__settings.rate_bytes = number_of(text, "rate=", 0);
    hpp__settings.biography_bytes = number_of(text, "biography=", 0);
    hpp__settings.has_thread_events = number_of(text, "threads=", 0) != 0;
    hpp__settings.has_throws = number_of(text, "throws=", 0) != 0;
    hpp__settings.seed = number_of(text, "seed=", 0);
    hpp__settings.small_bytes = number_of(text, "small=", 0);
    return true;
}

void hpp__command_copy(char *to, size_t n_bytes)
{
    char **words = (char **)__libc_stack_end + 1;
    size_t place = 0;
    for (; *words != NULL && place + 1 < n_bytes; words++) {
        size_t n = strnlen(*words, n_bytes - 2 - place);
        memcpy(to + place, *words, n);
        place += n + 1;
    }
}

bool hpp__alive_page_map(void)
{
    void *page = &hpp__alive_page;
    long mapped =
        hpp__syscall(SYS_mmap, (long)page, sizeof(hpp__alive_page), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    return mapped == (long)page && hpp__syscall(SYS_madvise, (long)page, sizeof(hpp__alive_page),
                                                MADV_WIPEONFORK, 0, 0, 0) == 0;
}
