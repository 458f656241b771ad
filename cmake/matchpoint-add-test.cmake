# matchpoint_add_test(NAME <name> NUMPROCS <p> [BUDGET <seconds>] [INCOMPLETE fail|skip]
#                     [OPTIONS <option>...] [WORKING_DIRECTORY <directory>]
#                     COMMAND <program or target> [<argument>...])
#
# Adds a test that explores every interleaving of the command on p ranks.
#
#   all explored, nothing wrong   the test passes
#   findings                      the test fails, with the findings in its output
#   stopped early, nothing wrong  the test fails or is skipped, depending on INCOMPLETE
#   cannot be run or controlled   the test fails
#
# BUDGET bounds the exploration's time (--max-time). With a BUDGET the default of INCOMPLETE is `skip`:
# stopping early is expected then, but is no proof that nothing is wrong. Without one it is `fail`.
# OPTIONS are passed to `matchpoint explore`, for example --buffering zero.
#
# Each test keeps its store in matchpoint/<name>.store of the current binary directory. If
# MATCHPOINT_REPORT_DIR is set, each test writes <name>.xml (JUnit), <name>.sarif and <name>.html
# there. A relative directory is relative to the build directory.

function(matchpoint_add_test)
	cmake_parse_arguments(PARSE_ARGV 0 TEST "" "NAME;NUMPROCS;BUDGET;INCOMPLETE;WORKING_DIRECTORY"
		"OPTIONS;COMMAND")
	foreach(needed NAME NUMPROCS COMMAND)
		if(NOT DEFINED TEST_${needed})
			message(FATAL_ERROR "matchpoint_add_test: ${needed} is missing")
		endif()
	endforeach()
	if(DEFINED TEST_UNPARSED_ARGUMENTS)
		message(FATAL_ERROR "matchpoint_add_test(${TEST_NAME}): unknown argument "
			"'${TEST_UNPARSED_ARGUMENTS}'")
	endif()
	if(NOT TEST_NUMPROCS MATCHES "^[1-9][0-9]*$")
		message(FATAL_ERROR "matchpoint_add_test(${TEST_NAME}): NUMPROCS cannot be "
			"'${TEST_NUMPROCS}'")
	endif()
	if(DEFINED TEST_BUDGET AND NOT TEST_BUDGET MATCHES "^[1-9][0-9]*$")
		message(FATAL_ERROR "matchpoint_add_test(${TEST_NAME}): BUDGET cannot be "
			"'${TEST_BUDGET}'; use whole seconds")
	endif()
	if(NOT DEFINED TEST_INCOMPLETE)
		set(TEST_INCOMPLETE fail)
		if(DEFINED TEST_BUDGET)
			set(TEST_INCOMPLETE skip)
		endif()
	elseif(NOT TEST_INCOMPLETE MATCHES "^(fail|skip)$")
		message(FATAL_ERROR "matchpoint_add_test(${TEST_NAME}): INCOMPLETE cannot be "
			"'${TEST_INCOMPLETE}'; use fail or skip")
	endif()

	string(REGEX REPLACE "[^A-Za-z0-9_.+-]" "_" file "${TEST_NAME}")
	set(options -n ${TEST_NUMPROCS}
		--store "${CMAKE_CURRENT_BINARY_DIR}/matchpoint/${file}.store")
	if(DEFINED TEST_BUDGET)
		list(APPEND options --max-time ${TEST_BUDGET})
	endif()
	if(MATCHPOINT_REPORT_DIR)
		get_filename_component(reports "${MATCHPOINT_REPORT_DIR}" ABSOLUTE BASE_DIR
			"${CMAKE_BINARY_DIR}")
		file(MAKE_DIRECTORY "${reports}")
		list(APPEND options --junit "${reports}/${file}.xml" --sarif "${reports}/${file}.sarif"
			--html "${reports}/${file}.html")
	endif()

	# As with add_test, the command may be a target, even one that is defined later.
	list(POP_FRONT TEST_COMMAND program)
	if(program MATCHES "^[A-Za-z0-9_.+-]+(::[A-Za-z0-9_.+-]+)*$")
		set(there "$<TARGET_EXISTS:${program}>")
		set(program "$<${there}:$<TARGET_FILE:${program}>>$<$<NOT:${there}>:${program}>")
	endif()
	set(directory "${CMAKE_CURRENT_BINARY_DIR}")
	if(DEFINED TEST_WORKING_DIRECTORY)
		set(directory "${TEST_WORKING_DIRECTORY}")
	endif()
	add_test(NAME "${TEST_NAME}"
		COMMAND "${MATCHPOINT_EXECUTABLE}" explore ${options} ${TEST_OPTIONS}
			-- "${program}" ${TEST_COMMAND}
		WORKING_DIRECTORY "${directory}")
	set_tests_properties("${TEST_NAME}" PROPERTIES PROCESSORS ${TEST_NUMPROCS})
	if(TEST_INCOMPLETE STREQUAL skip)
		set_tests_properties("${TEST_NAME}" PROPERTIES SKIP_RETURN_CODE 3)
	endif()
	if(DEFINED TEST_BUDGET) # a second limit: matchpoint stops within 5 s after the budget, then writes its reports
		math(EXPR timeout "${TEST_BUDGET} + 120")
		set_tests_properties("${TEST_NAME}" PROPERTIES TIMEOUT ${timeout})
	endif()
endfunction()
