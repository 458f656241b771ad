/* For the wrappers that are written by hand: record=hand in mpi_calls.txt. */
#ifndef MATCHPOINT_SHIM_RECORD_WRAPPER_H
#define MATCHPOINT_SHIM_RECORD_WRAPPER_H

#include "below.h"
#include "call.h"

/* WRAPPER(int, Wait, (MPI_Request *request, MPI_Status *status)) { ... } exports both names. */
#define WRAPPER(returns, name, parameters)                                    \
	__attribute__((visibility("default"))) returns PMPI_##name parameters \
		__attribute__((alias("MPI_" #name)));                         \
	__attribute__((visibility("default"))) returns MPI_##name parameters

/* The first statement of each, after its declarations: calls that are not the program's go to
 * MPI. */
#define ENTER_OR_PASS(call, name, values)                                             \
	do {                                                                          \
		if (!record_enter(call, MPI_CALL_##name, __builtin_return_address(0), \
		                  __builtin_dwarf_cfa()))                             \
			return below_mpi()->name values;                              \
	} while (0)

#define RUN(call, name, values) \
	record_result(call, record_run(call) ? below_mpi()->name values : MPI_SUCCESS)

#endif
