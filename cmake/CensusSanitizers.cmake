# It links the many programs of tests in less than half of the time.
find_program(CENSUS_LLD ld.lld)
set(CENSUS_LLD_OPTIONS "")
if(CENSUS_LLD AND NOT CMAKE_CROSSCOMPILING)
  set(CENSUS_LLD_OPTIONS -fuse-ld=lld -Wl,--build-id=sha1)
endif()

# CENSUS_SANITIZE applies to everything that is built, tests included.
if(CENSUS_SANITIZE)
  if(NOT CENSUS_SANITIZE MATCHES "^(address|undefined|address,undefined|thread)$")
    message(FATAL_ERROR "CENSUS_SANITIZE must be address, undefined, address,undefined or thread; "
                        "it is '${CENSUS_SANITIZE}'")
  endif()
  add_compile_options(-fsanitize=${CENSUS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${CENSUS_SANITIZE})
  add_link_options(${CENSUS_LLD_OPTIONS})
endif()

# census_sanitized_library(TARGET): the preset with sanitizers compiles quickly, without optimisation. In this library tests spend so
# much time that optimising it takes less. With the thread sanitizer, two short tests run.
function(census_sanitized_library target)
  if(CENSUS_SANITIZE AND NOT CENSUS_SANITIZE STREQUAL "thread")
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# libFuzzer sees only what is built for it.
if(CENSUS_BUILD_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
