# Installing. Two components, which are Debian packages: census, and development for users of the libraries.

# Shared libraries are found beside the program that uses them, so that an installed tree can be moved.
if(BUILD_SHARED_LIBS)
  set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR};$ORIGIN")
endif()

# census_install_library(NAME DESCRIPTION "..." [REQUIRES "pkg ..."] [REQUIRES_PRIVATE "pkg ..."]
#                        [LIBS_PRIVATE "-l..."])
# Only the library itself calls private packages and libraries. With a static library its users link
# them, so `pkg-config --libs NAME` lists them; with a shared one only `pkg-config --static` does.
function(census_install_library name)
  cmake_parse_arguments(arg "" "DESCRIPTION;REQUIRES;REQUIRES_PRIVATE;LIBS_PRIVATE" "" ${ARGN})
  set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  if(BUILD_SHARED_LIBS)
    target_link_options(${name} PRIVATE -Wl,--exclude-libs,ALL)
  endif()
  install(TARGETS ${name} EXPORT heapcensus-targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_COMPONENT development)
  install(DIRECTORY include/${name} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
  # The prefix as seen from the file itself, so that an installed tree can be moved.
  file(RELATIVE_PATH PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  set(PC_NAME ${name})
  set(PC_DESCRIPTION "${arg_DESCRIPTION}")
  set(PC_REQUIRES "${arg_REQUIRES}")
  set(PC_REQUIRES_PRIVATE "${arg_REQUIRES_PRIVATE}")
  set(PC_LIBS_PRIVATE "${arg_LIBS_PRIVATE} -lm")
  set(PC_LIBS "")
  if(NOT BUILD_SHARED_LIBS)
    set(PC_REQUIRES "${PC_REQUIRES} ${PC_REQUIRES_PRIVATE}")
    set(PC_LIBS "${PC_LIBS_PRIVATE}")
    set(PC_REQUIRES_PRIVATE "")
    set(PC_LIBS_PRIVATE "")
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/library.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endfunction()

# The CMake package: find_package(heapcensus) gives heapcensus::hpfile and the others.
function(census_install_package)
  set(dir ${CMAKE_INSTALL_LIBDIR}/cmake/heapcensus)
  install(EXPORT heapcensus-targets NAMESPACE heapcensus:: DESTINATION ${dir} COMPONENT development)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/heapcensus-config.cmake.in
    ${PROJECT_BINARY_DIR}/heapcensus-config.cmake INSTALL_DESTINATION ${dir})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/heapcensus-config-version.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/heapcensus-config.cmake
    ${PROJECT_BINARY_DIR}/heapcensus-config-version.cmake DESTINATION ${dir} COMPONENT development)
endfunction()

# A double click on a profile opens a page.
function(census_install_desktop)
  set(dir ${PROJECT_SOURCE_DIR}/cmake/desktop)
  install(FILES ${dir}/heapcensus.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
  install(FILES ${dir}/heapcensus.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)
  install(FILES ${dir}/heapcensus.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
endfunction()

# The licence, the documents and the samples, in the folders that their links expect.
function(census_install_documents)
  install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN "*.sh" EXCLUDE)
  install(FILES samples/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/samples)
  install(DIRECTORY samples/api samples/hp samples/native samples/node samples/programs samples/python
    DESTINATION ${CMAKE_INSTALL_DOCDIR}/samples PATTERN "__pycache__" EXCLUDE)
  foreach(room base hpfile coverage render profiler profiler/native cli)
    install(FILES ${room}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/${room})
  endforeach()
endfunction()
