# census_warnings(TARGET): the warnings that all code of the project compiles without.
function(census_warnings target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wpointer-arith
    -Wcast-qual -Wwrite-strings -Wvla -Wundef -Wformat=2 -fno-common
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>)
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION VERSION_LESS 11)
    target_compile_options(${target} PRIVATE -Wno-missing-field-initializers) # of fields named in {}, too: GCC bug 82283
  endif()
  if(CENSUS_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
