/* SPDX-License-Identifier: BSD-2-Clause
 *
 * C++ exceptions (-xc): counts what is thrown, by type and stack, in the window.
 */
#include <errno.h>
#include <string.h>

#include "accounting.h"
#include "cxx_runtime.h"
#include "entry.h"
#include "process.h"
#include "thread_life.h"

hpp_code *hpp__before_throw(uintptr_t arguments[]);

/* The beginning of a std::type_info. */
typedef struct type_info {
    const void *functions;
    const char *name; /* of the type, mangled; may begin with a star */
} type_info;

/* Returns the record of a type and a site, with `*is_new`; NULL if there is no room. */
static hpp_window_throw *find_record(uint32_t site, const type_info *type, bool *is_new)
{
    uint64_t key = (uint64_t)site << 32 | (uint32_t)((uintptr_t)type >> 3);
    for (uint32_t i = 0; i < HPP_MAX_THROWS; i++) {
        hpp_window_throw *record = &hpp__window->throws[(site + i) % HPP_MAX_THROWS];
        uint64_t found = 0;
        *is_new = atomic_compare_exchange_strong(&record->key, &found, key);
        if (*is_new || found == key) {
            return record;
        }
    }
    return NULL;
}

static void note(hpp_caller caller, const type_info *type)
{
    hpp_place place = hpp__account_place_of(caller, HPP_CALL_THROW);
    bool is_new = false;
    hpp_window_throw *record = find_record(place.site, type, &is_new);
    if (record == NULL) {
        atomic_fetch_add(&hpp__window->head.n_other_throws, 1);
        return;
    }
    atomic_fetch_add(&record->n, 1);
    if (is_new) {
        const char *name = type != NULL && type->name != NULL ? type->name : "";
        name += *name == '*';
        memcpy(record->type, name, strnlen(name, sizeof(record->type) - 1));
        record->time_ns = hpp__system_ns();
        record->thread_id = hpp__self != NULL ? hpp__self->thread_id : 0;
        record->site = place.site;
        atomic_store_explicit(&record->is_complete, 1, memory_order_release);
    }
}

/* Takes the arguments of __cxa_throw, and the caller. Returns the next __cxa_throw. */
hpp_code *hpp__before_throw(uintptr_t arguments[])
{
    int error = errno;
    hpp_caller caller = {arguments[3], arguments[4], arguments[5]};
    if (hpp__alive() && hpp__settings.has_throws && hpp__may_call(SYS_clock_gettime)) {
        note(caller, (const type_info *)arguments[1]);
    }
    hpp_code *next = hpp__cxx_next(HPP_CXX_THROW, caller.pc);
    errno = error;
    return next;
}

HPP_ASM_FUNCTION(".globl", "__cxa_throw",
                 HPP_CALLER_AFTER_3 HPP_CALL_THEN_JUMP("hpp__before_throw", "0"));
