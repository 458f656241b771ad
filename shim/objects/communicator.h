/* The communicators of this process, with the numbers that the scheduler uses for them.
 *
 * A number is the same in every member and in every interleaving. It is a hash of the parent's
 * number, the function that created the communicator, its groups, and a count of equal creations
 * before. A communicator has a private shadow with the same groups. The shim moves its own data on
 * it, invisible to the program. At most 64 communicators of a process have one. When MPI has hardly
 * any left, those on which no data was moved are given up. */
#ifndef MATCHPOINT_SHIM_OBJECTS_COMMUNICATOR_H
#define MATCHPOINT_SHIM_OBJECTS_COMMUNICATOR_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

struct communicator; /* communicator_internal.h */

/* Registers MPI_COMM_WORLD and MPI_COMM_SELF, right after MPI's initialisation; collective. MPI's
 * code. `divided`: MPI_COMM_WORLD is, and this process is in part `world`; -1: it waits to be
 * spawned. */
int communicator_start(bool divided, int world);

/* What stands for the program's MPI_COMM_WORLD, if the job has prelaunched processes: MPI's own has
 * all of them. Wrappers put it in the place of MPI_COMM_WORLD. */
extern MPI_Comm communicator_world;
void communicator_set_world(MPI_Comm comm);

static inline MPI_Comm communicator_of_program(MPI_Comm comm)
{
	return comm == MPI_COMM_WORLD ? communicator_world : comm;
}

/* NULL: MPI_COMM_NULL, or not a communicator that the program may use. */
struct communicator *communicator_find(MPI_Comm comm);

/* Finds also communicators that the program has freed, as long as they are held. */
struct communicator *communicator_find_even_freed(MPI_Comm comm);

/* Its number; 0: none. */
uint64_t communicator_number(MPI_Comm comm);

/* How it was created, as text. */
const char *communicator_name(const struct communicator *communicator);
bool communicator_is_inter(const struct communicator *communicator);

/* The world rank of `rank` in the group that messages go to; -1: there is none. */
int communicator_world_rank(const struct communicator *communicator, int rank);

/* Keeps MPI's communicator alive for operations that are not posted yet, although the program frees
 * it (MPI 3.1, section 6.4.3). Unknown communicators are ignored. */
void communicator_retain(MPI_Comm comm);
void communicator_release(MPI_Comm comm);

/* Groups of processes as world ranks. `remote` is empty, except for intercommunicators. */
struct communicator_groups {
	int size, remote_size;
	int *local, *remote;
};

/* Makes a number before the communicator exists. `key`: what its members agree on besides parent,
 * function and groups (a tag), or 0. Each call with the same arguments returns another number. */
uint64_t communicator_new_number(uint64_t parent, unsigned function, uint64_t key,
                                 const struct communicator_groups *groups);

/* What the scheduler is told of a communicator besides its number and its members. */
struct communicator_origin {
	const char *name;     /* how it was created */
	unsigned function;    /* enum mpi_call, which the program has called here */
	const char *argument; /* struct wire_comm; NULL: none */
	uint64_t stands_for;  /* likewise; 0: for itself */
};

/* Reports the members of that number to the scheduler. The program is in the call that makes it. */
void communicator_announce(uint64_t number, const struct communicator_groups *groups, int rank,
                           const struct communicator_origin *origin);

/* Registers a new communicator of MPI's. Collective: makes the shadow. MPI's code. */
int communicator_add(MPI_Comm handle, uint64_t number, const struct communicator *parent,
                     const char *name);

/* The same for a duplicate of `parent`, which takes ownership of `shadow`; MPI_COMM_NULL: none.
 * `idups`: the parent's count when the call was made. Not collective. */
int communicator_add_copy(MPI_Comm handle, uint64_t number, MPI_Comm shadow, unsigned idups,
                          const struct communicator *parent, const char *name);

/* The shadow for a duplicate of `parent`, made from the parent's shadow: a duplicate of the copy
 * itself would copy its attributes once more. Collective. MPI_COMM_NULL: it has none. */
MPI_Comm communicator_copy_shadow(const struct communicator *parent, MPI_Comm copy);

/* Whether the next nonblocking duplicate of `parent` has a shadow. Members cannot wait for each
 * other to agree on it, so it follows from the count of such duplicates. */
bool communicator_idup_has_shadow(struct communicator *parent);

/* Whether collectives on it that need not wait for all members wait nevertheless: it has no shadow,
 * because there are too many. */
bool communicator_lacks_shadow(const struct communicator *communicator);

/* The program frees it: runs the delete callbacks of its attributes. MPI's code. */
int communicator_free(struct communicator *communicator);

/* Reports to the scheduler the name that the program has given to the object with this number. */
void communicator_report_name(uint64_t number, const char *name);

/* The groups of a communicator of MPI's, as world ranks. The caller calls
 * communicator_groups_release. MPI's code. */
int communicator_groups_of(MPI_Comm handle, struct communicator_groups *ret_groups);
int communicator_groups_of_group(MPI_Group group, struct communicator_groups *ret_groups);
void communicator_groups_release(struct communicator_groups *groups);

/* Returns a new number with the groups of `communicator`, announced with this name, for what the
 * function makes. */
uint64_t communicator_announce_copy(const struct communicator *communicator, unsigned function,
                                    const char *name);
/* The same for a number that stands for `communicator` itself. */
uint64_t communicator_announce_alias(const struct communicator *communicator, unsigned function);

/* Returns another number with the groups of `communicator`, announced to the scheduler: for the
 * collectives of a file or window, which have an order of their own. `function` is an enum
 * mpi_call. */
uint64_t communicator_derive(const struct communicator *communicator, unsigned function);

/* The same for a window; the scheduler then knows that it is one. Windows are counted. To be called
 * by all members of an intracommunicator, before they meet to make the window. `unit`: the
 * displacement unit of this process's part; 0: displacements are addresses. */
uint64_t communicator_derive_window(const struct communicator *communicator, unsigned function,
                                    uint32_t unit);

/* A call whose only operation is a collective without root on `number`: waits until all members
 * have called. They must agree on `arguments`, a hash; 0: nothing to agree on. */
void communicator_meet(uint64_t number, unsigned function, const void *site, uint64_t arguments);

/* The same, but all members of `group` (ranks) must pass the same group. */
void communicator_meet_as_group(uint64_t number, unsigned function, const void *site, int count,
                                int *group);

/* A hash of all values; never 0. */
uint64_t communicator_hash(uint64_t before, int count, const int *values);
/* The same, but all values other than 0 are equal. */
uint64_t communicator_hash_flags(uint64_t before, int count, const int *flags);

/* The same as communicator_meet, as a further step (1, 2, ...) of the call opened last. */
void communicator_meet_again(uint64_t number, unsigned function, const void *site, uint32_t step);

#endif
