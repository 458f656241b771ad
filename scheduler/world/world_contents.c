/* Contents of messages: reported by their senders, looked up by whatever shows them. */
#include "contents.h"
#include "world_context.h"

bool world_contents(struct world *world, int rank, const struct wire_contents *report,
                    GError **error)
{
	struct contents *contents = contents_new(report);

	world_tell_heard(world, rank,
	                 &(struct wire_message){.type = WIRE_CONTENTS, .contents = *report});
	if (!contents || report->name.call == 0
	    || report->name.call > world_calls(world, rank) + 1) {
		contents_unref(contents);
		return world_refuse(error, rank, "contents of a message that it does not send");
	}
	message_contents_add(world_kept_contents(world), world_op_id(rank, report->name), contents);
	return true;
}

const struct contents *world_message_contents(const struct world *world, struct op_id send)
{
	return message_contents_find(world_kept_contents(world), send);
}

bool world_message_taken(const struct world *world, struct op_id receive, struct op_id *ret_send)
{
	const struct trace *trace = world_trace(world);

	for (size_t i = trace_count(trace); i > 0; i--) {
		const struct event *event = trace_at(trace, i - 1);

		if (event->kind != EVENT_MATCH || event->op.id.rank != receive.rank
		    || event->op.id.call != receive.call || event->op.id.sub != receive.sub)
			continue;
		*ret_send = event->other;
		return true;
	}
	return false;
}
