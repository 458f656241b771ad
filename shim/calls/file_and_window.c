#include "file_and_window.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/mix.h"
#include "shim/check/access.h"
#include "shim/gate/gate.h"
#include "shim/mpi/real.h"
#include "shim/objects/communicator.h"
#include "shim/state/state.h"
#include "shim/state/state_memory.h"

/* An open file or a window, under the number by which its members meet. */
struct shared {
	uintptr_t handle;
	uint64_t number;
	struct window_epochs epochs; /* of a window */
	struct shared *next;
};

static struct shared *files, *windows;

static struct shared **find_shared(struct shared **list, uintptr_t handle)
{
	while (*list && (*list)->handle != handle)
		list = &(*list)->next;
	return list;
}

static void remember_shared(struct shared **list, uintptr_t handle, uint64_t number)
{
	struct shared *shared = number != 0 ? malloc(sizeof(*shared)) : NULL;

	if (!shared)
		return;
	*shared = (struct shared){.handle = handle, .number = number, .next = *list};
	*list = shared;
}

static void forget_shared(struct shared **list, uintptr_t handle)
{
	struct shared **link = find_shared(list, handle), *found = *link;

	if (!found)
		return;
	*link = found->next;
	free(found->epochs.targets);
	window_state_free(found->epochs.state);
	free(found);
}

bool window_exists(void)
{
	return windows != NULL;
}

struct window_epochs *window_find(MPI_Win window, uint64_t *ret_number)
{
	struct shared *shared = *find_shared(&windows, (uintptr_t)window);

	if (!shared)
		return NULL;
	*ret_number = shared->number;
	return &shared->epochs;
}

MPI_Win window_idle(MPI_Win window)
{
	return *find_shared(&windows, (uintptr_t)window) ? window : MPI_WIN_NULL;
}

/* --- states ----------------------------------------------------------------------------------- */

static struct window_state *state_of(MPI_Win window)
{
	const struct shared *shared = *find_shared(&windows, (uintptr_t)window);

	return shared ? shared->epochs.state : NULL;
}

void window_called(enum mpi_call function, int target, int mode, MPI_Win window)
{
	struct window_state *state = state_is_wanted() ? state_of(window) : NULL;

	if (state)
		window_state_note(state, function, target, mode);
}

void window_moves(int target, MPI_Win window)
{
	struct window_state *state = state_is_wanted() ? state_of(window) : NULL;

	if (state)
		window_state_moves(state, target);
}

const char *window_add_state(void (*add)(void *user, const void *bytes, size_t size), void *user)
{
	window_add_locks(add, user);
	for (const struct shared *shared = windows; shared; shared = shared->next) {
		const struct window_epochs *epochs = &shared->epochs;
		const uint64_t words[] = {
			shared->number, (uint64_t)epochs->origins << 1 | (epochs->exposure != 0),
			(uint64_t)epochs->target_count << 1 | (epochs->targets != NULL)};
		const char *why = window_state_tell(epochs->state, add, user);

		if (why)
			return why;
		add(user, words, sizeof(words));
		if (epochs->targets)
			add(user, epochs->targets,
			    (size_t)epochs->target_count * sizeof(*epochs->targets));
	}
	return NULL;
}

/* What MPI keeps of it can be seen from now on, or nothing can be told any more. */
static void begin_state(MPI_Win window)
{
	struct shared *shared = *find_shared(&windows, (uintptr_t)window);

	if (shared)
		shared->epochs.state = window_state_new(window);
	if (!shared || !shared->epochs.state)
		state_refuse("it has a window of which nothing is known");
	state_memory_note_shared();
}

/* --- members meet ----------------------------------------------------------------------------- */

static int meet_members(struct shared **list, uintptr_t handle, const void *site,
                        enum mpi_call function, uint64_t arguments)
{
	const struct shared *shared = *find_shared(list, handle);

	if (shared)
		communicator_meet(shared->number, function, site, arguments);
	return MPI_SUCCESS;
}

int file_meet(const void *site, enum mpi_call function, MPI_File file, uint64_t arguments)
{
	return meet_members(&files, (uintptr_t)file, site, function, arguments);
}

int window_meet(const void *site, enum mpi_call function, MPI_Win window, uint64_t arguments)
{
	return meet_members(&windows, (uintptr_t)window, site, function, arguments);
}

/* All members have come; returns the number of what they are about to make, or 0. */
static uint64_t meet_to_make(const void *site, enum mpi_call function, MPI_Comm comm,
                             uint64_t arguments)
{
	const struct communicator *communicator = communicator_find(comm);

	if (!communicator)
		return 0;
	communicator_meet(communicator_number(comm), function, site, arguments);
	return communicator_derive(communicator, function);
}

/* "nfs:/scratch/file": ROMIO's way to name the file system, which all must name then. */
static const char *without_prefix(const char *name)
{
	size_t letters = strspn(name, "abcdefghijklmnopqrstuvwxyz");

	return letters > 1 && name[letters] == ':' ? name + letters + 1 : name;
}

static uint64_t mix_text(uint64_t hash, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		hash = mix(hash, (unsigned char)text[i]);
	return hash;
}

/* Names may differ if they mean the same file (MPI 3.1, section 13.2.1). Whether the file is there
 * says nothing: another rank may make or remove it meanwhile. Returns false where names do not tell
 * files apart: links; or one that is not to be had. */
static bool hash_file(const char *filename, uint64_t *hash)
{
	const char *path = without_prefix(filename), *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	char directory[PATH_MAX];
	struct stat there;
	int saved = errno;
	bool is_told = (size_t)(name - path) < sizeof(directory);

	if (is_told) {
		memcpy(directory, path, (size_t)(name - path));
		directory[name - path] = '\0';
		is_told = lstat(path, &there) != 0
		          || (S_ISREG(there.st_mode) && there.st_nlink == 1);
	}
	is_told = is_told && stat(slash ? directory : ".", &there) == 0;
	errno = saved;
	if (!is_told)
		return false;
	*hash = mix(mix(*hash, (uint64_t)there.st_dev), (uint64_t)there.st_ino);
	*hash = mix_text(*hash, filename, (size_t)(path - filename));
	*hash = mix_text(*hash, name, strlen(name));
	return true;
}

int shim_MPI_File_open(void *site, MPI_Comm comm, const char *filename, int amode, MPI_Info info,
                       MPI_File *file)
{
	uint64_t hash = mix(1, (uint64_t)amode);
	uint64_t arguments = filename && hash_file(filename, &hash) ? hash : 0;
	uint64_t number = meet_to_make(site, MPI_CALL_File_open, comm, arguments);
	int code = real_mpi()->File_open(comm, filename, amode, info, file);

	if (code == MPI_SUCCESS)
		remember_shared(&files, (uintptr_t)*file, number);
	return code;
}

int shim_MPI_File_close(void *site, MPI_File *file)
{
	uintptr_t handle = (uintptr_t)*file;
	int code;

	file_meet(site, MPI_CALL_File_close, *file, 0);
	code = real_mpi()->File_close(file);
	if (code == MPI_SUCCESS)
		forget_shared(&files, handle);
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
	number = communicator_is_inter(communicator)
	                 ? 0
	                 : communicator_derive_window(communicator, function);
	communicator_meet(communicator_number(comm), function, site, 0);
	return number;
}

static int made_window(int code, uint64_t number, const MPI_Win *window)
{
	if (code != MPI_SUCCESS)
		return code;
	remember_shared(&windows, (uintptr_t)*window, number);
	access_window(*window, number);
	if (state_is_wanted())
		begin_state(*window);
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

int shim_MPI_Win_attach(void *site, MPI_Win win, void *base, MPI_Aint size)
{
	int code = real_mpi()->Win_attach(win, base, size);

	(void)site;
	if (code == MPI_SUCCESS)
		access_attach(win, base, size);
	return code;
}

int shim_MPI_Win_detach(void *site, MPI_Win win, const void *base)
{
	int code = real_mpi()->Win_detach(win, base);

	(void)site;
	if (code == MPI_SUCCESS)
		access_detach(win, base);
	return code;
}

int shim_MPI_Win_set_name(void *site, MPI_Win win, const char *name)
{
	int code = real_mpi()->Win_set_name(win, name);
	uint64_t number;

	(void)site;
	if (code == MPI_SUCCESS && window_find(win, &number))
		communicator_tell_name(number, name);
	return code;
}

int shim_MPI_Win_free(void *site, MPI_Win *window)
{
	uintptr_t handle = (uintptr_t)*window;
	MPI_Win still = window_idle(*window);
	int code;

	window_meet_to_free(site, *window);
	code = real_mpi()->Win_free(still != MPI_WIN_NULL ? window : &still);
	if (code == MPI_SUCCESS)
		forget_shared(&windows, handle);
	if (state_is_wanted())
		state_memory_forget_shared();
	return code;
}
