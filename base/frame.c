/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The types of closures that info tables of Haskell code have, by their numbers in GHC's run-time
 * system, which have stayed the same since GHC 8.2.
 */
#include "base/frame.h"
#include "base/names.h"

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
    return is_known ? hpf_str_of(names[value]) : number;
}

bool hpf__append_info_table(hpf__buffer *to, const hpf_frame *info)
{
    hpf_str before_source = info->source.length ? HPF_STR(" ") : HPF_STR("");
    bool has_table = info->table.length > 0;
    return hpf__buffer_add(to, info->table) &&
           hpf__buffer_add(to, has_table ? HPF_STR(" ") : HPF_STR("")) &&
           hpf__buffer_add(to, info->module) &&
           hpf__buffer_add(to, has_table || info->module.length ? HPF_STR(".") : HPF_STR("")) &&
           hpf__buffer_add(to, info->label) && hpf__buffer_add(to, before_source) &&
           hpf__buffer_add(to, info->source);
}

bool hpf__append_frame(hpf__buffer *to, const hpf_frame *frame)
{
    if (frame->table.length) {
        return hpf__append_info_table(to, frame);
    }
    bool is_caf = frame->module.length && (frame->is_caf || hpf_str_is(frame->label, "CAF"));
    return (!is_caf || (hpf__buffer_add(to, frame->module) && hpf__buffer_add(to, HPF_STR(".")))) &&
           hpf__buffer_add(to, frame->label.length ? frame->label : HPF_STR("(unknown)"));
}

/* Returns the length of the first frame of a stack: up to a slash that is not its first byte. */
static size_t frame_length(hpf_str stack)
{
    const char *slash = stack.length > 1 ? memchr(stack.data + 1, '/', stack.length - 1) : NULL;
    bool is_last = !slash || slash + 1 == stack.data + stack.length;
    return is_last ? stack.length : (size_t)(slash - stack.data);
}

size_t hpf__frames_of_name(hpf_str name, hpf_frame *frames, size_t room)
{
    hpf_str rest = hpf__without_id(name);
    bool is_stack = rest.length < name.length;
    size_t n = 0;
    do {
        size_t length = is_stack ? frame_length(rest) : rest.length;
        if (n < room) {
            frames[n] = (hpf_frame){.label = {rest.data, length}};
        }
        n++;
        rest = hpf_str_from(rest, length < rest.length ? length + 1 : length);
    } while (rest.length > 0);
    return n;
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
