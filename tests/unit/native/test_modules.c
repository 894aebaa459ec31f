/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Objects in memory: their segments, build ids and names, and when two are the same. The objects
 * are made up, and so is the loader's search for them.
 */
#include "native/target/unwind/modules.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "native/window/window_writer.h"

enum { PAGE = 4096, N_PAGES = 4, MAX_HEADERS = (PAGE - 64) / sizeof(Elf64_Phdr) };

/* --- a made-up object ------------------------------------------------------------------------- */

static _Alignas(PAGE) uint8_t image[N_PAGES * PAGE];
static struct link_map map;
static struct dl_find_object object;

int _dl_find_object(void *address, struct dl_find_object *out)
{
    *out = object;
    return address >= object.dlfo_map_start && address < object.dlfo_map_end ? 0 : -1;
}

static Elf64_Ehdr *elf(void)
{
    return (Elf64_Ehdr *)(void *)image;
}

static Elf64_Phdr *header(unsigned i)
{
    return (Elf64_Phdr *)(void *)(image + elf()->e_phoff) + i;
}

static void add_header(uint32_t type, uint32_t flags, uint64_t address, uint64_t n_bytes)
{
    *header(elf()->e_phnum++) = (Elf64_Phdr){
        .p_type = type, .p_flags = flags, .p_vaddr = address, .p_memsz = n_bytes, .p_align = 4};
}

/* Puts a note at an offset; returns the offset of the next. */
static uint64_t put_note(uint64_t at, const char *name, uint32_t type, uint8_t byte, uint32_t n,
                         uint64_t alignment)
{
    Elf64_Nhdr note = {(uint32_t)strlen(name) + 1, n, type};
    memcpy(image + at, &note, sizeof note);
    at += sizeof note;
    memcpy(image + at, name, note.n_namesz);
    at = (at + note.n_namesz + alignment - 1) & ~(alignment - 1);
    memset(image + at, byte, n);
    return (at + n + alignment - 1) & ~(alignment - 1);
}

static void begin_object(void)
{
    memset(image, 0, sizeof image);
    memcpy(image, ELFMAG, SELFMAG);
    elf()->e_phoff = sizeof(Elf64_Ehdr);
    elf()->e_phentsize = sizeof(Elf64_Phdr);
    map = (struct link_map){.l_addr = (uintptr_t)image, .l_name = (char *)(uintptr_t) "/lib/one"};
    object = (struct dl_find_object){.dlfo_map_start = image,
                                     .dlfo_map_end = image + sizeof image,
                                     .dlfo_link_map = &map,
                                     .dlfo_eh_frame = image + 128};
}

static void begin(void)
{
    const char *reason;
    cr_assert(ge(int, hpp__window_make(&reason, (uint64_t)64 << 20), 0));
    begin_object();
}

TestSuite(modules, .init = begin);

static hpp_module find(void)
{
    hpp_module module;
    cr_assert(hpp__modules_find(&module, (uintptr_t)image + 5));
    return module;
}

static const hpp_window_module *record_of(hpp_module module)
{
    const hpp_window_module *chunk = hpp__window_at(hpp__window->module_pages[0]);
    return &chunk[module.number - 1];
}

static void expect_span(hpp_module module, uint32_t i, uint64_t low, uint64_t end)
{
    cr_assert(lt(u32, i, module.tables.n_spans));
    cr_assert(eq(u64, module.tables.spans[i].low, (uintptr_t)image + low));
    cr_assert(eq(u64, module.tables.spans[i].end, (uintptr_t)image + end));
}

/* --- segments --------------------------------------------------------------------------------- */

Test(modules, readable_segments_are_spans)
{
    add_header(PT_LOAD, PF_R, 0, 1000);
    add_header(PT_NOTE, PF_R, 500, 100);
    add_header(PT_LOAD, PF_X, PAGE, PAGE);
    add_header(PT_LOAD, PF_R | PF_W, 2 * PAGE, 2000);
    hpp_module module = find();
    cr_assert(eq(u32, module.tables.n_spans, 2));
    expect_span(module, 0, 0, 1000);
    expect_span(module, 1, 2 * PAGE, 2 * PAGE + 2000);
    cr_assert(eq(u64, module.tables.header, (uintptr_t)image + 128));
    cr_assert(eq(u64, module.begin, (uintptr_t)image));
    cr_assert(eq(u64, module.end, (uintptr_t)image + sizeof image));
    cr_assert(eq(u64, module.bias, (uintptr_t)image));
    cr_assert(eq(u32, module.number, 1));
    cr_assert(not(module.is_loader));
    cr_assert(eq(u64, record_of(module)->begin, module.begin));
    cr_assert(eq(u64, record_of(module)->end, module.end));
    cr_assert(eq(u64, record_of(module)->bias, module.bias));
    cr_assert(zero(int, strcmp(record_of(module)->path, "/lib/one")), "%s",
              record_of(module)->path);
}

Test(modules, spans_are_bounded)
{
    for (unsigned i = 0; i < HPP_CFI_MAX_SPANS + 2; i++) {
        add_header(PT_LOAD, PF_R, i * 100, 50);
    }
    hpp_module module = find();
    cr_assert(eq(u32, module.tables.n_spans, HPP_CFI_MAX_SPANS));
    expect_span(module, HPP_CFI_MAX_SPANS - 1, 700, 750);
}

/* The loader knows an object with gaps by segment. */
Test(modules, an_object_is_as_wide_as_its_segments)
{
    object.dlfo_map_end = image + PAGE;
    add_header(PT_LOAD, PF_R, 0, PAGE);
    add_header(PT_LOAD, PF_R, 2 * PAGE, 300);
    add_header(PT_NOTE, PF_R, 3 * PAGE, 300);
    hpp_module module = find();
    cr_assert(eq(u64, module.begin, (uintptr_t)image));
    cr_assert(eq(u64, module.end, (uintptr_t)image + 2 * PAGE + 300));
    begin_object();
    object.dlfo_map_start = image + PAGE;
    memcpy(image + PAGE, image, PAGE); /* has the headers, of which the first is before it */
    elf()->e_phnum = 0;
    Elf64_Ehdr *second = (Elf64_Ehdr *)(void *)(image + PAGE);
    second->e_phnum = 1;
    *(Elf64_Phdr *)(void *)(second + 1) =
        (Elf64_Phdr){.p_type = PT_LOAD, .p_flags = PF_R, .p_vaddr = 100, .p_memsz = PAGE};
    cr_assert(hpp__modules_find(&module, (uintptr_t)image + PAGE));
    cr_assert(eq(u64, module.begin, (uintptr_t)image));
}

/* Headers must be in the first page; without them, all of the object may be read. */
Test(modules, headers_end_with_the_first_page)
{
    for (unsigned more = 0; more < 2; more++) {
        begin_object();
        elf()->e_phoff = PAGE - 2 * sizeof(Elf64_Phdr) + 8 * more;
        add_header(PT_LOAD, PF_R, 0, 1000);
        add_header(PT_LOAD, PF_R, PAGE, 2000);
        hpp__modules_new_generation();
        map.l_addr += 8 * more; /* another object */
        hpp_module module = find();
        cr_assert(eq(u32, module.tables.n_spans, more ? 1 : 2));
        expect_span(module, 0, 0, more ? sizeof image : 1000);
    }
    const Elf64_Ehdr cases[] = {
        {.e_ident = ELFMAG, .e_phentsize = sizeof(Elf64_Phdr), .e_phoff = PAGE + 8, .e_phnum = 0},
        {.e_ident = ELFMAG,
         .e_phentsize = sizeof(Elf64_Phdr),
         .e_phoff = UINT64_MAX - 55,
         .e_phnum = 1},
        {.e_ident = ELFMAG, .e_phentsize = sizeof(Elf64_Phdr) + 8, .e_phoff = 64, .e_phnum = 1},
        {.e_ident = "\177ELG", .e_phentsize = sizeof(Elf64_Phdr), .e_phoff = 64, .e_phnum = 1},
        {.e_ident = ELFMAG,
         .e_phentsize = sizeof(Elf64_Phdr),
         .e_phoff = 64,
         .e_phnum = MAX_HEADERS + 1},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin_object();
        *elf() = cases[i];
        hpp__modules_new_generation();
        map.l_addr += 80 + 8 * i;
        hpp_module module = find();
        cr_assert(eq(u32, module.tables.n_spans, 1), "case %u", i);
        expect_span(module, 0, 0, sizeof image);
    }
}

Test(modules, addresses_in_no_object)
{
    hpp_module module;
    cr_assert(not(hpp__modules_find(&module, 5)));
    cr_assert(not(hpp__modules_hold(5)));
    cr_assert(hpp__modules_hold((uintptr_t)image));
}

/* --- build ids -------------------------------------------------------------------------------- */

static void expect_build_id(uint32_t n, uint8_t byte)
{
    hpp__modules_new_generation();
    map.l_addr += 8; /* another object */
    for (unsigned i = 0; i < elf()->e_phnum; i++) {
        header(i)->p_vaddr -= 8;
    }
    const hpp_window_module *record = record_of(find());
    cr_assert(eq(u32, record->n_build_id, n));
    for (uint32_t i = 0; i < sizeof record->build_id; i++) {
        cr_assert(eq(int, record->build_id[i], i < n ? byte : 0), "byte %u", i);
    }
}

Test(modules, build_ids)
{
    uint64_t end = put_note(2048, "GNU", NT_GNU_ABI_TAG, 7, 16, 4);
    end = put_note(end, "GNX", NT_GNU_BUILD_ID, 8, 20, 4);
    end = put_note(end, "GNUX", NT_GNU_BUILD_ID, 8, 20, 4);
    uint64_t found = put_note(end, "GNU", NT_GNU_BUILD_ID, 9, 20, 4);
    add_header(PT_LOAD, PF_R, 2048, found - 2048); /* not a note */
    add_header(PT_NOTE, PF_R, 2048, end - 2048);   /* nothing in this one */
    expect_build_id(0, 0);
    add_header(PT_NOTE, PF_R, 2048 - 8, found - 2048);
    expect_build_id(20, 9);
    header(2)->p_memsz -= 1; /* cut */
    expect_build_id(0, 0);
    header(2)->p_memsz += 1;
    memcpy(image + found - 20, "ABCD", 4);
    hpp__modules_new_generation();
    map.l_addr += 8;
    header(0)->p_vaddr -= 8, header(1)->p_vaddr -= 8, header(2)->p_vaddr -= 8;
    cr_assert(eq(int, record_of(find())->build_id[1], 'B'));
}

Test(modules, long_and_aligned_build_ids)
{
    uint64_t end = put_note(2048, "GNU", NT_GNU_ABI_TAG, 7, 12, 8);
    end = put_note(end, "GNU", NT_GNU_BUILD_ID, 6, 40, 8);
    add_header(PT_NOTE, PF_R, 2048, end - 2048);
    header(0)->p_align = 8;
    expect_build_id(36, 6);
    header(0)->p_align = 4;
    expect_build_id(0, 0);
}

Test(modules, notes_outside_of_the_object_are_not_read)
{
    uint64_t end = put_note(2 * PAGE - 36, "GNU", NT_GNU_BUILD_ID, 3, 20, 4);
    cr_assert(eq(u64, end, 2 * PAGE));
    add_header(PT_NOTE, PF_R, 2 * PAGE - 36, 36);
    object.dlfo_map_end = image + 2 * PAGE;
    expect_build_id(20, 3);
    object.dlfo_map_end = image + 2 * PAGE - 1;
    expect_build_id(0, 0);
}

/* --- when objects are the same ---------------------------------------------------------------- */

Test(modules, an_object_keeps_its_number)
{
    uint64_t end = put_note(2048, "GNU", NT_GNU_BUILD_ID, 1, 20, 4);
    add_header(PT_NOTE, PF_R, 2048, end - 2048);
    for (unsigned i = 0; i < 3; i++) {
        cr_assert(eq(u32, find().number, 1));
        hpp__modules_new_generation();
    }
    cr_assert(eq(u32, hpp__window->head.n_modules, 1));
}

Test(modules, another_object_at_the_same_place_has_another_number)
{
    uint64_t end = put_note(2048, "GNU", NT_GNU_BUILD_ID, 1, 20, 4);
    add_header(PT_NOTE, PF_R, 2048, end - 2048);
    uint32_t number = find().number;
    object.dlfo_map_end = image + 3 * PAGE; /* at once */
    cr_assert(eq(u32, find().number, ++number));
    cr_assert(eq(u64, find().end, (uintptr_t)image + 3 * PAGE));
    map.l_name = (char *)(uintptr_t) "/lib/two"; /* the rest from the next generation on */
    cr_assert(eq(u32, find().number, number));
    hpp__modules_new_generation();
    cr_assert(eq(u32, find().number, ++number));
    cr_assert(zero(int, strcmp(record_of(find())->path, "/lib/two")), "%s",
              record_of(find())->path);
    image[end - 1]++;
    hpp__modules_new_generation();
    cr_assert(eq(u32, find().number, ++number));
    header(0)->p_type = PT_NULL; /* no build id */
    hpp__modules_new_generation();
    cr_assert(eq(u32, find().number, ++number));
    map.l_addr += 16;
    hpp__modules_new_generation();
    cr_assert(eq(u32, find().number, ++number));
    cr_assert(eq(u64, find().bias, (uintptr_t)image + 16));
}

/* --- names ------------------------------------------------------------------------------------ */

/* Maps a file over the first page of the image, which keeps its contents. */
static void map_file(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    cr_assert(ge(int, file, 0));
    cr_assert(eq(i64, write(file, image, PAGE), PAGE));
    void *at = mmap(image, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0);
    cr_assert(eq(ptr, at, image));
    close(file);
}

static void expect_path(const char *expected)
{
    char all[8192];
    hpp__modules_new_generation();
    map.l_addr += 8;
    cr_assert(not(zero(ptr, realpath(".", all))));
    strcat(strcat(all, "/"), expected);
    all[sizeof record_of(find())->path - 1] = '\0';
    cr_assert(zero(int, strcmp(record_of(find())->path, all)), "%s", record_of(find())->path);
}

Test(modules, names_of_the_kernel_where_the_loader_has_none)
{
    char folder[] = "/tmp/census-modules-XXXXXX", name[201];
    cr_assert(not(zero(ptr, mkdtemp(folder))));
    cr_assert(zero(int, chdir(folder)));
    map.l_name = (char *)(uintptr_t) "";
    map_file("one file");
    expect_path("one file");
    map.l_name = (char *)(uintptr_t) "./one file";
    expect_path("one file");
    unlink("one file");
    expect_path("one file");
    map_file("x (deleted)y");
    expect_path("x (deleted)y");
    unlink("x (deleted)y");
    memset(name, 'n', 200);
    name[200] = '\0';
    for (int i = 0; i < 6; i++) {
        cr_assert(zero(int, mkdir(name, 0700)));
        cr_assert(zero(int, chdir(name)));
    }
    map_file("f");
    expect_path("f");
    unlink("f");
    for (int i = 0; i < 6; i++) {
        cr_assert(zero(int, chdir("..")));
        rmdir(name);
    }
    rmdir(folder);
}

Test(modules, long_names_of_the_loader_are_cut)
{
    char name[2000];
    memset(name, 'n', sizeof name - 1);
    name[0] = '/';
    name[sizeof name - 1] = '\0';
    map.l_name = name;
    size_t n = strlen(record_of(find())->path);
    cr_assert(eq(sz, n, sizeof record_of(find())->path - 1));
}
