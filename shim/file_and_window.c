#include "file_and_window.h"

#include <stdlib.h>

#include "access.h"
#include "communicator.h"
#include "gate.h"
#include "real.h"

/* An open file or a window, under the number by which its members meet. */
struct shared {
	uintptr_t handle;
	uint64_t number;
	struct window_epochs epochs; /* of a window */
	struct shared *next;
};

static struct shared *files, *windows;

static struct shared **find(struct shared **list, uintptr_t handle)
{
	while (*list && (*list)->handle != handle)
		list = &(*list)->next;
	return list;
}

static void remember(struct shared **list, uintptr_t handle, uint64_t number)
{
	struct shared *shared = number != 0 ? malloc(sizeof(*shared)) : NULL;

	if (!shared)
		return;
	*shared = (struct shared){ .handle = handle, .number = number, .next = *list };
	*list = shared;
}

static void forget(struct shared **list, uintptr_t handle)
{
	struct shared **link = find(list, handle), *found = *link;

	if (!found)
		return;
	*link = found->next;
	free(found->epochs.targets);
	free(found);
}

bool window_exists(void)
{
	return windows != NULL;
}

struct window_epochs *window_find(MPI_Win window, uint64_t *ret_number)
{
	struct shared *shared = *find(&windows, (uintptr_t)window);

	if (!shared)
		return NULL;
	*ret_number = shared->number;
	return &shared->epochs;
}

static int meet(struct shared **list, uintptr_t handle, const void *site, enum mpi_call function)
{
	const struct shared *shared = *find(list, handle);

	if (shared)
		communicator_meet(shared->number, function, site, 0);
	return MPI_SUCCESS;
}

int file_meet(const void *site, enum mpi_call function, MPI_File file)
{
	return meet(&files, (uintptr_t)file, site, function);
}

int window_meet(const void *site, enum mpi_call function, MPI_Win window)
{
	return meet(&windows, (uintptr_t)window, site, function);
}

/* All members have come; returns the number of what they are about to make, or 0. */
static uint64_t meet_to_make(const void *site, enum mpi_call function, MPI_Comm comm)
{
	const struct communicator *communicator = communicator_find(comm);

	if (!communicator)
		return 0;
	communicator_meet(communicator->number, function, site, 0);
	return communicator_derive(communicator, function);
}

int shim_MPI_File_open(void *site, MPI_Comm comm, const char *filename, int amode, MPI_Info info,
                       MPI_File *file)
{
	uint64_t number = meet_to_make(site, MPI_CALL_File_open, comm);
	int code = real_mpi()->File_open(comm, filename, amode, info, file);

	if (code == MPI_SUCCESS)
		remember(&files, (uintptr_t)*file, number);
	return code;
}

int shim_MPI_File_close(void *site, MPI_File *file)
{
	uintptr_t handle = (uintptr_t)*file;
	int code;

	file_meet(site, MPI_CALL_File_close, *file);
	code = real_mpi()->File_close(file);
	if (code == MPI_SUCCESS)
		forget(&files, handle);
	return code;
}

/* The same for a window; its number is told before all have come, so that whoever uses it is known
 * to use one. */
static uint64_t meet_for_window(const void *site, enum mpi_call function, MPI_Comm comm)
{
	const struct communicator *communicator = communicator_find(comm);
	uint64_t number;

	if (!communicator)
		return 0;
	number = communicator->is_inter ? 0 : communicator_derive_window(communicator, function);
	communicator_meet(communicator->number, function, site, 0);
	return number;
}

static int made_window(int code, uint64_t number, const MPI_Win *window)
{
	if (code != MPI_SUCCESS)
		return code;
	remember(&windows, (uintptr_t)*window, number);
	access_window(*window, number);
	return code;
}

int shim_MPI_Win_create(void *site, void *base, MPI_Aint size, int disp_unit, MPI_Info info,
                        MPI_Comm comm, MPI_Win *window)
{
	uint64_t number = meet_for_window(site, MPI_CALL_Win_create, comm);

	return made_window(real_mpi()->Win_create(base, size, disp_unit, info, comm, window),
	                   number, window);
}

int shim_MPI_Win_allocate(void *site, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                          void *base, MPI_Win *window)
{
	uint64_t number = meet_for_window(site, MPI_CALL_Win_allocate, comm);

	return made_window(real_mpi()->Win_allocate(size, disp_unit, info, comm, base, window),
	                   number, window);
}

int shim_MPI_Win_allocate_shared(void *site, MPI_Aint size, int disp_unit, MPI_Info info,
                                 MPI_Comm comm, void *base, MPI_Win *window)
{
	uint64_t number = meet_for_window(site, MPI_CALL_Win_allocate_shared, comm);

	return made_window(
		real_mpi()->Win_allocate_shared(size, disp_unit, info, comm, base, window), number,
		window);
}

int shim_MPI_Win_create_dynamic(void *site, MPI_Info info, MPI_Comm comm, MPI_Win *window)
{
	uint64_t number = meet_for_window(site, MPI_CALL_Win_create_dynamic, comm);

	return made_window(real_mpi()->Win_create_dynamic(info, comm, window), number, window);
}

int shim_MPI_Win_free(void *site, MPI_Win *window)
{
	uintptr_t handle = (uintptr_t)*window;
	int code;

	window_meet_to_free(site, *window);
	code = real_mpi()->Win_free(window);
	if (code == MPI_SUCCESS)
		forget(&windows, handle);
	return code;
}
