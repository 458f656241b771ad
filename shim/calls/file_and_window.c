#include "file_and_window.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/mix.h"
#include "common/virtual_nodes.h"
#include "file_bytes.h"
#include "shim/check/access.h"
#include "shim/gate/gate.h"
#include "shim/mpi/real.h"
#include "shim/objects/communicator.h"
#include "shim/objects/windows.h"
#include "shim/state/state.h"
#include "shim/state/state_memory.h"
#include "shim/types/signature.h"

/* An open file, with the number under which its members meet. */
struct open_file {
	MPI_File handle;
	uint64_t number;
	uint64_t identity; /* of the file, however it was opened; 0: not known */
	struct open_file *next;
};

static struct open_file *files;

static struct open_file **find_file(MPI_File handle)
{
	struct open_file **link = &files;

	while (*link && (*link)->handle != handle)
		link = &(*link)->next;
	return link;
}

static void remember_file(MPI_File handle, uint64_t number, uint64_t identity)
{
	struct open_file *file = number != 0 ? malloc(sizeof(*file)) : NULL;

	if (!file)
		return;
	*file = (struct open_file){
		.handle = handle, .number = number, .identity = identity, .next = files};
	files = file;
}

static void forget_file(MPI_File handle)
{
	struct open_file **link = find_file(handle), *found = *link;

	if (!found)
		return;
	*link = found->next;
	free(found);
}

/* --- members meet ----------------------------------------------------------------------------- */

int file_meet(const void *site, enum mpi_call function, MPI_File handle, uint64_t arguments)
{
	const struct open_file *file = *find_file(handle);

	if (file)
		communicator_meet(file->number, function, site, arguments);
	return MPI_SUCCESS;
}

void file_pointer_moves(enum mpi_call function, const void *site, MPI_File handle)
{
	const struct open_file *file = *find_file(handle);

	if (file)
		access_step(WIRE_ACCESS_POINTER, function, site, file->number, WIRE_ANY);
}

void file_accessed(enum mpi_call function, const void *site, MPI_File handle, MPI_Offset offset,
                   MPI_Count count, MPI_Datatype type, bool writes)
{
	const struct open_file *file = *find_file(handle);
	struct access_to_file access = {.function = function, .site = site, .writes = writes};
	uint64_t size;

	if (!file || file->identity == 0 || count <= 0)
		return;
	size = type_size(type);
	if (size == 0)
		return;
	if (offset == FILE_POSITION
	    && real_mpi()->File_get_position(handle, &offset) != MPI_SUCCESS)
		return;
	access.opened = file->number;
	access.file = file->identity;
	access.parts = file_bytes(handle, offset, (uint64_t)count * size, &access.part_count,
	                          &access.is_whole);
	if (access.parts)
		access_file(&access);
}

int window_meet(const void *site, enum mpi_call function, MPI_Win window, uint64_t arguments)
{
	uint64_t number;

	if (window_find(window, &number))
		communicator_meet(number, function, site, arguments);
	return MPI_SUCCESS;
}

/* Waits for all members. Returns the number of the object that they are about to make; 0: none. */
static uint64_t meet_to_make(const void *site, enum mpi_call function, MPI_Comm comm,
                             uint64_t arguments)
{
	const struct communicator *communicator = communicator_find(comm);

	if (!communicator)
		return 0;
	communicator_meet(communicator_number(comm), function, site, arguments);
	return communicator_derive(communicator, function);
}

/* "nfs:/scratch/file": ROMIO's prefix for the file system, which all members must give then. */
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

/* Names may differ if they mean the same file (MPI 3.1, section 13.2.1). Whether the file exists is
 * not used, because another rank may create or remove it at the same time. false: names do not
 * identify the file (links), or its directory cannot be read. */
static bool hash_file(const char *filename, uint64_t *hash)
{
	const char *path = without_prefix(filename), *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	char directory[PATH_MAX];
	struct stat there;
	int saved = errno;
	bool identifies = (size_t)(name - path) < sizeof(directory);

	if (identifies) {
		memcpy(directory, path, (size_t)(name - path));
		directory[name - path] = '\0';
		identifies = lstat(path, &there) != 0
		             || (S_ISREG(there.st_mode) && there.st_nlink == 1);
	}
	identifies = identifies && stat(slash ? directory : ".", &there) == 0;
	errno = saved;
	if (!identifies)
		return false;
	*hash = mix(mix(*hash, (uint64_t)there.st_dev), (uint64_t)there.st_ino);
	*hash = mix_text(*hash, filename, (size_t)(path - filename));
	*hash = mix_text(*hash, name, strlen(name));
	return true;
}

/* 0: not known. All members have opened it, so it exists. Its number in the file system alone is
 * not enough: another file gets it when this one is deleted. */
static uint64_t identity_of(const char *filename)
{
	const char *path = without_prefix(filename);
	char whole[PATH_MAX];
	int saved = errno;
	struct stat there;
	bool found = stat(path, &there) == 0 && realpath(path, whole) != NULL;

	errno = saved;
	return found ? mix_text(mix(mix(1, (uint64_t)there.st_dev), (uint64_t)there.st_ino), whole,
	                        strlen(whole))
	             : 0;
}

int shim_MPI_File_open(void *site, MPI_Comm comm, const char *filename, int amode, MPI_Info info,
                       MPI_File *file)
{
	uint64_t hash = mix(1, (uint64_t)amode);
	uint64_t arguments = filename && hash_file(filename, &hash) ? hash : 0;
	uint64_t number = meet_to_make(site, MPI_CALL_File_open, comm, arguments);
	int code = real_mpi()->File_open(comm, filename, amode, info, file);

	if (code == MPI_SUCCESS)
		remember_file(*file, number, identity_of(filename));
	return code;
}

int shim_MPI_File_close(void *site, MPI_File *file)
{
	MPI_File handle = *file;
	int code;

	file_meet(site, MPI_CALL_File_close, *file, 0);
	code = real_mpi()->File_close(file);
	if (code == MPI_SUCCESS)
		forget_file(handle);
	return code;
}

/* The same for a window. Its number is announced before all members have come, so that the
 * scheduler knows which calls use a window. */
static uint64_t meet_for_window(const void *site, enum mpi_call function, MPI_Comm comm, int unit)
{
	const struct communicator *communicator = communicator_find(comm);
	uint64_t number;

	if (!communicator)
		return 0;
	number = communicator_is_inter(communicator)
	                 ? 0
	                 : communicator_derive_window(communicator, function,
	                                              unit > 0 ? (uint32_t)unit : 0);
	communicator_meet(communicator_number(comm), function, site, 0);
	return number;
}

/* From now on, MPI's data of the window can be read. If not, the rank's state is refused. */
static void begin_state(MPI_Win window)
{
	if (!window_begin_state(window))
		state_refuse("it has a window whose state cannot be read");
	state_memory_note_shared();
}

static int made_window(int code, uint64_t number, const MPI_Win *window)
{
	if (code != MPI_SUCCESS)
		return code;
	window_add(*window, number);
	access_window(*window, number);
	if (state_is_wanted())
		begin_state(*window);
	return code;
}

int shim_MPI_Win_create(void *site, void *base, MPI_Aint size, int disp_unit, MPI_Info info,
                        MPI_Comm comm, MPI_Win *window)
{
	uint64_t number = meet_for_window(site, MPI_CALL_Win_create, comm, disp_unit);

	return made_window(real_mpi()->Win_create(base, size, disp_unit, info, comm, window),
	                   number, window);
}

int shim_MPI_Win_allocate(void *site, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                          void *base, MPI_Win *window)
{
	uint64_t number = meet_for_window(site, MPI_CALL_Win_allocate, comm, disp_unit);

	return made_window(real_mpi()->Win_allocate(size, disp_unit, info, comm, base, window),
	                   number, window);
}

/* Whether memory can be shared: whether all members are on one virtual node. */
static bool is_on_one_node(MPI_Comm comm)
{
	const struct virtual_node *node = virtual_node_own();
	const struct communicator *communicator = node ? communicator_find(comm) : NULL;

	if (!communicator || communicator_is_inter(communicator))
		return true;
	for (int i = 0, rank; (rank = communicator_world_rank(communicator, i)) >= 0; i++)
		if (rank < node->first || rank >= node->first + node->ranks)
			return false;
	return true;
}

int shim_MPI_Win_allocate_shared(void *site, MPI_Aint size, int disp_unit, MPI_Info info,
                                 MPI_Comm comm, void *base, MPI_Win *window)
{
	uint64_t number = meet_for_window(site, MPI_CALL_Win_allocate_shared, comm, disp_unit);

	/* MPI 3.1, sections 11.2.3 and 11.6.2. MPICH does not look, and gives no memory. */
	if (!is_on_one_node(comm))
		return MPI_ERR_RMA_SHARED;

	return made_window(
		real_mpi()->Win_allocate_shared(size, disp_unit, info, comm, base, window), number,
		window);
}

int shim_MPI_Win_create_dynamic(void *site, MPI_Info info, MPI_Comm comm, MPI_Win *window)
{
	uint64_t number = meet_for_window(site, MPI_CALL_Win_create_dynamic, comm, 0);

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
		communicator_report_name(number, name);
	return code;
}

int shim_MPI_Win_free(void *site, MPI_Win *window)
{
	MPI_Win handle = *window;
	MPI_Win known = window_or_null(*window);
	int code;

	window_meet_to_free(site, *window);
	code = real_mpi()->Win_free(known != MPI_WIN_NULL ? window : &known);
	access_arrived();
	if (code == MPI_SUCCESS)
		window_remove(handle);
	if (state_is_wanted())
		state_memory_forget_shared();
	return code;
}
