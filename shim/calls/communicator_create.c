/* The calls that make and free communicators. All members of the parent meet at the scheduler. Then
 * MPI makes the communicator, and the shim announces it. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collective.h"
#include "shim/gate/caller.h"
#include "shim/gate/gate.h"
#include "shim/mpi/real.h"
#include "shim/objects/communicator_internal.h"
#include "shim/objects/error.h"
#include "shim/request/request.h"
#include "tracking.h"

enum { LONGEST_NAME = 160 };

/* A creation under way. */
struct creation {
	const void *site;
	enum mpi_call function;
	MPI_Comm comm;               /* as the program gave it */
	struct communicator *parent; /* NULL: none; MPI will report the error */
};

/* Waits for all members of the parent, if there is one. They must agree on `arguments`
 * (communicator_meet). */
static struct creation creation_begin_with(const void *site, enum mpi_call function, MPI_Comm comm,
                                           uint64_t arguments)
{
	struct creation creation = {site, function, comm, communicator_find(comm)};

	if (creation.parent)
		communicator_meet(creation.parent->number, function, site, arguments);
	else
		error_report_call(site, function);
	return creation;
}

static struct creation creation_begin(const void *site, enum mpi_call function, MPI_Comm comm)
{
	return creation_begin_with(site, function, comm, 0);
}

static void name_child(char *name, enum mpi_call function, const struct communicator *parent)
{
	snprintf(name, LONGEST_NAME, "%s of %s", mpi_call_name(function),
	         parent->name ? parent->name : "a communicator");
}

/* Announces the communicator that MPI has made. `key` distinguishes its number. */
static int announce_made(const struct creation *creation, uint64_t parent_number, uint64_t key,
                         MPI_Comm made, uint64_t *ret_number, char *ret_name)
{
	struct communicator_groups groups;
	int rank = 0, code = communicator_groups_of(made, &groups);

	if (code != MPI_SUCCESS)
		return code;
	*ret_number = communicator_new_number(parent_number, creation->function, key, &groups);
	name_child(ret_name, creation->function, creation->parent);
	real_mpi()->Comm_rank(made, &rank);
	communicator_announce(
		*ret_number, &groups, rank,
		&(struct communicator_origin){.name = ret_name, .function = creation->function});
	communicator_groups_release(&groups);
	return MPI_SUCCESS;
}

/* Registers the communicator that MPI has made. */
static int adopt(const struct creation *creation, uint64_t parent_number, uint64_t key,
                 MPI_Comm made)
{
	char name[LONGEST_NAME];
	uint64_t number;
	int code = announce_made(creation, parent_number, key, made, &number, name);

	return code == MPI_SUCCESS ? communicator_add(made, number, creation->parent, name) : code;
}

static int adopt_copy(const struct creation *creation, MPI_Comm made)
{
	const struct communicator *parent = creation->parent;
	char name[LONGEST_NAME];
	uint64_t number;
	int code = announce_made(creation, parent->number, 0, made, &number, name);

	if (code != MPI_SUCCESS)
		return code;
	return communicator_add_copy(made, number, communicator_copy_shadow(parent, made),
	                             parent->idups, parent, name);
}

static int creation_end(const struct creation *creation, int code, const MPI_Comm *made)
{
	if (code == MPI_SUCCESS && creation->parent && *made != MPI_COMM_NULL)
		code = adopt(creation, creation->parent->number, 0, *made);
	return error_check(creation->comm, code, creation->function, creation->site);
}

/* --- duplicates ----------------------------------------------------------------------------- */

/* MPI_Comm_idup of MPICH says only "Invalid communicator" if there are too many. Another call tells
 * it in words. All members have got the error. */
static int name_exhaustion(MPI_Comm comm, int code)
{
	MPI_Comm never = MPI_COMM_NULL;
	int error_class = MPI_SUCCESS, other;

	real_mpi()->Error_class(code, &error_class);
	if (error_class != MPI_ERR_OTHER)
		return code;
	other = real_mpi()->Comm_split(comm, 0, 0, &never);
	if (other != MPI_SUCCESS)
		return other;
	real_mpi()->Comm_free(&never);
	return code;
}

/* Copy callbacks of attributes belong to the program, and may call MPI. */
static int dup_with_callbacks(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
	struct caller_pause pause = caller_suspend();
	MPI_Request request;
	int code;

	if (info == MPI_INFO_NULL)
		code = real_mpi()->Comm_idup(comm, newcomm, &request);
	else
		code = real_mpi()->Comm_dup_with_info(comm, info, newcomm);
	caller_resume(&pause);
	if (code != MPI_SUCCESS || info != MPI_INFO_NULL)
		return code;
	code = gate_complete(&request, MPI_STATUS_IGNORE);
	return code == MPI_SUCCESS ? code : name_exhaustion(comm, code);
}

static int dup(const void *site, enum mpi_call function, MPI_Comm comm, MPI_Info info,
               MPI_Comm *newcomm)
{
	struct creation creation = creation_begin(site, function, comm);
	int code;

	if (!creation.parent)
		return creation_end(&creation, real_mpi()->Comm_dup(comm, newcomm), newcomm);
	code = dup_with_callbacks(comm, info, newcomm);
	if (code == MPI_SUCCESS)
		code = adopt_copy(&creation, *newcomm);
	return error_check(comm, code, function, site);
}

int shim_MPI_Comm_dup(void *site, MPI_Comm comm, MPI_Comm *newcomm)
{
	return dup(site, MPI_CALL_Comm_dup, comm, MPI_INFO_NULL, newcomm);
}

int shim_MPI_Comm_dup_with_info(void *site, MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
	return dup(site, MPI_CALL_Comm_dup_with_info, comm, info, newcomm);
}

struct idup {
	struct collective_kept kept;
	MPI_Comm comm;
	MPI_Info info;
	MPI_Comm *newcomm;
	bool has_info;
	enum mpi_call function;
	const void *site;
	uint64_t number;
	char name[LONGEST_NAME];
	MPI_Comm shadow;
	MPI_Request shadow_request;
	unsigned idups; /* of the parent, when the call was made */
};

static int idup_post(void *closure, MPI_Request *ret_request)
{
	struct idup *idup = closure;
	struct caller_pause pause = caller_suspend();
	int code;

	if (idup->has_info)
		code = real_mpi()->Comm_idup_with_info(idup->comm, idup->info, idup->newcomm,
		                                       ret_request);
	else
		code = real_mpi()->Comm_idup(idup->comm, idup->newcomm, ret_request);
	caller_resume(&pause);
	return code;
}

static void idup_over(void *closure, int code)
{
	struct idup *idup = closure;
	int done = 0, shadowed = MPI_SUCCESS;

	while (code == MPI_SUCCESS && shadowed == MPI_SUCCESS && !done) {
		shadowed = real_mpi()->Test(&idup->shadow_request, &done, MPI_STATUS_IGNORE);
		if (!done)
			sched_yield();
	}
	if (shadowed != MPI_SUCCESS)
		idup->shadow = MPI_COMM_NULL;
	if (code == MPI_SUCCESS)
		tracking_made(WIRE_OBJECT_COMMUNICATOR, (uintptr_t)*idup->newcomm, idup->newcomm,
		              idup->function, idup->site);
	if (code == MPI_SUCCESS)
		communicator_add_copy(*idup->newcomm, idup->number, idup->shadow, idup->idups,
		                      communicator_find_even_freed(idup->comm), idup->name);
	if (idup->has_info)
		real_mpi()->Info_free(&idup->info);
	collective_over(closure, code);
}

/* The number is made now, because duplicates may complete in another order in other members. */
static int start_idup(const void *site, enum mpi_call function, MPI_Comm comm, MPI_Info info,
                      bool has_info, MPI_Comm *newcomm, MPI_Request *request)
{
	static const struct request_actions actions = {.post = idup_post, .over = idup_over};
	struct communicator *parent = communicator_find(comm);
	bool valid = parent && (!has_info || collective_takes_info(info));
	struct idup *idup = valid ? calloc(1, sizeof(*idup)) : NULL;
	int code = MPI_ERR_NO_MEM;

	if (!idup) {
		error_report_call(site, function);
		if (!valid && has_info)
			code = real_mpi()->Comm_idup_with_info(comm, info, newcomm, request);
		else if (!valid)
			code = real_mpi()->Comm_idup(comm, newcomm, request);
		return error_check(comm, code, function, site);
	}
	idup->comm = comm;
	idup->newcomm = newcomm;
	idup->function = function;
	idup->site = site;
	idup->shadow = MPI_COMM_NULL;
	idup->shadow_request = MPI_REQUEST_NULL;
	idup->has_info = has_info && info != MPI_INFO_NULL;
	if (idup->has_info)
		real_mpi()->Info_dup(info, &idup->info);
	name_child(idup->name, function, parent);
	idup->number = communicator_announce_copy(parent, function, idup->name);
	/* Operations on a shadow happen in the order of the calls. */
	code = MPI_SUCCESS;
	if (communicator_idup_has_shadow(parent))
		code = real_mpi()->Comm_idup(parent->shadow, &idup->shadow, &idup->shadow_request);
	idup->idups = parent->idups;
	if (code != MPI_SUCCESS) {
		free(idup);
		return error_check(comm, code, function, site);
	}
	return collective_start(site, function, comm, COLLECTIVE_NO_ROOT, COLLECTIVE_UNSIGNED,
	                        &actions, idup, request);
}

int shim_MPI_Comm_idup(void *site, MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
	return start_idup(site, MPI_CALL_Comm_idup, comm, MPI_INFO_NULL, false, newcomm, request);
}

int shim_MPI_Comm_idup_with_info(void *site, MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm,
                                 MPI_Request *request)
{
	return start_idup(site, MPI_CALL_Comm_idup_with_info, comm, info, true, newcomm, request);
}

/* --- parts and topologies ------------------------------------------------------------------- */

int shim_MPI_Comm_split(void *site, MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
	struct creation creation = creation_begin(site, MPI_CALL_Comm_split, comm);
	int code = real_mpi()->Comm_split(comm, color, key, newcomm);

	return creation_end(&creation, code, newcomm);
}

int shim_MPI_Comm_split_type(void *site, MPI_Comm comm, int split_type, int key, MPI_Info info,
                             MPI_Comm *newcomm)
{
	/* A member that takes no part need not give the type (MPI 3.1, section 6.4.2). */
	uint64_t arguments = split_type != MPI_UNDEFINED ? communicator_hash(1, 1, &split_type) : 0;
	struct creation creation = creation_begin_with(site, MPI_CALL_Comm_split_type, comm,
	                                               arguments);
	int code = real_mpi()->Comm_split_type(comm, split_type, key, info, newcomm);

	return creation_end(&creation, code, newcomm);
}

/* Translates world ranks to ranks in the communicator. false: some are not in it; MPI will report
 * the error. */
static bool to_ranks_of(const struct communicator *parent, struct communicator_groups *groups)
{
	for (int i = 0; i < groups->size; i++) {
		int rank = 0;

		while (rank < parent->size && parent->local[rank] != groups->local[i])
			rank++;
		if (rank == parent->size)
			return false;
		groups->local[i] = rank;
	}
	return true;
}

/* All members of a group must give the same group (MPI 3.1, section 6.4.2). */
static struct creation begin_with_group(const void *site, enum mpi_call function, MPI_Comm comm,
                                        MPI_Group group)
{
	struct creation creation = {site, function, comm, communicator_find(comm)};
	struct communicator_groups groups;

	if (!creation.parent || creation.parent->is_inter || group == MPI_GROUP_NULL
	    || communicator_groups_of_group(group, &groups) != MPI_SUCCESS)
		return creation_begin(site, function, comm);
	if (to_ranks_of(creation.parent, &groups))
		communicator_meet_as_group(creation.parent->number, function, site, groups.size,
		                           groups.local);
	else
		communicator_meet(creation.parent->number, function, site, 0);
	communicator_groups_release(&groups);
	return creation;
}

int shim_MPI_Comm_create(void *site, MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm)
{
	struct creation creation = begin_with_group(site, MPI_CALL_Comm_create, comm, group);
	int code = real_mpi()->Comm_create(comm, group, newcomm);

	return creation_end(&creation, code, newcomm);
}

int shim_MPI_Cart_create(void *site, MPI_Comm comm, int ndims, const int dims[],
                         const int periods[], int reorder, MPI_Comm *newcomm)
{
	uint64_t arguments = communicator_hash_flags(1, 1, &reorder);

	if (ndims > 0 && dims && periods)
		arguments = communicator_hash_flags(communicator_hash(arguments, ndims, dims),
		                                    ndims, periods);
	struct creation creation = creation_begin_with(site, MPI_CALL_Cart_create, comm, arguments);
	int code = real_mpi()->Cart_create(comm, ndims, dims, periods, reorder, newcomm);

	return creation_end(&creation, code, newcomm);
}

int shim_MPI_Cart_sub(void *site, MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm)
{
	int dimensions = 0;

	if (communicator_find(comm))
		real_mpi()->Cartdim_get(comm, &dimensions);
	if (!remain_dims)
		dimensions = 0;
	struct creation creation = creation_begin_with(
		site, MPI_CALL_Cart_sub, comm, communicator_hash_flags(1, dimensions, remain_dims));
	int code = real_mpi()->Cart_sub(comm, remain_dims, newcomm);

	return creation_end(&creation, code, newcomm);
}

int shim_MPI_Graph_create(void *site, MPI_Comm comm, int nnodes, const int indx[],
                          const int edges[], int reorder, MPI_Comm *newcomm)
{
	uint64_t arguments = communicator_hash_flags(1, 1, &reorder);

	if (nnodes > 0 && indx)
		arguments = communicator_hash(arguments, nnodes, indx);
	if (nnodes > 0 && indx && edges)
		arguments = communicator_hash(arguments, indx[nnodes - 1], edges);
	struct creation creation = creation_begin_with(site, MPI_CALL_Graph_create, comm,
	                                               arguments);
	int code = real_mpi()->Graph_create(comm, nnodes, indx, edges, reorder, newcomm);

	return creation_end(&creation, code, newcomm);
}

/* Either all edges of a graph have weights or none (MPI 3.1, section 7.5.4). 0: not known, because
 * there is no array for no edges. */
static uint64_t hash_distributed(const int *const *weights, int count, int reorder)
{
	/* a variable of MPI's; the shim is not linked with MPI */
	int *const *unweighted = real_symbol("MPI_UNWEIGHTED");
	uint64_t arguments = communicator_hash_flags(1, 1, &reorder);

	for (int i = 0; i < count; i++) {
		int is_weighted = unweighted && weights[i] != *unweighted;

		if (!weights[i])
			return 0;
		arguments = communicator_hash_flags(arguments, 1, &is_weighted);
	}
	return arguments;
}

int shim_MPI_Dist_graph_create(void *site, MPI_Comm comm, int n, const int sources[],
                               const int degrees[], const int destinations[], const int weights[],
                               MPI_Info info, int reorder, MPI_Comm *newcomm)
{
	struct creation creation = creation_begin_with(site, MPI_CALL_Dist_graph_create, comm,
	                                               hash_distributed(&weights, 1, reorder));
	int code = real_mpi()->Dist_graph_create(comm, n, sources, degrees, destinations, weights,
	                                         info, reorder, newcomm);

	return creation_end(&creation, code, newcomm);
}

int shim_MPI_Dist_graph_create_adjacent(void *site, MPI_Comm comm, int indegree,
                                        const int sources[], const int sourceweights[],
                                        int outdegree, const int destinations[],
                                        const int destweights[], MPI_Info info, int reorder,
                                        MPI_Comm *newcomm)
{
	const int *const all[] = {sourceweights, destweights};
	struct creation creation = creation_begin_with(site, MPI_CALL_Dist_graph_create_adjacent,
	                                               comm, hash_distributed(all, 2, reorder));
	int code = real_mpi()->Dist_graph_create_adjacent(comm, indegree, sources, sourceweights,
	                                                  outdegree, destinations, destweights,
	                                                  info, reorder, newcomm);

	return creation_end(&creation, code, newcomm);
}

int shim_MPI_Intercomm_merge(void *site, MPI_Comm comm, int high, MPI_Comm *newcomm)
{
	struct creation creation = creation_begin_with(site, MPI_CALL_Intercomm_merge, comm,
	                                               communicator_hash_flags(1, 1, &high));
	int code = real_mpi()->Intercomm_merge(comm, high, newcomm);

	return creation_end(&creation, code, newcomm);
}

/* --- without the parent's other members ------------------------------------------------------ */

/* Only the group's members call: they meet under the new communicator's number. */
int shim_MPI_Comm_create_group(void *site, MPI_Comm comm, MPI_Group group, int tag,
                               MPI_Comm *newcomm)
{
	const enum mpi_call function = MPI_CALL_Comm_create_group;
	struct communicator *parent = communicator_find(comm);
	struct communicator_groups groups;
	char name[LONGEST_NAME], argument[sizeof("tag=-2147483648")];
	int rank = MPI_UNDEFINED, code;

	if (parent && group != MPI_GROUP_NULL)
		real_mpi()->Group_rank(group, &rank);
	if (rank == MPI_UNDEFINED || communicator_groups_of_group(group, &groups) != MPI_SUCCESS) {
		error_report_call(site, function);
		code = real_mpi()->Comm_create_group(comm, group, tag, newcomm);
		return error_check(comm, code, function, site);
	}
	uint64_t number = communicator_new_number(parent->number, function, (uint64_t)tag, &groups);
	name_child(name, function, parent);
	snprintf(argument, sizeof(argument), "tag=%d", tag);
	communicator_announce(number, &groups, rank,
	                      &(struct communicator_origin){
				      .name = name, .function = function, .argument = argument});
	communicator_groups_release(&groups);
	communicator_meet(number, function, site, 0);
	code = real_mpi()->Comm_create_group(comm, group, tag, newcomm);
	if (code == MPI_SUCCESS && *newcomm != MPI_COMM_NULL)
		code = communicator_add(*newcomm, number, parent, name);
	return error_check(comm, code, function, site);
}

/* --- between two groups --------------------------------------------------------------------- */

/* The two leaders meet under a number of their own. */
static void meet_leader(const struct creation *creation, MPI_Comm peer_comm, int remote_leader,
                        int tag)
{
	struct communicator *peer = communicator_find(peer_comm);
	int own = communicator_find(MPI_COMM_WORLD)->rank;
	int other = peer ? communicator_world_rank(peer, remote_leader) : -1;

	if (other < 0 || other == own)
		return;
	int leaders[2] = {own < other ? own : other, own < other ? other : own};
	const struct communicator_groups groups = {.size = 2, .local = leaders};
	uint64_t number = communicator_new_number(peer->number, creation->function, (uint64_t)tag,
	                                          &groups);
	communicator_announce(
		number, &groups, own == leaders[1],
		&(struct communicator_origin){.name = "the leaders of MPI_Intercomm_create"});
	communicator_meet_again(number, creation->function, creation->site, 1);
}

/* Each group meets, then the two leaders meet, then each group meets again. When the leaders meet,
 * both groups are complete; after the second meeting, all members know it. */
int shim_MPI_Intercomm_create(void *site, MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
                              int remote_leader, int tag, MPI_Comm *newcomm)
{
	struct creation creation = creation_begin_with(site, MPI_CALL_Intercomm_create, local_comm,
	                                               communicator_hash(1, 1, &local_leader));
	int code;

	if (creation.parent) {
		if (creation.parent->rank == local_leader)
			meet_leader(&creation, peer_comm, remote_leader, tag);
		communicator_meet_again(creation.parent->number, creation.function, site, 2);
	}
	code = real_mpi()->Intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag,
	                                    newcomm);
	if (code == MPI_SUCCESS && creation.parent && *newcomm != MPI_COMM_NULL)
		code = adopt(&creation, 0, (uint64_t)tag, *newcomm);
	return error_check(local_comm, code, creation.function, site);
}

/* --- freeing ---------------------------------------------------------------------------------- */

/* The program names its MPI_COMM_WORLD as MPI does, whatever stands for it. */
static bool is_predefined(const struct communicator *communicator)
{
	return communicator->number == WIRE_COMM_WORLD || communicator->number == WIRE_COMM_SELF
	       || communicator->number == WIRE_COMM_JOB;
}

static int no_communicator(const void *site, enum mpi_call function, MPI_Comm *comm)
{
	error_report_call(site, function);
	int code = function == MPI_CALL_Comm_free ? real_mpi()->Comm_free(comm)
	                                          : real_mpi()->Comm_disconnect(comm);

	return error_check(MPI_COMM_WORLD, code, function, site);
}

/* Collective, but no member waits, as in MPI itself. */
int shim_MPI_Comm_free(void *site, MPI_Comm *comm)
{
	struct communicator *communicator = comm ? communicator_find(*comm) : NULL;
	int code;

	if (!communicator || is_predefined(communicator))
		return no_communicator(site, MPI_CALL_Comm_free, comm);
	struct wire_call call = gate_call(MPI_CALL_Comm_free, site);
	struct wire_op op = {
		.name = {call.call, 0},
		.kind = WIRE_COLLECTIVE,
		.comm = communicator->number,
		.peer = -1,
	};
	call.ops = &op;
	call.op_count = 1;
	gate_report(&call);
	code = communicator_free(communicator);
	if (code != MPI_SUCCESS)
		return error_check(*comm, code, MPI_CALL_Comm_free, site);
	*comm = MPI_COMM_NULL;
	return MPI_SUCCESS;
}

int shim_MPI_Comm_disconnect(void *site, MPI_Comm *comm)
{
	struct communicator *communicator = comm ? communicator_find(*comm) : NULL;
	int code;

	if (!communicator || is_predefined(communicator))
		return no_communicator(site, MPI_CALL_Comm_disconnect, comm);
	communicator_meet(communicator->number, MPI_CALL_Comm_disconnect, site, 0);
	code = communicator_free(communicator);
	if (code != MPI_SUCCESS)
		return error_check(*comm, code, MPI_CALL_Comm_disconnect, site);
	*comm = MPI_COMM_NULL;
	return MPI_SUCCESS;
}

int shim_MPI_Comm_set_name(void *site, MPI_Comm comm, const char *name)
{
	int code = real_mpi()->Comm_set_name(comm, name);
	uint64_t number = communicator_number(comm);

	if (code == MPI_SUCCESS && number != 0)
		communicator_report_name(number, name);
	return error_check(comm, code, MPI_CALL_Comm_set_name, site);
}
