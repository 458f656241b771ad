/* `gdb RANK`: a rank in gdb, on the same terminal, until gdb exits. If the rank's MPI call is
 * carried out now, gdb stops it right after the call, else in it; while the ranks run (Ctrl-C), it
 * stops a rank that computes where that is. Meanwhile the session goes on for the other ranks. When
 * it comes to rest again, a signal that is otherwise ignored (SIGURG) makes gdb print that the rank
 * waits. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "debug_context.h"
#include "debug_words.h"
#include "explorer/rank_name.h"
#include "mpi_calls.h"
#include "scheduler/host/child_reaper.h"

#define LOOK_MS 50
#define LOOKS_BEFORE_SAYING 4     /* at which the rank runs, under gdb, and yet only waits */
#define LOOKS_BEFORE_GIVING_UP 40 /* at an ended command, for a debugger that it has started */

/* A gdb, while it is there. */
struct seat {
	struct debugger *debugger;
	int rank;
	pid_t process; /* the rank's process */
	pid_t thread;  /* of several, the one whose call is shown; 0: the main thread */
	GPid child;    /* 0: gdb has ended */
	char *script;
	uv_timer_t *timer; /* wakes session_wait */
	bool seen;         /* gdb has stopped the rank */
	bool running;      /* and has let it run */
	bool fell;         /* the rank has reached its end there */
	bool beside;       /* the ranks run: nobody waits here until gdb has left */
	bool says_so;      /* the rank only waits: gdb is to print that when it runs */
	guint looks, idle;
	struct look *look; /* the question to the host that is not answered yet; NULL: none */
	bool is_told;      /* it has answered, and nobody has looked at that yet: */
	enum host_tracing tracing;
};

/* A question to the host: whether the rank's process is traced. It may outlive the seat. */
struct look {
	struct seat *seat; /* NULL: freed */
	pid_t process;
};

struct gdb_rank {
	struct seat *seat; /* NULL: no rank is in gdb */
	char *command;     /* of `set debugger`; NULL: gdb */
};

static struct host *host_of(const struct seat *seat)
{
	return session_host(debugger_session(seat->debugger));
}

/* --- gdb's process ---------------------------------------------------------------------------- */

static bool has_terminal(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

/* Makes this process group the foreground group: input and Ctrl-C are for it alone. */
static void take_terminal(void *unused)
{
	(void)unused;
	setpgid(0, 0);
	if (has_terminal()) {
		signal(SIGTTOU, SIG_IGN);
		tcsetpgrp(STDIN_FILENO, getpid());
		signal(SIGTTOU, SIG_DFL);
	}
}

static void take_terminal_back(void)
{
	void (*before)(int) = signal(SIGTTOU, SIG_IGN);

	if (has_terminal())
		tcsetpgrp(STDIN_FILENO, getpgrp());
	signal(SIGTTOU, before);
}

/* In a call of MPI that goes on, `next` and `step` go on to the end of the call, as `finish` does.
 * The innermost function has no lines, and perhaps no symbol: gdb would only step out of it, or
 * refuse ("Cannot find bounds of current function"). Last in the script: it needs gdb's Python. */
static const char steps_out[] =
	"python\n"
	"import re\n"
	"class MatchpointStepOut(gdb.Command):\n"
	"    def __init__(self):\n"
	"        super().__init__('matchpoint-step-out', gdb.COMMAND_RUNNING)\n"
	"    def invoke(self, argument, from_tty):\n"
	/* reverse-next is a next for hooks. */
	"        if matchpoint_past.is_there:\n"
	"            return\n"
	"        call, frame = None, gdb.newest_frame()\n"
	"        while frame:\n"
	"            if re.match('P?MPI_', frame.name() or '', re.I):\n"
	"                call = frame\n"
	"            frame = frame.older()\n"
	"        if not call or not call.older():\n"
	"            return\n"
	"        name, site = call.name(), call.older().pc()\n"
	"        end = gdb.Breakpoint('*%d' % site, internal=True, temporary=True)\n"
	"        gdb.execute('continue', to_string=True)\n"
	"        if end.is_valid() and end.hit_count == 0:\n"
	"            end.delete()\n"
	"        if gdb.selected_thread() and gdb.newest_frame().pc() != site:\n"
	"            raise gdb.GdbError('%s has not returned' % name)\n"
	"MatchpointStepOut()\n"
	"end\n"
	"define hook-next\nmatchpoint-step-out\nend\n"
	"define hook-step\nmatchpoint-step-out\nend\n";

/* gdb's first commands. `call`: the rank's; NULL: it is in none. `goes_on`: the call is about to be
 * carried out. A snapshot may be taken before; the rank then continues as a child. `past`: commands
 * for the rank's past. */
static char *script_for(const struct seat *seat, guint64 site, const char *call, bool goes_on,
                        const char *past)
{
	GString *text = g_string_new("set debuginfod enabled off\nset confirm off\nset height 0\n");

	g_string_append_printf(
		text,
		"%s\ncatch signal SIGURG\ncommands\nsilent\nprintf \"rank %s waits in an "
		"MPI call until matchpoint continues it: quit returns there\\n\"\nend\n",
		debugger_debuggee(seat->debugger)->attach, rank_name(seat->rank));
	if (seat->thread > 0)
		g_string_append_printf(text,
		                       "python\nfor one in gdb.selected_inferior().threads():\n"
		                       "    if one.ptid[1] == %d:\n        one.switch()\nend\n",
		                       (int)seat->thread);
	if (goes_on)
		g_string_append_printf(
			text,
			"set follow-fork-mode child\n"
			"tbreak *0x%" G_GINT64_MODIFIER
			"x\ncommands\nsilent\nset follow-fork-mode parent\nprintf \"rank %s has "
			"returned from %s\\n\"\nframe\nend\ncontinue\n",
			site, rank_name(seat->rank), call);
	else if (!call)
		g_string_append_printf(
			text, "printf \"rank %s was computing, and is stopped here\\n\"\nframe\n",
			rank_name(seat->rank));
	else if (seat->fell) /* perhaps not in that call */
		g_string_append_printf(text,
		                       "printf \"rank %s has stopped, in or after %s\\n\"\nbt\n",
		                       rank_name(seat->rank), call);
	else
		g_string_append_printf(text,
		                       "while $pc != 0x%" G_GINT64_MODIFIER "x\nup-silently\nend\n"
		                       "printf \"rank %s is in %s\\n\"\nframe\n",
		                       site, rank_name(seat->rank), call);
	g_string_append(text, steps_out);
	g_string_append(text, past);
	return g_string_free(text, false);
}

static bool write_script(struct seat *seat, const char *text, GError **error)
{
	int file = g_file_open_tmp("matchpoint-gdb-XXXXXX", &seat->script, error);

	if (file < 0)
		return false;
	close(file);
	return g_file_set_contents(seat->script, text, -1, error);
}

static bool start(struct seat *seat, const char *command, GError **error)
{
	g_auto(GStrv) words = NULL;
	g_autoptr(GPtrArray) all = g_ptr_array_new();
	GSpawnFlags flags = G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD;

	if (!g_shell_parse_argv(command, NULL, &words, error))
		return false;
	for (char **word = words; *word; word++)
		g_ptr_array_add(all, *word);
	g_ptr_array_add(all, (char *)"-q");
	g_ptr_array_add(all, (char *)"-x");
	g_ptr_array_add(all, seat->script);
	g_ptr_array_add(all, NULL);
	fflush(stdout);
	if (has_terminal())
		flags |= G_SPAWN_CHILD_INHERITS_STDIN;
	if (!g_spawn_async(NULL, (char **)all->pdata, NULL, flags, take_terminal, NULL,
	                   &seat->child, error))
		return false;
	child_reaper_spare(seat->child, true);
	return true;
}

/* --- while gdb is there ----------------------------------------------------------------------- */

static void reap(struct seat *seat)
{
	pid_t done = seat->child > 0 ? waitpid(seat->child, NULL, WNOHANG) : 0;

	if (seat->child == 0 || done == 0 || (done < 0 && errno == EINTR))
		return;
	child_reaper_spare(seat->child, false);
	seat->child = 0;
	take_terminal_back();
}

/* The rank runs under gdb, and has nothing to do. */
static void say_that_it_waits(struct seat *seat, bool runs)
{
	seat->idle = runs ? seat->idle + 1 : 0;
	if (seat->says_so && seat->idle >= LOOKS_BEFORE_SAYING) {
		seat->idle = 0;
		host_of(seat)->operations->signal(host_of(seat), seat->process, SIGURG);
	}
}

/* The rank continues as another process after a snapshot. */
static void follow_rank(struct seat *seat)
{
	const struct execution *execution = debugger_processes(seat->debugger);
	pid_t process = execution ? execution_pid(execution, seat->rank) : 0;

	if (process > 0)
		seat->process = process;
}

static void on_tracing(void *user, enum host_tracing tracing)
{
	struct look *look = user;
	struct seat *seat = look->seat;

	if (seat) {
		seat->look = NULL;
		seat->is_told = look->process == seat->process;
		seat->tracing = tracing;
	}
	g_free(look);
}

/* Asks the host, if it has answered. Returns whether it has answered since the last time. */
static bool look_at_tracing(struct seat *seat)
{
	bool is_told;

	if (!seat->look) {
		struct look *look = seat->look = g_new0(struct look, 1);

		*look = (struct look){.seat = seat, .process = seat->process};
		host_of(seat)->operations->tracing_of(host_of(seat), seat->process, on_tracing,
		                                      look);
	}
	is_told = seat->is_told;
	seat->is_told = false;
	return is_told;
}

/* A command that opens a window may end before gdb does, or before gdb begins. */
static bool has_left(void *data)
{
	struct seat *seat = data;
	bool runs, is_told;

	follow_rank(seat);
	is_told = look_at_tracing(seat);
	reap(seat);
	if (!is_told)
		return false;
	runs = seat->tracing == HOST_TRACED;
	seat->seen = seat->seen || seat->tracing != HOST_NOT_TRACED;
	seat->running = seat->running || runs;
	say_that_it_waits(seat, runs);
	if (seat->child > 0 || seat->tracing != HOST_NOT_TRACED)
		return false;
	return seat->seen || ++seat->looks > LOOKS_BEFORE_GIVING_UP;
}

static bool runs_or_has_left(void *data)
{
	struct seat *seat = data;

	return has_left(seat) || seat->running;
}

static void seat_free(struct seat *seat);

static void on_time(uv_timer_t *timer)
{
	struct seat *seat = timer->data;
	struct debugger *debugger = seat->debugger;

	if (!seat->beside || debugger_state(debugger) != DEBUG_RUNNING || !has_left(seat))
		return;
	debugger_gdb_rank(debugger)->seat = NULL;
	seat_free(seat);
	debugger_ask_while_running(debugger);
}

static struct seat *seat_new(struct debugger *debugger, int rank, pid_t process)
{
	struct seat *seat = g_new0(struct seat, 1);

	*seat = (struct seat){.debugger = debugger, .rank = rank, .process = process};
	seat->timer = g_new0(uv_timer_t, 1);
	seat->timer->data = seat;
	uv_timer_init(session_loop(debugger_session(debugger)), seat->timer);
	uv_timer_start(seat->timer, on_time, LOOK_MS, LOOK_MS);
	return seat;
}

static void seat_free(struct seat *seat)
{
	if (!seat)
		return;
	if (seat->look)
		seat->look->seat = NULL;
	if (seat->child > 0) { /* the session ends */
		kill(seat->child, SIGKILL);
		while (waitpid(seat->child, NULL, 0) < 0 && errno == EINTR)
			;
		child_reaper_spare(seat->child, false);
		take_terminal_back();
	}
	if (seat->script)
		g_unlink(seat->script);
	g_free(seat->script);
	uv_close((uv_handle_t *)seat->timer, (uv_close_cb)(void (*)(void))g_free);
	g_free(seat);
}

void debugger_wait_for_gdb(struct debugger *debugger)
{
	struct gdb_rank *gdb = debugger_gdb_rank(debugger);

	if (!gdb->seat)
		return;
	gdb->seat->says_so = true;
	session_wait(debugger_session(debugger), has_left, gdb->seat);
	g_clear_pointer(&gdb->seat, seat_free);
}

/* --- commands --------------------------------------------------------------------------------- */

void word_gdb(struct debugger *debugger, const char *rest)
{
	int rank = *rest ? debugger_read_rank(debugger, rest) : debugger_usual_rank(debugger);
	struct gdb_rank *gdb = debugger_gdb_rank(debugger);
	const char *command = gdb->command ? gdb->command : "gdb";
	g_autoptr(GError) error = NULL;
	g_autofree char *script = NULL, *past = NULL;
	const struct world_call *info;
	const struct world *world;
	const char *call;
	guint64 site;
	pid_t pid;
	bool beside = debugger_state(debugger) == DEBUG_RUNNING;
	bool goes_on;

	if (rank < 0
	    || (debugger_state(debugger) != DEBUG_OVER && !beside && !debugger_is_at_rest(debugger))
	    || debugger_brings_back(debugger, word_gdb, rank, rest)
	    || debugger_asks_host(debugger, word_gdb, rank, rest)
	    || !debugger_find_process(debugger, rank, &pid, &site))
		return;
	debugger_detach_gdbs(debugger);
	world = execution_world(debugger_processes(debugger));
	info = world_call_info(world, rank, debugger_shown_call(debugger, rank));
	past = debugger_gdb_past(debugger, rank);
	goes_on = debugger_lets_go(debugger, rank);
	gdb->seat = seat_new(debugger, rank, pid);
	gdb->seat->thread = info && info->thread > 0 ? world_thread_id(world, rank, info->thread)
	                                             : 0;
	gdb->seat->fell = world_phase(world, rank) == PHASE_STOPPED;
	gdb->seat->beside = beside;
	call = info ? mpi_call_name(info->function) : "a call";
	script = script_for(gdb->seat, site,
	                    beside && world_phase(world, rank) == PHASE_RUNNING ? NULL : call,
	                    goes_on, past);
	if (!write_script(gdb->seat, script, &error) || !start(gdb->seat, command, &error)) {
		debugger_refuse(debugger, "cannot start %s: %s", command, error->message);
		g_clear_pointer(&gdb->seat, seat_free);
		debugger_lets_nobody_go(debugger);
	} else if (beside) { /* this is a turn of the loop, which must not run in it */
		debugger_ask_no_more(debugger);
	} else if (goes_on) {
		session_wait(debugger_session(debugger), runs_or_has_left, gdb->seat);
	} else {
		debugger_wait_for_gdb(debugger);
	}
}

void word_set_debugger(struct debugger *debugger, const char *rest)
{
	struct gdb_rank *gdb = debugger_gdb_rank(debugger);

	g_free(gdb->command);
	gdb->command = *rest ? g_strdup(rest) : NULL;
}

/* --- for the session -------------------------------------------------------------------------- */

struct gdb_rank *gdb_rank_new(void)
{
	return g_new0(struct gdb_rank, 1);
}

void gdb_rank_free(struct gdb_rank *gdb)
{
	if (!gdb)
		return;
	seat_free(gdb->seat);
	g_free(gdb->command);
	g_free(gdb);
}

bool gdb_rank_is_there(const struct gdb_rank *gdb)
{
	return gdb->seat != NULL;
}
