/* Commands that show MPI's state, info requests, comms and windows; call stacks of ranks. */
#include <string.h>

#include "debug_context.h"
#include "debug_words.h"
#include "explorer/rank_name.h"
#include "mpi_calls.h"
#include "scheduler/places/live_stack.h"
#include "scheduler/world/made_comms.h"
#include "scheduler/world/windows.h"

/* --- stacks ----------------------------------------------------------------------------------- */

/* Drops the frames inside of the place, if it is among them. */
static void begin_at(GArray *frames, const struct place *place)
{
	for (guint i = 0; i < frames->len; i++)
		if (place_equal(&g_array_index(frames, struct record_frame, i).place, place)) {
			g_array_remove_range(frames, 0, i);
			return;
		}
}

/* The index of the call's return address; the number of addresses: it is not among them. */
static guint find_site(const GArray *addresses, guint64 site)
{
	guint i = 0;

	while (i < addresses->len && g_array_index(addresses, uint64_t, i) != site)
		i++;
	return i;
}

/* As the host's stack_of. A rank that was put back has its orders, but may not have come back into
 * its call yet: then it is in the shim alone, and is looked at again for a moment. */
static GArray *stack_in_call(struct host *host, pid_t pid, pid_t thread, guint64 site, bool waits)
{
	enum { TIMES = 20, PAUSE_US = 5000 };
	GArray *addresses = host->operations->stack_of(host, pid, thread);

	for (int i = 0;
	     waits && i < TIMES && addresses && find_site(addresses, site) == addresses->len; i++) {
		g_usleep(PAUSE_US);
		g_array_unref(addresses);
		addresses = host->operations->stack_of(host, pid, thread);
	}
	return addresses;
}

/* The stack (struct record_frame) of the thread that has made this call, from the frame that has
 * called MPI: as reported with the call, or as read from the process. NULL: not available;
 * *ret_refused: although the process exists. */
static GArray *stack_of(struct debugger *debugger, int rank, guint32 call, bool *ret_refused)
{
	const struct world *world = execution_world(debugger_execution(debugger));
	const struct world_call *info = world_call_info(world, rank, call);
	const GArray *told = session_stack(debugger_session(debugger), debugger_execution(debugger),
	                                   rank, call);
	struct execution *there = debugger_processes(debugger);
	bool stands = execution_is_running(there);
	pid_t pid = stands ? execution_pid(there, rank) : 0;
	const struct place *fell = debugger_fell(debugger, rank);
	g_autoptr(GArray) addresses = NULL;
	GArray *frames;
	guint first = 0;
	pid_t thread = info ? world_thread_id(world, rank, info->thread) : 0;
	const char *inside = NULL;

	if (told && told->len > 0)
		return g_array_ref((GArray *)told);
	if (pid <= 0)
		return NULL;
	debugger_detach_gdbs(debugger);
	addresses = stack_in_call(session_host(debugger_session(debugger)), pid,
	                          info && info->thread > 0 && thread > 0 ? thread : pid,
	                          info ? info->site : 0,
	                          info && !fell && world_phase(world, rank) == PHASE_BLOCKED);
	*ret_refused = !addresses;
	if (!addresses)
		return NULL;
	first = info ? find_site(addresses, info->site) : 0;
	frames = g_array_new(false, false, sizeof(struct record_frame));
	for (guint i = first < addresses->len ? first : 0; i < addresses->len; i++)
		execution_add_frames(there, rank, g_array_index(addresses, uint64_t, i), frames);
	if (first == addresses->len) /* not in that call any more */
		g_array_remove_range(frames, 0, live_stack_outside_mpi(frames, &inside));
	if (fell && first == addresses->len)
		begin_at(frames, fell);
	return frames;
}

struct place debugger_told_place(struct debugger *debugger, const struct record_rank *told)
{
	struct execution *execution = debugger_execution(debugger);
	const GArray *frames = session_stack(debugger_session(debugger), execution, told->rank,
	                                     told->call);

	for (guint i = 0; frames && i < frames->len; i++)
		if (g_array_index(frames, struct record_frame, i).told)
			return g_array_index(frames, struct record_frame, i).place;
	return told->place;
}

void debugger_append_stack(struct debugger *debugger, GString *text, int rank, guint32 call)
{
	bool refused = false;
	g_autoptr(GArray) frames = stack_of(debugger, rank, call, &refused);

	if (refused)
		g_string_append(text,
		                "  its call stack is not available (" DEBUG_NEEDS_PTRACE ")\n");
	for (guint i = 0; frames && i < frames->len; i++) {
		const struct record_frame *frame = &g_array_index(frames, struct record_frame, i);
		g_autofree char *where = place_print(&frame->place);

		g_string_append_printf(
			text, "  #%-2u %s%s%s%s\n", i, frame->function ? frame->function : "",
			frame->function ? " (" : "", where, frame->function ? ")" : "");
	}
}

/* --- requests --------------------------------------------------------------------------------- */

/* An operation whose completion its rank has not seen. */
struct pending {
	struct op_id id;
	struct op_id other; /* operation that it is matched with */
	bool matched, collective;
};

static guint op_hash(gconstpointer key)
{
	const struct op_id *id = key;

	return (guint)id->rank * 31u + id->call * 7919u + id->sub;
}

static int op_equal(gconstpointer one, gconstpointer other)
{
	return op_id_equal(*(const struct op_id *)one, *(const struct op_id *)other);
}

static void add_pending(GHashTable *all, struct op_id id, bool collective)
{
	struct pending *pending = g_new0(struct pending, 1);

	pending->id = id;
	pending->collective = collective;
	g_hash_table_replace(all, &pending->id, pending);
}

static void mark_matched(GHashTable *all, struct op_id id, struct op_id other)
{
	struct pending *pending = g_hash_table_lookup(all, &id);

	if (!pending)
		return;
	pending->matched = true;
	pending->other = other;
}

static void follow_event(GHashTable *all, const struct event *event)
{
	switch (event->kind) {
	case EVENT_SEND:
	case EVENT_RECEIVE:
		if (event->op.kind == OPERATION_PROBE)
			break;
		add_pending(all, event->op.id, false);
		break;
	case EVENT_ARRIVE: add_pending(all, event->op.id, true); break;
	case EVENT_MATCH:
		mark_matched(all, event->op.id, event->other);
		mark_matched(all, event->other, event->op.id);
		break;
	case EVENT_COMPLETE:
	case EVENT_LEAVE:
	case EVENT_CANCEL: g_hash_table_remove(all, &event->op.id); break;
	default: break;
	}
}

/* Whether a call leaves a request: MPI_Irecv, MPI_Ibcast, MPI_Start, ... A lock is an operation,
 * too, without a call. */
static bool leaves_request(const struct verdict_facts *facts, struct op_id id)
{
	const struct world_call *info = id.rank < facts->ranks
	                                        ? world_call_info(facts->world, id.rank, id.call)
	                                        : NULL;

	return info && mpi_call_leaves_request(info->function);
}

static int compare_pending(gconstpointer one, gconstpointer other)
{
	const struct pending *a = *(struct pending *const *)one,
			     *b = *(struct pending *const *)other;

	return op_id_compare(a->id, b->id);
}

static void append_pending(GString *text, const struct verdict_facts *facts,
                           const struct pending *pending)
{
	const struct op_id id = pending->id;
	const struct world_call *info = world_call_info(facts->world, id.rank, id.call);
	const struct place place = verdict_call_place(facts, id.rank, info);
	g_autofree char *where = place_print(&place);
	g_autofree char *arguments = verdict_arguments(facts, id.rank, id.call);

	g_string_append_printf(text, "  rank %s  %u.%u  %s(%s)  %s  ", rank_name(id.rank), id.call,
	                       id.sub, mpi_call_name(info->function), arguments, where);
	if (pending->matched)
		g_string_append_printf(text, "matched with rank %s's call %u, not seen complete\n",
		                       rank_name(pending->other.rank), pending->other.call);
	else
		g_string_append(text, pending->collective ? "not left yet\n" : "not matched yet\n");
}

static void tell_requests(struct debugger *debugger)
{
	const struct verdict_facts facts = debugger_facts(debugger);
	const struct trace *trace = world_trace(facts.world);
	g_autoptr(GHashTable) all = g_hash_table_new_full(op_hash, op_equal, NULL, g_free);
	g_autoptr(GPtrArray) shown = g_ptr_array_new();
	GString *text = g_string_new(NULL);
	GHashTableIter iter;
	gpointer pending;

	for (size_t i = 0; i < trace_count(trace); i++)
		follow_event(all, trace_at(trace, i));
	g_hash_table_iter_init(&iter, all);
	while (g_hash_table_iter_next(&iter, NULL, &pending))
		if (leaves_request(&facts, ((struct pending *)pending)->id))
			g_ptr_array_add(shown, pending);
	g_ptr_array_sort(shown, compare_pending);
	for (guint i = 0; i < shown->len; i++)
		append_pending(text, &facts, shown->pdata[i]);
	if (shown->len == 0)
		g_string_append(text, "no rank has a request that it has not seen complete\n");
	debugger_tell_text(debugger, text);
}

void word_info_requests(struct debugger *debugger, const char *rest)
{
	(void)rest;
	if (debugger_is_somewhere(debugger))
		tell_requests(debugger);
}

/* --- communicators and windows ---------------------------------------------------------------- */

/* Appends "3  rows, MPI_Comm_split of MPI_COMM_WORLD at a.c:25". */
static void append_names(GString *text, const struct verdict_facts *facts, guint64 comm)
{
	const char *name = world_given_name(facts->world, comm);
	const struct made_comm *made = world_made_comm(facts->world, comm);
	struct place place = {0};
	g_autofree char *where = NULL;

	if (made)
		place = facts->place(facts->user, made->rank, made->site);
	where = place_print(&place);
	g_string_append_printf(text, "  %s  ", verdict_comm_label(facts, comm));
	if (name)
		g_string_append_printf(text, "%s, ", name);
	g_string_append(text, communicators_origin(facts->comms, comm));
	if (made && made->argument)
		g_string_append_printf(text, ", %s", made->argument);
	if (made)
		g_string_append_printf(text, " at %s", where);
}

static void tell_comms(struct debugger *debugger, bool windows)
{
	const struct verdict_facts facts = debugger_facts(debugger);
	g_autoptr(GArray) all = communicators_list(facts.comms);
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < all->len; i++) {
		guint64 comm = g_array_index(all, guint64, i);
		struct lock_place place;

		if (communicators_window(facts.comms, comm, &place) != windows
		    || world_comm_itself(facts.world, comm) != comm)
			continue;
		append_names(text, &facts, comm);
		g_string_append_printf(text, "  ranks %s\n",
		                       communicators_group(facts.comms, comm));
		for (int rank = 0; windows && rank < facts.ranks; rank++)
			for (int target = 0; target < facts.ranks; target++)
				if (world_holds_lock(facts.world, rank, comm, target))
					g_string_append_printf(
						text, "     rank %s holds a lock of rank %s's\n",
						rank_name(rank), rank_name(target));
	}
	if (text->len == 0)
		g_string_append(text, "there is no window\n");
	debugger_tell_text(debugger, text);
}

void word_info_comms(struct debugger *debugger, const char *rest)
{
	(void)rest;
	if (debugger_is_somewhere(debugger))
		tell_comms(debugger, false);
}

void word_info_windows(struct debugger *debugger, const char *rest)
{
	(void)rest;
	if (debugger_is_somewhere(debugger))
		tell_comms(debugger, true);
}
