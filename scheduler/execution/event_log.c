/* Writes the events of a session to the log, for developers of matchpoint. */
#include "events.h"

#include "explorer/explorer.h"
#include "explorer/rank_name.h"
#include "mpi_calls.h"
#include "scheduler/tools/log.h"

static const enum log_category category_of[] = {
	[RUN_BEGIN] = LOG_WORLDS,  [RUN_SNAPSHOT] = LOG_SNAPSHOTS, [RUN_CALL] = LOG_CALLS,
	[RUN_MATCH] = LOG_MATCHES, [RUN_CHOICE] = LOG_CHOICES,     [RUN_REST] = LOG_RESTS,
	[RUN_STOP] = LOG_STOPS,    [RUN_FINDING] = LOG_FINDINGS,   [RUN_END] = LOG_ENDS,
};

static void append_name(GString *text, const struct world *world, struct op_id id)
{
	const struct world_call *info = NULL;

	if (id.rank < world_options(world)->ranks)
		info = world_call_info(world, id.rank, id.call);
	g_string_append_printf(text, "%s.%u", rank_name(id.rank), id.call);
	if (id.sub != 0)
		g_string_append_printf(text, "/%u", id.sub);
	if (info)
		g_string_append_printf(text, " (%s)", mpi_call_name(info->function));
}

static void append_point(GString *text, const struct world *world, const struct point *point)
{
	const struct world_call *info = NULL;

	if (point->kind == POINT_CALL)
		info = world_call_info(world, point->rank, point->call);
	point_append(text, point);
	if (info)
		g_string_append_printf(text, " (%s)", mpi_call_name(info->function));
}

static void append_taken(GString *text, const struct world *world, const struct taken *taken)
{
	if (taken->kind == TAKEN_MESSAGE)
		append_name(text, world, taken->send);
	else
		taken_append(text, taken);
}

static void append_match(GString *text, const struct run_event *event)
{
	const struct world_step *step = event->step;

	if (step->kind == WORLD_STEP_MATCHED) {
		append_name(text, event->world, step->receive);
		g_string_append(text, " takes ");
		append_name(text, event->world, step->send);
		return;
	}
	g_string_append(text, "all members have called:");
	for (int i = 0; i < step->call_count; i++) {
		if (step->calls[i].call == 0)
			continue;
		g_string_append_c(text, ' ');
		append_name(text, event->world, step->calls[i]);
	}
}

static void append_rest(GString *text, const struct run_event *event)
{
	const GArray *open = event->step->open;

	g_string_append_printf(text, "at rest, %u open", open->len);
	for (guint i = 0; i < open->len; i++) {
		const struct open_choice *one = &g_array_index(open, struct open_choice, i);

		g_string_append(text, i == 0 ? ": " : "; ");
		append_point(text, event->world, &one->point);
		for (guint j = 0; j < one->alternatives->len; j++) {
			g_string_append(text, j == 0 ? " <- " : " | ");
			append_taken(text, event->world,
			             &g_array_index(one->alternatives, struct taken, j));
		}
	}
}

static void append_event(GString *text, const struct run_event *event)
{
	switch (event->kind) {
	case RUN_BEGIN:
		if (event->restored)
			g_string_append_printf(text, "begins from the snapshot of world %u",
			                       event->from);
		else
			g_string_append(text, "begins in a new job");
		break;
	case RUN_SNAPSHOT: g_string_append(text, "is kept as a snapshot"); break;
	case RUN_CALL:
		append_name(text, event->world,
		            (struct op_id){event->step->rank, event->step->call, 0});
		break;
	case RUN_MATCH: append_match(text, event); break;
	case RUN_CHOICE:
		append_point(text, event->world, &event->step->choice.point);
		g_string_append(text, " takes ");
		append_taken(text, event->world, &event->step->choice.taken);
		break;
	case RUN_REST: append_rest(text, event); break;
	case RUN_STOP: g_string_append(text, event->text); break;
	case RUN_FINDING:
		g_string_append_printf(text, "shows #%u, %s: %s", event->finding->id,
		                       finding_kind_name(event->finding->kind),
		                       event->finding->path);
		break;
	case RUN_END:
		g_string_append_printf(text, "was interleaving %u: %s, %s", event->record->id,
		                       finding_kind_name(event->record->status),
		                       event->record->path);
		break;
	default: break;
	}
}

static bool log_event(void *user, const struct run_event *event, GError **error)
{
	g_autoptr(GString) text = g_string_new(NULL);

	(void)user;
	append_event(text, event);
	log_write(category_of[event->kind], "world %u: %s", event->number, text->str);
	return log_check(error);
}

void event_log_add(struct events *events)
{
	struct event_sink sink = {.name = "the log", .handle = log_event};

	for (guint kind = 0; kind < G_N_ELEMENTS(category_of); kind++)
		if (log_enabled(category_of[kind]))
			sink.kinds |= 1u << kind;
	if (sink.kinds != 0)
		events_add(events, &sink);
}
