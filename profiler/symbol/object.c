/* SPDX-License-Identifier: BSD-2-Clause
 *
 * An object is a module of libdwfl. Modules of a session have distinct addresses: each gets a range
 * of 2^40, and the bias by which libdwfl moves the object there is taken out again.
 */
#include "object.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/names.h"
#include "debug_info.h"
#include "function_bounds.h"
#include "hpfile/str.h"
#include "symbol_table.h"

/* A file as it was when it was opened. */
typedef struct opened_file {
    char *path; /* NULL: none */
    struct stat state;
} opened_file;

struct hpp__objects {
    char *debug_path; /* the folders that libdwfl searches: ":.debug:FOLDER" */
    const char *debug_folder;
    bool symbols_only;
    Dwfl_Callbacks callbacks;
    Dwfl *dwfl;
    uint64_t n_modules;
};

struct hpp__object {
    opened_file main_file;
    opened_file debug_file;
    Dwfl_Module *module;
    uint64_t bias;
    hpp__symbol_table symbols;
    hpp__symbol_table variables;
    bool has_variables; /* they have been read */
    hpp__function_bounds bounds;
    hpp__debug_info *info;
    bool has_info; /* it has been read, if there is any and it is wanted */
    bool has_looked_for_ghc, is_of_ghc;
};

/* What find_elf needs while an object is being opened. */
typedef struct wanted_file {
    const hpp__objects *objects;
    const char *path;
    hpf_str build_id;
} wanted_file;

/* ---- Finding the file ---- */

static bool has_build_id(Elf *elf, hpf_str wanted)
{
    const void *build_id;
    ssize_t n = wanted.length ? dwelf_elf_gnu_build_id(elf, &build_id) : 0;
    return wanted.length == 0 || (n > 0 && hpf_str_equal(wanted, (hpf_str){build_id, (size_t)n}));
}

/* Maps a regular file that is an ELF file with the right build id; else returns NULL. */
static Elf *map_file(const char *path, hpf_str build_id)
{
    struct stat state;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    Elf *elf = fd >= 0 && fstat(fd, &state) == 0 && S_ISREG(state.st_mode)
                   ? elf_begin(fd, ELF_C_READ_MMAP, NULL)
                   : NULL;
    if (elf && (elf_kind(elf) != ELF_K_ELF || !has_build_id(elf, build_id))) {
        elf_end(elf);
        elf = NULL;
    }
    if (elf) {
        elf_cntl(elf, ELF_C_FDDONE); /* a program may have more objects than we have descriptors */
    }
    hpf__close(fd);
    return elf;
}

/* Returns FOLDER/.build-id/ab/cdef....debug, to be freed, or NULL. */
static char *path_by_build_id(const char *folder, hpf_str build_id)
{
    char *path = malloc(strlen(folder) + 2 * build_id.length + 32);
    if (!path || build_id.length < 2) {
        free(path);
        return NULL;
    }
    char *at = path + sprintf(path, "%s/.build-id/", folder);
    for (size_t i = 0; i < build_id.length; i++) {
        at += sprintf(at, "%02x%s", (unsigned char)build_id.data[i], i == 0 ? "/" : "");
    }
    strcpy(at, ".debug");
    return path;
}

/* Tries the path, then an executable with the build id (which may be on a debuginfod server), then
 * a debug file with the build id. See `find_elf` in elfutils/libdwfl.h. */
static int find_elf(Dwfl_Module *module, void **user_data, const char *name, Dwarf_Addr base,
                    char **path, Elf **elf)
{
    const wanted_file *wanted = *user_data;
    *path = strdup(wanted->path);
    *elf = *path ? map_file(*path, wanted->build_id) : NULL;
    if (*elf) {
        return -1;
    }
    free(*path);
    *path = NULL;
    if (wanted->build_id.length == 0) {
        return -1;
    }
    int fd = dwfl_build_id_find_elf(module, user_data, name, base, path, elf);
    if (fd < 0 && !*elf) {
        *path = path_by_build_id(wanted->objects->debug_folder, wanted->build_id);
        *elf = *path ? map_file(*path, wanted->build_id) : NULL;
    }
    return fd;
}

/* ---- Opening ---- */

static void note_file(opened_file *file, const char *path)
{
    if (path && stat(path, &file->state) == 0) {
        file->path = strdup(path);
    }
}

/* The symbol table may be in it; debugging information is looked for later. */
static void note_debug_file(hpp__object *object)
{
    const char *path;
    dwfl_module_info(object->module, NULL, NULL, NULL, NULL, NULL, NULL, &path);
    if (!object->debug_file.path) {
        note_file(&object->debug_file, path);
    }
}

hpp__objects *hpp__objects_create(const char *debug_folder, bool symbols_only)
{
    static const char prefix[] = ":.debug:"; /* the object's own folder, and .debug in it */
    hpp__objects *objects = calloc(1, sizeof *objects);
    if (!objects) {
        return NULL;
    }
    objects->symbols_only = symbols_only;
    objects->debug_path = malloc(sizeof prefix + strlen(debug_folder));
    if (!objects->debug_path) {
        free(objects);
        return NULL;
    }
    strcpy(objects->debug_path, prefix);
    strcat(objects->debug_path, debug_folder);
    objects->debug_folder = objects->debug_path + sizeof prefix - 1;
    objects->callbacks = (Dwfl_Callbacks){.find_elf = find_elf,
                                          .find_debuginfo = dwfl_standard_find_debuginfo,
                                          .debuginfo_path = &objects->debug_path};
    objects->dwfl = elf_version(EV_CURRENT) != EV_NONE ? dwfl_begin(&objects->callbacks) : NULL;
    if (!objects->dwfl) {
        hpp__objects_destroy(objects);
        return NULL;
    }
    return objects;
}

void hpp__objects_destroy(hpp__objects *objects)
{
    if (objects) {
        dwfl_end(objects->dwfl);
        free(objects->debug_path);
        free(objects);
    }
}

/* Returns NULL if there is no memory. The file is not looked for yet. */
static Dwfl_Module *add_module(hpp__objects *objects, const char *path, hpf_str build_id)
{
    const uint64_t n_addresses = UINT64_C(1) << 40;
    uint64_t start = ++objects->n_modules * n_addresses;
    dwfl_report_begin_add(objects->dwfl);
    Dwfl_Module *module = dwfl_report_module(objects->dwfl, path, start, start + n_addresses);
    if (dwfl_report_end(objects->dwfl, NULL, NULL) != 0 || !module) {
        return NULL;
    }
    const unsigned char *bits = (const unsigned char *)build_id.data;
    bool is_known =
        build_id.length == 0 || dwfl_module_report_build_id(module, bits, build_id.length, 0) == 0;
    return is_known ? module : NULL;
}

hpp__object *hpp__object_open(hpp__objects *objects, const char *path, hpf_str build_id)
{
    wanted_file wanted = {objects, path, build_id};
    void **user_data;
    const char *main_path;
    Dwarf_Addr bias;
    Dwfl_Module *module = add_module(objects, path, build_id);
    if (!module) {
        return NULL;
    }
    dwfl_module_info(module, &user_data, NULL, NULL, NULL, NULL, NULL, NULL);
    *user_data = &wanted;
    Elf *elf = dwfl_module_getelf(module, &bias);
    hpp__object *object = elf ? calloc(1, sizeof *object) : NULL;
    if (object) {
        object->module = module;
        object->bias = bias;
        object->has_info = objects->symbols_only;
        hpp__symbol_table_read(&object->symbols, module, bias, HPP__SYMBOLS_OF_CODE);
        hpp__function_bounds_read(&object->bounds, elf);
        dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &main_path, NULL);
        note_file(&object->main_file, main_path);
        note_debug_file(object);
    }
    *user_data = NULL;
    return object;
}

/* Returns the debugging information, which is read at the first question: that of a large library
 * takes a tenth of a second and ten megabytes. NULL: none. */
static hpp__debug_info *info_of(hpp__object *object)
{
    if (!object->has_info) {
        Dwarf_Addr bias;
        Dwarf *dwarf = dwfl_module_getdwarf(object->module, &bias);
        object->info = dwarf ? hpp__debug_info_read(dwarf) : NULL;
        object->has_info = true;
        note_debug_file(object);
    }
    return object->info;
}

void hpp__object_close(hpp__object *object)
{
    if (object) {
        hpp__debug_info_free(object->info);
        hpp__symbol_table_finish(&object->symbols);
        hpp__symbol_table_finish(&object->variables);
        free(object->main_file.path);
        free(object->debug_file.path);
        free(object);
    }
}

/* Returns whether the file was overwritten. One that was removed or replaced is still mapped as it
 * was. */
static bool is_overwritten(const opened_file *file)
{
    struct stat now;
    const struct stat *then = &file->state;
    return file->path && stat(file->path, &now) == 0 && now.st_dev == then->st_dev &&
           now.st_ino == then->st_ino &&
           (now.st_size != then->st_size || now.st_mtim.tv_sec != then->st_mtim.tv_sec ||
            now.st_mtim.tv_nsec != then->st_mtim.tv_nsec);
}

bool hpp__object_is_overwritten(const hpp__object *object)
{
    return is_overwritten(&object->main_file) || is_overwritten(&object->debug_file);
}

/* ---- An address ---- */

uint64_t hpp__object_address(hpp__object *object, uint64_t offset)
{
    GElf_Addr bias;
    Elf *elf = dwfl_module_getelf(object->module, &bias);
    GElf_Phdr segment;
    size_t n_headers;
    uint64_t moved = 0;
    bool is_first = true;
    if (!elf || elf_getphdrnum(elf, &n_headers) != 0) {
        return offset;
    }
    for (size_t i = 0; i < n_headers; i++) {
        if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD) {
            continue;
        }
        uint64_t by = segment.p_vaddr - segment.p_offset;
        if (offset >= segment.p_offset && offset - segment.p_offset < segment.p_filesz) {
            return offset + by;
        }
        moved = is_first ? by : moved;
        is_first = false;
    }
    return offset + moved;
}

const hpp__symbol *hpp__object_symbol(hpp__object *object, uint64_t address)
{
    const hpp__symbol *symbol = hpp__symbol_table_find(&object->symbols, address);
    uint64_t start;
    bool is_of_earlier_function = symbol && symbol->n_bytes == 0 &&
                                  hpp__function_bounds_find(&object->bounds, address, &start) &&
                                  start > symbol->start;
    return is_of_earlier_function ? NULL : symbol;
}

const hpp__symbol *hpp__object_next_symbol(hpp__object *object, uint64_t address)
{
    return address > 0 ? hpp__symbol_table_after(&object->symbols, address - 1) : NULL;
}

const hpp__symbol *hpp__object_variable(hpp__object *object, uint64_t address,
                                        const hpp__symbol **next)
{
    if (!object->has_variables) {
        hpp__symbol_table_read(&object->variables, object->module, object->bias,
                               HPP__SYMBOLS_OF_DATA);
        object->has_variables = true;
    }
    const hpp__symbol *symbol = hpp__symbol_table_find(&object->variables, address);
    *next = hpp__symbol_table_after(&object->variables, address);
    return symbol;
}

bool hpp__object_function_start(hpp__object *object, uint64_t address, uint64_t *start)
{
    return hpp__function_bounds_find(&object->bounds, address, start);
}

size_t hpp__object_frames(hpp__object *object, uint64_t address, hpp__debug_frame *frames)
{
    hpp__debug_info *info = info_of(object);
    return info ? hpp__debug_info_find(info, address, frames) : 0;
}

size_t hpp__object_locals(hpp__object *object, uint64_t address, const hpp_caller_rule *rule,
                          hpp__debug_local *locals)
{
    hpp__debug_info *info = info_of(object);
    return info ? hpp__debug_info_locals(info, address, rule, locals) : 0;
}

/* Finds the code at an address. There is less than asked for, or none, at the end of a segment, in
 * a file that only has debugging information, and for other machines. */
static hpp__code code_at(Elf *elf, uint64_t address)
{
    hpp__code code = {.address = address};
    size_t n_headers, n_file_bytes;
    GElf_Ehdr file;
    const uint8_t *bytes = (const uint8_t *)elf_rawfile(elf, &n_file_bytes);
    if (!bytes || !gelf_getehdr(elf, &file) || file.e_machine != EM_X86_64 ||
        elf_getphdrnum(elf, &n_headers) != 0) {
        return code;
    }
    for (size_t i = 0; i < n_headers; i++) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD &&
            address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz) {
            uint64_t offset = address - segment.p_vaddr + segment.p_offset;
            uint64_t left = segment.p_filesz - (address - segment.p_vaddr);
            if (offset < n_file_bytes && left <= n_file_bytes - offset) {
                code.bytes = bytes + offset;
                code.n_bytes =
                    left < HPP__RESULT_CODE_BYTES ? (size_t)left : HPP__RESULT_CODE_BYTES;
            }
        }
    }
    return code;
}

bool hpp__object_result_type(hpp__object *object, uint64_t address, hpp__text *out,
                             bool *is_structure)
{
    GElf_Addr bias;
    hpp__code code = code_at(dwfl_module_getelf(object->module, &bias), address);
    hpp__debug_info *info = info_of(object);
    return info && hpp__debug_info_result_type(info, &code, out, is_structure);
}

bool hpp__object_member(hpp__object *object, hpf_str type, uint64_t size_bytes, uint64_t offset,
                        hpp__text *out)
{
    hpp__debug_info *info = info_of(object);
    return info && hpp__debug_info_member(info, type, size_bytes, offset, out);
}

enum { STACK_POINTER = 7 }; /* it is the CFA in the caller */

/* Reads "register + offset". */
static bool read_place(const Dwarf_Op *op, uint64_t *number, int64_t *offset)
{
    bool is_long = op->atom == DW_OP_bregx;
    *number = is_long ? op->number : (uint64_t)op->atom - DW_OP_breg0;
    *offset = (int64_t)(is_long ? op->number2 : op->number);
    return *number < HPP_CALLER_REGISTERS;
}

/* Reads "register + offset", or the word there: functions that align the stack store the CFA. */
static bool read_cfa(Dwarf_Frame *frame, hpp_caller_rule *out)
{
    Dwarf_Op *ops;
    size_t n;
    uint64_t number;
    if (dwarf_frame_cfa(frame, &ops, &n) != 0 || n == 0 ||
        !read_place(ops, &number, &out->cfa_offset)) {
        return false;
    }
    out->cfa_register = (uint32_t)number;
    out->is_cfa_stored = n == 2 && ops[1].atom == DW_OP_deref;
    return n == 1 || out->is_cfa_stored;
}

/* Reads where a register was saved: nowhere, or at an offset from the CFA or from a register. */
static bool read_saved(Dwarf_Frame *frame, int number, hpp_caller_rule *out)
{
    Dwarf_Op memory[3], *ops;
    size_t n;
    uint64_t from = HPP_CALLER_CFA;
    if (dwarf_frame_register(frame, number, memory, &ops, &n) != 0) {
        return false;
    }
    bool is_at_cfa = n > 0 && ops && ops[0].atom == DW_OP_call_frame_cfa;
    bool has_offset = is_at_cfa && n == 2 && ops[1].atom == DW_OP_plus_uconst;
    bool has_register =
        is_at_cfa && n == 2 && !has_offset && read_place(&ops[1], &from, &out->saved_at[number]);
    out->is_saved[number] = is_at_cfa;
    out->saved_from[number] = (uint8_t)from;
    out->saved_at[number] = has_offset     ? (int64_t)ops[1].number
                            : has_register ? out->saved_at[number]
                                           : 0;
    return n == 0 || (is_at_cfa && (n == 1 || has_offset || has_register));
}

bool hpp__object_caller(hpp__object *object, uint64_t address, hpp_caller_rule *out)
{
    Dwarf_Addr bias;
    Dwarf_Frame *frame = NULL;
    GElf_Ehdr file;
    Elf *elf = dwfl_module_getelf(object->module, &bias);
    Dwarf_CFI *cfi = elf && gelf_getehdr(elf, &file) && file.e_machine == EM_X86_64
                         ? dwfl_module_eh_cfi(object->module, &bias)
                         : NULL;
    if (!cfi || dwarf_cfi_addrframe(cfi, address + object->bias - bias, &frame) != 0) {
        return false;
    }
    bool is_known = read_cfa(frame, out);
    for (int i = 0; i < HPP_CALLER_REGISTERS && is_known; i++) {
        is_known = i == STACK_POINTER || read_saved(frame, i, out);
    }
    free(frame);
    return is_known && out->is_saved[HPP_CALLER_REGISTERS - 1];
}

bool hpp__object_is_of_ghc(hpp__object *object)
{
    if (!object->has_looked_for_ghc) {
        hpf_str path = hpf_str_of(object->main_file.path ? object->main_file.path : "");
        object->has_looked_for_ghc = true;
        object->is_of_ghc = hpf_str_begins(hpf__base_name(path), "libHS") ||
                            hpp__symbol_table_has(&object->symbols, "hs_init_ghc") ||
                            hpp__symbol_table_has(&object->symbols, "ZCMain_main_info");
    }
    return object->is_of_ghc;
}

bool hpp__object_is_built_in(void)
{
    return true;
}
