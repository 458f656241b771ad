/* The communicators of this process, under the numbers by which the scheduler knows them.
 *
 * A number is the same in every member and in every interleaving: a hash of the parent's number,
 * the function that created it, its groups, and how often that has happened before. Each
 * communicator has a private shadow with the same groups, on which the shim moves data of its
 * own, unseen by the program. */
#ifndef MATCHPOINT_SHIM_OBJECTS_COMMUNICATOR_H
#define MATCHPOINT_SHIM_OBJECTS_COMMUNICATOR_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

struct communicator; /* communicator_internal.h */

/* Registers MPI_COMM_WORLD and MPI_COMM_SELF, right after MPI's initialisation; collective.
 * MPI's code. */
int communicator_start(void);

/* NULL: MPI_COMM_NULL, or no communicator that the program may use. */
struct communicator *communicator_find(MPI_Comm comm);

/* Also those that the program has freed, as long as they are held. */
struct communicator *communicator_find_even_freed(MPI_Comm comm);

/* Its number, or 0. */
uint64_t communicator_number(MPI_Comm comm);

/* How it came into being, in words. */
const char *communicator_name(const struct communicator *communicator);
bool communicator_is_inter(const struct communicator *communicator);

/* World rank of `rank` in the group that messages go to, or -1. */
int communicator_world_rank(const struct communicator *communicator, int rank);

/* Keeps the library's communicator alive for operations that it has not been given yet, although
 * the program frees it (MPI 3.1, section 6.4.3). Unknown communicators are ignored. */
void communicator_retain(MPI_Comm comm);
void communicator_release(MPI_Comm comm);

/* A group of processes as world ranks; `remote` is empty but for intercommunicators. */
struct communicator_groups {
	int size, remote_size;
	int *local, *remote;
};

/* Numbers are made before the communicators: `key` is what its members agree on beside parent,
 * function and groups (a tag), else 0. Every call with the same arguments gives another number. */
uint64_t communicator_new_number(uint64_t parent, unsigned function, uint64_t key,
                                 const struct communicator_groups *groups);

/* Tells the scheduler who takes part in collectives of that number. */
void communicator_announce(uint64_t number, const struct communicator_groups *groups, int rank,
                           const char *name);

/* Takes a new communicator of the library's under control. `shadow` is taken over; when it is
 * MPI_COMM_NULL one is made, which is collective. MPI's code. */
int communicator_add(MPI_Comm handle, uint64_t number, MPI_Comm shadow,
                     const struct communicator *parent, const char *name);

/* What the program frees: runs the delete callbacks of its attributes. MPI's code. */
int communicator_free(struct communicator *communicator);

/* Tells the scheduler the name that the program has given to what has this number. */
void communicator_tell_name(uint64_t number, const char *name);

/* Groups of a communicator of the library's as world ranks. MPI's code. */
int communicator_groups_of(MPI_Comm handle, struct communicator_groups *ret_groups);
int communicator_groups_of_group(MPI_Group group, struct communicator_groups *ret_groups);
void communicator_groups_release(struct communicator_groups *groups);

/* A new number with the groups of `communicator`, announced under this name. */
uint64_t communicator_announce_copy(const struct communicator *communicator, unsigned function,
                                    const char *name);

/* Another number with the groups of `communicator`, announced to the scheduler: for the collectives
 * of a file or window, whose order is their own. `function` is an enum mpi_call. */
uint64_t communicator_derive(const struct communicator *communicator, unsigned function);

/* The same for a window, which the scheduler is to know as one. The windows are counted: for all
 * members of an intracommunicator, before they meet to make it. */
uint64_t communicator_derive_window(const struct communicator *communicator, unsigned function);

/* A call whose only operation is a collective without root on `number`: waits until all members
 * have come. They must agree on `arguments`, a hash (0: of nothing). */
void communicator_meet(uint64_t number, unsigned function, const void *site, uint64_t arguments);

/* The same where all who are in `group` (ranks) must give the same one. */
void communicator_meet_as_group(uint64_t number, unsigned function, const void *site, int count,
                                int *group);

/* A hash of it all; never 0. */
uint64_t communicator_hash(uint64_t before, int count, const int *values);
/* The same where all values but 0 are one: true. */
uint64_t communicator_hash_flags(uint64_t before, int count, const int *flags);

/* The same as a further step (1, 2, ...) of the call opened last. */
void communicator_meet_again(uint64_t number, unsigned function, const void *site, uint32_t step);

#endif
