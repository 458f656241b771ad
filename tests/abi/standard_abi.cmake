# The shim for MPI's standard ABI. No library of Debian 12 or 13 has this ABI, so the test is that the
# shim can be built, and exports MPI's functions.
set(ABI_DIR ${CMAKE_CURRENT_BINARY_DIR}/abi)
set(ABI_SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR}/abi)
set(GENERATE_CALLS ${CMAKE_SOURCE_DIR}/shim/generate/generate_calls.py)
set(CALL_TABLE ${CMAKE_SOURCE_DIR}/shim/generate/mpi_calls.txt)
file(WRITE ${ABI_DIR}/include_mpi.c "#include <mpi.h>\n")
add_custom_command(
	OUTPUT ${ABI_DIR}/include/mpi.h ${ABI_DIR}/calls/mpi_calls.c ${ABI_DIR}/calls/wrappers.c
	COMMAND ${CMAKE_COMMAND} -E make_directory ${ABI_DIR}/include ${ABI_DIR}/calls
	COMMAND ${Python3_EXECUTABLE} ${ABI_SOURCE_DIR}/write_header.py
		${ABI_SOURCE_DIR}/values.txt ${MPI_H} ${ABI_DIR}/include/mpi.h
	COMMAND ${CMAKE_C_COMPILER} -E -I${ABI_DIR}/include ${ABI_DIR}/include_mpi.c
		-o ${ABI_DIR}/mpi.i
	COMMAND ${Python3_EXECUTABLE} ${GENERATE_CALLS} ${CALL_TABLE} ${ABI_DIR}/mpi.i
		${ABI_DIR}/calls
	DEPENDS ${ABI_SOURCE_DIR}/write_header.py ${ABI_SOURCE_DIR}/values.txt ${CALL_GENERATORS}
		${CALL_TABLE} ${MPI_H})
add_custom_target(standard_abi_calls DEPENDS ${ABI_DIR}/calls/wrappers.c)

list(TRANSFORM SHIM_SOURCES PREPEND ${CMAKE_SOURCE_DIR}/ REGEX "^[^/]" OUTPUT_VARIABLE ABI_SOURCES)
add_library(standard_abi_shim MODULE ${ABI_SOURCES} ${COMMON_SOURCES} ${AGENT_SOURCES}
	${ABI_DIR}/calls/mpi_calls.c ${ABI_DIR}/calls/wrappers.c)
target_compile_definitions(standard_abi_shim PRIVATE MATCHPOINT_STANDARD_ABI)
target_include_directories(standard_abi_shim PRIVATE ${ABI_DIR}/calls)
target_include_directories(standard_abi_shim SYSTEM PRIVATE ${ABI_DIR}/include)
target_compile_options(standard_abi_shim PRIVATE ${WARNINGS} -O0 -g0)
target_link_options(standard_abi_shim PRIVATE -Wl,--no-undefined -Wl,-z,now)
target_link_libraries(standard_abi_shim PRIVATE dl pthread)
add_test(NAME abi.standard COMMAND ${Python3_EXECUTABLE} ${ABI_SOURCE_DIR}/check_shim.py
	$<TARGET_FILE:standard_abi_shim> ${ABI_DIR}/mpi.i ${CALL_TABLE})
set_tests_properties(abi.standard PROPERTIES TIMEOUT 120)

add_dependencies(test_standard_abi standard_abi_calls)
target_compile_definitions(test_standard_abi PRIVATE MATCHPOINT_STANDARD_ABI)
target_include_directories(test_standard_abi SYSTEM PRIVATE ${ABI_DIR}/include)
