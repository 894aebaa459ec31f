pkg_check_modules(CRITERION QUIET IMPORTED_TARGET criterion)
if(CENSUS_BUILD_TESTS AND NOT CRITERION_FOUND)
  message(STATUS "Not built: unit tests (Criterion; Debian: libcriterion-dev)")
endif()

configure_file(${PROJECT_SOURCE_DIR}/tests/support/source_dir.h.in ${PROJECT_BINARY_DIR}/tests/support/source_dir.h)

# census_criterion_test(TARGET NAME): the program TARGET holds Criterion tests and is the ctest NAME.
# Without Criterion the program is not built.
function(census_criterion_test target name)
  if(NOT CRITERION_FOUND)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE)
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/tests/support)
  target_link_libraries(${target} PRIVATE PkgConfig::CRITERION)
  census_warnings(${target})
  target_compile_options(${target} PRIVATE -Wno-pedantic -Wno-missing-prototypes)
  add_test(NAME ${name}
    COMMAND ${PROJECT_SOURCE_DIR}/tests/support/report_skips.sh $<TARGET_FILE:${target}> -j1)
  # Under the address sanitizer an allocation that is far too large fails, as it does elsewhere.
  set_tests_properties(${name} PROPERTIES
    ENVIRONMENT "ASAN_OPTIONS=allocator_may_return_null=1;LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/lsan.supp:print_suppressions=0"
    SKIP_RETURN_CODE 77)
endfunction()

# census_unit_test(ROOM MODULE [WAITS] [LIBS lib...] [SOURCES extra.c...]): tests/unit/ROOM/test_MODULE.c
# as one Criterion program and one ctest named ROOM.MODULE. Private headers of the room are in reach.
# WAITS gives it the label of tests that wait, listen, follow or read a clock.
function(census_unit_test room module)
  cmake_parse_arguments(arg "WAITS" "" "LIBS;SOURCES" ${ARGN})
  set(target test_${room}_${module})
  add_executable(${target} ${CMAKE_CURRENT_SOURCE_DIR}/test_${module}.c ${arg_SOURCES})
  target_include_directories(${target} PRIVATE
    ${PROJECT_SOURCE_DIR}/${room} ${PROJECT_SOURCE_DIR}/hpfile
    ${PROJECT_SOURCE_DIR}/tests/support)
  target_link_libraries(${target} PRIVATE ${arg_LIBS} m)
  census_criterion_test(${target} ${room}.${module})
  target_compile_options(${target} PRIVATE -O0) # it compiles quickest
  if(arg_WAITS AND TEST ${room}.${module})
    set_tests_properties(${room}.${module} PROPERTIES LABELS waits)
  endif()
endfunction()
