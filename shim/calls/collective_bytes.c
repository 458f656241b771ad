/* Which bytes of its memory a member of a collective uses: it reads what it sends and writes what
 * it receives. Arguments that are not significant at a member (MPI 3.1, chapter 5) are not used
 * there. Neither are the gaps between the parts of the v- and w-variants. In place, a member's own
 * part is not moved. Also the data that a member gives, for the prompt. */
#include <string.h>

#include "collective.h"
#include "shim/mpi/neighbors.h"
#include "shim/mpi/real.h"
#include "shim/objects/communicator_internal.h"
#include "shim/types/bytes.h"

/* Adds the part of one partner. */
static void add_part(struct bytes *bytes, uint8_t role, const struct collective_data *data,
                     int partner)
{
	MPI_Datatype type = data->types ? data->types[partner] : data->type;
	int count = data->counts ? data->counts[partner] : data->count;
	MPI_Aint low = 0, extent = 1, place = (MPI_Aint)partner * count;

	if (data->displacements)
		place = data->displacements[partner];
	else if (data->addresses)
		place = data->addresses[partner];
	if (!data->types)
		real_mpi()->Type_get_extent(type, &low, &extent);
	if (count > 0)
		bytes_add(bytes, role, (const char *)data->buffer + place * extent, count, type);
}

/* Adds one part for each of `count` partners, except those that are MPI_PROC_NULL in `partners`.
 * Partner `but` (-1: none) has role `but_role` instead (-1: it is left out). */
static void add_parts(struct bytes *bytes, uint8_t role, const struct collective_data *data,
                      int count, const int *partners, int but, int but_role)
{
	for (int i = 0; i < count; i++) {
		if (partners && partners[i] == MPI_PROC_NULL)
			continue;
		if (i != but)
			add_part(bytes, role, data, i);
		else if (but_role >= 0)
			add_part(bytes, (uint8_t)but_role, data, i);
	}
}

/* Adds data that is the same for all. */
static void add_whole(struct bytes *bytes, uint8_t role, const struct collective_data *data)
{
	if (data->count > 0)
		bytes_add(bytes, role, data->buffer, data->count, data->type);
}

static bool is_root(const struct communicator *communicator, int root)
{
	return root == (communicator->is_inter ? MPI_ROOT : communicator->rank);
}

/* The root's buffer has a part for each member. MPI_Bcast has one buffer, which is `send` and
 * `recv`. */
static void add_rooted(struct bytes *bytes, const struct communicator *communicator,
                       const struct collective_exchange *exchange, bool is_bcast)
{
	bool from_root = exchange->flow == COLLECTIVE_FROM_ROOT;
	const struct collective_data *parts = from_root ? &exchange->send : &exchange->recv;
	const struct collective_data *own = from_root ? &exchange->recv : &exchange->send;
	uint8_t parts_role = from_root ? WIRE_PART_READ : WIRE_PART_WRITTEN;
	uint8_t own_role = from_root ? WIRE_PART_WRITTEN : WIRE_PART_READ;
	bool in_place = own->buffer == MPI_IN_PLACE;

	if (communicator->is_inter && exchange->root == MPI_PROC_NULL)
		return;
	if (!is_root(communicator, exchange->root)) {
		add_whole(bytes, own_role, own);
	} else if (is_bcast) {
		add_whole(bytes, WIRE_PART_READ, parts);
	} else {
		add_parts(bytes, parts_role, parts, communicator->remote_size, NULL,
		          in_place ? communicator->rank : -1, from_root ? -1 : WIRE_PART_READ);
		if (!in_place && !communicator->is_inter)
			add_whole(bytes, own_role, own);
	}
}

/* In place, Alltoall sends from its receive buffer, and Allgather sends its own part. */
static void add_all(struct bytes *bytes, const struct communicator *communicator,
                    const struct collective_exchange *exchange, bool is_gathered)
{
	int size = communicator->remote_size;
	bool in_place = exchange->send.buffer == MPI_IN_PLACE;

	if (is_gathered && !in_place)
		add_whole(bytes, WIRE_PART_READ, &exchange->send);
	else if (!in_place)
		add_parts(bytes, WIRE_PART_READ, &exchange->send, size, NULL, -1, -1);
	add_parts(bytes, WIRE_PART_WRITTEN, &exchange->recv, size, NULL,
	          in_place && is_gathered ? communicator->rank : -1, WIRE_PART_READ);
}

static void add_neighbors(struct bytes *bytes, const struct communicator *communicator,
                          const struct collective_exchange *exchange, bool is_gathered)
{
	struct neighbors neighbors;

	if (!neighbors_of(communicator->handle, &neighbors))
		return;
	if (is_gathered && neighbors.out_count > 0)
		add_whole(bytes, WIRE_PART_READ, &exchange->send);
	else if (!is_gathered)
		add_parts(bytes, WIRE_PART_READ, &exchange->send, neighbors.out_count,
		          neighbors.out, -1, -1);
	add_parts(bytes, WIRE_PART_WRITTEN, &exchange->recv, neighbors.in_count, neighbors.in, -1,
	          -1);
	neighbors_release(&neighbors);
}

static void add_exchange(struct bytes *bytes, const struct communicator *communicator,
                         enum mpi_call function, const struct collective_exchange *exchange)
{
	const char *name = mpi_call_name(function);

	switch (exchange->flow) {
	case COLLECTIVE_FROM_ROOT:
	case COLLECTIVE_TO_ROOT:
		add_rooted(bytes, communicator, exchange, strstr(name, "cast") != NULL);
		break;
	case COLLECTIVE_TO_ALL:
		add_all(bytes, communicator, exchange, strstr(name, "gather") != NULL);
		break;
	case COLLECTIVE_TO_NEIGHBORS:
		add_neighbors(bytes, communicator, exchange, strstr(name, "gather") != NULL);
		break;
	}
}

/* The elements of all that is reduced, and of the part that this member receives. */
static void count_reduced(const struct communicator *communicator,
                          const struct collective_reduced *reduced, MPI_Count *ret_all,
                          MPI_Count *ret_own)
{
	*ret_all = *ret_own = reduced->count;
	if (reduced->is_block)
		*ret_all *= communicator->size;
	if (!reduced->counts)
		return;
	*ret_all = 0;
	for (int i = 0; i < communicator->size; i++)
		*ret_all += reduced->counts[i];
	*ret_own = reduced->counts[communicator->rank];
}

/* In place, the whole buffer counts as written, also beyond a shorter result. */
static void add_reduced(struct bytes *bytes, const struct communicator *communicator,
                        enum mpi_call function, int root, const struct collective_reduced *reduced)
{
	bool is_first_of_exscan = strstr(mpi_call_name(function), "xscan")
	                          && communicator->rank == 0;
	bool gets = (root == COLLECTIVE_NO_ROOT || is_root(communicator, root))
	            && !is_first_of_exscan;
	bool gives = !communicator->is_inter || (root != MPI_ROOT && root != MPI_PROC_NULL);
	bool in_place = reduced->send == MPI_IN_PLACE;
	MPI_Count all, own;

	count_reduced(communicator, reduced, &all, &own);
	if (gives && (!in_place || !gets))
		bytes_add(bytes, WIRE_PART_READ, in_place ? reduced->recv : reduced->send, all,
		          reduced->type);
	if (gets)
		bytes_add(bytes, WIRE_PART_WRITTEN, reduced->recv, in_place ? all : own,
		          reduced->type);
}

struct bytes *collective_bytes(MPI_Comm comm, enum mpi_call function, int root,
                               const struct collective_signature *signature)
{
	const struct communicator *communicator = communicator_find(comm);
	struct bytes *bytes;

	if (!communicator || (!signature->exchange && !signature->reduced))
		return NULL;
	bytes = bytes_new();
	if (!bytes)
		return NULL;
	if (signature->exchange)
		add_exchange(bytes, communicator, function, signature->exchange);
	else
		add_reduced(bytes, communicator, function, root, signature->reduced);
	return bytes;
}

/* --- data given ------------------------------------------------------------------------------- */

static bool give_whole(const struct collective_data *data, struct contents_data *ret_data)
{
	*ret_data = (struct contents_data){data->buffer, data->count, data->type};
	return data->buffer != MPI_IN_PLACE;
}

/* The parts of `partners` ranks. false: they are not contiguous. */
static bool give_parts(const struct collective_data *data, int partners,
                       struct contents_data *ret_data)
{
	MPI_Count count = 0;

	if (data->types || data->addresses)
		return false;
	for (int i = 0; i < partners; i++) {
		if (data->displacements && data->displacements[i] != count)
			return false;
		count += data->counts ? data->counts[i] : data->count;
	}
	*ret_data = (struct contents_data){data->buffer, count, data->type};
	return true;
}

static bool give_to_neighbors(const struct communicator *communicator, bool is_gathered,
                              const struct collective_exchange *exchange,
                              struct contents_data *ret_data)
{
	struct neighbors neighbors;
	bool gives;

	if (is_gathered)
		return give_whole(&exchange->send, ret_data);
	if (!neighbors_of(communicator->handle, &neighbors))
		return false;
	gives = give_parts(&exchange->send, neighbors.out_count, ret_data);
	neighbors_release(&neighbors);
	return gives;
}

static bool give_exchanged(const struct communicator *communicator, enum mpi_call function,
                           const struct collective_exchange *exchange,
                           struct contents_data *ret_data)
{
	const char *name = mpi_call_name(function);
	bool is_gathered = strstr(name, "gather") != NULL;
	bool in_place = exchange->send.buffer == MPI_IN_PLACE;

	switch (exchange->flow) {
	case COLLECTIVE_FROM_ROOT:
		if (!is_root(communicator, exchange->root))
			return false;
		return strstr(name, "cast")
		               ? give_whole(&exchange->send, ret_data)
		               : give_parts(&exchange->send, communicator->remote_size, ret_data);
	case COLLECTIVE_TO_ROOT:
		return !(communicator->is_inter && exchange->root < 0)
		       && give_whole(&exchange->send, ret_data);
	case COLLECTIVE_TO_ALL:
		return is_gathered ? give_whole(&exchange->send, ret_data)
		                   : give_parts(in_place ? &exchange->recv : &exchange->send,
		                                communicator->remote_size, ret_data);
	case COLLECTIVE_TO_NEIGHBORS:
		return give_to_neighbors(communicator, is_gathered, exchange, ret_data);
	}
	return false;
}

static bool give_reduced(const struct communicator *communicator, int root,
                         const struct collective_reduced *reduced, struct contents_data *ret_data)
{
	bool in_place = reduced->send == MPI_IN_PLACE;
	MPI_Count own;

	if (communicator->is_inter && (root == MPI_ROOT || root == MPI_PROC_NULL))
		return false;
	*ret_data = (struct contents_data){.buffer = in_place ? reduced->recv : reduced->send,
	                                   .type = reduced->type};
	count_reduced(communicator, reduced, &ret_data->count, &own);
	return true;
}

bool collective_given(MPI_Comm comm, enum mpi_call function, int root,
                      const struct collective_signature *signature, struct contents_data *ret_data)
{
	const struct communicator *communicator = communicator_find(comm);

	if (!communicator || !signature->sound)
		return false;
	if (signature->exchange)
		return give_exchanged(communicator, function, signature->exchange, ret_data);
	return signature->reduced && give_reduced(communicator, root, signature->reduced, ret_data);
}
