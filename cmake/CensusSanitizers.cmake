# CENSUS_SANITIZE applies to everything that is built, tests included.
if(CENSUS_SANITIZE)
  if(NOT CENSUS_SANITIZE MATCHES "^(address|undefined|address,undefined|thread)$")
    message(FATAL_ERROR "CENSUS_SANITIZE must be address, undefined, address,undefined or thread; "
                        "it is '${CENSUS_SANITIZE}'")
  endif()
  add_compile_options(-fsanitize=${CENSUS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${CENSUS_SANITIZE})
  # It links the many programs in less than half of the time.
  find_program(CENSUS_LLD ld.lld)
  if(CENSUS_LLD)
    add_link_options(-fuse-ld=lld -Wl,--build-id=sha1)
  endif()
endif()

# census_sanitized_library(TARGET): the preset with sanitizers compiles quickly, without optimisation. In this library tests spend so
# much time that optimising it takes less.
function(census_sanitized_library target)
  if(CENSUS_SANITIZE)
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# libFuzzer sees only what is built for it.
if(CENSUS_BUILD_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
