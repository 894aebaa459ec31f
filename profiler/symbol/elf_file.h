/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What is in an object file: its sections and its build id. Reads the few bytes that it needs, so
 * that a file of 100 MB opens as fast as a small one, and trusts none of them.
 *
 * Only 64-bit little-endian files are read; that is what the native adapter profiles.
 */
#ifndef HPP_SYMBOL_ELF_FILE_H
#define HPP_SYMBOL_ELF_FILE_H

#include <elf.h>

#include "file.h"

#define HPP__BUILD_ID_MAX 64

typedef struct hpp__elf {
    hpp__file *file;
    Elf64_Shdr *sections; /* what they say of places in the file is checked */
    size_t n_sections;
    char *section_names;
    size_t n_section_names; /* bytes */
    Elf64_Phdr frames;      /* PT_GNU_EH_FRAME; p_filesz is 0 when there is none */
    uint8_t build_id[HPP__BUILD_ID_MAX];
    size_t n_build_id; /* 0: none */
} hpp__elf;

/* Takes over the file: closes it also on failure. False: not such a file, damaged, or no memory;
 * `*elf` needs no finish then. */
bool hpp__elf_open(hpp__elf *elf, hpp__file *file);
void hpp__elf_finish(hpp__elf *elf);

/* The first section of a type, or of a name, with its bytes in the file; NULL: none. */
const Elf64_Shdr *hpp__elf_section_of_type(const hpp__elf *elf, uint32_t type);
const Elf64_Shdr *hpp__elf_section_named(const hpp__elf *elf, const char *name);

/* The bytes of a section, to be freed, with a NUL behind; NULL: damaged, or no memory. */
char *hpp__elf_section_copy(const hpp__elf *elf, const Elf64_Shdr *section);

bool hpp__elf_has_build_id(const hpp__elf *elf, const uint8_t *build_id, size_t n_build_id);

#endif
