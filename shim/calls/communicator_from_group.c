/* The calls that make communicators from groups alone, without a parent (MPI 4.0, sections 7.4.2
 * and 7.6.2). The members meet at the scheduler under the new communicator's number. */
#include "communicator_from_group.h"

#include <stdio.h>

#include "shim/gate/gate.h"
#include "shim/mpi/real.h"
#include "shim/objects/communicator.h"
#include "shim/objects/error.h"

enum { LONGEST_TAG = 160 }; /* bytes shown of a string tag */

static bool from_group;

bool communicator_from_group(void)
{
	return from_group;
}

static uint64_t hash_of(const char *text)
{
	uint64_t hash = 14695981039346656037u; /* FNV-1a */

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 1099511628211u;
	return hash;
}

/* All members of both groups meet under the new communicator's number. */
static uint64_t meet_as_groups(const void *site, enum mpi_call function, const char *stringtag,
                               const struct communicator_groups *groups, int me)
{
	uint64_t number = communicator_new_number(0, function, hash_of(stringtag), groups);

	char argument[LONGEST_TAG];

	snprintf(argument, sizeof(argument), "\"%s\"", stringtag);
	communicator_announce(number, groups, me,
	                      &(struct communicator_origin){.name = mpi_call_name(function),
	                                                    .function = function,
	                                                    .argument = argument});
	communicator_meet(number, function, site, 0);
	from_group |= groups->size + groups->remote_size > 1;
	return number;
}

/* If `code` is an error, MPI has raised it already, on `handler`. */
static int adopt_from_groups(const void *site, enum mpi_call function, int code, uint64_t number,
                             MPI_Errhandler handler, MPI_Comm made)
{
	if (code != MPI_SUCCESS || made == MPI_COMM_NULL)
		return code;
	code = communicator_add(made, number, NULL, mpi_call_name(function));
	if (code == MPI_SUCCESS)
		code = error_set_handler(communicator_find(made), handler);
	return error_check(made, code, function, site);
}

int shim_MPI_Comm_create_from_group(void *site, MPI_Group group, const char *stringtag,
                                    MPI_Info info, MPI_Errhandler errhandler, MPI_Comm *newcomm)
{
	const enum mpi_call function = MPI_CALL_Comm_create_from_group;
	struct communicator_groups groups;
	uint64_t number = 0;
	int me = MPI_UNDEFINED, code;

	if (group != MPI_GROUP_NULL && stringtag)
		real_mpi()->Group_rank(group, &me);
	if (me == MPI_UNDEFINED || communicator_groups_of_group(group, &groups) != MPI_SUCCESS) {
		error_report_call(site, function);
	} else {
		number = meet_as_groups(site, function, stringtag, &groups, me);
		communicator_groups_release(&groups);
	}
	code = real_mpi()->Comm_create_from_group(group, stringtag, info, errhandler, newcomm);
	return adopt_from_groups(site, function, code, number, errhandler, *newcomm);
}

int shim_MPI_Intercomm_create_from_groups(void *site, MPI_Group local_group, int local_leader,
                                          MPI_Group remote_group, int remote_leader,
                                          const char *stringtag, MPI_Info info,
                                          MPI_Errhandler errhandler, MPI_Comm *newintercomm)
{
	const enum mpi_call function = MPI_CALL_Intercomm_create_from_groups;
	struct communicator_groups groups = {0}, remote = {0};
	uint64_t number = 0;
	int me = MPI_UNDEFINED, code;

	if (local_group != MPI_GROUP_NULL && remote_group != MPI_GROUP_NULL && stringtag)
		real_mpi()->Group_rank(local_group, &me);
	if (me == MPI_UNDEFINED || communicator_groups_of_group(local_group, &groups) != MPI_SUCCESS
	    || communicator_groups_of_group(remote_group, &remote) != MPI_SUCCESS) {
		error_report_call(site, function);
	} else {
		groups.remote = remote.local;
		groups.remote_size = remote.size;
		number = meet_as_groups(site, function, stringtag, &groups, me);
	}
	communicator_groups_release(&groups);
	code = real_mpi()->Intercomm_create_from_groups(local_group, local_leader, remote_group,
	                                                remote_leader, stringtag, info, errhandler,
	                                                newintercomm);
	return adopt_from_groups(site, function, code, number, errhandler, *newintercomm);
}
