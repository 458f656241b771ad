#include "recorder.h"

#include "explorer/explorer.h"
#include "scheduler/tools/log.h"
#include "scheduler/tools/wire_text.h"

static const char *const words[] = {
	[WORLD_STEP_HEARD] = "<",
	[WORLD_STEP_START] = "start",
	[WORLD_STEP_FAILED] = "failed",
	[WORLD_STEP_STOPPED] = "stopped",
	[WORLD_STEP_ENDED] = "ended",
	[WORLD_STEP_MOVES] = "moves",
	[WORLD_STEP_CAUGHT] = "caught",
	[WORLD_STEP_ASLEEP] = "asleep",
	[WORLD_STEP_AWAKE] = "awake",
	[WORLD_STEP_LETS_GO] = "lets-go",
	[WORLD_STEP_READY] = "ready",
	[WORLD_STEP_ADMIT] = "admit",
	[WORLD_STEP_CHOOSE] = "choose",
	[WORLD_STEP_OPEN] = "open",
	[WORLD_STEP_POLLS] = "polls",
	[WORLD_STEP_CONFLICTS] = "conflicts",
	[WORLD_STEP_HOLD] = "hold",
	[WORLD_STEP_UNHOLD] = "unhold",
	[WORLD_STEP_CALLED] = NULL,
	[WORLD_STEP_CHOSEN] = "  chosen",
	[WORLD_STEP_ORDERED] = "  >",
	[WORLD_STEP_MATCHED] = "  match",
	[WORLD_STEP_TOGETHER] = "  together",
	[WORLD_STEP_OFFERED] = "  offers",
	[WORLD_STEP_REMARKED] = "  remark",
	[WORLD_STEP_ANSWERED] = "  answer",
};

static void append_id(GString *line, struct op_id id)
{
	g_string_append_printf(line, "%d.%u.%u", id.rank, id.call, id.sub);
}

static void append_choice(GString *line, const struct choice *choice)
{
	g_string_append_c(line, ' ');
	choice_append_in(line, NULL, choice);
}

static void append_open(GString *line, const struct open_choice *open)
{
	g_string_append_c(line, ' ');
	point_append_in(line, NULL, &open->point);
	g_string_append_printf(line,
	                       "={ question=%u requests=%u bounds=%" G_GUINT64_FORMAT " more=%d",
	                       open->question, open->requests, (guint64)open->bounds, open->more);
	for (guint i = 0; i < open->alternatives->len; i++) {
		g_string_append_c(line, ' ');
		taken_append_in(line, NULL, &g_array_index(open->alternatives, struct taken, i));
	}
	g_string_append(line, " }");
}

static void append_remark(GString *line, const struct remark *remark)
{
	g_string_append_printf(line, " %s", finding_kind_name(remark->kind));
	for (guint i = 0; i < remark->count; i++)
		g_string_append_printf(line, "; rank %d call %u %s", remark->parties[i].rank,
		                       remark->parties[i].call, remark->parties[i].does);
}

static void append_message(GString *line, const struct world_step *step)
{
	g_autofree char *text = wire_text(step->message);

	g_string_append_printf(line, " %d %s", step->rank, text);
}

static void append_step(GString *line, const struct world_step *step)
{
	switch (step->kind) {
	case WORLD_STEP_HEARD:
	case WORLD_STEP_ORDERED: append_message(line, step); break;
	case WORLD_STEP_HOLD:
	case WORLD_STEP_FAILED:
		g_string_append_printf(line, " %d %u", step->rank, step->call);
		break;
	case WORLD_STEP_STOPPED:
	case WORLD_STEP_ENDED:
	case WORLD_STEP_MOVES:
	case WORLD_STEP_ASLEEP: g_string_append_printf(line, " %d", step->rank); break;
	case WORLD_STEP_CHOOSE:
	case WORLD_STEP_CHOSEN: append_choice(line, &step->choice); break;
	case WORLD_STEP_POLLS:
		for (guint i = 0; i < step->choices->len; i++)
			append_choice(line, &g_array_index(step->choices, struct choice, i));
		break;
	case WORLD_STEP_MATCHED:
		g_string_append_c(line, ' ');
		append_id(line, step->receive);
		g_string_append_c(line, '=');
		append_id(line, step->send);
		g_string_append(line, step->yes ? " by choice" : "");
		break;
	case WORLD_STEP_TOGETHER:
		for (int i = 0; i < step->call_count; i++) {
			g_string_append_c(line, ' ');
			append_id(line, step->calls[i]);
		}
		break;
	case WORLD_STEP_OFFERED:
		for (guint i = 0; i < step->open->len; i++)
			append_open(line, &g_array_index(step->open, struct open_choice, i));
		break;
	case WORLD_STEP_REMARKED: append_remark(line, step->remark); break;
	case WORLD_STEP_ANSWERED: g_string_append(line, step->yes ? " yes" : " no"); break;
	default: break;
	}
}

static void append_options(GString *line, const struct world_options *options)
{
	g_string_append_printf(line,
	                       " ranks=%d buffering=%u every_call_waits=%d collectives=%u "
	                       "arrives_early=%d cancels=%d not_yet=%u some=%u",
	                       options->ranks, options->buffering, options->every_call_waits,
	                       options->collectives, options->arrives_early, options->cancels,
	                       options->not_yet, options->some);
	if (options->digests)
		g_string_append(line, " digests=1");
}

char *recorder_line(const struct run_event *event)
{
	GString *line = g_string_new(NULL);

	g_string_printf(line, "%u ", event->number);
	if (event->kind == RUN_BEGIN) {
		g_string_append(line, "begins");
		if (event->restored)
			g_string_append_printf(line, " from=%u", event->from);
		append_options(line, world_options(event->world));
	} else if (event->kind == RUN_SNAPSHOT) {
		g_string_append(line, "kept");
	} else if (event->kind == RUN_REFUSED) {
		g_string_append_printf(line, "  refused %s", event->text);
	} else if (event->kind == RUN_STEP && words[event->step->kind]) {
		g_string_append(line, words[event->step->kind]);
		append_step(line, event->step);
	} else {
		g_string_free(line, true);
		return NULL;
	}
	return g_string_free(line, false);
}

static bool record_event(void *user, const struct run_event *event, GError **error)
{
	g_autofree char *line = recorder_line(event);

	(void)user;
	if (line)
		log_record(line);
	return log_check(error);
}

void recorder_add(struct events *events)
{
	const struct event_sink sink = {
		.name = "the recording",
		.kinds = 1u << RUN_BEGIN | 1u << RUN_SNAPSHOT | 1u << RUN_STEP | 1u << RUN_REFUSED,
		.handle = record_event,
	};

	if (!log_enabled(LOG_WIRE))
		return;
	log_record(RECORDER_HEAD);
	events_add(events, &sink);
}
