/* Ports and names (MPI 3.1, section 10.4), among the ranks of a job whose MPI_COMM_WORLD is divided
 * (attributes_of_job): what is asked for goes as messages on the communicator of all of them.
 *
 * Who connects sends a message to the rank that has opened the port. Who accepts takes one of them,
 * from any source: there is the choice. Names go to all ranks; who looks for one looks whether such
 * a message is there, as MPI_Iprobe would.
 *
 * Who joins tells its rank through the program's socket, and hears the other's. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "attributes.h"
#include "common/mix.h"
#include "messages.h"
#include "shim/gate/blocking_call.h"
#include "shim/gate/gate.h"
#include "shim/mpi/real.h"
#include "shim/objects/communicator_internal.h"
#include "shim/objects/error.h"
#include "shim/state/state.h"
#include "spawn.h"

enum { TAG_PAIR = 3, TAG_PORT = 100, PORTS_MOST = 1024, NAME_BYTES = 256 };
enum { TAG_NAMES = TAG_PORT + PORTS_MOST, TAGS_OF_NAMES = 16384 }; /* all below the least TAG_UB */

static int ports; /* opened by this process */
static bool is_open[PORTS_MOST];

/* What is told of a name. */
struct told_name {
	char service[NAME_BYTES], port[MPI_MAX_PORT_NAME];
	bool published;
};

struct name {
	struct told_name told;
	struct name *next;
};
static struct name *names; /* that this process knows of */

static struct communicator *job(void)
{
	return communicator_find(MPI_COMM_WORLD);
}

/* --- ports ------------------------------------------------------------------------------------ */

int shim_MPI_Open_port(void *site, MPI_Info info, char *port)
{
	(void)info;
	if (!attributes_of_job.divided)
		return error_refused(site, MPI_CALL_Open_port);
	if (!port || ports == PORTS_MOST)
		return error_check(MPI_COMM_WORLD, MPI_ERR_ARG, MPI_CALL_Open_port, site);
	is_open[ports] = true;
	snprintf(port, MPI_MAX_PORT_NAME, "matchpoint:%d:%d", job()->rank, ports++);
	return MPI_SUCCESS;
}

static bool read_port(const char *port, int *ret_rank, int *ret_number)
{
	return port && sscanf(port, "matchpoint:%d:%d", ret_rank, ret_number) == 2 && *ret_rank >= 0
	       && *ret_rank < job()->size && *ret_number >= 0 && *ret_number < PORTS_MOST;
}

/* The number of an open port of this process; -1: it has none of this name. */
static int own_port(const char *port)
{
	int rank, number;

	return read_port(port, &rank, &number) && rank == job()->rank && is_open[number] ? number
	                                                                                 : -1;
}

int shim_MPI_Close_port(void *site, const char *port)
{
	int number = attributes_of_job.divided ? own_port(port) : -1;

	if (number < 0)
		return error_check(MPI_COMM_WORLD, MPI_ERR_PORT, MPI_CALL_Close_port, site);
	is_open[number] = false;
	return MPI_SUCCESS;
}

/* --- connections ------------------------------------------------------------------------------ */

/* A call that connects the members of a communicator with those of another one. */
struct connecting {
	void *site;
	enum mpi_call function;
	struct communicator *members;
	int root;
	const char *port; /* MPI_Comm_accept, MPI_Comm_connect */
	int fd;           /* MPI_Comm_join: a socket between both processes */
};

/* What both processes of MPI_Comm_join tell each other. */
struct joining {
	uint32_t magic;
	int32_t rank; /* of the job */
};
enum { JOINING_MAGIC = 0x4d504a31 };

/* The socket may be a non-blocking one. */
static bool await(int fd, short events)
{
	struct pollfd wanted = {.fd = fd, .events = events};

	return errno == EINTR || (errno == EAGAIN && poll(&wanted, 1, -1) >= 0);
}

static bool tell_through(int fd, const void *data, size_t bytes)
{
	const char *at = data, *const end = at + bytes;

	while (at < end) {
		ssize_t count = send(fd, at, (size_t)(end - at), MSG_NOSIGNAL);

		if (count < 0 && !await(fd, POLLOUT))
			return false;
		at += count > 0 ? count : 0;
	}
	return true;
}

static bool hear_through(int fd, void *data, size_t bytes)
{
	char *at = data, *const end = at + bytes;

	while (at < end) {
		ssize_t count = recv(fd, at, (size_t)(end - at), 0);

		if (count == 0 || (count < 0 && !await(fd, POLLIN)))
			return false;
		at += count > 0 ? count : 0;
	}
	return true;
}

/* MPI 3.1, section 10.5.5. MPI's code. */
static int find_joining(int fd, int *ret_other)
{
	const struct joining own = {JOINING_MAGIC, job()->rank};
	struct joining other;

	if (!tell_through(fd, &own, sizeof(own)))
		return errno == EBADF || errno == ENOTSOCK ? MPI_ERR_ARG : MPI_ERR_OTHER;
	if (!hear_through(fd, &other, sizeof(other)) || other.magic != JOINING_MAGIC)
		return MPI_ERR_OTHER;
	*ret_other = other.rank;
	return *ret_other >= 0 && *ret_other < job()->size && *ret_other != job()->rank
	               ? MPI_SUCCESS
	               : MPI_ERR_OTHER;
}

/* The other side's root, by its rank of the job: asks it, or is asked. MPI's code. */
static int find_other(const struct connecting *connecting, int *ret_other)
{
	int number, code;
	MPI_Status status;

	if (connecting->function == MPI_CALL_Comm_join)
		return find_joining(connecting->fd, ret_other);
	if (connecting->function == MPI_CALL_Comm_connect) {
		if (!read_port(connecting->port, ret_other, &number) || *ret_other == job()->rank)
			return MPI_ERR_PORT;
		return message_send(connecting->site, connecting->function, NULL, 0, *ret_other,
		                    TAG_PORT + number, MPI_COMM_WORLD);
	}
	number = own_port(connecting->port);
	if (number < 0)
		return MPI_ERR_PORT;
	code = message_receive(connecting->site, connecting->function, NULL, 0, MPI_ANY_SOURCE,
	                       TAG_PORT + number, MPI_COMM_WORLD, &status);
	*ret_other = status.MPI_SOURCE;
	return code;
}

static void meet_other(const struct connecting *connecting, int other)
{
	struct wire_call call = gate_call_again(connecting->function, connecting->site);
	struct wire_op op = spawn_meeting(MPI_CALL_Comm_connect, call.call, 1,
	                                  spawn_pair(MPI_CALL_Comm_connect, 0, other));

	gate_wait_for(&call, &op, WIRE_WAIT_ALL);
	blocking_call_meet(call.function, call.site);
}

/* The roots meet when the members of both sides have come. Then all members meet again: now nobody
 * waits long inside MPI. */
static int carry_out(const struct connecting *connecting, MPI_Comm *ret)
{
	struct communicator *members = connecting->members;
	int told[2] = {MPI_SUCCESS, -1}, code; /* an error, and the other root */

	communicator_meet(members->number, connecting->function, connecting->site,
	                  communicator_hash(1, 1, &connecting->root));
	if (members->rank == connecting->root) {
		told[0] = find_other(connecting, &told[1]);
		if (told[0] == MPI_SUCCESS)
			meet_other(connecting, told[1]);
	}
	communicator_meet_again(members->number, connecting->function, connecting->site, 2);
	code = real_mpi()->Bcast(told, 2, MPI_INT, connecting->root, members->handle);
	if (code == MPI_SUCCESS)
		code = told[0];
	if (code == MPI_SUCCESS)
		code = real_mpi()->Intercomm_create(members->handle, connecting->root,
		                                    MPI_COMM_WORLD, told[1], TAG_PAIR, ret);
	return code == MPI_SUCCESS ? spawn_register(*ret, 0, members, connecting->function,
	                                            "the intercommunicator of a connection")
	                           : code;
}

static int connect_to(void *site, enum mpi_call function, const char *port, int root, MPI_Comm comm,
                      MPI_Comm *ret)
{
	const struct connecting connecting = {site, function, communicator_find(comm),
	                                      root, port,     -1};
	int code = MPI_SUCCESS;

	if (!attributes_of_job.divided)
		return error_refused(site, function);
	if (!connecting.members || connecting.members->is_inter)
		code = MPI_ERR_COMM;
	else if (root < 0 || root >= connecting.members->size)
		code = MPI_ERR_ROOT;
	if (code == MPI_SUCCESS)
		code = carry_out(&connecting, ret);
	else
		error_report_call(site, function);
	return error_check(comm, code, function, site);
}

int shim_MPI_Comm_accept(void *site, const char *port, MPI_Info info, int root, MPI_Comm comm,
                         MPI_Comm *newcomm)
{
	(void)info;
	return connect_to(site, MPI_CALL_Comm_accept, port, root, comm, newcomm);
}

int shim_MPI_Comm_connect(void *site, const char *port, MPI_Info info, int root, MPI_Comm comm,
                          MPI_Comm *newcomm)
{
	(void)info;
	return connect_to(site, MPI_CALL_Comm_connect, port, root, comm, newcomm);
}

int shim_MPI_Comm_join(void *site, int fd, MPI_Comm *intercomm)
{
	const struct connecting connecting = {
		site, MPI_CALL_Comm_join, communicator_find(MPI_COMM_SELF), 0, NULL, fd};

	if (!attributes_of_job.divided)
		return error_refused(site, MPI_CALL_Comm_join);
	return error_check(MPI_COMM_SELF, carry_out(&connecting, intercomm), MPI_CALL_Comm_join,
	                   site);
}

/* --- names ------------------------------------------------------------------------------------ */

/* What is told of one name has one tag, so that nobody has to read what is told of others. */
static int tag_of(const char *service)
{
	uint64_t hash = 0;

	for (const char *at = service; *at; at++)
		hash = mix(hash, (unsigned char)*at);
	return TAG_NAMES + (int)(hash % TAGS_OF_NAMES);
}

static struct name *find_name(const char *service)
{
	struct name *name = names;

	while (name && strcmp(name->told.service, service) != 0)
		name = name->next;
	return name;
}

static int learn(const struct told_name *told)
{
	struct name *name = find_name(told->service);

	if (!name) {
		name = calloc(1, sizeof(*name));
		if (!name)
			return MPI_ERR_NO_MEM;
		name->next = names;
		names = name;
	}
	name->told = *told;
	return MPI_SUCCESS;
}

/* The message is MPI's until it is received, which may be never. */
static int tell_all(void *site, enum mpi_call function, const struct told_name *told)
{
	struct told_name *copy = malloc(sizeof(*copy));
	int code = copy ? learn(told) : MPI_ERR_NO_MEM;

	for (int rank = 0; rank < job()->size && code == MPI_SUCCESS; rank++) {
		*copy = *told;
		if (rank != job()->rank)
			code = message_leave(site, function, copy, sizeof(*copy), rank,
			                     tag_of(told->service), MPI_COMM_WORLD);
	}
	return code;
}

static int set_name(void *site, enum mpi_call function, const char *service, const char *port,
                    bool published)
{
	struct told_name told = {.published = published};
	const struct name *name;
	int code = MPI_SUCCESS;

	if (!service || !port || strlen(service) >= sizeof(told.service)
	    || strlen(port) >= sizeof(told.port)) {
		code = MPI_ERR_ARG;
	} else {
		name = find_name(service);
		if ((name && name->told.published) == published)
			code = MPI_ERR_SERVICE;
	}
	if (code != MPI_SUCCESS)
		return error_check(MPI_COMM_WORLD, code, function, site);
	memcpy(told.service, service, strlen(service));
	memcpy(told.port, port, strlen(port));
	return error_check(MPI_COMM_WORLD, tell_all(site, function, &told), function, site);
}

/* If the job is one world, MPI's own names serve: it asks its launcher. */
static bool begin_passing(void *site, enum mpi_call function)
{
	if (state_is_wanted())
		state_hide();
	return blocking_call_enter(function, site);
}

static int end_passing(bool inside, int code, enum mpi_call function, void *site)
{
	if (inside)
		blocking_call_leave();
	if (code != MPI_SUCCESS)
		error_passed(code, function, site);
	return code;
}

int shim_MPI_Publish_name(void *site, const char *service, MPI_Info info, const char *port)
{
	bool inside;
	int code;

	if (!attributes_of_job.divided) {
		inside = begin_passing(site, MPI_CALL_Publish_name);
		code = real_mpi()->Publish_name(service, info, port);
		return end_passing(inside, code, MPI_CALL_Publish_name, site);
	}
	return set_name(site, MPI_CALL_Publish_name, service, port, true);
}

int shim_MPI_Unpublish_name(void *site, const char *service, MPI_Info info, const char *port)
{
	bool inside;
	int code;

	if (!attributes_of_job.divided) {
		inside = begin_passing(site, MPI_CALL_Unpublish_name);
		code = real_mpi()->Unpublish_name(service, info, port);
		return end_passing(inside, code, MPI_CALL_Unpublish_name, site);
	}
	return set_name(site, MPI_CALL_Unpublish_name, service, port, false);
}

/* Takes what others have told of it: also after it is known, as it may have been taken back. */
static int look_for(void *site, const char *service)
{
	const int tag = tag_of(service);
	const struct name *name;
	struct told_name told;
	MPI_Status status;
	int found, code;

	do {
		code = message_look(site, MPI_CALL_Lookup_name, tag, MPI_COMM_WORLD, &found,
		                    &status);
		if (code == MPI_SUCCESS && found)
			code = message_receive(site, MPI_CALL_Lookup_name, &told, sizeof(told),
			                       status.MPI_SOURCE, tag, MPI_COMM_WORLD,
			                       MPI_STATUS_IGNORE);
		if (code == MPI_SUCCESS && found)
			code = learn(&told);
	} while (code == MPI_SUCCESS && found);
	if (code != MPI_SUCCESS)
		return code;
	name = find_name(service);
	return name && name->told.published ? MPI_SUCCESS : MPI_ERR_NAME;
}

int shim_MPI_Lookup_name(void *site, const char *service, MPI_Info info, char *port)
{
	bool inside;
	int code;

	if (!attributes_of_job.divided) {
		inside = begin_passing(site, MPI_CALL_Lookup_name);
		code = real_mpi()->Lookup_name(service, info, port);
		return end_passing(inside, code, MPI_CALL_Lookup_name, site);
	}
	code = service && port ? look_for(site, service) : MPI_ERR_ARG;
	if (code == MPI_SUCCESS)
		snprintf(port, MPI_MAX_PORT_NAME, "%s", find_name(service)->told.port);
	return error_check(MPI_COMM_WORLD, code, MPI_CALL_Lookup_name, site);
}
