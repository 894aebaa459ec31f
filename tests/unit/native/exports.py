#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks the symbols of the preload library: it exports only functions that it replaces or that programs
may call, and needs only libc; before glibc 2.34, that was more than one library.

exports.py LIBRARY
"""
import os
import re
import subprocess
import sys

MALLOC = ("malloc calloc realloc reallocarray free cfree memalign posix_memalign aligned_alloc valloc "
          "pvalloc free_sized free_aligned_sized sdallocx malloc_usable_size")
OTHERS = ("pthread_create census_mark_text census_pool_chunk census_pool_allocated census_pool_freed "
          "census_pool_emptied census_attach census_detach prctl ptrace setns syscall unshare _Fork clone setlocale "
          "_exit _Exit __libc_start_main mmap mmap64 munmap mremap mprotect "
          "execve execv execvp execvpe execl execlp execle fexecve "
          "posix_spawn posix_spawnp system popen wordexp setrlimit setrlimit64 getrlimit getrlimit64 "
          "prlimit prlimit64 waitpid wait3 wait4 waitid clock_gettime __cxa_throw")
# Only where libc has them.
OPTIONAL = "execveat pidfd_spawn pidfd_spawnp"
# What programs call that `census cc` compiled, and functions that skip others.
COMPILED = ("__cyg_profile_func_enter __cyg_profile_func_exit census_scopes census_scope_enter "
            "census_scope_enter_under census_shadow_ready census_block_used longjmp _longjmp siglongjmp "
            "__longjmp_chk __cxa_begin_catch")
VERSION = [int(number) for number in os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")]
LIBC = r"libc\.so\.6|ld-linux-(x86-64\.so\.2|aarch64\.so\.1)" + (r"|lib(dl\.so\.2|pthread\.so\.0)" if VERSION < [2, 34] else "")
NOTHROW, ALIGN = "RKSt9nothrow_t", "St11align_val_t"
NEW = [f"_Z{kind}m{rest}" for kind in ("nw", "na") for rest in ("", NOTHROW, ALIGN, ALIGN + NOTHROW)]
DELETE = [f"_Z{kind}Pv{rest}" for kind in ("dl", "da")
          for rest in ("", NOTHROW, ALIGN, ALIGN + NOTHROW, "m", "m" + ALIGN)]


def main():
    library = sys.argv[1]
    expected = set(f"{MALLOC} {OTHERS} {COMPILED}".split() + NEW + DELETE)
    listing = subprocess.run(["nm", "-D", "--extern-only", "--defined-only", "--format=posix", library], check=True,
                             capture_output=True, text=True).stdout
    exported = {line.split()[0] for line in listing.splitlines()}
    dynamic = subprocess.run(["readelf", "-d", library], check=True, capture_output=True,
                             text=True).stdout
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
    problems = [f"{name} is exported" for name in sorted(exported - expected - set(OPTIONAL.split()))]
    problems += [f"{name} is not exported" for name in sorted(expected - exported)]
    problems += [f"{name} is needed" for name in sorted(needed)
                 if not re.fullmatch(LIBC, name)]
    if "TEXTREL" in dynamic or not exported:
        problems.append("its code has to be changed when it is loaded")
    print("\n".join(problems) or "as it should be")
    sys.exit(bool(problems))


main()
