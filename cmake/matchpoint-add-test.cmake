# matchpoint_add_test(NAME <name> NUMPROCS <p> [BUDGET <seconds>] [INCOMPLETE fail|skip]
#                     [OPTIONS <option>...] [WORKING_DIRECTORY <directory>]
#                     COMMAND <program or target> [<argument>...])
#
# A test that explores every interleaving of the command on p ranks.
#
#   all explored, nothing wrong   it passes
#   findings                      it fails, with the findings in its output
#   stopped early, nothing wrong  INCOMPLETE says which: it fails, or counts as skipped
#   cannot be run or controlled   it fails
#
# BUDGET bounds the exploration's time (--max-time). INCOMPLETE is `skip` with a BUDGET, since it then
# is meant to be stopped, and nobody should take the result for a proof; else `fail`. OPTIONS go to
# `matchpoint explore`, as --buffering zero.
#
# Each test keeps its store in matchpoint/<name>.store of the current binary directory. With
# MATCHPOINT_REPORT_DIR set, each writes <name>.xml (JUnit), <name>.sarif and <name>.html there; a
# relative one is taken from the build directory.

function(matchpoint_add_test)
	cmake_parse_arguments(PARSE_ARGV 0 TEST "" "NAME;NUMPROCS;BUDGET;INCOMPLETE;WORKING_DIRECTORY"
		"OPTIONS;COMMAND")
	foreach(needed NAME NUMPROCS COMMAND)
		if(NOT DEFINED TEST_${needed})
			message(FATAL_ERROR "matchpoint_add_test: ${needed} is missing")
		endif()
	endforeach()
	if(DEFINED TEST_UNPARSED_ARGUMENTS)
		message(FATAL_ERROR "matchpoint_add_test(${TEST_NAME}): what is "
			"'${TEST_UNPARSED_ARGUMENTS}'?")
	endif()
	if(NOT TEST_NUMPROCS MATCHES "^[1-9][0-9]*$")
		message(FATAL_ERROR "matchpoint_add_test(${TEST_NAME}): NUMPROCS cannot be "
			"'${TEST_NUMPROCS}'")
	endif()
	if(DEFINED TEST_BUDGET AND NOT TEST_BUDGET MATCHES "^[1-9][0-9]*$")
		message(FATAL_ERROR "matchpoint_add_test(${TEST_NAME}): BUDGET cannot be "
			"'${TEST_BUDGET}'; say whole seconds")
	endif()
	if(NOT DEFINED TEST_INCOMPLETE)
		set(TEST_INCOMPLETE fail)
		if(DEFINED TEST_BUDGET)
			set(TEST_INCOMPLETE skip)
		endif()
	elseif(NOT TEST_INCOMPLETE MATCHES "^(fail|skip)$")
		message(FATAL_ERROR "matchpoint_add_test(${TEST_NAME}): INCOMPLETE cannot be "
			"'${TEST_INCOMPLETE}'; say fail or skip")
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

	# As with add_test, the command may be a target, also one that is made further down.
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
	if(DEFINED TEST_BUDGET) # a second guard: it stops within 5 s, and then writes its reports
		math(EXPR timeout "${TEST_BUDGET} + 120")
		set_tests_properties("${TEST_NAME}" PROPERTIES TIMEOUT ${timeout})
	endif()
endfunction()
