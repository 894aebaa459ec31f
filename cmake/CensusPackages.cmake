# Debian packages: `cpack -G DEB` in a build directory, best of a build with -DCMAKE_INSTALL_PREFIX=/usr, whose libraries are where
# Debian keeps packages of an architecture. The release: target `dist`.

set(CENSUS_MAINTAINER "The heapcensus authors <heapcensus@localhost.invalid>" CACHE STRING "Maintainer of the Debian packages")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heapcensus)
set(CPACK_PACKAGE_CONTACT "${CENSUS_MAINTAINER}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL census development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_COMPONENT_CENSUS_DESCRIPTION "heap profiler and renderer of heap profiles
 Shows where the memory of a program goes, over time. Profiles native programs
 without recompiling them, and draws, summarises, compares and converts heap
 profiles, also from GHC. Takes the place of hp2ps.")
set(CPACK_DEBIAN_CENSUS_PACKAGE_NAME census)
set(CPACK_DEBIAN_CENSUS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_CENSUS_PACKAGE_RECOMMENDS "fonts-dejavu-core | fonts-liberation, xdg-utils")
set(CPACK_DEBIAN_CENSUS_PACKAGE_SUGGESTS "binutils, libheapcensus-dev")

set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "libraries to take, read and draw heap profiles
 Static libraries and headers: hpfile reads and writes heap profiles, hprender
 draws them, hpprof takes them in language runtimes. Headers with which a
 program adds marks and scopes to its profile.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libheapcensus-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "zlib1g-dev, liblzma-dev, libzstd-dev, libsqlite3-dev, libcairo2-dev, libpango1.0-dev, libpng-dev, libdw-dev, libiberty-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "census")

# Compresses manual pages, and adds copyright and changelog.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/DebianFiles.cmake)
include(CPack)

# A tarball of the last commit. Equal commits give equal bytes.
set(release ${PROJECT_NAME}-${PROJECT_VERSION})
add_custom_target(dist
  COMMAND git archive --prefix=${release}/ -o ${PROJECT_BINARY_DIR}/${release}.tar HEAD
  COMMAND xz -T1 -f ${PROJECT_BINARY_DIR}/${release}.tar
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
