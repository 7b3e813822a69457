include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(${CMAKE_CURRENT_LIST_DIR}/TacetHeaders.cmake)

# Two parts, each a package of its own: `program`, and `development`, which is what names no other.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)

get_property(modules GLOBAL PROPERTY TACET_MODULES)
install(TARGETS ${modules} tacet_compiler EXPORT tacetTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(header ${TACET_PUBLIC_HEADERS})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()
install(FILES ${TACET_GENERATED_DIR}/tacet/base/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tacet/base)
if(BUILD_SHARED_LIBS)
  foreach(user tacet_shared tacet_program)
    if(TARGET ${user})
      set_target_properties(${user} PROPERTIES INSTALL_RPATH "$ORIGIN;$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
    endif()
  endforeach()
endif()
# By itself: a project in C takes it without what the modules need.
if(TARGET tacet_shared)
  install(TARGETS tacet_shared EXPORT tacetCTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT tacetCTargets NAMESPACE tacet:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tacet)
endif()
install(FILES tacet/capi/tacet.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})  # of the library for C
if(TARGET tacet_program)
  install(TARGETS tacet_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()
install(DIRECTORY data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tacet COMPONENT program)
# Headers point to it. The tools that make the site of it stay in the tree.
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program PATTERN site EXCLUDE)
install(FILES LICENSE THIRD_PARTY_NOTICES.md CHANGELOG.md README.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(FILES packaging/Containerfile.package DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples
        COMPONENT program RENAME Containerfile)
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libtacet-dev/examples
        PATTERN "__pycache__" EXCLUDE)
# What scripts/deb has found the build to consist of.
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tacet.spdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR}
        COMPONENT program OPTIONAL)
install(EXPORT tacetTargets NAMESPACE tacet::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tacet)
# tacet_needs(<variable> <module>): the packages of others that a module and what it stands on need.
function(tacet_needs variable module)
  set(found "")
  set(open tacet_${module})
  while(open)
    list(POP_FRONT open target)
    get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
    foreach(library IN LISTS libraries)
      if(library MATCHES "^tacet_" AND NOT library IN_LIST seen)
        list(APPEND open ${library})
        list(APPEND seen ${library})
      elseif(library MATCHES "^([A-Za-z0-9_]+)::(.*)$")
        set(package ${CMAKE_MATCH_1})
        if(package STREQUAL "SQLite")
          set(package SQLite3)
        elseif(package STREQUAL "PkgConfig")
          set(package libhwy)
        endif()
        list(APPEND found ${package})
      endif()
    endforeach()
  endwhile()
  list(REMOVE_DUPLICATES found)
  list(SORT found)
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()
set(TACET_NEEDS "")
foreach(target ${modules})
  string(REGEX REPLACE "^tacet_" "" module ${target})
  tacet_needs(needed ${module})
  string(APPEND TACET_NEEDS "set(tacet_needs_${module} ${needed})\n")
endforeach()
configure_package_config_file(
  cmake/tacetConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/tacetConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tacet)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tacetConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tacetConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/tacetConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tacet)

# For pkg-config: highest floor first, as linkers want static libraries. The prefix is known when
# installing.
set(TACET_LIBRARY_FLAGS "")
foreach(module ${modules})
  get_target_property(type ${module} TYPE)
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    set(TACET_LIBRARY_FLAGS "-l${module} ${TACET_LIBRARY_FLAGS}")
  endif()
endforeach()
string(STRIP "${TACET_LIBRARY_FLAGS}" TACET_LIBRARY_FLAGS)
set(pc_names tacet)
if(TARGET tacet_shared)
  list(APPEND pc_names tacet-c)  # the library for C
endif()
foreach(name ${pc_names})
  file(READ cmake/${name}.pc.in pc)
  string(REPLACE "@CMAKE_INSTALL_PREFIX@" "\${CMAKE_INSTALL_PREFIX}" pc "${pc}")
  string(CONFIGURE "${pc}" pc @ONLY)
  string(REPLACE "\${CMAKE_INSTALL_PREFIX}" "@CMAKE_INSTALL_PREFIX@" pc "${pc}")
  set(pc_file ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc)
  file(WRITE ${pc_file}.in "${pc}")
  install(CODE "configure_file(${pc_file}.in ${pc_file} @ONLY)" COMPONENT development)
  install(FILES ${pc_file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# The unit of the service names the program where it is installed.
if(TARGET tacet_program)
  file(READ packaging/tacet-serve.service unit)
  string(REPLACE "/usr/local/bin/tacet" "@CMAKE_INSTALL_PREFIX@/bin/tacet" unit "${unit}")
  set(unit_file ${CMAKE_CURRENT_BINARY_DIR}/tacet-serve.service)
  file(WRITE ${unit_file}.in "${unit}")
  install(CODE "configure_file(${unit_file}.in ${unit_file} @ONLY)" COMPONENT program)
  install(FILES ${unit_file} DESTINATION lib/systemd/system COMPONENT program)
endif()
