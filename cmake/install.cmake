# The files that are installed, and the packages.
install(TARGETS matchpoint RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS access access_tsan ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/matchpoint/access)
install(FILES ${ACCESS_PREINIT} DESTINATION ${CMAKE_INSTALL_LIBDIR}/matchpoint/access)
install(TARGETS shim heap recorder LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/matchpoint)
install(TARGETS restorer supervisor RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/matchpoint)
install(FILES scheduler/debug/show_pickle.py DESTINATION ${CMAKE_INSTALL_LIBDIR}/matchpoint)
install(FILES README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md LICENSE packaging/debian/copyright
	DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.c" PATTERN "*.mp")
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
	FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg")
# Targets of links in these documents.
install(DIRECTORY packaging/ci packaging/spack packaging/vscode DESTINATION ${CMAKE_INSTALL_DOCDIR}/packaging)
install(FILES tests/e2e/ARCHIVE.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/tests/e2e)

# --- man pages, generated from the output of --describe -------------------------------------------
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS scheduler/commands/main.c)
file(STRINGS scheduler/commands/main.c COMMAND_LINES REGEX "&command_")
string(REGEX MATCHALL "&command_[a-z]+" MAN_COMMANDS "${COMMAND_LINES}")
list(TRANSFORM MAN_COMMANDS REPLACE "&command_" "")
set(MAN_DIR ${CMAKE_CURRENT_BINARY_DIR}/man)
set(MAN_PAGES ${MAN_DIR}/matchpoint.1)
foreach(command ${MAN_COMMANDS})
	list(APPEND MAN_PAGES ${MAN_DIR}/matchpoint-${command}.1)
endforeach()
file(GLOB MAN_PARTS CONFIGURE_DEPENDS packaging/man/*.man)
add_custom_command(
	OUTPUT ${MAN_PAGES}
	COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/packaging/man/generate.py
		$<TARGET_FILE:matchpoint> ${PROJECT_VERSION} ${MAN_DIR} ${MAN_COMMANDS}
	DEPENDS matchpoint packaging/man/generate.py ${MAN_PARTS})
if(NOT MATCHPOINT_SANITIZE)
	add_custom_target(man ALL DEPENDS ${MAN_PAGES})
	install(FILES ${MAN_PAGES} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

install(FILES packaging/bash-completion/matchpoint
	DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)

# --- for other builds: find_package(matchpoint), pkg-config, a module file -------------------------
include(CMakePackageConfigHelpers)
set(CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/matchpoint)
set(MATCHPOINT_PROGRAM ${CMAKE_INSTALL_BINDIR}/matchpoint)
set(MATCHPOINT_SHIM ${CMAKE_INSTALL_LIBDIR}/matchpoint/libmatchpoint-shim.so)
configure_package_config_file(cmake/matchpoint-config.cmake.in
	${CMAKE_CURRENT_BINARY_DIR}/installed/matchpoint-config.cmake
	INSTALL_DESTINATION ${CONFIG_DIR} PATH_VARS MATCHPOINT_PROGRAM MATCHPOINT_SHIM)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/matchpoint-config-version.cmake
	COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/installed/matchpoint-config.cmake
	${CMAKE_CURRENT_BINARY_DIR}/matchpoint-config-version.cmake cmake/matchpoint-add-test.cmake
	DESTINATION ${CONFIG_DIR})

# The build directory can be used without installing: -Dmatchpoint_DIR=build/release.
set(MATCHPOINT_PROGRAM ${CMAKE_CURRENT_BINARY_DIR}/matchpoint)
set(MATCHPOINT_SHIM ${CMAKE_CURRENT_BINARY_DIR}/libmatchpoint-shim.so)
configure_package_config_file(cmake/matchpoint-config.cmake.in
	${CMAKE_CURRENT_BINARY_DIR}/matchpoint-config.cmake
	INSTALL_DESTINATION ${CMAKE_CURRENT_BINARY_DIR} INSTALL_PREFIX ${CMAKE_CURRENT_BINARY_DIR}
	PATH_VARS MATCHPOINT_PROGRAM MATCHPOINT_SHIM)
configure_file(cmake/matchpoint-add-test.cmake
	${CMAKE_CURRENT_BINARY_DIR}/matchpoint-add-test.cmake COPYONLY)

# Both files compute the prefix from their own location.
file(RELATIVE_PATH PREFIX_FROM_PKGCONFIG ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
	${CMAKE_INSTALL_PREFIX})
configure_file(packaging/matchpoint.pc.in ${CMAKE_CURRENT_BINARY_DIR}/matchpoint.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/matchpoint.pc
	DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH PREFIX_FROM_MODULE ${CMAKE_INSTALL_FULL_DATADIR}/modulefiles/matchpoint
	${CMAKE_INSTALL_PREFIX})
configure_file(packaging/modulefile/matchpoint.in ${CMAKE_CURRENT_BINARY_DIR}/modulefile @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/modulefile
	DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/matchpoint RENAME ${PROJECT_VERSION})

# --- cpack -G DEB, cpack -G TGZ --------------------------------------------------------------------
set(CPACK_PACKAGE_NAME matchpoint)
set(CPACK_PACKAGE_VENDOR "The matchpoint developers")
set(CPACK_PACKAGE_CONTACT "The matchpoint developers <matchpoint@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Finds what an MPI program does when its messages arrive in another order")
set(CPACK_PACKAGE_DESCRIPTION "Runs an unmodified MPICH program under control and takes every message that each\nof its wildcard receives could have taken, one after the other, going back by\ncheckpoints of the ranks. Deadlocks, crashes and wrong results are told with source\nlines, the choice to blame, and the command that shows them again.")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libmpich-dev")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "bash-completion, cmake, gdb, python3")
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(DPKG_SHLIBDEPS)
if(DPKG_SHLIBDEPS)
	set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
	set(CPACK_DEBIAN_PACKAGE_DEPENDS "mpich (>= 4.0)")
else() # package names of Debian 12
	set(CPACK_DEBIAN_PACKAGE_DEPENDS "mpich (>= 4.0), libc6, libuv1 (>= 1.40), libglib2.0-0 (>= 2.70), libsqlite3-0 (>= 3.34), libjson-glib-1.0-0, libdw1, libelf1")
	if(OTF2_FOUND)
		string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libopen-trace-format2-10")
	endif()
	if(READLINE_FOUND)
		string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libreadline8")
	endif()
	if(LWS_FOUND)
		string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libwebsockets17")
	endif()
endif()
if(LWS_FOUND) # loaded at run time, so dpkg-shlibdeps cannot find it
	string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libwebsockets-evlib-uv")
endif()
include(CPack)
