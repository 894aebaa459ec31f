# census_warnings(TARGET): the warnings that all code of the project compiles without.
function(census_warnings target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wpointer-arith
    -Wcast-qual -Wwrite-strings -Wvla -Wundef -Wformat=2 -fno-common
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>)
  if(CENSUS_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
