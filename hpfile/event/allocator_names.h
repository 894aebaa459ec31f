/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Allocators and wrappers of them, which are recognised by name. docs/native.md lists them.
 */
#ifndef HPF_ALLOCATOR_NAMES_H
#define HPF_ALLOCATOR_NAMES_H

/* A POSIX extended regular expression for whole names without blanks, and a word that all matching
 * names contain. Most names contain none of the words, which is quick to find out. */
typedef struct hpf__name_rule {
    const char *word;
    const char *expression;
} hpf__name_rule;

/* Allocators, functions that return a copy in new memory (strdup), and functions of the C++ library
 * with reserved names. */
static const hpf__name_rule hpf__allocator_names[] = {
    /* C, and wrappers that end the program when there is no memory. */
    {"alloc",
     "^(__libc_|__|_|je_|mi_|tc_)?(malloc|calloc|realloc|reallocarray|memalign|valloc|pvalloc)$"},
    {"align", "^((__libc_|posix_|_mid_)?memalign|aligned_alloc)$"},
    {"dup", "^(__)?strn?dup$"},
    {"asprintf", "^(v|__|_IO_v)?asprintf$|^__v?asprintf_(internal|chk)$"},
    {"alloc", "^(do_)?x(x|z|p|s|i|n|r|2|2n)?(malloc|calloc|realloc|zalloc|alloc|memalign)"
              "(_?array|_?gently|_?or_die|z|0)?$"},
    {"dup", "^(do_)?x(x|p|s)?(memdup|strn?dup)(z|0|_or_die)?$"},
    {"alloc", "^(safe|checked|rpl|my|e|em)_?(malloc|calloc|realloc)(array)?$"},
    {"alloc", "^z(try)?(malloc|calloc|realloc)(_num|_array)?(_usable)?$"},
    /* C++. */
    {"operator", "^operator[_ ]new(\\[\\])?(\\(.*)?$"},
    {"alloc", "^std::(pmr::|__1::)?(allocator|allocator_traits|polymorphic_allocator"
              "|__[a-z_]*alloc[a-z_]*)(<.*>)?(::.*)?$"},
    {"__gnu_cxx::", "^__gnu_cxx::(__)?[a-z_]*alloc[a-z_]*(<.*>)?::.*$"},
    {"std::_", "^std::(__cxx11::)?_[A-Z].*$"},
    {"std::__", "^std::(__detail::|__1::__|__cxx11::_[A-Z]).*$"},
    {"::_M_", "^std::.*::_M_[a-z_0-9]*(<.*>)?$"},
    {"::_S_", "^std::.*::_S_[a-z_0-9]*(<.*>)?$"},
    /* GLib, GTK. */
    {"alloc", "^g_(try_|aligned_|slice_)?(malloc|malloc0|realloc|alloc|alloc0)(_n)?$"},
    {"g_", "^g_(slice_copy|strn?dup|memdup2?)$"},
    {"standard_", "^standard_(try_)?(m|c|re)alloc$"},
    /* Rust. */
    {"__r", "^__(rust|rdl|rg)_(alloc|alloc_zeroed|realloc)$"},
    {"alloc", "^<?(alloc::(alloc|raw_vec)|std::alloc|hashbrown::raw::alloc)::.*$"},
    {"box_new", "^alloc::boxed::box_new(_uninit)?$"},
    {"::new", "^<?alloc::(boxed::Box|rc::Rc|sync::Arc)<.*>::new$"},
    {"_capacity", "^<?alloc::.*::with_capacity(_in)?$"},
    /* Python. */
    {"Py", "^_?Py(Mem|Object)_(Raw|Debug)*(Malloc|Calloc|Realloc|Resize|Alloc)$"},
    {"PyObject_", "^_?PyObject_(New|NewVar|GC_New|GC_NewVar|GC_Resize|GC_Malloc|GC_Alloc"
                  "|(Malloc|Calloc|Realloc)WithType)$"},
    {"tracemalloc_", "^tracemalloc_(raw_)?(m|c|re)?alloc(_gil)?$"},
    {"lloc", "^(gc_alloc|pymalloc_alloc|PyType_GenericAlloc|_PyType_AllocNoTrack)$"},
    /* Libraries that many programs contain. */
    {"sqlite3", "^sqlite3(_|Mem|Db)?([Mm]alloc|[Rr]ealloc)(Raw|RawNN|RawNNTyped|Zero|OrFree|64)?$"},
    {"alloc", "^(dbMallocRawFinish|mallocWithAlarm)$"},
    {"sqlite3Db", "^sqlite3DbStrN?Dup$"},
    {"CRYPTO_", "^CRYPTO_(malloc|zalloc|realloc|strdup|memdup|clear_realloc|aligned_alloc)$"},
    {"obstack_", "^_?obstack_(begin|newchunk|begin_worker)$"},
    {"apr_", "^apr_(palloc|pcalloc|pstrn?dup|pmemdup|pool_create_ex|allocator_alloc)$"},
    {"ngx_", "^ngx_(alloc|calloc|memalign|p(n|c)?alloc|pmemalign|pstrdup|create_pool)$"},
    {"alloc", "^(palloc|repalloc)(0|_extended|_huge|0_huge)?$"},
    {"pstrdup", "^pn?strn?dup$"},
    {"MemoryContext", "^MemoryContext(Alloc[A-Za-z]*|Strdup)$"},
    {"Set", "^AllocSet(Alloc|Realloc|ContextCreateInternal)$"},
    {"Context", "^(Generation|Slab)ContextCreate$"},
};

#endif
