/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions that are told by their names: those that hand memory on, and those that call main.
 * docs/native.md lists them for people.
 */
#ifndef HPP_ALLOCATOR_NAMES_H
#define HPP_ALLOCATOR_NAMES_H

/* One expression for whole names, after blanks are gone. Allocators hand memory on; so do functions
 * of the C library that return what they have allocated (strdup). */
#define HPP__ALLOCATOR_NAMES                                                                       \
    "^(" /* C, and wrappers that end the program when there is no memory */                        \
    "(__libc_|__|_|je_|mi_|tc_)?(malloc|calloc|realloc|reallocarray|memalign|valloc|pvalloc)"      \
    "|(posix_|_mid_)?memalign|aligned_alloc"                                                       \
    "|(__)?(strdup|strndup)|(v|__)?asprintf|__vasprintf_(internal|chk)|__asprintf_chk"             \
    "|(do_)?x(x|z|p|s)?(malloc|calloc|realloc|nmalloc|zalloc|mallocz|memalign|alloc|dup|memdup|"   \
    "strdup|strndup|mallocarray|nrealloc|2realloc|nalloc)[a-z_]*"                                  \
    "|i?(x|n)(m|c|re)alloc(_gently)?|x2n?realloc|rpl_(m|c|re)alloc(array)?" /* C++ */              \
    "|operator_new(\\[\\])?"                                                                       \
    "|std::(pmr::)?(__new_allocator|allocator|allocator_traits|polymorphic_allocator|"             \
    "__allocator|_Vector_base|__allocate_guarded|__allocated_ptr|__cxx11::_Allocator).*"           \
    "|__gnu_cxx::(new_allocator|malloc_allocator|__alloc_traits|__pool_alloc|__mt_alloc).*"        \
    "|std::__detail::_Hashtable_alloc<.*>::_M_allocate.*"                                          \
    "|std::(_Rb_tree|__cxx11::_List_base|__cxx11::list|_Deque_base|_Fwd_list_base)<.*>::"          \
    "(_M_get_node|_M_allocate_.*|_M_create_node)"                                                  \
    "|std::__cxx11::basic_string<.*>::_M_create|std::string::_Rep::_S_create" /* GLib, GTK */      \
    "|g_(try_)?(malloc|malloc0|realloc)(_n)?|g_slice_(alloc|alloc0|copy)|g_(str|mem)n?dup2?"       \
    "|g_aligned_alloc0?|standard_(try_)?(m|c|re)alloc" /* Rust */                                  \
    "|__rust_(alloc|alloc_zeroed|realloc)|__rdl_(alloc|alloc_zeroed|realloc)"                      \
    "|alloc::alloc::.*|(<)?alloc::raw_vec::.*|<alloc::alloc::Global.*|alloc::boxed::Box<.*>::new"  \
    "|hashbrown::raw::.*::new_uninitialized|std::alloc::.*|<std::alloc::System.*" /* Python */     \
    "|_?Py(Mem|Object)_(Raw)?(Malloc|Calloc|Realloc|Resize)|_PyMem_Raw(Malloc|Calloc|Realloc)"     \
    "|_PyMem_Debug.*|_PyObject_(Malloc|Calloc|Realloc)|pymalloc_alloc"                             \
    "|_?PyObject_GC_(New|NewVar|Resize|Malloc)|_PyObject_(New|NewVar|GC_Alloc)|gc_alloc"           \
    "|PyType_GenericAlloc|_PyType_AllocNoTrack" /* others that many programs carry along */        \
    "|sqlite3(_|Mem|Db)?(M|m|R|r)(alloc|ealloc)(Raw|RawNN|RawNNTyped|RawFinish|Zero|OrFree|64)?"   \
    "|sqlite3DbMallocRawNN|dbMallocRawFinish|mallocWithAlarm|sqlite3DbStrN?Dup"                    \
    "|CRYPTO_(malloc|zalloc|realloc|strdup|memdup|clear_realloc|aligned_alloc)"                    \
    "|apr_palloc|_?obstack_(begin|newchunk|begin_worker)|_?dl_(m|c)alloc"                          \
    ")$"

/* What calls main and the functions of threads. */
#define HPP__START_NAMES                                                                           \
    "^(_start|__libc_start_main.*|__libc_start_call_main|__libc_init_first|generic_start_main.*"   \
    "|start_thread|__?clone[0-9]?|clone[0-9]?)$"

#endif
