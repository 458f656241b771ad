#define _GNU_SOURCE
#include "spawn.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attributes.h"
#include "common/mix.h"
#include "common/prelaunched.h"
#include "shim/gate/blocking_call.h"
#include "shim/gate/gate.h"
#include "shim/mpi/real.h"
#include "shim/objects/communicator_internal.h"
#include "shim/objects/error.h"

enum { LONGEST_NAME = 160, TAG_ORDER = 1, TAGS = 16384 };

/* What the root tells a process that it spawns, before the members of its world and the words:
 * working directory (empty: as it is), then the arguments, each ended by '\0'. */
enum order { ORDER_TAG, ORDER_COMMAND, ORDER_MEMBERS, ORDER_WORDS, ORDER_BYTES, ORDER_LENGTH };

/* A spawn under way. Commands and what belongs to them are known in the root alone. */
struct spawning {
	const void *site;
	enum mpi_call function;
	struct communicator *parents;
	int root, number;
	int count; /* of commands */
	char **commands;
	char ***arguments; /* NULL: none */
	const int *most;
	const MPI_Info *infos;
	int total, *members; /* ranks of the job */
};

static MPI_Comm parent = MPI_COMM_NULL; /* of the program's world */

static int own_rank(void)
{
	return communicator_find(MPI_COMM_WORLD)->rank;
}

static void *take_memory(size_t count, size_t size)
{
	void *taken = calloc(count + 1, size);

	if (!taken)
		_exit(1);
	return taken;
}

/* --- commands --------------------------------------------------------------------------------- */

/* The value of an info key; free with free. NULL: it has none. */
static char *value_of(MPI_Info info, const char *key)
{
	int length = 0, found = 0;
	char *value;

	if (info == MPI_INFO_NULL
	    || real_mpi()->Info_get_valuelen(info, key, &length, &found) != MPI_SUCCESS || !found)
		return NULL;
	value = take_memory((size_t)length, 1);
	real_mpi()->Info_get(info, key, length, value, &found);
	return value;
}

static bool is_program(const char *file)
{
	struct stat status;

	return stat(file, &status) == 0 && S_ISREG(status.st_mode) && access(file, X_OK) == 0;
}

/* The file of a command in these folders ("/bin:/usr/bin"); NULL: there is none. */
static char *find_in(const char *folders, const char *command)
{
	char *file = NULL;

	while (folders && *folders) {
		int length = (int)strcspn(folders, ":");

		if (asprintf(&file, "%.*s/%s", length, folders, command) >= 0 && is_program(file))
			return file;
		free(file);
		folders += length + (folders[length] == ':');
	}
	return NULL;
}

/* The command as it is started: a file, or a word to be found along PATH. NULL: there is none. */
static char *locate(const char *command, MPI_Info info)
{
	char *path = value_of(info, "path"), *file = NULL, *found;

	if (strchr(command, '/')) {
		file = is_program(command) ? strdup(command) : NULL;
	} else {
		file = find_in(path, command);
		found = file ? NULL : find_in(getenv("PATH"), command);
		if (found)
			file = strdup(command);
		free(found);
	}
	free(path);
	return file;
}

static void free_commands(struct spawning *spawning)
{
	for (int i = 0; i < spawning->count && spawning->commands; i++)
		free(spawning->commands[i]);
	free(spawning->commands);
	spawning->commands = NULL;
}

/* Replaces the commands by what is started. false: one of them cannot be. */
static bool locate_all(struct spawning *spawning)
{
	char **given = spawning->commands;
	bool found = true;

	spawning->commands = take_memory((size_t)spawning->count, sizeof(char *));
	for (int i = 0; i < spawning->count; i++) {
		spawning->commands[i] = locate(given[i], spawning->infos[i]);
		found &= spawning->commands[i] != NULL;
	}
	return found;
}

/* --- who is spawned --------------------------------------------------------------------------- */

static bool is_taken(const struct spawning *spawning, int rank)
{
	for (int i = 0; i < spawning->total; i++) {
		if (spawning->members[i] == rank)
			return true;
	}
	return false;
}

/* Takes processes for the command at `index`. Returns how many are missing. */
static int take_processes(struct spawning *spawning, int index)
{
	const char *text = prelaunched_own(false), *rest;
	struct prelaunched group = {0};
	int left = spawning->most[index];

	if (!text)
		return left;
	group.count = prelaunched_begin(text, &rest);
	while (prelaunched_next(&rest, &group)) {
		if (group.root != own_rank() || group.number != spawning->number
		    || !prelaunched_is(&group, spawning->commands[index]))
			continue;
		for (int i = 0; i < group.count && left > 0; i++) {
			if (is_taken(spawning, group.first + i))
				continue;
			spawning->members[spawning->total++] = group.first + i;
			left--;
		}
	}
	return left;
}

/* The scheduler begins again with a larger job. */
static _Noreturn void report_needs(const struct spawning *spawning, struct wire_need *needs,
                                   int count)
{
	gate_send(&(const struct wire_message){.type = WIRE_NEEDS,
	                                       .needs = {.spawn = (uint32_t)spawning->number,
	                                                 .site = (uintptr_t)spawning->site,
	                                                 .count = (uint32_t)count,
	                                                 .list = needs}});
	gate_wait_for_end();
}

static void take_all_processes(struct spawning *spawning)
{
	struct wire_need *needs = take_memory((size_t)spawning->count, sizeof(*needs));
	int missing, count = 0, all = 0;

	for (int i = 0; i < spawning->count; i++)
		all += spawning->most[i];
	spawning->members = take_memory((size_t)all, sizeof(int));
	for (int i = 0; i < spawning->count; i++) {
		missing = take_processes(spawning, i);
		if (missing > 0)
			needs[count++] = (struct wire_need){(uint32_t)missing,
			                                    spawning->commands[i]};
	}
	if (count > 0)
		report_needs(spawning, needs, count);
	free(needs);
}

/* In the root. MPI's error code. */
static int prepare(struct spawning *spawning)
{
	static int spawns;
	int all = 0;

	if (!spawning->commands || !spawning->most || !spawning->infos)
		return MPI_ERR_ARG;
	spawning->number = ++spawns;
	for (int i = 0; i < spawning->count; i++) {
		if (!spawning->commands[i] || spawning->most[i] < 0
		    || spawning->most[i] > INT_MAX / 2 - all)
			return MPI_ERR_ARG;
		all += spawning->most[i];
	}
	if (all == 0)
		return MPI_ERR_ARG;
	if (!locate_all(spawning))
		return MPI_ERR_SPAWN;
	take_all_processes(spawning);
	return MPI_SUCCESS;
}

/* --- the meeting of the root and the processes ------------------------------------------------ */

uint64_t spawn_pair(unsigned function, uint64_t key, int other)
{
	int own = own_rank(), both[] = {own < other ? own : other, own < other ? other : own};
	const struct communicator_groups groups = {.size = 2, .local = both};
	uint64_t comm = communicator_new_number(WIRE_COMM_JOB, function, key, &groups);

	communicator_announce(comm, &groups, both[1] == own,
	                      &(struct communicator_origin){.name = PRELAUNCHED_PAIR});
	return comm;
}

struct wire_op spawn_meeting(unsigned function, uint32_t call, uint32_t step, uint64_t comm)
{
	return (struct wire_op){.name = {call, step},
	                        .kind = WIRE_COLLECTIVE,
	                        .comm = comm,
	                        .peer = WIRE_NO_ROOT,
	                        .function = (uint16_t)function};
}

/* All at once: no process may go on before the others do, since they wait for each other in MPI. */
static bool is_here(const char *key, const char *value)
{
	char own[HOST_NAME_MAX + 1] = "";

	gethostname(own, sizeof(own) - 1);
	return strcmp(key, "host") == 0
	       && (strcmp(value, own) == 0 || strcmp(value, "localhost") == 0);
}

/* Whether some command has info keys that say where its processes run (MPI 3.1, section 10.3.4), if
 * that is not here. */
static bool names_places(const struct spawning *spawning)
{
	static const char *const keys[] = {"host", "arch", "file"};
	const int count = (int)(sizeof(keys) / sizeof(keys[0]));
	bool found = false;

	for (int i = 0; i < spawning->count * count && !found; i++) {
		char *value = value_of(spawning->infos[i / count], keys[i % count]);

		found = value && !is_here(keys[i % count], value);
		free(value);
	}
	return found;
}

static void meet_children(const struct spawning *spawning)
{
	struct wire_call call = gate_call_again(spawning->function, spawning->site);
	struct wire_op *ops = take_memory((size_t)spawning->total, sizeof(*ops));
	struct wire_name *names = take_memory((size_t)spawning->total, sizeof(*names));

	for (int i = 0; i < spawning->total; i++) {
		/* a group of their own: no child knows who else is spawned */
		ops[i] = spawn_meeting(MPI_CALL_Comm_spawn, call.call, (uint32_t)i + 1,
		                       spawn_pair(MPI_CALL_Comm_spawn, (uint64_t)spawning->number,
		                                  spawning->members[i]));
		names[i] = ops[i].name;
	}
	call.status = names_places(spawning) ? WIRE_SPAWN_PLACED : 0;
	call.wait = WIRE_WAIT_ALL;
	call.ops = ops;
	call.waited = names;
	call.op_count = call.waited_count = (uint32_t)spawning->total;
	gate_wait(&call);
	blocking_call_meet(call.function, call.site);
	free(ops);
	free(names);
}

/* The number of words, and of bytes that they take with the working directory. */
static int measure(char **words, const char *folder, int *ret_bytes)
{
	int count = 0;

	*ret_bytes = (int)strlen(folder) + 1;
	for (; words && words[count]; count++)
		*ret_bytes += (int)strlen(words[count]) + 1;
	return count;
}

static int send_order(const struct spawning *spawning, int command, int rank)
{
	char **words = spawning->arguments ? spawning->arguments[command] : NULL;
	char *folder = value_of(spawning->infos[command], "wdir"), *text, *at;
	int numbers[ORDER_LENGTH] = {[ORDER_TAG] = spawning->number % TAGS,
	                             [ORDER_COMMAND] = command,
	                             [ORDER_MEMBERS] = spawning->total};
	int code;

	numbers[ORDER_WORDS] = measure(words, folder ? folder : "", &numbers[ORDER_BYTES]);
	text = take_memory((size_t)numbers[ORDER_BYTES], 1);
	at = stpcpy(text, folder ? folder : "") + 1;
	for (int i = 0; i < numbers[ORDER_WORDS]; i++)
		at = stpcpy(at, words[i]) + 1;
	code = real_mpi()->Send(numbers, ORDER_LENGTH, MPI_INT, rank, TAG_ORDER, MPI_COMM_WORLD);
	if (code == MPI_SUCCESS)
		code = real_mpi()->Send(spawning->members, spawning->total, MPI_INT, rank,
		                        TAG_ORDER, MPI_COMM_WORLD);
	if (code == MPI_SUCCESS)
		code = real_mpi()->Send(text, numbers[ORDER_BYTES], MPI_CHAR, rank, TAG_ORDER,
		                        MPI_COMM_WORLD);
	free(text);
	free(folder);
	return code;
}

static int send_orders(const struct spawning *spawning)
{
	int code = MPI_SUCCESS;

	for (int i = 0, next = 0; i < spawning->count; i++) {
		for (int k = 0; k < spawning->most[i] && code == MPI_SUCCESS; k++)
			code = send_order(spawning, i, spawning->members[next++]);
	}
	return code;
}

/* --- communicators ---------------------------------------------------------------------------- */

int spawn_register(MPI_Comm comm, uint64_t key, const struct communicator *like, unsigned function,
                   const char *name)
{
	struct communicator_groups groups;
	uint64_t number;
	int rank, code = communicator_groups_of(comm, &groups);

	if (code != MPI_SUCCESS)
		return code;
	number = communicator_new_number(0, MPI_CALL_Comm_spawn, key, &groups);
	real_mpi()->Comm_rank(comm, &rank);
	communicator_announce(number, &groups, rank,
	                      &(struct communicator_origin){.name = name, .function = function});
	communicator_groups_release(&groups);
	return communicator_add(comm, number, like, name);
}

/* Registers a communicator of the spawn. Both sides give it the same number and name. */
static int add(MPI_Comm comm, int root, int number, const struct communicator *like,
               const char *what)
{
	char name[LONGEST_NAME];

	snprintf(name, sizeof(name), "%s of spawn %d.%d", what, root, number);
	return spawn_register(comm, mix((uint64_t)root, (uint64_t)number), like,
	                      MPI_CALL_Comm_spawn, name);
}

/* What all parents learn of the root. */
enum { TOLD_CODE, TOLD_ROOT, TOLD_NUMBER, TOLD_FIRST, TOLD_TOTAL, TOLD_LENGTH };

static int join_parents(const struct spawning *spawning, const int *told, MPI_Comm *intercomm)
{
	MPI_Comm comm = spawning->parents->handle;
	int code = real_mpi()->Intercomm_create(comm, spawning->root, MPI_COMM_WORLD,
	                                        told[TOLD_FIRST], told[TOLD_NUMBER] % TAGS,
	                                        intercomm);

	return code == MPI_SUCCESS ? add(*intercomm, told[TOLD_ROOT], told[TOLD_NUMBER],
	                                 spawning->parents, "the intercommunicator")
	                           : code;
}

static void fill_codes(int *codes, int count, int code)
{
	for (int i = 0; codes != MPI_ERRCODES_IGNORE && i < count; i++)
		codes[i] = code;
}

static int carry_out(struct spawning *spawning, MPI_Comm *intercomm, int *codes)
{
	bool is_root = spawning->parents->rank == spawning->root;
	int told[TOLD_LENGTH] = {0}, code;

	if (is_root)
		told[TOLD_CODE] = prepare(spawning);
	communicator_meet(spawning->parents->number, spawning->function, spawning->site,
	                  communicator_hash(1, 1, &spawning->root));
	if (is_root && told[TOLD_CODE] == MPI_SUCCESS) {
		meet_children(spawning);
		told[TOLD_ROOT] = own_rank();
		told[TOLD_FIRST] = spawning->members[0];
	}
	told[TOLD_NUMBER] = spawning->number;
	told[TOLD_TOTAL] = spawning->total;
	code = real_mpi()->Bcast(told, TOLD_LENGTH, MPI_INT, spawning->root,
	                         spawning->parents->handle);
	if (code == MPI_SUCCESS)
		code = told[TOLD_CODE];
	if (code == MPI_SUCCESS && is_root)
		code = send_orders(spawning);
	fill_codes(codes, told[TOLD_TOTAL], code);
	if (code == MPI_SUCCESS)
		return join_parents(spawning, told, intercomm);
	*intercomm = MPI_COMM_NULL;
	return code;
}

/* Of no communicator, or without such a root: MPI itself has nothing to do here. */
static int check(const struct spawning *spawning, MPI_Comm comm)
{
	if (!spawning->parents)
		return comm == MPI_COMM_NULL ? MPI_ERR_COMM : MPI_ERR_ARG;
	if (spawning->parents->is_inter)
		return MPI_ERR_COMM;
	return spawning->root < 0 || spawning->root >= spawning->parents->size ? MPI_ERR_ROOT
	                                                                       : MPI_SUCCESS;
}

static int spawn(struct spawning *spawning, MPI_Comm comm, MPI_Comm *intercomm, int *codes)
{
	int code;

	spawning->parents = communicator_find(comm);
	code = intercomm ? check(spawning, comm) : MPI_ERR_ARG;
	if (code != MPI_SUCCESS)
		error_report_call(spawning->site, spawning->function);
	else
		code = carry_out(spawning, intercomm, codes);
	free(spawning->members);
	return error_check(comm, code, spawning->function, spawning->site);
}

int shim_MPI_Comm_spawn(void *site, const char *command, char *argv[], int maxprocs, MPI_Info info,
                        int root, MPI_Comm comm, MPI_Comm *intercomm, int codes[])
{
	char *commands[] = {(char *)(uintptr_t)command}, **arguments[] = {argv};
	struct spawning spawning = {.site = site,
	                            .function = MPI_CALL_Comm_spawn,
	                            .root = root,
	                            .count = 1,
	                            .commands = commands,
	                            .arguments = arguments,
	                            .most = &maxprocs,
	                            .infos = &info};
	int code = spawn(&spawning, comm, intercomm, codes);

	if (spawning.commands != commands)
		free_commands(&spawning);
	return code;
}

int shim_MPI_Comm_spawn_multiple(void *site, int count, char *commands[], char **argvs[],
                                 const int maxprocs[], const MPI_Info infos[], int root,
                                 MPI_Comm comm, MPI_Comm *intercomm, int codes[])
{
	struct spawning spawning = {.site = site,
	                            .function = MPI_CALL_Comm_spawn_multiple,
	                            .root = root,
	                            .count = count,
	                            .commands = commands,
	                            .arguments = argvs,
	                            .most = maxprocs,
	                            .infos = infos};
	int code = spawn(&spawning, comm, intercomm, codes);

	if (spawning.commands != commands)
		free_commands(&spawning);
	return code;
}

/* --- the process that is spawned -------------------------------------------------------------- */

/* Waits at the scheduler, as a further step of MPI_Init. */
static void wait_for_spawn(int root, int number, const void *site)
{
	struct wire_call call = gate_call_again(MPI_CALL_Init, site);
	struct wire_op op = spawn_meeting(MPI_CALL_Comm_spawn, call.call, 1,
	                                  spawn_pair(MPI_CALL_Comm_spawn, (uint64_t)number, root));

	call.status = WIRE_NOT_SPAWNED;
	gate_wait_for(&call, &op, WIRE_WAIT_ALL);
	blocking_call_meet(call.function, call.site);
}

static int join_world(int root, int number, int tag, int count, const int *members)
{
	MPI_Group all, group;
	MPI_Comm world;
	int code = real_mpi()->Comm_group(MPI_COMM_WORLD, &all);

	if (code == MPI_SUCCESS)
		code = real_mpi()->Group_incl(all, count, members, &group);
	if (code == MPI_SUCCESS)
		code = real_mpi()->Comm_create_group(MPI_COMM_WORLD, group, tag, &world);
	if (code == MPI_SUCCESS)
		code = real_mpi()->Intercomm_create(world, 0, MPI_COMM_WORLD, root, tag, &parent);
	if (code != MPI_SUCCESS)
		return code;
	real_mpi()->Group_free(&group);
	real_mpi()->Group_free(&all);
	communicator_set_world(world);
	real_mpi()->Comm_set_name(parent, "MPI_COMM_PARENT");
	code = add(world, root, number, NULL, "MPI_COMM_WORLD");
	return code == MPI_SUCCESS ? add(parent, root, number, NULL, "the intercommunicator")
	                           : code;
}

/* Takes over the working directory and the arguments behind the name of the program. */
static void take_words(char *text, int words, int *count, char ***arguments)
{
	char **all = take_memory((size_t)words + 1, sizeof(char *));

	if (*text && chdir(text) != 0)
		fprintf(stderr, "MPI_Comm_spawn: wdir %s: %m\n", text);
	all[0] = (*arguments)[0];
	for (int i = 0; i < words; i++)
		all[i + 1] = text += strlen(text) + 1;
	*arguments = all;
	*count = words + 1;
}

static int receive(void *data, int count, MPI_Datatype type, int root)
{
	return real_mpi()->Recv(data, count, type, root, TAG_ORDER, MPI_COMM_WORLD,
	                        MPI_STATUS_IGNORE);
}

int spawn_wait(int root, int number, const void *site, int *count, char ***arguments)
{
	int numbers[ORDER_LENGTH], *members, code;
	char *text;

	wait_for_spawn(root, number, site);
	code = receive(numbers, ORDER_LENGTH, MPI_INT, root);
	if (code != MPI_SUCCESS)
		return code;
	members = take_memory((size_t)numbers[ORDER_MEMBERS], sizeof(int));
	text = take_memory((size_t)numbers[ORDER_BYTES], 1); /* stays: the program's arguments */
	code = receive(members, numbers[ORDER_MEMBERS], MPI_INT, root);
	if (code == MPI_SUCCESS)
		code = receive(text, numbers[ORDER_BYTES], MPI_CHAR, root);
	if (code != MPI_SUCCESS)
		return code;
	attributes_of_job.command = numbers[ORDER_COMMAND];
	take_words(text, numbers[ORDER_WORDS], count, arguments);
	code = join_world(root, number, numbers[ORDER_TAG], numbers[ORDER_MEMBERS], members);
	free(members);
	return code;
}

int shim_MPI_Comm_get_parent(void *site, MPI_Comm *ret)
{
	if (!ret)
		return error_check(MPI_COMM_WORLD, MPI_ERR_ARG, MPI_CALL_Comm_get_parent, site);
	/* freed or disconnected: MPI 3.1, section 10.3.2 */
	*ret = communicator_find(parent) ? parent : MPI_COMM_NULL;
	return MPI_SUCCESS;
}
