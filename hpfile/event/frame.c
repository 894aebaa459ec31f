/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The types of closures that info tables of Haskell code have, by their numbers in GHC's run-time
 * system, which have stayed the same since GHC 8.2.
 */
#include "event/frame.h"

hpf_str hpf_closure_type_name(hpf_str number)
{
    static const char *const names[] = {
        "",           "CONSTR",       "CONSTR_1_0", "CONSTR_0_1",   "CONSTR_2_0",     "CONSTR_1_1",
        "CONSTR_0_2", "CONSTR_NOCAF", "FUN",        "FUN_1_0",      "FUN_0_1",        "FUN_2_0",
        "FUN_1_1",    "FUN_0_2",      "FUN_STATIC", "THUNK",        "THUNK_1_0",      "THUNK_0_1",
        "THUNK_2_0",  "THUNK_1_1",    "THUNK_0_2",  "THUNK_STATIC", "THUNK_SELECTOR",
    };
    size_t value = 0;
    for (size_t i = 0; i < number.length; i++) {
        if (number.data[i] < '0' || number.data[i] > '9' || value > sizeof names) {
            return number;
        }
        value = value * 10 + (size_t)(number.data[i] - '0');
    }
    bool is_known = value > 0 && value < sizeof names / sizeof *names;
    return is_known ? (hpf_str){names[value], strlen(names[value])} : number;
}

static void put_info_table(hpf_json *json, const hpf_frame *frame)
{
    if (frame->table.length) {
        hpf_json_bytes(json, "table", frame->table);
        hpf_json_bytes(json, "closure_type", hpf_closure_type_name(frame->closure_type));
        hpf_json_bytes(json, "type", frame->type);
    }
}

void hpf_json_frames(hpf_json *json, const hpf_frame *frames, size_t n_frames)
{
    if (n_frames == 0) {
        return;
    }
    hpf_json_array(json, "frames");
    for (size_t i = 0; i < n_frames; i++) {
        hpf_json_object(json, NULL);
        hpf_json_bytes(json, "label", frames[i].label);
        hpf_json_bytes(json, "module", frames[i].module);
        hpf_json_bytes(json, "source", frames[i].source);
        put_info_table(json, &frames[i]);
        hpf_json_close(json);
    }
    hpf_json_close(json);
}
