/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names of info tables, from a program with a table of symbols and nothing else.
 */
#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hpfile/str.h"
#include "info_tables.h"

typedef struct entry {
    uint64_t address;
    const char *name;
} entry;

/* Writes a program with these symbols, and reads it. */
static info_tables *read_program(const entry *entries, size_t n, unsigned type)
{
    struct {
        Elf64_Ehdr head;
        Elf64_Shdr sections[3];
        Elf64_Sym symbols[16];
        char names[1024];
    } file = {.head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
                       .e_type = (Elf64_Half)type,
                       .e_shoff = sizeof(Elf64_Ehdr),
                       .e_shnum = 3}};
    size_t at = 1;
    for (size_t i = 0; i < n; i++) {
        file.symbols[i] =
            (Elf64_Sym){.st_name = (Elf64_Word)at, .st_shndx = 1, .st_value = entries[i].address};
        strcpy(file.names + at, entries[i].name);
        at += strlen(entries[i].name) + 1;
    }
    size_t symbols_at = sizeof file.head + sizeof file.sections;
    file.sections[1] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                                    .sh_link = 2,
                                    .sh_offset = symbols_at,
                                    .sh_size = n * sizeof file.symbols[0]};
    file.sections[2] =
        (Elf64_Shdr){.sh_offset = symbols_at + sizeof file.symbols, .sh_size = sizeof file.names};
    char path[] = "/tmp/census-program-XXXXXX";
    int fd = mkstemp(path);
    cr_assert(fd >= 0 && write(fd, &file, sizeof file) == (ssize_t)sizeof file);
    close(fd);
    info_tables *tables = info_tables_create(path);
    unlink(path);
    cr_assert_not_null(tables);
    return tables;
}

static void expect_name(info_tables *tables, uint64_t address, const char *module,
                        const char *label)
{
    hpf_frame frame = {0};
    bool is_found;
    cr_assert_eq(info_tables_find(tables, address, &frame, &is_found, NULL), HPF_OK);
    cr_assert_eq(is_found, label != NULL, "0x%llx", (unsigned long long)address);
    if (label) {
        cr_expect(hpf_str_is(frame.module, module), "%.*s", (int)frame.module.length,
                  frame.module.data);
        cr_expect(hpf_str_is(frame.label, label), "%.*s", (int)frame.label.length,
                  frame.label.data);
    }
}

Test(info_tables, symbols_are_after_tables_and_have_packages)
{
    static const entry entries[] = {
        {0x3000, "base_GHCziList_map_info"},
        {0x1000, "Main_main1_info"},
        {0x2000, "ghczmprim_GHCziTypes_ZC_con_info"},
        {0x2800, "Main_main1_closure"},
        {0x4000, "stg_ARR_WORDS_info"},
        {0x5000, "QuickCheckzm2zi14_TestziQuickCheck_zdwgo_info"},
        {0x6000, "ghczmprim_GHCziTuple_Z3T_con_info"},
    };
    info_tables *tables = read_program(entries, sizeof entries / sizeof *entries, ET_EXEC);
    expect_name(tables, 0x1000 - 16, "Main", "main1");
    expect_name(tables, 0x1000 - 32, "Main", "main1");
    expect_name(tables, 0x1000, "Main", "main1");
    expect_name(tables, 0x2000 - 16, "GHC.Types", ":");
    expect_name(tables, 0x2010, "GHC.List", "map:0x2010");
    expect_name(tables, 0x3000 - 16, "GHC.List", "map");
    expect_name(tables, 0x4000 - 16, "", "stg_ARR_WORDS");
    expect_name(tables, 0x5000 - 16, "Test.QuickCheck", "$wgo");
    expect_name(tables, 0x6000 - 16, "GHC.Tuple", "(,,)");
    expect_name(tables, 0x1000 - 48, "Main", "main1:0xfd0");
    expect_name(tables, 0x6001, NULL, NULL);
    info_tables_destroy(tables);
}

Test(info_tables, names_are_decoded)
{
    static const entry entries[] = {
        {0x1000, "M_zazbzczdzezgzhzizlzmznzpzqzrzsztzuzvzz_info"},
        {0x2000, "M_ZCZLZMZNZRZZ_info"},
        {0x3000, "M_z3bbUx_info"},
        {0x4000, "M_Z1H_info"},
        {0x5000, "M_Z3H_info"},
        {0x6000, "M_zXZX_Z9_z_info"},
        {0x7000, "_info"},
        {0x8000, "M_info"},
    };
    info_tables *tables = read_program(entries, sizeof entries / sizeof *entries, ET_EXEC);
    expect_name(tables, 0x1000, "M", "&|^$=>#.<-!+'\\/*_%z");
    expect_name(tables, 0x2000, "M", ":([])Z");
    expect_name(tables, 0x3000, "M", "\u03bbx");
    expect_name(tables, 0x4000, "M", "(##)");
    expect_name(tables, 0x5000, "M", "(#,,#)");
    expect_name(tables, 0x6000, "M", "zXZX_Z9_z");
    expect_name(tables, 0x8000, "", "M");
    info_tables_destroy(tables);
}

Test(info_tables, programs_without_fixed_addresses_have_none)
{
    static const entry entries[] = {{0x1000, "Main_main1_info"}};
    info_tables *tables = read_program(entries, 1, ET_DYN);
    expect_name(tables, 0x1000, NULL, NULL);
    info_tables_destroy(tables);
    tables = info_tables_create("/dev/null");
    expect_name(tables, 0x1000, NULL, NULL);
    info_tables_destroy(tables);
    tables = info_tables_create("/nowhere");
    expect_name(tables, 0x1000, NULL, NULL);
    info_tables_destroy(tables);
}
