#define _GNU_SOURCE
#include "startup.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "ckpt/agent.h"
#include "ckpt/agent_failure.h"
#include "common/prelaunched.h"
#include "ending.h"
#include "orders.h"
#include "shim/calls/attributes.h"
#include "shim/calls/communicator_from_group.h"
#include "shim/calls/error_objects.h"
#include "shim/calls/spawn.h"
#include "shim/calls/tracking.h"
#include "shim/check/misuse.h"
#include "shim/check/overlap.h"
#include "shim/check/reduction.h"
#include "shim/gate/blocking_call.h"
#include "shim/gate/caller.h"
#include "shim/gate/channel.h"
#include "shim/gate/gate.h"
#include "shim/gate/threading.h"
#include "shim/gate/yielding.h"
#include "shim/libc/file_calls.h"
#include "shim/libc/node_name.h"
#include "shim/libc/output.h"
#include "shim/libc/virtual_time.h"
#include "shim/mpi/real.h"
#include "shim/objects/communicator.h"
#include "shim/objects/error.h"
#include "shim/park/park.h"
#include "shim/park/peers.h"
#include "shim/process/process.h"
#include "shim/process/sanitizer.h"
#include "shim/process/tracer.h"
#include "shim/request/awaited.h"
#include "shim/request/request.h"
#include "shim/state/digest.h"
#include "shim/state/state.h"
#include "streams.h"

enum {
	FIRST_DESCRIPTOR = AGENT_WORLD_FD + 1, /* above the program's descriptors */
};

static struct {
	bool connected;                          /* to the scheduler, or about to be */
	bool world_initialised, world_finalised; /* by MPI_Init and MPI_Finalize */
	pthread_t initialiser;                   /* the thread that called MPI_Init */
	bool finalised;                          /* MPI_Finalize was called, and no session is
	                                            open */
	int sessions;                            /* open ones */
	bool spawned;                            /* and MPI_Init is still to come */
	bool prelaunched;                        /* MPI's level is above the program's */
	uint32_t world;
	int rank;
	int exit_status; /* when exit() has begun */
} startup = {.rank = -1};

void startup_load(void)
{
	const char *rank = getenv("PMI_RANK"), *world = getenv("MATCHPOINT_WORLD");

	if (!rank || !getenv("MATCHPOINT_SOCKET") || !getenv("MATCHPOINT_DIRECTORY"))
		return;
	process_set_managed();
	startup.rank = atoi(rank);
	startup.world = world ? (uint32_t)strtoul(world, NULL, 10) : 0;
	park_restart(startup.rank, startup.world);
	state_load();
	file_calls_start();
	node_name_start();
	streams_redirect(startup.rank, startup.world);
	output_start(startup.rank);
	agent_before_main();
}

__attribute__((constructor)) static void load(void)
{
	startup_load();
}

uint32_t startup_world(void)
{
	return startup.world;
}

/* Moves a descriptor above the program's, with close-on-exec. */
static int move_up(int descriptor)
{
	int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR);
	if (moved < 0)
		return descriptor;
	close(descriptor);
	return moved;
}

static int connect_to_scheduler(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char *path = getenv("MATCHPOINT_SOCKET");
	int descriptor;

	if (strlen(path) >= sizeof(address.sun_path))
		return -1;
	memcpy(address.sun_path, path, strlen(path));
	descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (descriptor < 0)
		return -1;
	if (connect(descriptor, (const struct sockaddr *)&address, sizeof(address)) < 0) {
		close(descriptor);
		return -1;
	}
	tracer_allow(descriptor);
	return move_up(descriptor);
}

static int open_world_directory(void)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/w%u", getenv("MATCHPOINT_DIRECTORY"), startup.world);
	int opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (opened < 0)
		return -1;
	int moved = dup3(opened, AGENT_WORLD_FD, O_CLOEXEC);
	close(opened);
	if (moved >= 0)
		virtual_time_start();
	return moved < 0 ? -1 : 0;
}

static void send_hello(int control)
{
	char program[PATH_MAX] = "", version[MPI_MAX_LIBRARY_VERSION_STRING];

	real_version_line(version);
	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		program[0] = '\0';
	gate_open(control, &orders,
	          &(struct wire_hello){
			  .version = WIRE_VERSION,
			  .world = startup.world,
			  .rank = startup.rank,
			  .pid = process_real_pid(),
			  .inside = blocking_call_address(),
			  .program = program,
			  .mpi = version,
		  });
}

/* For the scheduler, the first and the last call that begin and end MPI are collective: over all
 * processes of the job, and over the program's MPI_COMM_WORLD. `meets_as` is the same in all ranks,
 * since some ranks may use sessions and others not. */
static void meet_all_ranks(unsigned function, const void *site, unsigned meets_as, uint64_t comm,
                           int status)
{
	struct wire_call call = gate_call(function, site);
	struct wire_op op = {
		.name = {call.call, 0},
		.kind = WIRE_COLLECTIVE,
		.comm = comm,
		.peer = -1,
		.function = (uint16_t)meets_as,
	};

	call.status = status;
	gate_wait_for(&call, &op, WIRE_WAIT_ALL);
}

static void prepare_backtrace(void)
{
	void *frame;
	backtrace(&frame, 1); /* loads libgcc now, not in the middle of a call */
}

/* Before MPI's own initialisation. */
static void prepare_control(unsigned function, const void *site, int *ret_control)
{
	bool library = real_find() == 0;
	int control = connect_to_scheduler();

	if (control < 0)
		_exit(AGENT_FAILURE_START);
	startup.connected = true;
	send_hello(control);
	if (!library)
		gate_wait_for_end();
	if (open_world_directory() < 0)
		_exit(AGENT_FAILURE_START);
	peers_start(startup.rank);
	prepare_backtrace();
	ending_adopt_process(); /* so that a crash inside MPI_Init is reported, too */
	agent_before_init();
	state_load(); /* the MPI library may have been loaded since */
	blocking_call_wait(function, (uintptr_t)site_of_caller((void *)(uintptr_t)site));
	*ret_control = control;
}

/* A debugger needs more time for a signal than the timer's period. */
static void begin_yielding(void)
{
	if (!ending_is_traced())
		yielding_begin(false);
}

/* Also if the program has called MPI past the shim. */
static bool library_is_initialised(void)
{
	int flag = 0;

	return real_mpi()->Initialized(&flag) == MPI_SUCCESS && flag;
}

/* The rank connects only to report this. */
static void call_before_init(enum mpi_call function, const void *site)
{
	int control;

	if (startup.connected || real_find() != 0 || library_is_initialised())
		return;
	control = connect_to_scheduler();
	if (control < 0)
		return; /* MPI itself ends the job */
	startup.connected = true;
	send_hello(control);
	error_out_of_order(function, site, "before MPI_Init");
}

void startup_check_order(enum mpi_call function, const void *site)
{
	if (!process_is_managed() || real_is_library(site))
		return;
	if (startup.spawned)
		error_out_of_order(function, site_of_caller((void *)(uintptr_t)site),
		                   "before MPI_Init");
	else if (!process_is_initialised())
		call_before_init(function, site_of_caller((void *)(uintptr_t)site));
	else if (startup.finalised && process_is_own())
		error_out_of_order(function, site_of_caller((void *)(uintptr_t)site),
		                   "after MPI_Finalize");
}

bool startup_enter_unseen(enum mpi_call function, const void *site)
{
	if (!process_is_controlled()) {
		startup_check_order(function, site);
		return false;
	}
	if (!caller_is_program(site))
		return false;
	if (!mpi_call_is_for_any_thread(function))
		threading_check_moment(site);
	return true;
}

static void note_exit_status(int status, void *unused)
{
	(void)unused;
	startup.exit_status = status;
}

/* MPI numbers the commands of the whole job. MPI's code. */
static int number_command(void)
{
	int *own, there = 0, first = 0, code;

	code = real_mpi()->Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &own, &there);
	if (code != MPI_SUCCESS || !there)
		return code;
	first = attributes_of_job.command = *own;
	code = real_mpi()->Bcast(&first, 1, MPI_INT, 0, communicator_world);
	attributes_of_job.command -= first;
	return code;
}

static int start_communicators(void)
{
	const char *prelaunched = prelaunched_own(true);
	int world, code;

	if (!prelaunched)
		return communicator_start(false, 0);
	world = prelaunched_world(prelaunched, startup.rank);
	attributes_of_job.divided = true;
	code = communicator_start(true, world);
	return code == MPI_SUCCESS && world >= 0 ? number_command() : code;
}

/* What the program may do with threads. */
static void set_thread_level(int level)
{
	process_set_thread_level(level);
	if (level == MPI_THREAD_MULTIPLE)
		gate_serialise();
}

/* After MPI's own initialisation. MPI's code. */
static int begin_control(int control, unsigned function, const void *site)
{
	int code, ranks = 1, thread_level = MPI_THREAD_SINGLE;

	blocking_call_leave();
	process_set_initialised();
	ending_adopt_process();
	on_exit(note_exit_status, NULL);
	real_mpi()->Comm_rank(MPI_COMM_WORLD, &startup.rank);
	if (!startup.prelaunched)
		real_mpi()->Query_thread(&thread_level);
	threading_be_first();
	digest_know_threads();
	set_thread_level(thread_level);
	code = error_start();
	if (code == MPI_SUCCESS)
		code = error_objects_start();
	if (code == MPI_SUCCESS)
		code = start_communicators();
	if (code != MPI_SUCCESS)
		return code;
	real_mpi()->Comm_size(MPI_COMM_WORLD, &ranks);
	awaited_start(startup.rank, ranks);
	park_init(control, startup.world, startup.rank, gate_welcome()->rewinds,
	          gate_welcome()->images || gate_welcome()->states);
	park_set_blocking_call(blocking_call_address());
	if (gate_welcome()->states)
		state_start();
	else
		state_start_digests();
	process_set_controlled(true);
	if (gate_is_serialised())
		threading_start();
	meet_all_ranks(function, site, MPI_CALL_Init, communicator_number(MPI_COMM_WORLD),
	               thread_level == MPI_THREAD_MULTIPLE ? WIRE_THREADS_MULTIPLE : 0);
	return MPI_SUCCESS;
}

static void note_initialised(int code)
{
	startup.world_initialised = code == MPI_SUCCESS;
	startup.initialiser = pthread_self();
}

/* If a session came first, or the process was spawned, MPI is initialised already. */
static int init_again(const void *site, unsigned function, int required)
{
	int level = MPI_THREAD_SINGLE;

	note_initialised(MPI_SUCCESS);
	process_set_controlled(true);
	if (startup.spawned) {
		real_mpi()->Query_thread(&level);
		set_thread_level(required < level ? required : level);
	}
	if (startup.spawned && gate_is_serialised())
		threading_start();
	startup.finalised = startup.spawned = false;
	error_report_call(site, (enum mpi_call)function);
	return MPI_SUCCESS;
}

int shim_MPI_Init(void *site, int *argc, char ***argv)
{
	int control, code;

	if (!process_is_managed())
		return real_mpi()->Init(argc, argv);
	if (startup.world_initialised) {
		startup_check_order(MPI_CALL_Init, site);
		code = real_mpi()->Init(argc, argv);
		return error_check(MPI_COMM_WORLD, code, MPI_CALL_Init, site);
	}
	if (process_is_initialised())
		return init_again(site, MPI_CALL_Init, MPI_THREAD_SINGLE);
	prepare_control(MPI_CALL_Init, site, &control);
	begin_yielding();
	code = real_mpi()->Init(argc, argv);
	yielding_end();
	note_initialised(code);
	if (code == MPI_SUCCESS)
		code = begin_control(control, MPI_CALL_Init, site);
	return code;
}

int shim_MPI_Init_thread(void *site, int *argc, char ***argv, int required, int *provided)
{
	int control, code;

	if (!process_is_managed())
		return real_mpi()->Init_thread(argc, argv, required, provided);
	if (startup.world_initialised) {
		startup_check_order(MPI_CALL_Init_thread, site);
		code = real_mpi()->Init_thread(argc, argv, required, provided);
		return error_check(MPI_COMM_WORLD, code, MPI_CALL_Init_thread, site);
	}
	if (process_is_initialised()) {
		code = init_again(site, MPI_CALL_Init_thread, required);
		*provided = process_thread_level();
		return code;
	}
	prepare_control(MPI_CALL_Init_thread, site, &control);
	begin_yielding();
	code = real_mpi()->Init_thread(argc, argv, required, provided);
	yielding_end();
	note_initialised(code);
	if (code == MPI_SUCCESS)
		code = begin_control(control, MPI_CALL_Init_thread, site);
	return code;
}

void startup_wait_for_spawn(const struct prelaunched *group, const void *site, int *count,
                            char ***arguments)
{
	void *caller = (void *)(uintptr_t)site;
	int control, provided, code;

	if (!caller_enter_always(&caller))
		return;
	prepare_control(MPI_CALL_Init, site, &control);
	begin_yielding();
	/* what the program will ask for is not known; MPI must be able to do it */
	startup.prelaunched = true;
	code = real_mpi()->Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
	yielding_end();
	if (code == MPI_SUCCESS)
		code = begin_control(control, MPI_CALL_Init, site);
	if (code == MPI_SUCCESS)
		code = spawn_wait(group->root, group->number, site, count, arguments);
	error_check(MPI_COMM_WORLD, code, MPI_CALL_Init, site);
	process_set_controlled(false);
	startup.spawned = true;
	caller_leave();
}

int shim_MPI_Initialized(void *site, int *flag)
{
	(void)site;
	if (!process_is_initialised() || !flag)
		return real_mpi()->Initialized(flag);
	*flag = startup.world_initialised;
	return MPI_SUCCESS;
}

int shim_MPI_Query_thread(void *site, int *provided)
{
	(void)site;
	if (!process_is_initialised() || !provided)
		return real_mpi()->Query_thread(provided);
	*provided = process_thread_level();
	return MPI_SUCCESS;
}

int shim_MPI_Finalized(void *site, int *flag)
{
	(void)site;
	if (!process_is_initialised() || !flag)
		return real_mpi()->Finalized(flag);
	*flag = startup.world_finalised;
	return MPI_SUCCESS;
}

/* Nothing of MPI is open: from here on, calls are not controlled. MPI is not finalised, because the
 * process may be a keeper, or a copy of one. */
static void end_control(void)
{
	process_set_controlled(false);
	startup.finalised = true;
}

static int finalize_status(void)
{
	bool in_turn = process_thread_level() == MPI_THREAD_SERIALIZED
	               && process_has_made_threads();

	return (startup.sessions > 0 ? WIRE_SESSIONS_OPEN : 0)
	       | (in_turn ? WIRE_THREADS_IN_TURN : 0);
}

/* All ranks have come to their end: what is certain only now. */
static void send_rest(void)
{
	request_settle();
	overlap_send();
	reduction_send();
}

int shim_MPI_Finalize(void *site)
{
	if (!startup.world_initialised)
		return error_check(MPI_COMM_WORLD, MPI_ERR_OTHER, MPI_CALL_Finalize, site);
	if (!pthread_equal(pthread_self(), startup.initialiser)) /* MPI 3.1, section 12.4.3 */
		misuse_note(WIRE_MISUSE_FINALIZE, MPI_CALL_Finalize, site);
	attributes_delete_all();
	if (startup.sessions == 0)
		tracking_report();
	meet_all_ranks(MPI_CALL_Finalize, site, MPI_CALL_Finalize,
	               communicator_number(communicator_world), finalize_status());
	send_rest();
	startup.world_finalised = true;
	if (startup.sessions == 0)
		end_control();
	return MPI_SUCCESS;
}

/* --- sessions (MPI 4.0, section 11.3) -------------------------------------------------------- */

/* The level that the program asks for; else the highest, as in MPICH. */
static int session_thread_level(MPI_Info info)
{
	static const struct {
		const char *name;
		int level;
	} levels[] = {{"MPI_THREAD_SINGLE", MPI_THREAD_SINGLE},
	              {"MPI_THREAD_FUNNELED", MPI_THREAD_FUNNELED},
	              {"MPI_THREAD_SERIALIZED", MPI_THREAD_SERIALIZED}};
	char value[32] = "";
	int there = 0;

	if (info != MPI_INFO_NULL)
		real_mpi()->Info_get(info, "thread_level", sizeof(value) - 1, value, &there);
	for (size_t i = 0; there && i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (strcmp(value, levels[i].name) == 0)
			return levels[i].level;
	}
	return MPI_THREAD_MULTIPLE;
}

/* The shim needs MPI_COMM_WORLD, and MPI must stay initialised when the session is over. */
static int init_for_session(const void *site, MPI_Info info)
{
	int control, provided, code;

	prepare_control(MPI_CALL_Session_init, site, &control);
	begin_yielding();
	code = real_mpi()->Init_thread(NULL, NULL, session_thread_level(info), &provided);
	yielding_end();
	if (code == MPI_SUCCESS)
		code = begin_control(control, MPI_CALL_Session_init, site);
	return code;
}

int shim_MPI_Session_init(void *site, MPI_Info info, MPI_Errhandler errhandler,
                          MPI_Session *session)
{
	int code = MPI_SUCCESS;

	if (!process_is_managed())
		return real_mpi()->Session_init(info, errhandler, session);
	if (!process_is_initialised()) {
		code = init_for_session(site, info);
	} else {
		startup.finalised = false;
		process_set_controlled(true);
		error_report_call(site, MPI_CALL_Session_init);
	}
	if (code == MPI_SUCCESS)
		code = real_mpi()->Session_init(info, errhandler, session);
	if (code == MPI_SUCCESS)
		startup.sessions++;
	return code;
}

/* In a program without MPI_Finalize, the last session takes its place. After MPI_Finalize, a rank
 * waits for the others only if the session has connected it with them. */
int shim_MPI_Session_finalize(void *site, MPI_Session *session)
{
	int code = real_mpi()->Session_finalize(session);
	bool last, alone;

	if (code != MPI_SUCCESS)
		return code;
	startup.sessions--;
	last = startup.sessions == 0 && (!startup.world_initialised || startup.world_finalised);
	alone = startup.world_finalised && !communicator_from_group();
	if (!last) {
		error_report_call(site, MPI_CALL_Session_finalize);
		return MPI_SUCCESS;
	}
	tracking_report();
	meet_all_ranks(MPI_CALL_Session_finalize, site, MPI_CALL_Finalize,
	               alone ? WIRE_COMM_SELF : communicator_number(communicator_world),
	               finalize_status());
	send_rest();
	end_control();
	return MPI_SUCCESS;
}

int shim_MPI_Abort(void *site, MPI_Comm comm, int errorcode)
{
	struct wire_call call = gate_call(MPI_CALL_Abort, site);

	(void)comm;
	call.wait = WIRE_ABORT;
	call.status = errorcode;
	const struct wire_message message = {.type = WIRE_CALL, .call = call};
	gate_send(&message);
	gate_wait_for_end();
}

int startup_abort(MPI_Comm comm, int errorcode)
{
	int code = real_mpi()->Abort(comm, errorcode);

	while (process_is_managed())
		pause();
	return code;
}

void startup_flush(void)
{
	void *stream = dlsym(RTLD_DEFAULT, "_ZSt4cout");
	void *flush_stream = dlsym(RTLD_DEFAULT, "_ZNSo5flushEv");
	void *flush_fortran = dlsym(RTLD_DEFAULT, "_gfortran_flush_i4");

	/* All zero unless a module that uses <iostream> has been started: then there is nothing to
	 * flush. */
	if (stream && flush_stream && *(void *const *)stream) {
		void *(*flush)(void *);
		memcpy(&flush, &flush_stream, sizeof(flush));
		flush(stream);
	}
	if (flush_fortran) {
		void (*flush)(const int32_t *);
		memcpy(&flush, &flush_fortran, sizeof(flush));
		flush(NULL);
	}
	fflush(NULL);
	output_mark();
}

/* After the program's own destructors, and before MPI's, which have nothing left to do. Not in a
 * process that the program forked. */
__attribute__((destructor)) static void leave(void)
{
	if (!process_is_initialised() || !process_is_own())
		return;
	if (startup.finalised)
		sanitizer_find_leaks();
	ending_exit(startup.exit_status, startup.finalised);
	if (gate_welcome()->rewinds)
		park_hold();
	channel_send_kept();
	park_exit(startup.exit_status);
}

/* No destructor runs, and nothing is flushed. No other process could report the status, because the
 * launcher kills the others at once. */
static _Noreturn void leave_at_once(int status, const void *caller)
{
	if (process_is_initialised() && process_is_own() && !real_is_shim(caller)) {
		ending_leave(status, startup.finalised);
		channel_send_kept();
		park_finish_launcher();
	}
	syscall(SYS_exit_group, status);
	__builtin_unreachable();
}

__attribute__((visibility("default"))) void _exit(int status)
{
	leave_at_once(status, __builtin_return_address(0));
}

__attribute__((visibility("default"))) void _Exit(int status)
{
	leave_at_once(status, __builtin_return_address(0));
}
