#include "file_buffers.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "buffer_checksum.h"
#include "shim/check/gone.h"
#include "shim/check/overlap.h"
#include "shim/check/window_memory.h"
#include "shim/gate/gate.h"
#include "shim/gate/threading.h"
#include "shim/mpi/abi.h"
#include "shim/types/bytes.h"

/* An operation under way. It has a request, or is a split collective, of which a file has one. */
struct underway {
	bool is_split;
	uint64_t handle; /* of the request or the file */
	struct wire_user user;
	struct bytes *bytes; /* owned */
	uint64_t hash;       /* of what is written; 0: not known */
	struct overlap_use *use;
	struct gone_watch gone;
	struct underway *next;
};

static struct underway *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of `all`, if threads call at once */

static void lock_all(void)
{
	if (gate_is_serialised())
		threading_lock(&lock);
}

static void unlock_all(void)
{
	if (gate_is_serialised())
		pthread_mutex_unlock(&lock);
}

static struct underway *take(bool is_split, uint64_t handle)
{
	struct underway **link = &all, *found;

	lock_all();
	while (*link && ((*link)->is_split != is_split || (*link)->handle != handle))
		link = &(*link)->next;
	found = *link;
	if (found)
		*link = found->next;
	unlock_all();
	return found;
}

static void end(struct underway *operation)
{
	overlap_end(operation->use);
	gone_watch_end(&operation->gone);
	bytes_release(operation->bytes);
	free(operation);
}

static void begin(const struct underway *described, const void *data, MPI_Count count,
                  MPI_Datatype type)
{
	const bool writes = described->user.kind == WIRE_USE_TO_FILE;
	struct underway *before = take(described->is_split, described->handle), *added;
	struct bytes *bytes = bytes_of(writes ? WIRE_PART_READ : WIRE_PART_WRITTEN, data, count,
	                               type);

	if (before)
		end(before); /* its completion was not seen */
	added = bytes && bytes->count > 0 ? malloc(sizeof(*added)) : NULL;
	if (!added) {
		bytes_release(bytes);
		return;
	}
	*added = *described;
	added->bytes = bytes;
	if (writes && window_memory_of(bytes) == 0)
		added->hash = buffer_checksum_now(bytes, false);
	/* if threads are serialised, another one may be in overlap.h, which has no lock */
	if (!gate_is_serialised())
		added->use = overlap_begin(&added->user, bytes, false);
	gone_watch_begin(&added->gone, &added->user, bytes);
	lock_all();
	added->next = all;
	all = added;
	unlock_all();
}

static struct wire_user user_of(enum mpi_call function, const void *site, bool writes)
{
	return (struct wire_user){.function = (uint16_t)function,
	                          .site = (uintptr_t)site,
	                          .kind = writes ? WIRE_USE_TO_FILE : WIRE_USE_FROM_FILE};
}

void file_buffers_request(enum mpi_call function, const void *site, MPI_Request request,
                          const void *data, MPI_Count count, MPI_Datatype type, bool writes)
{
	if (request != MPI_REQUEST_NULL)
		begin(&(struct underway){.handle = ABI_BITS(request),
		                         .user = user_of(function, site, writes)},
		      data, count, type);
}

void file_buffers_split(enum mpi_call function, const void *site, MPI_File file, const void *data,
                        MPI_Count count, MPI_Datatype type, bool writes)
{
	begin(&(struct underway){.is_split = true,
	                         .handle = (uintptr_t)file,
	                         .user = user_of(function, site, writes)},
	      data, count, type);
}

/* enum wire_touch, or -1. If another operation uses the bytes, the change may be its own; if the
 * memory is gone, that may have been reported. */
static int how_touched(const struct underway *operation)
{
	const int gone = gone_how(&operation->gone);
	uint64_t now;

	if (gone >= 0 || operation->gone.found)
		return gone;
	if (operation->hash == 0 || (operation->use && overlap_found(operation->use)))
		return -1;
	now = buffer_checksum_now(operation->bytes, false);
	return now != 0 && now != operation->hash ? WIRE_TOUCH_CHANGED : -1;
}

/* `noticed` has a number, or a function and a site. */
static void complete(struct underway *operation, const struct wire_touched *noticed)
{
	struct wire_message message = {.type = WIRE_TOUCHED, .touched = *noticed};
	int how;

	if (!operation)
		return;
	how = how_touched(operation);
	message.touched.function = operation->user.function;
	message.touched.site = operation->user.site;
	message.touched.kind = operation->user.kind;
	message.touched.how = (uint8_t)how;
	end(operation);
	if (how >= 0)
		gate_send(&message);
}

void file_buffers_done(MPI_Request request)
{
	if (all)
		complete(take(false, ABI_BITS(request)),
		         &(struct wire_touched){.noticed = gate_current_call()});
}

void file_buffers_freed(MPI_Request request)
{
	struct underway *operation = all ? take(false, ABI_BITS(request)) : NULL;

	if (operation)
		end(operation);
}

void file_buffers_joined(enum mpi_call function, const void *site, MPI_File file)
{
	complete(take(true, (uintptr_t)file),
	         &(struct wire_touched){.by_function = (uint16_t)function,
	                                .by_site = (uintptr_t)site});
}
