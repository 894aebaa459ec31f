/* SPDX-License-Identifier: BSD-2-Clause */
#include "roots.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "hpfile/str.h"
#include "values.h"
#include "references.h"

enum {
    WORD_BYTES = 8,
    MAX_FRAMES = 1 << 20,      /* of all threads */
    MAX_FRAME_WORDS = 1 << 14, /* locals and stack of a frame */
    MAX_ALL_WORDS = 1 << 24,   /* of all frames */
};

typedef struct finder {
    hpp__python_roots *out;
    hpp__python_past *past;
    hpp__python *python;
    hpp__text module, name;
    hpp__map seen; /* interpreters, threads, frames and dicts of modules: lists may be circles */
    uint32_t n_frames;
    uint64_t n_words; /* of frames */
    bool is_good;     /* there has been memory */
} finder;

/* ---- Adding ---- */

static void add_root(finder *f, hpp__root_kind kind, hpf_str name, bool is_holder)
{
    hpp__python_roots *o = f->out;
    hpp__python_root root = {.kind = kind,
                             .name = hpf_arena_str(f->python->arena, name),
                             .is_holder = is_holder,
                             .first_block = o->n_blocks};
    f->is_good = f->is_good && root.name.data &&
                 HPF__ARRAY_PUSH(o->roots, o->n_roots, o->roots_capacity, root);
}

static void add_block(finder *f, uint32_t block)
{
    hpp__python_roots *o = f->out;
    if (f->is_good && block != HPP__NO_BLOCK) {
        f->is_good = HPF__ARRAY_PUSH(o->blocks, o->n_blocks, o->blocks_capacity, block);
        o->roots[o->n_roots - 1].n_blocks += f->is_good;
    }
}

static bool add_found(void *context, uint32_t block)
{
    finder *f = context;
    add_block(f, block);
    return f->is_good;
}

/* Adds an object, or if it existed before the profile, the blocks that it leads to. */
static void add_object(finder *f, uint64_t object)
{
    uint32_t block = hpp__python_block(f->python, object);
    add_block(f, block);
    if (block == HPP__NO_BLOCK && f->python->has_older) {
        f->is_good = f->is_good && hpp__python_older_follow(&f->out->older, object, add_found, f);
    }
}

static void mark(finder *f, uint32_t block, uint32_t marks)
{
    if (block != HPP__NO_BLOCK) {
        f->python->of_block[block] |= marks;
    }
}

/* Returns whether an object of a kind is at an address; it need not be a block. */
static const hpp__python_type *type_of(const finder *f, uint64_t object)
{
    uint64_t address = hpp__python_word(f->python, object + HPP_PYTHON_OBJECT_TYPE);
    uint32_t number = hpp__python_type_at(f->python, address);
    return number > 0 ? &f->python->types[number] : NULL;
}

static bool is_kind(const finder *f, uint64_t object, hpp__python_kind kind)
{
    const hpp__python_type *type = type_of(f, object);
    return type && type->kind == kind;
}

/* Returns whether a structure has an address, and is seen for the first time. */
static bool is_new(finder *f, uint64_t address)
{
    uint64_t *seen = address ? hpp__map_add(&f->seen, address) : NULL;
    f->is_good = f->is_good && (seen || !address);
    return seen && (*seen)++ == 0;
}

/* ---- Modules ---- */

static bool add_key(void *context, uint64_t key, uint64_t value)
{
    finder *f = context;
    (void)value;
    add_object(f, key);
    return f->is_good;
}

static bool add_variable(void *context, uint64_t key, uint64_t value)
{
    finder *f = context;
    uint32_t block = hpp__python_block(f->python, value);
    size_t length = f->module.length;
    hpp__text_add(&f->module, HPF_STR("."));
    bool is_there = block != HPP__NO_BLOCK || f->python->has_older;
    if (is_there && hpp__python_text(f->python, key, &f->module)) {
        add_root(f, HPP__ROOT_GLOBAL, hpp__text_str(&f->module), false);
        add_object(f, value);
        bool is_empty = f->is_good && f->out->roots[f->out->n_roots - 1].n_blocks == 0;
        f->out->n_roots -= is_empty;
    }
    f->module.length = length;
    return f->is_good;
}

/* Adds the module with the name f->module; `module` is 0 if only its dict is left. */
static void add_dict(finder *f, uint64_t module, uint64_t dict)
{
    uint32_t keys = hpp__block_index_find(f->python->index, hpp__python_keys(f->python, dict));
    mark(f, hpp__python_block(f->python, module), HPP__PYTHON_IS_HELD);
    mark(f, hpp__python_block(f->python, dict), HPP__PYTHON_IS_HELD);
    mark(f, keys, HPP__PYTHON_NO_EDGES);
    f->name.length = 0;
    hpp__text_add(&f->name, HPF_STR("module "));
    hpp__text_add(&f->name, hpp__text_str(&f->module));
    f->is_good = f->is_good && hpp__python_name_dict(f->python, dict, hpp__text_str(&f->name));
    add_root(f, HPP__ROOT_PYTHON_MODULE, hpp__text_str(&f->name), true);
    add_object(f, module);
    add_object(f, dict);
    add_block(f, keys);
    hpp__python_each(f->python, dict, add_key, f);
    hpp__python_each(f->python, dict, add_variable, f);
}

/* Notes the module f->module for the images to come. */
static void keep_module(finder *f, uint64_t dict)
{
    hpp__python_past *past = f->past;
    const hpp__python_known_module known = {dict, past->names.length, f->module.length};
    hpp__text_add(&past->names, hpp__text_str(&f->module));
    f->is_good = f->is_good && !past->names.is_short &&
                 HPF__ARRAY_PUSH(past->modules, past->n_modules, past->modules_capacity, known);
}

/* Adds a module, under the first of its names. */
static bool add_module(void *context, uint64_t key, uint64_t module)
{
    finder *f = context;
    uint64_t dict = hpp__python_word(f->python, module + HPP__PYTHON_MODULE_DICT);
    f->module.length = 0;
    if (!is_kind(f, module, HPP__PYTHON_MODULE) || !is_kind(f, dict, HPP__PYTHON_DICT) ||
        !hpp__python_module_name(f->python, key, dict, &f->module) || !is_new(f, dict)) {
        return f->is_good;
    }
    if (!f->python->is_ending) {
        keep_module(f, dict);
    }
    add_dict(f, module, dict);
    return f->is_good;
}

/* Keeps a module that existed before the profile, and its dict, from being followed. */
static bool hide_module(void *context, uint64_t key, uint64_t module)
{
    finder *f = context;
    (void)key;
    f->is_good = f->is_good && hpp__python_older_hide(&f->out->older, module) &&
                 hpp__python_older_hide(
                     &f->out->older, hpp__python_word(f->python, module + HPP__PYTHON_MODULE_DICT));
    return f->is_good;
}

/* Adds the modules of earlier images that are still there. */
static void add_past_modules(finder *f)
{
    for (size_t i = 0; i < f->past->n_modules && f->is_good; i++) {
        const hpp__python_known_module *known = &f->past->modules[i];
        if (hpp__python_block(f->python, known->dict) != HPP__NO_BLOCK &&
            is_kind(f, known->dict, HPP__PYTHON_DICT) && is_new(f, known->dict)) {
            f->module.length = 0;
            hpp__text_add(&f->module, (hpf_str){f->past->names.data + known->name, known->n_name});
            add_dict(f, 0, known->dict);
        }
    }
}

/* ---- Classes ---- */

static void add_class(finder *f, uint32_t block, const hpp__python_type *type)
{
    enum { PER_READ = 128 };
    const hpp__image_block *at = &f->python->image->blocks[block];
    uint64_t words[PER_READ], skipped, address = at->address;
    if (!hpp__image_read(f->python->image, words, address, sizeof words)) {
        return;
    }
    uint64_t n_bytes = hpp__python_extent(f->python, block, words, PER_READ, &skipped);
    mark(f, block, HPP__PYTHON_NO_EDGES);
    add_root(f, HPP__ROOT_CLASS, type->name, false);
    add_block(f, block);
    for (uint64_t i = 0; i < n_bytes / WORD_BYTES; i++) {
        if (i > 0 && i % PER_READ == 0) {
            uint64_t left = n_bytes - i * WORD_BYTES;
            if (!hpp__image_read(f->python->image, words, address + i * WORD_BYTES,
                                 left < sizeof words ? (size_t)left : sizeof words)) {
                return;
            }
        }
        if (i >= 64 || !(skipped >> i & 1)) {
            add_object(f, words[i % PER_READ]);
        }
    }
}

static void add_classes(finder *f)
{
    const hpp__python *p = f->python;
    for (size_t i = 1; i < p->n_types && f->is_good; i++) {
        const hpp__python_type *type = &p->types[i];
        uint32_t block = type->is_class ? hpp__python_block(p, type->address) : HPP__NO_BLOCK;
        const hpp__python_type *of = block == HPP__NO_BLOCK ? NULL : hpp__python_type_of(p, block);
        if (of && of->kind == HPP__PYTHON_TYPE && !(p->of_block[block] & HPP__PYTHON_NO_EDGES)) {
            add_class(f, block, type);
        }
    }
}

/* ---- Frames ---- */

/* Replaces `name` by "module.function (frame of THREAD)". */
static void name_frame(finder *f, uint64_t frame, uint64_t code, const char *thread)
{
    const hpp_python_offsets *o = f->python->offsets;
    uint64_t globals = hpp__python_word(f->python, frame + o->frame_globals);
    uint16_t name =
        o->code_qualified_name == HPP_PYTHON_NONE ? o->code_name : o->code_qualified_name;
    f->name.length = 0;
    uint64_t module = hpp__python_get(f->python, globals, "__name__");
    if (module && hpp__python_module_name(f->python, module, globals, &f->name)) {
        hpp__text_add(&f->name, HPF_STR("."));
    }
    hpp__python_text(f->python, hpp__python_word(f->python, code + name), &f->name);
    hpp__text_add(&f->name, HPF_STR(" (frame of "));
    hpp__text_add(&f->name, hpf_str_of(thread));
    hpp__text_add(&f->name, HPF_STR(")"));
}

/* Adds the objects of a frame of 3.11 or later: its head, locals, and stack. A frame that runs has
 * not stored how much of its stack is in use. */
static void add_frame_words(finder *f, uint64_t frame, uint64_t code)
{
    const hpp__python *p = f->python;
    uint64_t locals = hpp__python_word(p, code + p->offsets->code_locals / 8 * 8);
    uint64_t stack = hpp__python_word(p, code + p->offsets->code_stack / 8 * 8);
    locals = (uint32_t)(locals >> p->offsets->code_locals % 8 * 8);
    stack = (uint32_t)(stack >> p->offsets->code_stack % 8 * 8);
    uint64_t top = hpp__python_word(p, frame + p->offsets->frame_stack_top);
    uint64_t n_used = hpp__python_words_in_use(p->offsets, frame, top);
    uint64_t n_words = n_used >= locals && n_used <= locals + stack ? n_used : locals + stack;
    n_words += p->offsets->frame_locals / WORD_BYTES;
    if (n_words > MAX_FRAME_WORDS || n_words > MAX_ALL_WORDS - f->n_words) {
        return;
    }
    f->n_words += n_words;
    for (uint64_t i = 0; i < n_words; i++) {
        uint64_t word = hpp__python_word(p, frame + i * WORD_BYTES);
        uint32_t block = hpp__python_block(p, word & ~HPP_PYTHON_REFERENCE_TAGS);
        if (block == HPP__NO_BLOCK || hpp__python_type_of(p, block)) {
            add_object(f, word & ~HPP_PYTHON_REFERENCE_TAGS); /* not the memory of frames */
        }
    }
}

static void add_frames(finder *f, uint64_t frame, const char *thread)
{
    const hpp_python_offsets *o = f->python->offsets;
    uint64_t previous;
    for (; is_new(f, frame) && f->n_frames < MAX_FRAMES; frame = previous) {
        uint64_t code = hpp__python_word(f->python, frame + o->frame_code);
        code &= ~HPP_PYTHON_REFERENCE_TAGS;
        previous = hpp__python_word(f->python, frame + o->frame_previous);
        f->n_frames++;
        if (!is_kind(f, code, HPP__PYTHON_CODE)) {
            continue; /* not a function of Python */
        }
        name_frame(f, frame, code, thread);
        bool is_object = o->code_locals == HPP_PYTHON_NONE;
        add_root(f, HPP__ROOT_FRAME, hpp__text_str(&f->name), is_object);
        if (!is_object) {
            add_frame_words(f, frame, code);
        } else {
            add_object(f, frame);
            mark(f, hpp__python_block(f->python, frame), HPP__PYTHON_IS_HELD);
        }
    }
}

static const char *name_of_thread(const hpp__image *image, uint64_t id)
{
    for (size_t i = 0; i < image->n_threads; i++) {
        if (image->threads[i].thread_pointer == id && image->threads[i].name[0]) {
            return image->threads[i].name;
        }
    }
    return "a thread";
}

static void add_threads(finder *f, uint64_t interpreter)
{
    const hpp__python *p = f->python;
    const hpp_python_offsets *o = p->offsets;
    uint64_t thread = hpp__python_word(p, interpreter + o->interpreter_threads);
    while (is_new(f, thread)) {
        uint64_t frame = hpp__python_word(p, thread + o->thread_frame);
        if (o->cframe_frame != HPP_PYTHON_NONE) {
            frame = frame ? hpp__python_word(p, frame + o->cframe_frame) : 0;
        }
        uint64_t id = hpp__python_word(p, thread + o->thread_id);
        add_frames(f, frame, name_of_thread(p->image, id));
        thread = hpp__python_word(p, thread + o->thread_next);
    }
}

/* ---- All ---- */

hpp__python_place hpp__python_find(hpp__roots *roots)
{
    static const char file[] = "python";
    hpp__python_place place = {0};
    for (uint32_t i = 0; i < roots->n_modules && !place.type; i++) {
        const char *name = strstr(roots->modules[i].name.data, file);
        uint32_t version = name ? hpp__python_version(name + sizeof file - 1) : 0;
        if (hpp__python_offsets(version) &&
            hpp__roots_variable(roots, i, "_PyRuntime", &place.runtime) &&
            hpp__roots_variable(roots, i, "PyType_Type", &place.type)) {
            place.version = version;
            roots->interpreter = i;
        }
    }
    return place;
}

bool hpp__python_roots_init(hpp__python_roots *roots, hpp__python *python, hpp__python_past *past)
{
    *roots = (hpp__python_roots){.python = python, .older = {.python = python}};
    if (!python->of_block) {
        return true;
    }
    finder f = {.out = roots, .past = past, .python = python, .is_good = true};
    if (!python->is_ending) {
        past->n_modules = past->names.length = 0;
        past->names.is_short = false; /* a lack of memory concerns one image */
    }
    const hpp_python_offsets *o = python->offsets;
    uint64_t interpreter = hpp__python_word(python, python->runtime + o->runtime_interpreters);
    add_classes(&f);
    while (is_new(&f, interpreter)) {
        uint64_t modules =
            hpp__python_word(python, interpreter + python->offsets->interpreter_modules);
        if (is_kind(&f, modules, HPP__PYTHON_DICT)) {
            if (python->has_older) {
                f.is_good = f.is_good && hpp__python_older_hide(&roots->older, modules);
                hpp__python_each(python, modules, hide_module, &f);
            }
            hpp__python_each(python, modules, add_module, &f);
        }
        add_threads(&f, interpreter);
        interpreter = hpp__python_word(python, interpreter + o->interpreter_next);
    }
    if (python->is_ending) {
        add_past_modules(&f);
    }
    hpp__map_finish(&f.seen);
    hpp__text_finish(&f.module);
    hpp__text_finish(&f.name);
    return f.is_good;
}

void hpp__python_roots_finish(hpp__python_roots *roots)
{
    free(roots->roots);
    free(roots->blocks);
    hpp__python_older_finish(&roots->older);
    *roots = (hpp__python_roots){0};
}
