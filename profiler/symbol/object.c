/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Symbols come from the file or its separate debug file, where the whole table is in one of them;
 * else from the dynamic symbols, with those of the mini debug information.
 */
#include "object.h"

bool hpp__object_is_file(const char *path)
{
    return path[0] != 0 && path[0] != '['; /* "[vdso]" */
}

static void open_file(hpp__object *object, hpp__files *files)
{
    if (!hpp__object_is_file(object->path) ||
        !hpp__elf_open(&object->elf, hpp__file_open(files, object->path))) {
        return;
    }
    if (object->n_build_id > 0 &&
        !hpp__elf_has_build_id(&object->elf, object->build_id, object->n_build_id)) {
        hpp__elf_finish(&object->elf);
    }
}

static void open_debug_file(hpp__object *object, hpp__files *files,
                            const hpp__object_options *options)
{
    const hpp__elf *elf = object->elf.file ? &object->elf : NULL;
    bool is_id_of_file = object->n_build_id == 0 && elf;
    const hpp__debug_search search = {
        .folder = options->debug_folder,
        .path = object->path,
        .elf = elf,
        .build_id = is_id_of_file ? elf->build_id : object->build_id,
        .n_build_id = is_id_of_file ? elf->n_build_id : object->n_build_id,
        .with_debuginfod = options->with_debuginfod,
    };
    hpp__debug_file_open(&object->debug, files, &search);
}

static bool add_table(hpp__object *object, const hpp__elf *elf, uint32_t type)
{
    const Elf64_Shdr *section = hpp__elf_section_of_type(elf, type);
    if (!section || !hpp__symtab_read(&object->tables[object->n_tables], elf, section)) {
        return false;
    }
    object->n_tables++;
    return true;
}

void hpp__object_open(hpp__object *object, hpp__files *files, const hpp__object_options *options)
{
    open_file(object, files);
    bool is_complete = add_table(object, &object->elf, SHT_SYMTAB);
    bool has_info =
        options->without_debug_info || hpp__elf_section_named(&object->elf, ".debug_info");
    if (!is_complete || !has_info) {
        open_debug_file(object, files, options);
        is_complete = is_complete || add_table(object, &object->debug, SHT_SYMTAB);
    }
    if (is_complete) {
        return;
    }
    add_table(object, &object->elf, SHT_DYNSYM);
    if (hpp__debug_data_open(&object->debug_data, &object->elf)) {
        add_table(object, &object->debug_data, SHT_SYMTAB);
    }
}

void hpp__object_finish(hpp__object *object)
{
    for (size_t i = 0; i < object->n_tables; i++) {
        hpp__symtab_finish(&object->tables[i]);
    }
    hpp__elf_finish(&object->elf);
    hpp__elf_finish(&object->debug);
    hpp__elf_finish(&object->debug_data);
}
