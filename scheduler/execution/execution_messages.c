/* Handles messages and ends of an execution's ranks. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "execution_internal.h"
#include "explorer/rank_name.h"
#include "mpi_calls.h"
#include "runs_internal.h"
#include "scheduler/snapshot/held_ranks.h"
#include "scheduler/snapshot/process_group.h"
#include "scheduler/snapshot/snapshot.h"
#include "scheduler/tools/log.h"
#include "scheduler/world/world_fingerprint.h"

static void show_abort(const struct execution *execution, int rank, int exit_code)
{
	struct host *host = execution->runs->host;
	g_autofree char *why = g_strdup_printf("rank %s called MPI_Abort with error code %d",
	                                       rank_name(rank), exit_code);

	if (host->operations->show_abort)
		host->operations->show_abort(host, execution->placement.number, why);
}

static bool on_call(struct execution *execution, int rank, const struct wire_call *call,
                    GError **error)
{
	if (call->wait == WIRE_ABORT) {
		execution->ends[rank].aborted = true;
		execution->ends[rank].abort_code = call->status;
		show_abort(execution, rank, call->status);
	}
	if (mpi_call_ends_mpi(call->function) && (call->status & WIRE_THREADS_IN_TURN))
		execution->result.limits |= LIMIT_BIT(LIMIT_THREADS_SERIALIZED);
	if (execution->placement.launched && !snapshots_are_enabled(execution->runs->snapshots))
		/* At the verdict the process may be gone, and no keeper has its mappings. */
		execution_site(execution, rank, call->site);
	if (call->ahead && !run_ahead_begin(execution->run_ahead, rank, call)) {
		g_set_error(error, RUNS_ERROR, 0,
		            "rank %s made an impossible report: that it need not wait in call %u",
		            rank_name(rank), call->call);
		return false;
	}
	if (call->ahead && world_held_from(execution->world, rank) <= call->call)
		world_hold(execution->world, rank, call->call + 1); /* it has begun already */
	if (!execution_is_sealed(execution))
		world_go_unsealed(execution->world, rank, call->call);
	if (execution->strategy->called)
		execution->strategy->called(execution->strategy, execution, rank, call);
	if (execution->saves)
		execution->runs->client->called(execution->owner, execution, rank, call);
	return world_call(execution->world, rank, call, error);
}

/* MPI_Error_string of MPICH returns several lines. The first shows what failed, the last one why;
 * some end with a blank. */
static char *condense_error(const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	const char *last = "", *why;
	char *end = lines[0] ? strstr(lines[0], ", error stack:") : NULL;

	if (!lines[0]) /* an empty text */
		return g_strdup("");
	if (end)
		*end = '\0';
	for (char **line = lines + 1; *line; line++) {
		if (**line)
			last = *line;
	}
	why = strstr(last, ": ");
	if (!why || g_str_has_prefix(why + 2, lines[0]))
		return g_strchomp(g_strdup(lines[0]));
	return g_strchomp(g_strdup_printf("%s: %s", lines[0], why + 2));
}

/* The program does something that cannot be explored. That is no finding. */
static void refuse_program(struct execution *execution, int rank, const struct wire_error *error)
{
	struct runs *runs = execution->runs;
	struct place place = execution_site(execution, rank, error->site);
	g_autofree char *where = place_print(&place);

	runs_fail(runs, "%s (rank %s, at %s)", error->text, rank_name(rank), where);
	world_rank_stopped(execution->world, rank);
}

static void refuse_spawn(struct execution *execution, int rank, const struct wire_needs *needs)
{
	struct place place = execution_site(execution, rank, needs->site);
	g_autofree char *where = place_print(&place);

	runs_need(execution->runs, rank, needs, where);
	world_rank_stopped(execution->world, rank);
}

/* The program raises an error of its own with these. */
static bool is_raised(enum mpi_call function)
{
	return function == MPI_CALL_Comm_call_errhandler
	       || function == MPI_CALL_File_call_errhandler
	       || function == MPI_CALL_Win_call_errhandler
	       || function == MPI_CALL_Session_call_errhandler;
}

static void remark_returned(struct execution *execution, int rank, const struct wire_error *error,
                            const char *text)
{
	g_autofree char *does = g_strdup_printf("goes on after an error that MPI returned: %s",
	                                        text);
	const struct remark remark = {.kind = FINDING_ERROR_RETURNED,
	                              .count = 1,
	                              .parties = {{.rank = rank,
	                                           .call = error->call,
	                                           .function = error->function,
	                                           .site = error->site,
	                                           .does = does}}};

	if (!is_raised((enum mpi_call)error->function))
		world_remark_seen(execution->world, &remark);
}

/* Keeps the first error that was returned to the program. */
static void note_returned(struct execution *execution, int rank, const struct wire_error *error)
{
	struct rank_end *end = &execution->ends[rank];
	g_autofree char *text = condense_error(error->text);

	if (error->call > 0)
		world_failed(execution->world, rank, error->call);
	remark_returned(execution, rank, error, text);
	if (end->returned && (end->returned_call > 0 || error->call == 0))
		return;
	g_free(end->returned);
	end->returned = g_steal_pointer(&text);
	end->returned_call = error->call;
}

static void on_error(struct execution *execution, int rank, const struct wire_error *error)
{
	struct rank_end *end = &execution->ends[rank];

	if (error->refused && error->function == MPI_CALL_NONE) {
		runs_fall_back(execution->runs,
		               g_strdup_printf("rank %s: %s", rank_name(rank), error->text));
		return;
	}
	if (error->refused) {
		refuse_program(execution, rank, error);
		return;
	}
	if (!error->fatal) {
		note_returned(execution, rank, error);
		return;
	}
	g_free(end->error);
	end->error = condense_error(error->text);
	end->failed = error->started > 0 ? error->started : error->call;
	end->threads = error->threads;
	end->function = error->call == 0 ? error->function : 0;
	end->inside = world_call_info(execution->world, rank, error->call) ? error->call : 0;
	end->place = execution_site(execution, rank, error->site);
	world_rank_stopped(execution->world, rank);
}

void execution_note_stack(struct execution *execution, int rank, const struct wire_stack *stack,
                          const struct place *place)
{
	const struct run_client *client = execution->runs->client;

	if (execution->stacks && client->stack)
		world_note_stack(execution->world, rank, stack->call,
		                 client->stack(execution->owner, execution, rank, stack, place));
}

/* A rank that ends after PARK will not answer it. Perhaps it could not even be rewound before. */
static void look_at_parking(struct execution *execution, int rank)
{
	if (execution->parking && !execution_begins_again(execution)
	    && !execution_strike(execution, "rank %s while a snapshot was taken", rank_name(rank)))
		runs_fall_back(execution->runs, g_strdup_printf("rank %s ended twice while a "
		                                                "snapshot was taken",
		                                                rank_name(rank)));
}

/* The rank reports how it ends. Unless it ends well after MPI_Finalize, it stays until the others
 * are at rest. Else the launcher would kill them. */
static void on_ending(struct execution *execution, int rank, const struct wire_ending *ending)
{
	struct rank_end *end = &execution->ends[rank];

	end->unsaid = false;
	if (end->killed)
		return;
	end->known = true;
	end->status = ending->signal ? ending->signal : (ending->status & 0xff) << 8;
	if (ending->signal)
		execution_note_crash(execution, rank, ending);
	if (end->status != 0 || !world_finalized(execution->world, rank))
		world_rank_stopped(execution->world, rank);
	look_at_parking(execution, rank);
}

/* Looks up the places of what is about objects and memory: at the verdict the process may be
 * gone. */
static void note_sites(struct execution *execution, int rank, const struct wire_message *message)
{
	guint64 last = 0;

	for (guint32 i = 0; message->type == WIRE_LEFT && i < message->objects.count; i++)
		execution_site(execution, rank, message->objects.left[i].site);
	for (guint32 i = 0; message->type == WIRE_ACCESSES && i < message->accesses.count; i++) {
		guint64 site = message->accesses.list[i].site;

		if (site != 0 && site != last)
			execution_site(execution, rank, site);
		last = site;
	}
	if (message->type == WIRE_MISUSE && message->misuse.site != 0)
		execution_site(execution, rank, message->misuse.site);
}

/* Passes a report to the world, which validates it. */
static bool on_report(struct execution *execution, int rank, const struct wire_message *message,
                      GError **error)
{
	execution->moved = true;
	/* Another thread of the rank may be about to call. */
	if (execution->ends[rank].threads)
		return true;
	execution->result.threads |= message->type == WIRE_THREAD;
	note_sites(execution, rank, message);
	return message->type == WIRE_CALL ? on_call(execution, rank, &message->call, error)
	                                  : world_report(execution->world, rank, message, error);
}

/* Notes that a rank is idle. Without a process group nothing would wake it, so it is told to drive
 * progress. */
static void note_idle(struct execution *execution, int rank, const struct wire_state *state)
{
	if (!state->idle)
		return;
	process_group_be_idle(execution->placement.group, rank);
	if (!execution->placement.group)
		execution_order(execution, rank, &(struct wire_message){.type = WIRE_DRIVE});
}

/* A held rank is idle: it only reads orders. */
static void on_held(struct execution *execution, int rank, const struct wire_held *held)
{
	process_group_be_idle(execution->placement.group, rank);
	if (!snapshots_may_rewind(execution->runs->snapshots) || !execution->placement.from
	    || execution->result.phase == EXECUTION_STARTING
	    || execution->result.phase == EXECUTION_PARKING)
		runs_fail(execution->runs, "rank %s made an impossible report: that it is held",
		          rank_name(rank));
	else
		held_ranks_add(&execution->placement, rank, held);
}

static void handle(struct execution *execution, int rank, const struct wire_message *message)
{
	g_autoptr(GError) error = NULL;

	world_rank_moves(execution->world, rank);
	if (message->type != WIRE_STATE && message->type != WIRE_IMAGED)
		state_fingerprint_moves(&execution->fingerprint, rank);
	/* Repeated accesses to a window are no sign of progress. */
	if (message->type != WIRE_ACCESSES) {
		liveness_heard(&execution->liveness, execution_now(execution));
	}
	switch (message->type) {
	case WIRE_ERROR: on_error(execution, rank, &message->error); break;
	case WIRE_NEEDS: refuse_spawn(execution, rank, &message->needs); break;
	case WIRE_ENDING: on_ending(execution, rank, &message->ending); break;
	case WIRE_PARKED: execution_parked(execution, rank, &message->parked); break;
	case WIRE_IMAGED: execution_imaged(execution, rank, &message->imaged); break;
	case WIRE_HELD: on_held(execution, rank, &message->held); break;
	case WIRE_DIGEST:
		if (world_looks_at(execution->world, rank)) {
			execution->moved = true;
			world_digest(execution->world, rank, &message->digest, &error);
			break;
		}
		if (!livelock_detector_answer(&execution->liveness.detector, rank, &message->digest)
		    && execution_is_running(execution))
			runs_fail(execution->runs, "rank %s made an impossible report: a digest",
			          rank_name(rank));
		break;
	case WIRE_STATE:
		note_idle(execution, rank, &message->state);
		/* If a rank has gone meanwhile, the others are asked again. */
		if (!state_fingerprint_answer(&execution->fingerprint, rank, &message->state)
		    && !execution->runs->options.states)
			runs_fail(execution->runs, "rank %s made an impossible report: its state",
			          rank_name(rank));
		break;
	case WIRE_SEAL: world_seal(execution->world, rank, &message->seal); break;
	case WIRE_STACK: execution_note_stack(execution, rank, &message->stack, NULL); break;
	default:
		if (!on_report(execution, rank, message, &error)) {
			execution_emit_refused(execution, error->message);
			runs_fail(execution->runs, "%s", error->message);
		}
	}
}

/* Whether something may be decided after a message of this type. SEAL and STACK are followed by the
 * rank's call at once. After HELD the rank sends nothing more. */
static bool is_news(guint16 type)
{
	return type != WIRE_SEAL && type != WIRE_STACK && type != WIRE_HELD;
}

/* Whether a message has to wait because the rank runs ahead. After END, ends never wait. */
static bool is_put_off(struct execution *execution, int rank, const struct wire_message *message)
{
	bool ends = message->type == WIRE_ENDING || message->type == WIRE_HELD;

	return (!ends || execution->result.phase < EXECUTION_ENDING)
	       && run_ahead_puts_off(execution->run_ahead, rank, message);
}

void execution_message(struct execution *execution, int rank, const struct wire_message *message)
{
	if (is_put_off(execution, rank, message))
		return;
	handle(execution, rank, message);
	if (is_news(message->type))
		execution_advance(execution);
}

bool execution_deliver_put_off(struct execution *execution)
{
	struct wire_message message;
	bool any = false;
	int rank;

	while (run_ahead_next(execution->run_ahead, &rank, &message)) {
		handle(execution, rank, &message);
		wire_message_release(&message);
		any = true;
	}
	return any;
}

/* Of the launcher's ranks that ended without a report, the first one to disconnect was struck. The
 * launcher has killed the others for it. */
static void blame_first(struct execution *execution)
{
	const GArray *order = runs_disconnect_order(execution->runs, execution->job);
	int first = -1;

	for (guint i = 0; i < order->len && first < 0; i++) {
		int rank = g_array_index(order, int, i);

		if (rank_end_is_silent(&execution->ends[rank]))
			first = rank;
	}
	for (int rank = 0; first >= 0 && rank < execution->runs->ranks; rank++)
		if (rank_end_is_silent(&execution->ends[rank]))
			execution->ends[rank].killed = rank != first;
}

/* Whether a user has ended the rank by leaving its debugger. That is no outcome of the program. */
static bool left_in_debugger(const struct execution *execution, int rank)
{
	const struct wrapper *wrapper = execution->runs->options.wrapper;
	const struct rank_end *end = &execution->ends[rank];

	return wrapper && wrapper->terminal && wrapper->rank == rank && !end->known && !end->killed;
}

void execution_link_closed(struct execution *execution, int rank, const char *why)
{
	if (left_in_debugger(execution, rank))
		runs_fail(execution->runs,
		          "rank %s was ended in the debugger, before the interleaving was at "
		          "its end: no verdict",
		          rank_name(rank));
	execution->ends[rank].gone = true;
	if (execution->placement.launched && execution->result.phase < EXECUTION_ENDING)
		blame_first(execution);
	log_debug(LOG_RANKS, "rank %d of world %u is gone", rank, execution->placement.number);
	execution->placement.slots[rank].link = NULL;
	run_ahead_forget(execution->run_ahead, rank);
	if (why && !execution->ends[rank].killed)
		runs_fail(execution->runs, "lost rank %s: %s", rank_name(rank), why);
	if (execution->parking)
		execution->parking->links[rank] = NULL;
	look_at_parking(execution, rank);
	livelock_detector_release(&execution->liveness.detector);
	state_fingerprint_release(&execution->fingerprint);
	world_rank_ended(execution->world, rank);
	execution_advance(execution);
}

void execution_rank_status(struct execution *execution, int rank, int status)
{
	if (!execution->ends[rank].known)
		execution->ends[rank].status = status;
	execution->ends[rank].known = true;
	execution->ends[rank].reaped = true;
	execution_advance(execution);
}

/* Whether a rank has reported its failure. The launcher then kills the others. */
static bool one_has_failed(const struct execution *execution)
{
	for (int rank = 0; rank < execution->runs->ranks; rank++) {
		const struct rank_end *end = &execution->ends[rank];

		if (end->known && !end->killed && end->status != 0)
			return true;
	}
	return false;
}

void execution_ends_unknown(struct execution *execution)
{
	for (int rank = 0; rank < execution->runs->ranks; rank++) {
		struct rank_end *end = &execution->ends[rank];

		end->untold = rank_end_is_silent(end) && !world_finalized(execution->world, rank);
		end->known |= end->gone;
	}
}

void execution_job_ended(struct execution *execution, int status)
{
	bool failed = one_has_failed(execution);
	int number = execution->runs->host->operations->job_signal(execution->job);

	if (status > 128 && status - 128 <= SIGRTMAX)
		number = status - 128;
	if (!failed)
		blame_first(execution);
	if (!failed && number == 0 && status == 0)
		execution_ends_unknown(execution); /* Hydra may lose how a process ended */
	for (int rank = 0; rank < execution->runs->ranks; rank++) {
		struct rank_end *end = &execution->ends[rank];

		if (!end->known)
			end->status = number > 0 ? number : (status & 0xff) << 8;
		end->killed |= !end->known && failed;
		end->known = true;
	}
	execution->runs->host->operations->timer_stop(execution->timer);
	if (execution->result.phase == EXECUTION_PACING
	    || execution->result.phase == EXECUTION_ASKING)
		execution_enter(execution, EXECUTION_RUNNING);
	execution_advance(execution);
}

void execution_aborted(struct execution *execution, int rank, int exit_code)
{
	if (execution->ends[rank].aborted)
		return;
	execution->ends[rank].aborted = execution->ends[rank].deaf = true;
	execution->ends[rank].abort_code = exit_code;
	show_abort(execution, rank, exit_code);
	execution->liveness.heard = execution_now(execution);
	world_rank_stopped(execution->world, rank);
	execution_advance(execution);
}
