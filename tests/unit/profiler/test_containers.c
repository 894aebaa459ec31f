/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Types of blocks by the functions that allocated them. The stacks come from GCC 12 (with and
 * without inlined functions) and rustc 1.95.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "native/collector/types/containers.h"
#include "symbol/demangle.h"

enum { MAX_FUNCTIONS = 8 };

typedef struct stack {
    const char *type;
    const char *symbols[MAX_FUNCTIONS]; /* innermost first */
} stack;

static void check(const stack *stacks, size_t n)
{
    if (!hpp__demangle_is_built_in()) {
        cr_skip("libiberty is not built in");
    }
    for (size_t i = 0; i < n; i++) {
        hpp__text names[MAX_FUNCTIONS] = {0};
        hpf_str functions[MAX_FUNCTIONS];
        size_t n_functions = 0;
        for (; n_functions < MAX_FUNCTIONS && stacks[i].symbols[n_functions]; n_functions++) {
            const char *symbol = stacks[i].symbols[n_functions];
            hpp__demangle(&names[n_functions], (hpf_str){symbol, strlen(symbol)});
            functions[n_functions] = hpp__text_str(&names[n_functions]);
        }
        hpp__text type = {0};
        bool is_object = hpp__container_type(&type, functions, n_functions);
        cr_expect_eq(is_object,
                     stacks[i].type[0] && !strstr(stacks[i].type, " of ") &&
                         strcmp(stacks[i].type, "char") != 0,
                     "%s", stacks[i].type);
        cr_expect(type.length == strlen(stacks[i].type) &&
                      memcmp(hpp__text_str(&type).data, stacks[i].type, type.length) == 0,
                  "%s: \"%.*s\", expected \"%s\"", stacks[i].symbols[1], (int)type.length,
                  hpp__text_str(&type).data, stacks[i].type);
        hpp__text_finish(&type);
        for (size_t j = 0; j < n_functions; j++) {
            hpp__text_finish(&names[j]);
        }
    }
}

#define CHECK(stacks) check(stacks, sizeof(stacks) / sizeof(stacks)[0])

/* Template arguments: std::string, and what a hash table of int and Foo has. */
#define STRING "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
#define HASH(unique)                                                                               \
    "_ZNSt10_HashtableIiSt4pairIKi3FooESaIS3_ENSt8__detail10_Select1stESt8equal_toIiESt4hashIiE"   \
    "NS5_18_Mod_range_hashingENS5_20_Default_ranged_hashENS5_20_Prime_rehash_policyE"              \
    "NS5_17_Hashtable_traitsILb0ELb0ELb" unique "EEEE"

Test(containers, functions_of_the_library_name_what_they_allocate)
{
    static const stack stacks[] = {
        {"array of std::vector<Foo>",
         {"_Znwm", "_ZNSt15__new_allocatorI3FooE8allocateEmPKv",
          "_ZNSt16allocator_traitsISaI3FooEE8allocateERS1_m",
          "_ZNSt12_Vector_baseI3FooSaIS0_EE11_M_allocateEm", "main"}},
        {"array of std::vector<Foo>",
         {"_Znwm", "_ZNSt6vectorI3FooSaIS0_EE17_M_realloc_insertIJS0_EEEvN9__gnu_cxx17__normal_"
                   "iteratorIPS0_S2_EEDpOT_"}},
        {"array of std::vector<bool>",
         {"_Znwm", "_ZNSt6vectorIbSaIbEE13_M_insert_auxESt13_Bit_iteratorb.isra.0"}},
        {"text of std::string",
         {"_Znwm", "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_mutateEmmPKcm",
          "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm", "main"}},
        {"node of std::list<Foo>",
         {"_Znwm", "_ZNSt15__new_allocatorISt10_List_nodeI3FooEE8allocateEmPKv",
          "_ZNSt16allocator_traitsISaISt10_List_nodeI3FooEEE8allocateERS3_m",
          "_ZNSt7__cxx1110_List_baseI3FooSaIS1_EE11_M_get_nodeEv"}},
        {"node of std::forward_list<Foo>",
         {"_Znwm", "_ZNSt14_Fwd_list_baseI3FooSaIS0_EE11_M_get_nodeEv"}},
        {"chunk of std::deque<Foo>",
         {"_Znwm", "_ZNSt15__new_allocatorI3FooE8allocateEmPKv",
          "_ZNSt11_Deque_baseI3FooSaIS0_EE16_M_allocate_nodeEv",
          "_ZNSt11_Deque_baseI3FooSaIS0_EE17_M_initialize_mapEm"}},
        {"index of std::deque<Foo>",
         {"_Znwm", "_ZNSt15__new_allocatorIP3FooE8allocateEmPKv",
          "_ZNSt11_Deque_baseI3FooSaIS0_EE15_M_allocate_mapEm",
          "_ZNSt11_Deque_baseI3FooSaIS0_EE17_M_initialize_mapEm"}},
        {"chunk of std::deque<Foo>",
         {"_Znwm", "_ZNSt5dequeI3FooSaIS0_EE16_M_push_back_auxIJS0_EEEvDpOT_"}},
        {"Foo",
         {"_Znwm",
          "_ZSt11make_uniqueI3FooJRiEENSt8__detail9_MakeUniqIT_E15__single_objectEDpOT0_"}},
        {"shared Foo",
         {"_Znwm",
          "_ZSt11make_sharedI3FooJRiEESt10shared_ptrINSt9enable_ifIXntsrSt8is_arrayIT_E5valu"
          "eES4_E4typeEEDpOT0_"}},
        {"shared Foo",
         {"_Znwm",
          "_ZNSt15__new_allocatorISt23_Sp_counted_ptr_inplaceI3FooSaIvELN9__gnu_cxx12_Lock_"
          "policyE2E"
          "EE8allocateEmPKv",
          "_ZNSt10shared_ptrI3FooEC1ISaIvEJRiEEESt20_Sp_alloc_shared_tagIT_EDpOT0_"}},
        {"char", {"_Znwm", "_ZNSt15__new_allocatorIcE8allocateEmPKv", "_ZN4Pool4growEv"}},
        {"Foo", {"_Znwm", "_ZNSt15__new_allocatorI3FooE8allocateEmPKv", "_ZN4Pool4growEv"}},
    };
    CHECK(stacks);
}

Test(containers, maps_and_sets_are_known_by_their_trees)
{
    static const stack stacks[] = {
        {"node of std::map<std::string,Foo>",
         {"_Znwm",
          "_ZNSt15__new_allocatorISt13_Rb_tree_nodeISt4pairIK" STRING "3FooEEE8allocateEmPKv",
          "_ZNSt8_Rb_treeI" STRING "St4pairIKS5_3FooESt10_Select1stIS9_ESt4lessIS5_ESaIS9_EE11_M_ge"
          "t_nodeEv"}},
        {"node of std::multimap<int,Foo>",
         {"_Znwm", "_ZNSt15__new_allocatorISt13_Rb_tree_nodeISt4pairIKi3FooEEE8allocateEmPKv",
          "_ZNSt8_Rb_treeIiSt4pairIKi3FooESt10_Select1stIS3_ESt4lessIiESaIS3_EE11_M_get_nodeEv",
          "_ZNSt8_Rb_treeIiSt4pairIKi3FooESt10_Select1stIS3_ESt4lessIiESaIS3_EE16_M_emplace_equalIJ"
          "RiS2_EEESt17_Rb_tree_iteratorIS3_EDpOT_"}},
        {"node of std::set<Foo>",
         {"_Znwm", "_ZNSt8_Rb_treeI3FooS0_St9_IdentityIS0_ESt4lessIS0_ESaIS0_EE11_M_get_nodeEv"}},
        {"node of std::map<int,Foo>",
         {"_Znwm", "_ZNSt3mapIi3FooSt4lessIiESaISt4pairIKiS0_EEEixERS4_"}},
    };
    CHECK(stacks);
}

Test(containers, hash_tables_have_nodes_and_buckets)
{
    static const stack stacks[] = {
        {"node of std::unordered_map<int,Foo>",
         {"_Znwm",
          "_ZNSt15__new_allocatorINSt8__detail10_Hash_nodeISt4pairIKi3FooELb0EEEE8allocateEmPKv",
          "_ZNSt8__detail16_Hashtable_allocISaINS_10_Hash_nodeISt4pairIKi3FooELb0EEEEE16_M_"
          "allocate_"
          "nodeIJRiS4_EEEPS6_DpOT_",
          HASH("1") "7emplaceIJRiS2_EEENS5_14_Node_iteratorIS3_Lb0ELb0EEEDpOT_"}},
        {"node of std::unordered_multimap<int,Foo>",
         {"_Znwm",
          "_ZNSt8__detail16_Hashtable_allocISaINS_10_Hash_nodeISt4pairIKi3FooELb0EEEEE16_M_"
          "allocate_"
          "nodeIJRiS4_EEEPS6_DpOT_",
          HASH("0") "7emplaceIJRiS2_EEENS5_14_Node_iteratorIS3_Lb0ELb0EEEDpOT_"}},
        {"buckets of std::unordered_map<int,Foo>",
         {"_Znwm", "_ZNSt15__new_allocatorIPNSt8__detail15_Hash_node_baseEE8allocateEmPKv",
          "_ZNSt8__detail16_Hashtable_allocISaINS_10_Hash_nodeISt4pairIKi3FooELb0EEEEE19_M_"
          "allocate_"
          "bucketsEm",
          HASH("1") "9_M_rehashEmRKm"}},
        {"buckets of std::unordered_multimap<int,Foo>", {"_Znwm", HASH("0") "9_M_rehashEmRKm"}},
        {"buckets of std::unordered_set<long>",
         {"_Znwm", "_ZNSt10_HashtableIllSaIlENSt8__detail9_IdentityESt8equal_toIlESt4hashIlENS1_18_"
                   "Mod_range_"
                   "hashingENS1_20_Default_ranged_hashENS1_20_Prime_rehash_policyENS1_17_Hashtable_"
                   "traitsILb0"
                   "ELb1ELb1EEEE9_M_rehashEmRKm"}},
        {"node of std::unordered_map<int,Foo>",
         {"_Znwm", "_ZNSt8__detail9_Map_baseIiSt4pairIKi3FooESaIS4_ENS_10_Select1stESt8equal_"
                   "toIiESt4hashIiEN"
                   "S_18_Mod_range_hashingENS_20_Default_ranged_hashENS_20_Prime_rehash_policyENS_"
                   "17_Hashtabl"
                   "e_traitsILb0ELb0ELb1EEELb1EEixERS2_"}},
    };
    CHECK(stacks);
}

Test(containers, the_innermost_container_decides)
{
    static const stack stacks[] = {
        {"text of std::string",
         {"_Znwm",
          "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructIPcEEvT_S7_"
          "St20forward"
          "_iterator_tag.isra.0",
          "_ZNSt8_Rb_treeI" STRING "St4pairIKS5_3FooESt10_Select1stIS9_ESt4lessIS5_ESaIS9_EE11_M_ge"
          "t_nodeEv"}},
        {"", {"_Znwm", "main", "_ZNSt6vectorI3FooSaIS0_EE9push_backEOS0_"}},
        {"", {"malloc", "main"}},
        {"",
         {"_Znwm", "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1"
                   "_EEPFvvE"}},
    };
    CHECK(stacks);
}

Test(containers, rust_names_types_where_symbols_have_them)
{
    /* As they are displayed: the hashes of real symbols are of no interest. */
    static const struct {
        const char *type;
        const char *functions[6];
    } stacks[] = {
        {"demo::Node",
         {"alloc::alloc::alloc", "<alloc::boxed::Box<demo::Node>>::new", "demo::main"}},
        {"", {"alloc::alloc::alloc", "alloc::boxed::Box<T>::new", "demo::main"}},
        {"array of Vec<demo::Node>",
         {"<alloc::raw_vec::RawVecInner>::finish_grow",
          "<alloc::raw_vec::RawVec<demo::Node>>::grow_one", "<alloc::vec::Vec<demo::Node>>::push",
          "demo::main"}},
        {"array of Vec", {"alloc::raw_vec::RawVec<T,A>::grow_one", "alloc::vec::Vec<T,A>::push"}},
        {"text of String",
         {"<alloc::raw_vec::RawVec<u8>>::reserve", "<alloc::vec::Vec<u8>>::extend_from_slice",
          "<alloc::string::String>::push_str", "demo::main"}},
        {"array of VecDeque<u32>",
         {"<alloc::raw_vec::RawVec<u32>>::grow_one",
          "<alloc::collections::vec_deque::VecDeque<u32>>::grow"}},
        {"node of BTreeMap<u64,demo::Node>",
         {"<alloc::boxed::Box<alloc::collections::btree::node::LeafNode<u64,demo::Node>>>::new_"
          "uninit"
          "_in"}},
        {"shared demo::Node", {"<alloc::boxed::Box<alloc::rc::RcInner<demo::Node>>>::new"}},
        {"table of HashMap<u64,demo::Node>",
         {"<hashbrown::raw::RawTable<(u64,demo::Node)>>::reserve_rehash",
          "<hashbrown::map::HashMap<u64,demo::Node>>::insert"}},
        {"table of HashSet<u64>",
         {"<hashbrown::raw::RawTable<(u64,())>>::reserve_rehash",
          "<hashbrown::map::HashMap<u64,()>>::insert"}},
        {"node of BTreeSet<u64>",
         {"<alloc::boxed::Box<alloc::collections::btree::node::LeafNode<u64,"
          "alloc::collections::btree::set_val::SetValZST>>>::new_uninit_in"}},
    };
    hpp__text type = {0};
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
        hpf_str functions[6];
        size_t n = 0;
        for (; n < 6 && stacks[i].functions[n]; n++) {
            functions[n] = (hpf_str){stacks[i].functions[n], strlen(stacks[i].functions[n])};
        }
        hpp__container_type(&type, functions, n);
        cr_expect(type.length == strlen(stacks[i].type) &&
                      memcmp(hpp__text_str(&type).data, stacks[i].type, type.length) == 0,
                  "\"%.*s\", expected \"%s\"", (int)type.length, hpp__text_str(&type).data,
                  stacks[i].type);
    }
    hpp__text_finish(&type);
}

Test(containers, control_blocks_are_named_by_what_they_hold)
{
    static const char *const classes[][2] = {
        {"std::_Sp_counted_ptr_inplace<Foo,std::allocator<void>,(__gnu_cxx::_Lock_policy)2>",
         "shared Foo"},
        {"std::_Sp_counted_ptr<Foo*,(__gnu_cxx::_Lock_policy)2>", "count of shared Foo"},
        {"Foo<int>", "Foo<int>"},
        {"std::_Sp_counted_ptr_inplace<", "std::_Sp_counted_ptr_inplace<"},
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        hpp__text name = {0};
        hpp__text_add(&name, (hpf_str){classes[i][0], strlen(classes[i][0])});
        hpp__container_class(&name);
        cr_expect(name.length == strlen(classes[i][1]) &&
                      memcmp(name.data, classes[i][1], name.length) == 0,
                  "%.*s, expected %s", (int)name.length, name.data, classes[i][1]);
        hpp__text_finish(&name);
    }
}
