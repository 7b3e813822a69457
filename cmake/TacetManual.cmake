# Manual pages and completions of shells, made from the options of the program that was just built.
find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_Interpreter_FOUND OR CMAKE_CROSSCOMPILING)
  message(STATUS "manual pages and completions are left out: they need Python and a program that runs here")
  return()
endif()
set(TACET_MANUAL ${PROJECT_BINARY_DIR}/manual)
set(table ${TACET_MANUAL}/options.json)
file(GLOB makers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/packaging/manual/*.py
     ${PROJECT_SOURCE_DIR}/packaging/completion/*.py)
add_custom_command(
  OUTPUT ${table} ${TACET_MANUAL}/pages/tacet.1 ${TACET_MANUAL}/completion/_tacet
  COMMAND ${CMAKE_COMMAND} -E make_directory ${TACET_MANUAL}
  COMMAND tacet_program help --all --json > ${table}
  COMMAND Python3::Interpreter -B ${PROJECT_SOURCE_DIR}/packaging/manual/manual_pages.py ${table}
          ${PROJECT_SOURCE_DIR} ${TACET_MANUAL}/pages
  COMMAND Python3::Interpreter -B ${PROJECT_SOURCE_DIR}/packaging/completion/completions.py ${table}
          ${TACET_MANUAL}/completion
  DEPENDS tacet_program ${makers} ${PROJECT_SOURCE_DIR}/data/schemas/README.md
          ${PROJECT_SOURCE_DIR}/docs/explanations/ledger.md
  VERBATIM)
add_custom_target(tacet_manual ALL DEPENDS ${TACET_MANUAL}/pages/tacet.1)

if(TACET_INSTALL)
  include(GNUInstallDirs)
  foreach(section 1 5)
    install(DIRECTORY ${TACET_MANUAL}/pages/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section}
            COMPONENT program
            FILES_MATCHING PATTERN "*.${section}")
  endforeach()
  install(FILES ${TACET_MANUAL}/completion/tacet.bash
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          COMPONENT program RENAME tacet)
  install(FILES ${TACET_MANUAL}/completion/_tacet
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
  install(FILES ${TACET_MANUAL}/completion/tacet.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
endif()
