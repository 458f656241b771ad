#include "error_objects.h"

#include <stddef.h>

#include "shim/gate/caller.h"
#include "shim/gate/gate.h"
#include "shim/mpi/real.h"
#include "shim/objects/error.h"
#include "shim/process/process.h"

/* The handlers that MPI gets instead of MPI_ERRORS_ARE_FATAL and MPI_ERRORS_ABORT. */
struct stand_ins {
	MPI_Errhandler fatal, abort;
};

static struct stand_ins for_files, for_windows;

static void on_fatal(int code)
{
	enum mpi_call function;
	uint16_t current;
	const void *site;
	void *caller;

	if (!process_is_controlled())
		real_mpi()->Abort(MPI_COMM_WORLD, code);
	gate_current(&current, &site);
	if (process_is_in_call())
		error_fatal(code, &(struct error_call){gate_current_call(), (enum mpi_call)current,
		                                       site, 0, 0});
	function = error_find_call(code, &caller);
	error_fatal(code, &(struct error_call){0, function, caller, 0, 0});
}

static void on_file_error(MPI_File *file, int *code, ...)
{
	(void)file;
	on_fatal(*code);
}

static void on_window_error(MPI_Win *window, int *code, ...)
{
	(void)window;
	on_fatal(*code);
}

int error_objects_start(void)
{
	const struct real_mpi *mpi = real_mpi();
	bool has_files = mpi->File_create_errhandler != NULL; /* not without ROMIO */
	int code = MPI_SUCCESS;

	if (has_files)
		code = mpi->File_create_errhandler(on_file_error, &for_files.fatal);
	if (has_files && code == MPI_SUCCESS)
		code = mpi->File_create_errhandler(on_file_error, &for_files.abort);
	if (code == MPI_SUCCESS)
		code = mpi->Win_create_errhandler(on_window_error, &for_windows.fatal);
	if (code == MPI_SUCCESS)
		code = mpi->Win_create_errhandler(on_window_error, &for_windows.abort);
	return code;
}

static MPI_Errhandler stand_in(const struct stand_ins *stand_ins, MPI_Errhandler handler)
{
	if (handler == MPI_ERRORS_ARE_FATAL)
		return stand_ins->fatal;
	return handler == MPI_ERRORS_ABORT ? stand_ins->abort : handler;
}

static bool is_stand_in(const struct stand_ins *stand_ins, MPI_Errhandler handler)
{
	return handler == stand_ins->fatal || handler == stand_ins->abort;
}

static MPI_Errhandler replaced_by(const struct stand_ins *stand_ins, MPI_Errhandler handler)
{
	return handler == stand_ins->fatal ? MPI_ERRORS_ARE_FATAL : MPI_ERRORS_ABORT;
}

int shim_MPI_File_set_errhandler(void *site, MPI_File file, MPI_Errhandler handler)
{
	(void)site;
	return real_mpi()->File_set_errhandler(file, stand_in(&for_files, handler));
}

/* MPICH 4.0 does not count a reference for the caller of File_get_errhandler. */
int shim_MPI_File_get_errhandler(void *site, MPI_File file, MPI_Errhandler *handler)
{
	int code = real_mpi()->File_get_errhandler(file, handler);

	(void)site;
	if (code == MPI_SUCCESS && is_stand_in(&for_files, *handler))
		*handler = replaced_by(&for_files, *handler);
	return code;
}

int shim_MPI_Win_set_errhandler(void *site, MPI_Win window, MPI_Errhandler handler)
{
	(void)site;
	return real_mpi()->Win_set_errhandler(window, stand_in(&for_windows, handler));
}

int shim_MPI_Win_get_errhandler(void *site, MPI_Win window, MPI_Errhandler *handler)
{
	MPI_Errhandler got;
	int code = real_mpi()->Win_get_errhandler(window, handler);

	(void)site;
	if (code != MPI_SUCCESS || !is_stand_in(&for_windows, *handler))
		return code;
	got = *handler;
	*handler = replaced_by(&for_windows, got);
	return real_mpi()->Errhandler_free(&got);
}
