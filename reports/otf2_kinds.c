#include <string.h>

#include "otf2_trace.h"

static const struct collective {
	const char *name;
	OTF2_RegionRole role;
	OTF2_CollectiveOp op;
} collectives[] = {
	{"Barrier", OTF2_REGION_ROLE_BARRIER, OTF2_COLLECTIVE_OP_BARRIER},
	{"Bcast", OTF2_REGION_ROLE_COLL_ONE2ALL, OTF2_COLLECTIVE_OP_BCAST},
	{"Scatter", OTF2_REGION_ROLE_COLL_ONE2ALL, OTF2_COLLECTIVE_OP_SCATTER},
	{"Scatterv", OTF2_REGION_ROLE_COLL_ONE2ALL, OTF2_COLLECTIVE_OP_SCATTERV},
	{"Gather", OTF2_REGION_ROLE_COLL_ALL2ONE, OTF2_COLLECTIVE_OP_GATHER},
	{"Gatherv", OTF2_REGION_ROLE_COLL_ALL2ONE, OTF2_COLLECTIVE_OP_GATHERV},
	{"Reduce", OTF2_REGION_ROLE_COLL_ALL2ONE, OTF2_COLLECTIVE_OP_REDUCE},
	{"Allgather", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_COLLECTIVE_OP_ALLGATHER},
	{"Allgatherv", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_COLLECTIVE_OP_ALLGATHERV},
	{"Allreduce", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_COLLECTIVE_OP_ALLREDUCE},
	{"Alltoall", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_COLLECTIVE_OP_ALLTOALL},
	{"Alltoallv", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_COLLECTIVE_OP_ALLTOALLV},
	{"Alltoallw", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_COLLECTIVE_OP_ALLTOALLW},
	{"Reduce_scatter", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
	{"Reduce_scatter_block", OTF2_REGION_ROLE_COLL_ALL2ALL,
         OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
	{"Scan", OTF2_REGION_ROLE_COLL_OTHER, OTF2_COLLECTIVE_OP_SCAN},
	{"Exscan", OTF2_REGION_ROLE_COLL_OTHER, OTF2_COLLECTIVE_OP_EXSCAN},
	{"Cart_create", OTF2_REGION_ROLE_COLL_OTHER, OTF2_COLLECTIVE_OP_CREATE_HANDLE},
	{"Cart_sub", OTF2_REGION_ROLE_COLL_OTHER, OTF2_COLLECTIVE_OP_CREATE_HANDLE},
	{"Comm_create", OTF2_REGION_ROLE_COLL_OTHER, OTF2_COLLECTIVE_OP_CREATE_HANDLE},
	{"Comm_dup", OTF2_REGION_ROLE_COLL_OTHER, OTF2_COLLECTIVE_OP_CREATE_HANDLE},
	{"Comm_dup_with_info", OTF2_REGION_ROLE_COLL_OTHER, OTF2_COLLECTIVE_OP_CREATE_HANDLE},
	{"Comm_idup", OTF2_REGION_ROLE_COLL_OTHER, OTF2_COLLECTIVE_OP_CREATE_HANDLE},
	{"Comm_idup_with_info", OTF2_REGION_ROLE_COLL_OTHER, OTF2_COLLECTIVE_OP_CREATE_HANDLE},
	{"Comm_split", OTF2_REGION_ROLE_COLL_OTHER, OTF2_COLLECTIVE_OP_CREATE_HANDLE},
	{"Comm_split_type", OTF2_REGION_ROLE_COLL_OTHER, OTF2_COLLECTIVE_OP_CREATE_HANDLE},
	{"Dist_graph_create", OTF2_REGION_ROLE_COLL_OTHER, OTF2_COLLECTIVE_OP_CREATE_HANDLE},
	{"Dist_graph_create_adjacent", OTF2_REGION_ROLE_COLL_OTHER,
         OTF2_COLLECTIVE_OP_CREATE_HANDLE},
	{"Graph_create", OTF2_REGION_ROLE_COLL_OTHER, OTF2_COLLECTIVE_OP_CREATE_HANDLE},
	{"Intercomm_merge", OTF2_REGION_ROLE_COLL_OTHER, OTF2_COLLECTIVE_OP_CREATE_HANDLE},
	{"Comm_disconnect", OTF2_REGION_ROLE_COLL_OTHER, OTF2_COLLECTIVE_OP_DESTROY_HANDLE},
	{"Comm_free", OTF2_REGION_ROLE_COLL_OTHER, OTF2_COLLECTIVE_OP_DESTROY_HANDLE},
	{"Win_create", OTF2_REGION_ROLE_RMA, OTF2_COLLECTIVE_OP_CREATE_HANDLE},
	{"Win_create_dynamic", OTF2_REGION_ROLE_RMA, OTF2_COLLECTIVE_OP_CREATE_HANDLE},
	{"Win_allocate", OTF2_REGION_ROLE_RMA, OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE},
	{"Win_allocate_shared", OTF2_REGION_ROLE_RMA,
         OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE},
};

static const struct collective *find_name(const char *name)
{
	for (guint i = 0; i < G_N_ELEMENTS(collectives); i++) {
		if (g_str_equal(collectives[i].name, name))
			return &collectives[i];
	}
	return NULL;
}

/* MPI_Bcast, MPI_Ibcast, MPI_Bcast_c and MPI_Ibcast_c are one. */
static const struct collective *find(const char *function)
{
	g_autofree char *name = NULL;
	const struct collective *found;

	if (!g_str_has_prefix(function, "MPI_"))
		return NULL;
	name = g_strdup(function + strlen("MPI_"));
	if (g_str_has_suffix(name, "_c"))
		name[strlen(name) - 2] = 0;
	found = find_name(name);
	if (found || name[0] != 'I')
		return found;
	name[1] = g_ascii_toupper(name[1]);
	return find_name(name + 1);
}

bool otf2_collective(const char *function, OTF2_CollectiveOp *ret_op)
{
	const struct collective *found = find(function);

	if (found)
		*ret_op = found->op;
	return found != NULL;
}

bool otf2_is_rooted(OTF2_CollectiveOp op)
{
	switch (op) {
	case OTF2_COLLECTIVE_OP_BCAST:
	case OTF2_COLLECTIVE_OP_SCATTER:
	case OTF2_COLLECTIVE_OP_SCATTERV:
	case OTF2_COLLECTIVE_OP_GATHER:
	case OTF2_COLLECTIVE_OP_GATHERV:
	case OTF2_COLLECTIVE_OP_REDUCE: return true;
	default: return false;
	}
}

static bool begins_with_any(const char *function, const char *const *prefixes)
{
	for (; *prefixes; prefixes++) {
		if (g_str_has_prefix(function, *prefixes))
			return true;
	}
	return false;
}

bool otf2_is_nonblocking(const char *function)
{
	static const char *const starting[] = {"MPI_Start", "MPI_Comm_idup", NULL};
	static const char *const others[] = {"MPI_Init",   "MPI_Intercomm_", "MPI_Info_",
	                                     "MPI_Iprobe", "MPI_Improbe",    NULL};

	if (begins_with_any(function, starting))
		return true;
	return g_str_has_prefix(function, "MPI_I") && g_ascii_islower(function[strlen("MPI_I")])
	       && !begins_with_any(function, others);
}

bool otf2_is_one_sided(const char *function)
{
	static const char *const prefixes[] = {"MPI_Win_",
	                                       "MPI_Put",
	                                       "MPI_Get",
	                                       "MPI_Accumulate",
	                                       "MPI_Fetch_and_op",
	                                       "MPI_Rput",
	                                       "MPI_Raccumulate",
	                                       "MPI_Rget",
	                                       "MPI_Compare_and_swap",
	                                       NULL};
	static const char *const others[] = {"MPI_Get_", NULL};

	return begins_with_any(function, prefixes)
	       && (g_str_has_prefix(function, "MPI_Get_accumulate")
	           || !begins_with_any(function, others));
}

OTF2_RegionRole otf2_role(const char *function, uint8_t kind)
{
	static const char *const completing[] = {"MPI_Wait",     "MPI_Test",   "MPI_Start",
	                                         "MPI_Mrecv",    "MPI_Imrecv", "MPI_Cancel",
	                                         "MPI_Request_", NULL};
	const struct collective *found = find(function);

	if (found)
		return found->role;
	if (otf2_is_one_sided(function))
		return OTF2_REGION_ROLE_RMA;
	if (g_str_has_prefix(function, "MPI_File_"))
		return OTF2_REGION_ROLE_FILE_IO;
	if (begins_with_any(function, completing))
		return OTF2_REGION_ROLE_POINT2POINT;
	switch (kind) {
	case RECORD_CALL_COLLECTIVE: return OTF2_REGION_ROLE_COLL_OTHER;
	case RECORD_CALL_OTHER: return OTF2_REGION_ROLE_FUNCTION;
	default: return OTF2_REGION_ROLE_POINT2POINT;
	}
}
