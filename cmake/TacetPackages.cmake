# Two packages for Debian, by CPack: `tacet`, the program with all that it needs, and `libtacet-dev`.
# scripts/deb builds them. There is none for Python: Debian 12 has no scikit-learn that is new enough,
# and the wheel serves Python.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "The tacet developers")
# Whoever hands a package to others says who they are, as for every package of Debian.
set(TACET_MAINTAINER "The tacet developers <tacet@localhost.localdomain>")
if(DEFINED ENV{DEBFULLNAME} AND DEFINED ENV{DEBEMAIL})
  set(TACET_MAINTAINER "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(CPACK_PACKAGE_CONTACT "${TACET_MAINTAINER}")
# Where the project lives stands in one place, [project.urls] of pyproject.toml, once it has an address.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/pyproject.toml)
file(STRINGS ${PROJECT_SOURCE_DIR}/pyproject.toml TACET_HOMEPAGE REGEX "^Homepage *= *\"https://[^\"]+\"")
if(TACET_HOMEPAGE MATCHES "\"(.*)\"")
  set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "${CMAKE_MATCH_1}")
endif()
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/TacetDebian.cmake)
set(CPACK_THREADS 2)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME tacet)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "libtacet-dev, openssl")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtacet-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/triggers)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "tacet, cmake, pkg-config")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
"tacet trains linear models, models with curves, wide models and word vectors
with differential privacy. It releases private summaries and quantiles, keeps
budgets in a ledger, checks guarantees again, and serves devices that keep
their records. This package has the program, its manual, completions of
shells, schemas, demonstration data and a unit of systemd for `tacet serve`.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
"This package has the C++ library as static archives with its headers, the
shared library with the interface in C, examples, and what CMake and
pkg-config need to find them.")

# What libraries need that are linked statically: the packages that own the files which were found here,
# so that the names are this distribution's.
function(tacet_owner variable)
  execute_process(COMMAND dpkg-query -S ${ARGN} OUTPUT_VARIABLE owner RESULT_VARIABLE failed ERROR_QUIET)
  string(REGEX REPLACE "[:,].*" "" owner "${owner}")
  if(failed)
    set(owner "")
  endif()
  set(${variable} "${owner}" PARENT_SCOPE)
endfunction()
set(needed "")
find_path(TACET_EIGEN_AT Eigen/Core PATH_SUFFIXES eigen3)
foreach(file ${TACET_EIGEN_AT}/Eigen/Core ${OPENSSL_INCLUDE_DIR}/openssl/ssl.h ${ZLIB_INCLUDE_DIRS}/zlib.h
             ${Boost_INCLUDE_DIRS}/boost/version.hpp ${SQLite3_INCLUDE_DIRS}/sqlite3.h)
  tacet_owner(owner ${file})
  list(APPEND needed ${owner})
endforeach()
foreach(folder ${fmt_DIR} ${nlohmann_json_DIR} ${tomlplusplus_DIR})
  tacet_owner(owner ${folder})
  list(APPEND needed ${owner})
endforeach()
tacet_owner(owner ${HWY_LIBDIR}/pkgconfig/libhwy.pc)
list(APPEND needed ${owner})
list(REMOVE_DUPLICATES needed)
list(SORT needed)
list(JOIN needed ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)
list(LENGTH needed TACET_DEBIAN_FOUND)
if(TACET_DEBIAN_FOUND LESS 9)
  # Not a machine of Debian's family, or libraries of another source: there is no package to make.
  set(CPACK_COMPONENTS_ALL program)
endif()

# The date of all files: of the environment, or of the last change.
string(TIMESTAMP TACET_DEBIAN_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(packaging/debian/changelog.in ${PROJECT_BINARY_DIR}/debian/changelog @ONLY)
set(CPACK_PROJECT_CONFIG_FILE "")
set(CPACK_TACET_SOURCE ${PROJECT_SOURCE_DIR})
set(CPACK_TACET_BUILD ${PROJECT_BINARY_DIR})
include(CPack)
