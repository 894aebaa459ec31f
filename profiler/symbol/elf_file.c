/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ELF headers, sections and notes. See the System V ABI, chapters 4 and 5.
 */
#include "elf_file.h"

#include <stdlib.h>
#include <string.h>

#define NOTES_BYTES_MAX     (1u << 20)
#define PROGRAM_HEADERS_MAX 4096u

static bool is_supported(const Elf64_Ehdr *header)
{
    return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
           (header->e_type == ET_EXEC || header->e_type == ET_DYN);
}

static bool is_in_file(const hpp__elf *elf, uint64_t offset, uint64_t n_bytes)
{
    uint64_t end = hpp__file_bytes(elf->file);
    return offset <= end && n_bytes <= end - offset;
}

/* A table of sections that is missing or damaged leaves a file without sections: the segments may
 * still serve. */
static void read_sections(hpp__elf *elf, const Elf64_Ehdr *header)
{
    Elf64_Shdr first;
    if (header->e_shoff == 0 || header->e_shentsize != sizeof first ||
        !hpp__file_read(elf->file, header->e_shoff, &first, sizeof first)) {
        return;
    }
    uint64_t n = header->e_shnum ? header->e_shnum : first.sh_size;
    uint32_t names = header->e_shstrndx == SHN_XINDEX ? first.sh_link : header->e_shstrndx;
    if (n > hpp__file_bytes(elf->file) / sizeof first) {
        return;
    }
    void *sections = hpp__file_copy(elf->file, header->e_shoff, n * sizeof first);
    if (!sections) {
        return;
    }
    elf->sections = sections;
    elf->n_sections = (size_t)n;
    if (names < n) {
        elf->section_names = hpp__elf_section_copy(elf, &elf->sections[names]);
        elf->n_section_names = elf->section_names ? (size_t)elf->sections[names].sh_size : 0;
    }
}

/* Looks through notes for the build id. Their parts are padded to 4 bytes each. */
static void read_notes(hpp__elf *elf, uint64_t offset, uint64_t n_bytes)
{
    char *notes = n_bytes <= NOTES_BYTES_MAX ? hpp__file_copy(elf->file, offset, n_bytes) : NULL;
    Elf64_Nhdr note;
    for (uint64_t at = 0; notes && n_bytes - at >= sizeof note;) {
        memcpy(&note, notes + at, sizeof note);
        at += sizeof note;
        uint64_t name_end = at + ((uint64_t)note.n_namesz + 3) / 4 * 4;
        uint64_t end = name_end + ((uint64_t)note.n_descsz + 3) / 4 * 4;
        if (name_end + note.n_descsz > n_bytes) {
            break;
        }
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
            memcmp(notes + at, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0 &&
            note.n_descsz <= HPP__BUILD_ID_MAX) {
            memcpy(elf->build_id, notes + name_end, note.n_descsz);
            elf->n_build_id = note.n_descsz;
            break;
        }
        at = end < n_bytes ? end : n_bytes;
    }
    free(notes);
}

/* The segments of interest; in a separate debug file they may lie outside the file. */
static void read_segments(hpp__elf *elf, const Elf64_Ehdr *header)
{
    Elf64_Phdr segment;
    for (uint64_t i = 0; i < header->e_phnum && i < PROGRAM_HEADERS_MAX; i++) {
        if (header->e_phentsize != sizeof segment ||
            !hpp__file_read(elf->file, header->e_phoff + i * sizeof segment, &segment,
                            sizeof segment)) {
            return;
        }
        if (!is_in_file(elf, segment.p_offset, segment.p_filesz)) {
            continue;
        }
        if (segment.p_type == PT_GNU_EH_FRAME) {
            elf->frames = segment;
        } else if (segment.p_type == PT_NOTE && elf->n_build_id == 0) {
            read_notes(elf, segment.p_offset, segment.p_filesz);
        }
    }
}

bool hpp__elf_open(hpp__elf *elf, hpp__file *file)
{
    Elf64_Ehdr header;
    *elf = (hpp__elf){.file = file};
    if (!file || !hpp__file_read(file, 0, &header, sizeof header) || !is_supported(&header)) {
        hpp__elf_finish(elf);
        return false;
    }
    read_sections(elf, &header);
    for (size_t i = 0; i < elf->n_sections && elf->n_build_id == 0; i++) {
        if (elf->sections[i].sh_type == SHT_NOTE) {
            read_notes(elf, elf->sections[i].sh_offset, elf->sections[i].sh_size);
        }
    }
    read_segments(elf, &header);
    return true;
}

void hpp__elf_finish(hpp__elf *elf)
{
    hpp__file_close(elf->file);
    free(elf->sections);
    free(elf->section_names);
    *elf = (hpp__elf){0};
}

static bool has_bytes(const hpp__elf *elf, const Elf64_Shdr *section)
{
    return section->sh_type != SHT_NOBITS && section->sh_type != SHT_NULL &&
           is_in_file(elf, section->sh_offset, section->sh_size);
}

const Elf64_Shdr *hpp__elf_section_of_type(const hpp__elf *elf, uint32_t type)
{
    for (size_t i = 0; i < elf->n_sections; i++) {
        if (elf->sections[i].sh_type == type && has_bytes(elf, &elf->sections[i])) {
            return &elf->sections[i];
        }
    }
    return NULL;
}

const Elf64_Shdr *hpp__elf_section_named(const hpp__elf *elf, const char *name)
{
    for (size_t i = 0; i < elf->n_sections; i++) {
        const Elf64_Shdr *section = &elf->sections[i];
        if (section->sh_name < elf->n_section_names &&
            strcmp(elf->section_names + section->sh_name, name) == 0 && has_bytes(elf, section)) {
            return section;
        }
    }
    return NULL;
}

char *hpp__elf_section_copy(const hpp__elf *elf, const Elf64_Shdr *section)
{
    return has_bytes(elf, section) ? hpp__file_copy(elf->file, section->sh_offset, section->sh_size)
                                   : NULL;
}

bool hpp__elf_has_build_id(const hpp__elf *elf, const uint8_t *build_id, size_t n_build_id)
{
    return elf->n_build_id == n_build_id &&
           (n_build_id == 0 || memcmp(elf->build_id, build_id, n_build_id) == 0);
}
