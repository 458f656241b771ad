/* The types of a message, the types that its receive expects, and whether buffers stay
 * unchanged. */
#include "world_types.h"

#include "matcher.h"
#include "mpi_calls.h"
#include "send_modes.h"
#include "world_context.h"

void world_compare_types(struct world *world, const struct match *match, const struct types *sent,
                         const struct types *received)
{
	struct remark remark = {.kind = FINDING_TYPE_MISMATCH, .count = 2};
	g_autofree char *sends = NULL, *receives = NULL;
	g_autofree char *sent_words = NULL, *received_words = NULL;

	if (sent->bytes > received->bytes) {
		const struct truncated truncated = {match->send, match->receive, *sent, *received};

		g_array_append_vals(world_all_truncated(world, match->receive.rank), &truncated, 1);
	}
	if (types_match(sent, received))
		return;
	sent_words = types_print(sent);
	received_words = types_print(received);
	sends = g_strdup_printf("sends %s", sent_words);
	receives = g_strdup_printf("receives %s", received_words);
	remark.parties[0] = world_party(world, match->send, sends);
	remark.parties[0].count = types_count(sent);
	remark.parties[0].type = types_name(sent);
	remark.parties[1] = world_party(world, match->receive, receives);
	remark.parties[1].count = types_count(received);
	remark.parties[1].type = types_name(received);
	world_remark(world, &remark);
}

/* What an operation does, by enum wire_use. */
static const char *const starts[] = {"starts to send",
                                     "starts to receive",
                                     "starts a collective",
                                     "uses its own memory",
                                     "uses its own memory",
                                     "starts to write to a file",
                                     "starts to read from a file"};

/* What the program has done to the buffer, by enum wire_touch. */
static const char *const touches[] = {
	"completes it, and the program has changed the buffer meanwhile",
	"completes it, and the memory of the buffer is not mapped any more",
	"is made before it is complete, and the function whose variable the buffer is has "
	"returned",
	"is made before it is complete, and the memory of the buffer was freed",
};

/* A call with a number, or without (0), of which the rank has told what it is. false: there is no
 * such call. */
static bool is_call(const struct world *world, int rank, guint32 call, guint16 function)
{
	return call != 0 ? world_call_info(world, rank, call) != NULL : function < MPI_CALL_COUNT;
}

static struct remark_party party_of(const struct world *world, int rank, guint32 call,
                                    const struct remark_party *unnumbered)
{
	return call != 0 ? world_party(world, (struct op_id){rank, call, 0}, unnumbered->does)
	                 : *unnumbered;
}

bool world_touched(struct world *world, int rank, const struct wire_touched *touched,
                   GError **error)
{
	struct remark remark = {.kind = FINDING_BUFFER_MODIFIED, .count = 2};

	world_tell_heard(world, rank,
	                 &(struct wire_message){.type = WIRE_TOUCHED, .touched = *touched});
	if (touched->kind >= WIRE_USE_COUNT || touched->how >= WIRE_TOUCH_COUNT
	    || (touched->name.call == 0) != wire_use_is_file(touched->kind)
	    || !is_call(world, rank, touched->name.call, touched->function)
	    || !is_call(world, rank, touched->noticed, touched->by_function))
		return world_refuse(error, rank, "a buffer of a call that was never made");
	remark.parties[0] = party_of(world, rank, touched->name.call,
	                             &(struct remark_party){.rank = rank,
	                                                    .function = touched->function,
	                                                    .site = touched->site,
	                                                    .does = starts[touched->kind]});
	remark.parties[1] = party_of(world, rank, touched->noticed,
	                             &(struct remark_party){.rank = rank,
	                                                    .function = touched->by_function,
	                                                    .site = touched->by_site,
	                                                    .does = touches[touched->how]});
	world_remark(world, &remark);
	return true;
}

static const char *describe_first(const struct wire_user *user)
{
	if (user->kind == WIRE_USE_ONE_SIDED)
		return user->writes ? "fetches data into its own memory" : "reads its own memory";
	return starts[user->kind];
}

static const char *describe_second(const struct wire_user *user)
{
	switch (user->kind) {
	case WIRE_USE_RECEIVE:
		return "receives into the same bytes before that is complete: the buffers overlap, "
		       "or an array is shorter than its count says";
	case WIRE_USE_SEND: return "sends the same bytes before that is complete";
	case WIRE_USE_COLLECTIVE:
		return "uses the same bytes in a collective before that is complete";
	case WIRE_USE_TO_FILE: return "writes the same bytes to a file before that is complete";
	case WIRE_USE_FROM_FILE:
		return "reads from a file into the same bytes before that is complete";
	case WIRE_USE_DIRECT:
		return user->writes ? "stores into that memory before that is complete"
		                    : "loads from that memory before that is complete";
	default:
		return user->writes ? "fetches data into the same bytes before that is complete"
		                    : "reads the same bytes before that is complete";
	}
}

/* `then` uses memory of `first` before that is complete. */
static enum finding_kind kind_of(const struct wire_user *first, const struct wire_user *then)
{
	if (then->kind != WIRE_USE_DIRECT)
		return FINDING_BUFFER_OVERLAP;
	if (first->kind == WIRE_USE_ONE_SIDED)
		return FINDING_RMA_CONFLICT;
	return then->writes ? FINDING_BUFFER_MODIFIED : FINDING_BUFFER_READ;
}

static const char *action_of(const struct wire_user *user)
{
	if (user->kind != WIRE_USE_DIRECT)
		return NULL;
	return user->writes ? "store" : "load";
}

bool world_overlap(struct world *world, int rank, const struct wire_overlap *overlap,
                   GError **error)
{
	struct remark remark = {.kind = kind_of(&overlap->users[0], &overlap->users[1]),
	                        .count = 2};

	world_tell_heard(world, rank,
	                 &(struct wire_message){.type = WIRE_OVERLAP, .overlap = *overlap});
	for (int i = 0; i < 2; i++) {
		const struct wire_user *user = &overlap->users[i];
		const char *does = i == 0 ? describe_first(user) : describe_second(user);

		if (user->kind >= WIRE_USE_COUNT
		    || !is_call(world, rank, user->name.call, user->function))
			return world_refuse(error, rank, "a buffer of a call that was never made");
		remark.parties[i] = party_of(world, rank, user->name.call,
		                             &(struct remark_party){.rank = rank,
		                                                    .function = user->function,
		                                                    .action = action_of(user),
		                                                    .site = user->site,
		                                                    .does = does});
	}
	world_remark(world, &remark);
	return true;
}

/* "moves 2 MPI_FLOAT, but names 2 MPI_INT at the destination"; NULL: they match. */
static char *describe_misfit(const struct wire_misuse *misuse)
{
	struct types moved = types_of_runs(&misuse->moved.types, misuse->moved.bytes);
	struct types expected = types_of_runs(&misuse->expected.types, misuse->expected.bytes);
	g_autofree char *moved_words = NULL, *expected_words = NULL;

	if (moved.bytes <= expected.bytes && types_match(&moved, &expected))
		return NULL;
	moved_words = types_print(&moved);
	expected_words = types_print(&expected);
	return g_strdup_printf("moves %s, but names %s at the destination", moved_words,
	                       expected_words);
}

static char *describe_misuse(const struct wire_misuse *misuse)
{
	static const char *const does[] = {
		[WIRE_MISUSE_FREE] = "frees the request of a collective that is not complete",
		[WIRE_MISUSE_CANCEL] = "cancels a collective",
		[WIRE_MISUSE_REQUEST] = "asks for a request without holding a lock of the window",
		[WIRE_MISUSE_OVERLAP] = "receives into a datatype with entries that overlap",
		[WIRE_MISUSE_CHILD] = "has forked a child process that calls MPI",
		[WIRE_MISUSE_FINALIZE] = "is called by a thread that has not initialised MPI",
	};

	switch (misuse->why) {
	case WIRE_MISUSE_TYPES: return describe_misfit(misuse);
	case WIRE_MISUSE_COMMUTES:
		return g_strdup_printf("uses an operation that is declared commutative, but "
		                       "op(a,b) differs from op(b,a): %s",
		                       misuse->difference ? misuse->difference : "");
	default: return g_strdup(does[misuse->why]);
	}
}

/* The call that made the operation. */
static struct remark_party maker_of(int rank, const struct wire_misuse *misuse)
{
	return (struct remark_party){.rank = rank,
	                             .function = misuse->maker,
	                             .site = misuse->made_at,
	                             .does = "declares that the operation commutes"};
}

bool world_misuse(struct world *world, int rank, const struct wire_misuse *misuse, GError **error)
{
	struct remark remark = {.kind = FINDING_MISUSE, .count = 1};
	g_autofree char *does = NULL;

	world_tell_heard(world, rank,
	                 &(struct wire_message){.type = WIRE_MISUSE, .misuse = *misuse});
	if (misuse->why >= WIRE_MISUSE_COUNT || misuse->function >= MPI_CALL_COUNT
	    || misuse->maker >= MPI_CALL_COUNT
	    || (misuse->call != 0 && !world_call_info(world, rank, misuse->call)))
		return world_refuse(error, rank, "a misuse of a call that was never made");
	if (misuse->why == WIRE_MISUSE_UNTRIED) {
		world_limit(world, LIMIT_OPERATIONS);
		return true;
	}
	does = describe_misuse(misuse);
	if (!does)
		return true;
	if (misuse->why == WIRE_MISUSE_TYPES)
		remark.kind = FINDING_TYPE_MISMATCH;
	remark.parties[0] = (struct remark_party){
		.rank = rank, .function = misuse->function, .site = misuse->site, .does = does};
	if (misuse->call != 0)
		remark.parties[0] = world_party(world, (struct op_id){rank, misuse->call, 0}, does);
	if (misuse->why == WIRE_MISUSE_COMMUTES && misuse->maker != 0)
		remark.parties[remark.count++] = maker_of(rank, misuse);
	world_remark(world, &remark);
	return true;
}

/* A ready send without its receive is an error. A buffered send that may lack room becomes a note
 * of the verdict. */
static void on_unsure(void *user, const struct unsure_send *unsure)
{
	struct world *world = user;
	struct remark remark = {.kind = FINDING_MISUSE, .count = 2};

	if (!unsure->send->is_ready) {
		world_limit(world, LIMIT_BUFFER_ROOM);
		return;
	}
	remark.parties[0] = world_party(world, unsure->send->id, "sends in ready mode");
	remark.parties[1] = world_party(world, unsure->receive,
	                                "receives that, and nothing makes the receive begin first");
	world_remark(world, &remark);
}

void world_look_at_modes(struct world *world)
{
	const GArray *sends = world_moded_sends(world);

	if (sends)
		send_modes_find(sends, world_trace(world), world_options(world)->ranks, on_unsure,
		                world);
}

bool world_truncated(const struct world *world, int rank, guint32 call, struct op_id ret_calls[2],
                     char *ret_types[2])
{
	const GArray *all = world_all_truncated(world, rank);
	const struct truncated *truncated = NULL;

	for (guint i = all->len; i > 0 && (!truncated || truncated->receive.call != call); i--) {
		const struct truncated *one = &g_array_index(all, struct truncated, i - 1);

		if (!truncated || one->receive.call == call)
			truncated = one;
	}
	if (!truncated)
		return false;
	ret_calls[0] = truncated->send;
	ret_calls[1] = truncated->receive;
	ret_types[0] = types_print(&truncated->sent);
	ret_types[1] = types_print(&truncated->received);
	return true;
}
