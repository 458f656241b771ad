/* The program's error handlers of communicators (MPI 3.1, section 8.3.1): error.h keeps them. */
#include "shim/gate/gate.h"
#include "shim/mpi/real.h"
#include "shim/objects/communicator.h"
#include "shim/objects/error.h"

int shim_MPI_Comm_set_errhandler(void *site, MPI_Comm comm, MPI_Errhandler handler)
{
	struct communicator *communicator = communicator_find(comm);
	int code = communicator ? error_set_handler(communicator, handler)
	                        : real_mpi()->Comm_set_errhandler(comm, handler);

	return error_check(comm, code, MPI_CALL_Comm_set_errhandler, site);
}

int shim_MPI_Comm_get_errhandler(void *site, MPI_Comm comm, MPI_Errhandler *handler)
{
	struct communicator *communicator = communicator_find(comm);
	int code = communicator ? error_get_handler(communicator, handler)
	                        : real_mpi()->Comm_get_errhandler(comm, handler);

	return error_check(comm, code, MPI_CALL_Comm_get_errhandler, site);
}

int shim_MPI_Errhandler_set(void *site, MPI_Comm comm, MPI_Errhandler handler)
{
	return shim_MPI_Comm_set_errhandler(site, comm, handler);
}

int shim_MPI_Errhandler_get(void *site, MPI_Comm comm, MPI_Errhandler *handler)
{
	return shim_MPI_Comm_get_errhandler(site, comm, handler);
}

int shim_MPI_Comm_call_errhandler(void *site, MPI_Comm comm, int code)
{
	if (!communicator_find(comm)) {
		code = real_mpi()->Comm_call_errhandler(comm, code);
		return error_check(comm, code, MPI_CALL_Comm_call_errhandler, site);
	}
	error_raise(comm, code, gate_current_call(), MPI_CALL_Comm_call_errhandler, site);
	return MPI_SUCCESS;
}
