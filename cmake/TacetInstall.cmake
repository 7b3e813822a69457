include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(modules GLOBAL PROPERTY TACET_MODULES)
install(TARGETS ${modules} tacet_compiler EXPORT tacetTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY tacet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.inc" PATTERN "apps" EXCLUDE)
install(FILES ${TACET_GENERATED_DIR}/tacet/base/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tacet/base)
if(TARGET tacet_program)
  install(TARGETS tacet_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tacet)
install(FILES LICENSE THIRD_PARTY_NOTICES.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(EXPORT tacetTargets NAMESPACE tacet::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tacet)
configure_package_config_file(
  cmake/tacetConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/tacetConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tacet)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tacetConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tacetConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/tacetConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tacet)
