/* What a message consists of, what its receive expects, and whether its buffers are left alone. */
#include "mpi_calls.h"
#include "world_internal.h"

static struct remark_party party_of(const struct world *world, struct op_id id, const char *does)
{
	const struct world_call *info = world_call_info(world, id.rank, id.call);

	return (struct remark_party){
		.rank = id.rank,
		.call = id.call,
		.function = info ? info->function : MPI_CALL_NONE,
		.site = info ? info->site : 0,
		.does = does,
	};
}

void world_compare_types(struct world *world, const struct match *match,
                         const struct message *message, const struct live *receive)
{
	g_autofree char *sent = NULL, *received = NULL, *sends = NULL, *receives = NULL;
	struct remark remark = {.kind = "type-mismatch", .count = 2};

	if (message->types.bytes > receive->types.bytes)
		world->ranks[match->receive.rank].truncated = (struct truncated){
			match->send, match->receive, message->types, receive->types};
	if (types_match(&message->types, &receive->types))
		return;
	sent = types_print(&message->types);
	received = types_print(&receive->types);
	sends = g_strdup_printf("sends %s", sent);
	receives = g_strdup_printf("receives %s", received);
	remark.parties[0] = party_of(world, match->send, sends);
	remark.parties[1] = party_of(world, match->receive, receives);
	world_remark(world, &remark);
}

gboolean world_touched(struct world *world, int rank, const struct wire_touched *touched,
                       GError **error)
{
	struct op_id started = {rank, touched->name.call, 0}, noticed = {rank, touched->noticed, 0};
	struct op_id writer = {rank, touched->writer.call, 0};
	struct remark remark = {.kind = "buffer-modified", .count = 2};

	if (!world_call_info(world, rank, started.call)
	    || !world_call_info(world, rank, noticed.call)
	    || (touched->writer.call != 0 && !world_call_info(world, rank, writer.call)))
		return world_refuse(error, rank, "a buffer of a call that was never made");
	remark.parties[0] = party_of(world, started,
	                             touched->receive ? "starts to receive" : "starts to send");
	remark.parties[1] = party_of(world, noticed,
	                             "completes it, and the program has changed the buffer "
	                             "meanwhile");
	if (touched->writer.call != 0) {
		remark.kind = "buffer-overlap";
		/* Each of two receives may be the one to notice. */
		if (touched->receive && writer.call < started.call)
			remark.parties[0] = party_of(world, writer, remark.parties[0].does);
		remark.parties[1] = party_of(
			world,
			touched->receive && writer.call < started.call ? started : writer,
			"receives into the same bytes before that is complete: the buffers "
			"overlap, or an array is shorter than its count says");
	}
	world_remark(world, &remark);
	return TRUE;
}

gboolean world_truncated(const struct world *world, int rank, struct op_id ret_calls[2],
                         char *ret_types[2])
{
	const struct truncated *truncated = &world->ranks[rank].truncated;

	if (truncated->send.call == 0)
		return FALSE;
	ret_calls[0] = truncated->send;
	ret_calls[1] = truncated->receive;
	ret_types[0] = types_print(&truncated->sent);
	ret_types[1] = types_print(&truncated->received);
	return TRUE;
}
