#include "communicator_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mix.h"
#include "error.h"
#include "shim/gate/blocking_call.h"
#include "shim/gate/caller.h"
#include "shim/gate/gate.h"
#include "shim/mpi/abi.h"
#include "shim/mpi/real.h"

enum { BUCKETS = 128, FIRST_NUMBER = 16, LONGEST_NAME = 160 };

/* MPICH has 2,048 context ids for the communicators of a process. The shadows may not take many of
 * those that the program needs. */
enum { SHADOWS_MOST = 64, IDUPS_MOST = 64 };
/* When as many are taken, shadows that were never used are given up. */
enum { CONTEXTS_MANY = 2032 };

MPI_Comm communicator_world = MPI_COMM_WORLD;

static struct communicator *buckets[BUCKETS];
static MPI_Group world_group = MPI_GROUP_NULL;
static int living;  /* communicators that are not freed, with those of the start */
static int shadows; /* of communicators that are not freed, but for MPI_COMM_WORLD's */

/* How many numbers with the same origin have been made. */
struct origin {
	uint64_t hash, given;
	struct origin *next;
};
static struct origin *origins[BUCKETS];

static struct communicator **bucket_of(MPI_Comm comm)
{
	return &buckets[(abi_number(comm) * 2654435761u >> 16) % BUCKETS];
}

struct communicator *communicator_find(MPI_Comm comm)
{
	struct communicator *communicator = *bucket_of(comm);

	while (communicator && (communicator->handle != comm || communicator->freed))
		communicator = communicator->next;
	return communicator;
}

struct communicator *communicator_find_even_freed(MPI_Comm comm)
{
	struct communicator *communicator = *bucket_of(comm);

	while (communicator && communicator->handle != comm)
		communicator = communicator->next;
	return communicator;
}

uint64_t communicator_number(MPI_Comm comm)
{
	const struct communicator *communicator = communicator_find(comm);

	return communicator ? communicator->number : 0;
}

const char *communicator_name(const struct communicator *communicator)
{
	return communicator->name;
}

bool communicator_is_inter(const struct communicator *communicator)
{
	return communicator->is_inter;
}

int communicator_world_rank(const struct communicator *communicator, int rank)
{
	if (rank < 0 || rank >= communicator->remote_size)
		return -1;
	return communicator->is_inter ? communicator->remote[rank] : communicator->local[rank];
}

/* --- groups ---------------------------------------------------------------------------------- */

static int world_ranks(MPI_Group group, int *ret_size, int **ret_ranks)
{
	int code = real_mpi()->Group_size(group, ret_size);
	size_t room = sizeof(int) * ((size_t)*ret_size + 1);
	int *own = malloc(room);

	*ret_ranks = malloc(room);
	if (!own || !*ret_ranks)
		code = MPI_ERR_NO_MEM;
	for (int i = 0; code == MPI_SUCCESS && i < *ret_size; i++)
		own[i] = i;
	if (code == MPI_SUCCESS)
		code = real_mpi()->Group_translate_ranks(group, *ret_size, own, world_group,
		                                         *ret_ranks);
	free(own);
	return code;
}

int communicator_groups_of_group(MPI_Group group, struct communicator_groups *ret_groups)
{
	*ret_groups = (struct communicator_groups){0};
	return world_ranks(group, &ret_groups->size, &ret_groups->local);
}

int communicator_groups_of(MPI_Comm handle, struct communicator_groups *ret_groups)
{
	int is_inter = 0;
	MPI_Group group;
	int code = real_mpi()->Comm_group(handle, &group);

	*ret_groups = (struct communicator_groups){0};
	if (code != MPI_SUCCESS)
		return code;
	code = world_ranks(group, &ret_groups->size, &ret_groups->local);
	real_mpi()->Group_free(&group);
	real_mpi()->Comm_test_inter(handle, &is_inter);
	if (code != MPI_SUCCESS || !is_inter)
		return code;
	code = real_mpi()->Comm_remote_group(handle, &group);
	if (code != MPI_SUCCESS)
		return code;
	code = world_ranks(group, &ret_groups->remote_size, &ret_groups->remote);
	real_mpi()->Group_free(&group);
	return code;
}

void communicator_groups_release(struct communicator_groups *groups)
{
	free(groups->local);
	free(groups->remote);
	*groups = (struct communicator_groups){0};
}

/* --- numbers --------------------------------------------------------------------------------- */

static uint64_t mix_group(uint64_t hash, int size, const int *ranks)
{
	hash = mix(hash, (uint64_t)size);
	for (int i = 0; i < size; i++)
		hash = mix(hash, (uint64_t)ranks[i]);
	return hash;
}

static int lowest(int size, const int *ranks)
{
	int least = size > 0 ? ranks[0] : -1;

	for (int i = 1; i < size; i++)
		least = ranks[i] < least ? ranks[i] : least;
	return least;
}

/* The same on both sides of an intercommunicator: the group with the lowest rank comes first. */
static uint64_t mix_groups(uint64_t hash, const struct communicator_groups *groups)
{
	bool local_first = groups->remote_size == 0
	                   || lowest(groups->size, groups->local)
	                              < lowest(groups->remote_size, groups->remote);

	if (local_first)
		hash = mix_group(hash, groups->size, groups->local);
	hash = mix_group(hash, groups->remote_size, groups->remote);
	if (!local_first)
		hash = mix_group(hash, groups->size, groups->local);
	return hash;
}

static uint64_t count_origin(uint64_t hash)
{
	struct origin **head = &origins[hash % BUCKETS], *origin = *head;

	while (origin && origin->hash != hash)
		origin = origin->next;
	if (!origin) {
		origin = calloc(1, sizeof(*origin));
		if (!origin)
			return 0;
		origin->hash = hash;
		origin->next = *head;
		*head = origin;
	}
	return origin->given++;
}

uint64_t communicator_new_number(uint64_t parent, unsigned function, uint64_t key,
                                 const struct communicator_groups *groups)
{
	uint64_t hash = mix_groups(mix(mix(mix(1, parent), function), key), groups);
	uint64_t number = mix(hash, count_origin(hash));

	return number < FIRST_NUMBER ? number + FIRST_NUMBER : number;
}

static void announce(uint64_t number, const struct communicator_groups *groups, int rank,
                     const struct communicator_origin *origin, uint32_t window, uint32_t unit)
{
	char name[LONGEST_NAME], argument[LONGEST_NAME];

	snprintf(name, sizeof(name), "%s", origin->name);
	snprintf(argument, sizeof(argument), "%s", origin->argument ? origin->argument : "");
	const struct wire_message message = {
		.type = WIRE_COMM,
		.comm = {.comm = number,
	                 .local_count = (uint32_t)groups->size,
	                 .remote_count = (uint32_t)groups->remote_size,
	                 .local = groups->local,
	                 .remote = groups->remote,
	                 .my_rank = rank,
	                 .window = window,
	                 .unit = unit,
	                 .name = name,
	                 .stands_for = origin->stands_for,
	                 .function = (uint16_t)origin->function,
	                 .site = (uintptr_t)caller_site(),
	                 .argument = argument},
	};
	gate_send(&message);
}

void communicator_announce(uint64_t number, const struct communicator_groups *groups, int rank,
                           const struct communicator_origin *origin)
{
	announce(number, groups, rank, origin, 0, 0);
}

static uint64_t announce_copy(const struct communicator *communicator, unsigned function,
                              const struct communicator_origin *origin)
{
	const struct communicator_groups groups = {
		.size = communicator->size,
		.local = communicator->local,
		.remote_size = communicator->is_inter ? communicator->remote_size : 0,
		.remote = communicator->remote,
	};
	uint64_t number = communicator_new_number(communicator->number, function, 0, &groups);

	communicator_announce(number, &groups, communicator->rank, origin);
	return number;
}

uint64_t communicator_announce_copy(const struct communicator *communicator, unsigned function,
                                    const char *name)
{
	const struct communicator_origin origin = {.name = name, .function = function};

	return announce_copy(communicator, function, &origin);
}

uint64_t communicator_announce_alias(const struct communicator *communicator, unsigned function)
{
	const struct communicator_origin origin = {.name = communicator->name,
	                                           .function = function,
	                                           .stands_for = communicator->number};

	return announce_copy(communicator, function, &origin);
}

uint64_t communicator_derive(const struct communicator *communicator, unsigned function)
{
	char name[LONGEST_NAME];

	snprintf(name, sizeof(name), "%s on %s", mpi_call_name(function), communicator->name);
	return communicator_announce_copy(communicator, function, name);
}

uint64_t communicator_derive_window(const struct communicator *communicator, unsigned function,
                                    uint32_t unit)
{
	static uint32_t made; /* windows in which this process has the lowest rank */
	const struct communicator_groups groups = {.size = communicator->size,
	                                           .local = communicator->local};
	uint64_t number = communicator_new_number(communicator->number, function, 0, &groups);
	bool lowest_here = lowest(groups.size, groups.local)
	                   == communicator->local[communicator->rank];
	char name[LONGEST_NAME];

	snprintf(name, sizeof(name), "%s on %s", mpi_call_name(function), communicator->name);
	announce(number, &groups, communicator->rank,
	         &(struct communicator_origin){.name = name, .function = function},
	         lowest_here ? ++made : 0, unit);
	return number;
}

/* --- the registry ---------------------------------------------------------------------------- */

static void forget_communicator(struct communicator *communicator)
{
	struct communicator **link = bucket_of(communicator->handle);

	while (*link != communicator)
		link = &(*link)->next;
	*link = communicator->next;
	free(communicator->local);
	free(communicator->remote);
	free(communicator->name);
	free(communicator);
	living--;
}

static bool are_many(void)
{
	return living + shadows >= CONTEXTS_MANY;
}

static void free_shadow(struct communicator *communicator)
{
	if (communicator->shadow == MPI_COMM_NULL)
		return;
	real_mpi()->Comm_free(&communicator->shadow);
	shadows--;
}

/* The standard asks for communicators only that all members free them, at any time. Some members
 * may keep a shadow, as they have sent on it. The scheduler refuses their next collective. */
static void give_shadows_up(void)
{
	for (int i = 0; i < BUCKETS; i++) {
		for (struct communicator *each = buckets[i]; each; each = each->next)
			if (each->number != WIRE_COMM_WORLD && !each->uses_shadow)
				free_shadow(each);
	}
}

/* Whether all members have few shadows. Collective on a new communicator that the program does not
 * have yet: all members get the same answer. */
static bool may_have_shadow(MPI_Comm handle)
{
	MPI_Request request;
	int own = are_many() ? SHADOWS_MOST : shadows, most = SHADOWS_MOST;

	return real_mpi()->Iallreduce(&own, &most, 1, MPI_INT, MPI_MAX, handle, &request)
	               == MPI_SUCCESS
	       && gate_complete(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && most < SHADOWS_MOST;
}

/* A duplicate of `handle`; MPI_COMM_NULL: MPI cannot make it, which all members learn. */
static MPI_Comm duplicate(MPI_Comm handle)
{
	MPI_Comm made = MPI_COMM_NULL;
	MPI_Request request;

	if (real_mpi()->Comm_idup(handle, &made, &request) != MPI_SUCCESS
	    || gate_complete(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS)
		return MPI_COMM_NULL;
	return made;
}

/* Only the communicator's members know the shadow, and it carries no attributes. MPI_COMM_WORLD
 * always gets one: worlds that continue from MPI_Init may differ in whether they need it. */
static MPI_Comm make_shadow(const struct communicator *communicator)
{
	bool is_world = communicator->number == WIRE_COMM_WORLD;
	bool is_needed = is_world || !gate_welcome()->synchronous_collectives;

	if (!is_needed || communicator->number == WIRE_COMM_JOB || communicator->is_inter
	    || communicator->size < 2 || (!is_world && !may_have_shadow(communicator->handle)))
		return MPI_COMM_NULL;
	return duplicate(communicator->handle);
}

MPI_Comm communicator_copy_shadow(const struct communicator *parent, MPI_Comm copy)
{
	if (gate_welcome()->synchronous_collectives || parent->shadow == MPI_COMM_NULL
	    || !may_have_shadow(copy))
		return MPI_COMM_NULL;
	return duplicate(parent->shadow);
}

bool communicator_idup_has_shadow(struct communicator *parent)
{
	return !gate_welcome()->synchronous_collectives && parent->shadow != MPI_COMM_NULL
	       && parent->idups++ < IDUPS_MOST;
}

bool communicator_lacks_shadow(const struct communicator *communicator)
{
	return communicator->shadow == MPI_COMM_NULL && !communicator->is_inter
	       && communicator->size > 1 && !gate_welcome()->synchronous_collectives;
}

static struct communicator *new_entry(MPI_Comm handle, uint64_t number, const char *name)
{
	struct communicator *communicator = calloc(1, sizeof(*communicator));
	struct communicator_groups groups;

	if (!communicator || communicator_groups_of(handle, &groups) != MPI_SUCCESS) {
		free(communicator);
		return NULL;
	}
	communicator->handle = handle;
	communicator->number = number;
	communicator->local = groups.local;
	communicator->remote = groups.remote;
	communicator->is_inter = groups.remote != NULL;
	communicator->size = groups.size;
	communicator->remote_size = groups.remote ? groups.remote_size : groups.size;
	communicator->shadow = MPI_COMM_NULL;
	communicator->handler = MPI_ERRORS_ARE_FATAL;
	communicator->name = strdup(name);
	real_mpi()->Comm_rank(handle, &communicator->rank);
	communicator->next = *bucket_of(handle);
	*bucket_of(handle) = communicator;
	living++;
	if (are_many())
		give_shadows_up();
	return communicator;
}

/* The program's handlers are for errors in its own calls. */
static int add_shadow(struct communicator *communicator, MPI_Comm shadow)
{
	communicator->shadow = shadow;
	if (shadow == MPI_COMM_NULL)
		return MPI_SUCCESS;
	shadows += communicator->number != WIRE_COMM_WORLD;
	return real_mpi()->Comm_set_errhandler(shadow, MPI_ERRORS_RETURN);
}

static int take_handler(struct communicator *communicator, const struct communicator *parent)
{
	return error_set_handler(communicator, parent ? parent->handler : MPI_ERRORS_ARE_FATAL);
}

int communicator_add(MPI_Comm handle, uint64_t number, const struct communicator *parent,
                     const char *name)
{
	struct communicator *communicator = new_entry(handle, number, name);
	int code;

	if (!communicator)
		return MPI_ERR_NO_MEM;
	code = add_shadow(communicator, make_shadow(communicator));
	return code == MPI_SUCCESS ? take_handler(communicator, parent) : code;
}

int communicator_add_copy(MPI_Comm handle, uint64_t number, MPI_Comm shadow, unsigned idups,
                          const struct communicator *parent, const char *name)
{
	struct communicator *communicator = new_entry(handle, number, name);
	int code;

	if (!communicator)
		return MPI_ERR_NO_MEM;
	communicator->idups = idups;
	code = add_shadow(communicator, shadow);
	return code == MPI_SUCCESS ? take_handler(communicator, parent) : code;
}

void communicator_set_world(MPI_Comm comm)
{
	communicator_world = comm;
	real_mpi()->Comm_set_name(comm, "MPI_COMM_WORLD");
}

/* Each part that runs at once has a communicator of its own. The first one is what the scheduler
 * takes for MPI_COMM_WORLD. */
static int start_divided(int world)
{
	struct communicator_groups groups;
	uint64_t number = WIRE_COMM_WORLD;
	MPI_Comm made;
	int rank, code = communicator_add(MPI_COMM_WORLD, WIRE_COMM_JOB, NULL, "the job");

	if (code == MPI_SUCCESS)
		code = real_mpi()->Comm_split(MPI_COMM_WORLD, world < 0 ? MPI_UNDEFINED : world, 0,
		                              &made);
	if (code != MPI_SUCCESS || world < 0)
		return code;
	communicator_set_world(made);
	if (world > 0) {
		code = communicator_groups_of(made, &groups);
		if (code != MPI_SUCCESS)
			return code;
		number = communicator_new_number(WIRE_COMM_JOB, MPI_CALL_Init, (uint64_t)world,
		                                 &groups);
		real_mpi()->Comm_rank(made, &rank);
		communicator_announce(
			number, &groups, rank,
			&(struct communicator_origin){.name = "MPI_COMM_WORLD of its program"});
		communicator_groups_release(&groups);
	}
	return communicator_add(made, number, NULL, "MPI_COMM_WORLD");
}

int communicator_start(bool divided, int world)
{
	int code = real_mpi()->Comm_group(MPI_COMM_WORLD, &world_group);

	if (code == MPI_SUCCESS)
		code = divided ? start_divided(world)
		               : communicator_add(MPI_COMM_WORLD, WIRE_COMM_WORLD, NULL,
		                                  "MPI_COMM_WORLD");
	if (code == MPI_SUCCESS)
		code = communicator_add(MPI_COMM_SELF, WIRE_COMM_SELF, NULL, "MPI_COMM_SELF");
	return code;
}

/* --- names given by the program ------------------------------------------------------------- */

void communicator_report_name(uint64_t number, const char *name)
{
	char text[MPI_MAX_OBJECT_NAME]; /* MPI keeps no more */

	snprintf(text, sizeof(text), "%s", name);
	gate_send(&(struct wire_message){.type = WIRE_NAMED, .named = {number, text}});
}

/* --- end of a communicator ------------------------------------------------------------------ */

/* Delete callbacks of attributes belong to the program, and may call MPI. */
static int free_in_library(struct communicator *communicator)
{
	MPI_Comm handle = communicator->handle;
	struct caller_pause pause;
	int code;

	error_watch(communicator, false);
	pause = caller_suspend();
	code = real_mpi()->Comm_free(&handle);
	caller_resume(&pause);
	if (code != MPI_SUCCESS && !error_is_unmatched(code)) {
		error_watch(communicator, true);
		return code;
	}
	error_release_handler(communicator);
	free_shadow(communicator);
	forget_communicator(communicator);
	return MPI_SUCCESS;
}

int communicator_free(struct communicator *communicator)
{
	if (communicator->holds == 0)
		return free_in_library(communicator);
	error_release_handler(communicator);
	communicator->freed = true;
	return MPI_SUCCESS;
}

void communicator_retain(MPI_Comm comm)
{
	struct communicator *communicator = communicator_find(comm);

	if (communicator)
		communicator->holds++;
}

void communicator_release(MPI_Comm comm)
{
	struct communicator *communicator = communicator_find_even_freed(comm);

	if (communicator && communicator->holds > 0 && --communicator->holds == 0
	    && communicator->freed)
		free_in_library(communicator);
}

/* --- meeting --------------------------------------------------------------------------------- */

uint64_t communicator_hash(uint64_t before, int count, const int *values)
{
	uint64_t hash = mix_group(before, count, values);

	return hash != 0 ? hash : 1;
}

uint64_t communicator_hash_flags(uint64_t before, int count, const int *flags)
{
	uint64_t hash = mix(before, (uint64_t)count);

	for (int i = 0; i < count; i++)
		hash = mix(hash, flags[i] != 0);
	return hash != 0 ? hash : 1;
}

static struct wire_op meeting(const struct wire_call *call, uint32_t step, uint64_t number)
{
	return (struct wire_op){
		.name = {call->call, step},
		.kind = WIRE_COLLECTIVE,
		.comm = number,
		.peer = -1,
	};
}

/* After this, members may wait for each other inside MPI. */
static void wait_for_members(const struct wire_call *call, struct wire_op *op)
{
	gate_wait_for(call, op, WIRE_WAIT_ALL);
	blocking_call_meet(call->function, call->site);
}

void communicator_meet(uint64_t number, unsigned function, const void *site, uint64_t arguments)
{
	struct wire_call call = gate_call(function, site);
	struct wire_op op = meeting(&call, 0, number);

	op.counts = arguments;
	wait_for_members(&call, &op);
}

/* For the scheduler, each member sends nothing to the others of its group, and has the same
 * arguments as they. */
void communicator_meet_as_group(uint64_t number, unsigned function, const void *site, int count,
                                int *group)
{
	struct wire_call call = gate_call(function, site);
	struct wire_op op = meeting(&call, 0, number);
	struct wire_types nothing = {0};
	uint64_t none = 0;

	op.counts = communicator_hash(1, count, group);
	op.sends = (struct wire_side){.partners = WIRE_WITH_LISTED,
	                              .peer_count = (uint32_t)count,
	                              .peers = group,
	                              .part_count = 1,
	                              .bytes = &none,
	                              .type_count = 1,
	                              .types = &nothing};
	wait_for_members(&call, &op);
}

void communicator_meet_again(uint64_t number, unsigned function, const void *site, uint32_t step)
{
	struct wire_call call = gate_call_again(function, site);
	struct wire_op op = meeting(&call, step, number);

	wait_for_members(&call, &op);
}
