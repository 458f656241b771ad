#include "world_looks.h"

#include "world_loops.h"
#include "world_rounds.h"

/* Whether MPI may be moving a large message into a buffer of the program, in steps that depend on
 * the ranks' speed. */
static bool receives_large(const struct rank *rank)
{
	for (guint i = 0; i < rank->live->len; i++) {
		const struct live *live = &g_array_index(rank->live, struct live, i);

		if (live->kind == WIRE_RECEIVE && live->matched
		    && live->types.bytes >= WIRE_LARGE_MESSAGE)
			return true;
	}
	return false;
}

static bool wants_digest(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];

	/* when MPI notices that a message is too long depends on the ranks' speed */
	return world->options.digests && !world->windows && !rank->streak.timed
	       && rank->streak.rounds == 0 && rank->truncated->len == 0 && !receives_large(rank);
}

static void note_look(struct world *world, int number, const struct poll *poll)
{
	struct rank *rank = &world->ranks[number];

	rank->looked_at = *poll;
	rank->is_looked_at = true;
	world->running++;
}

static void look_at(struct world *world, int number, const struct poll *poll)
{
	note_look(world, number, poll);
	world_tell_order(world, number, &(struct wire_message){.type = WIRE_LOOK});
	world->orders.look(world->user, number);
}

bool world_look(struct world *world, int number, const struct poll *poll, bool is_told)
{
	struct rank *rank = &world->ranks[number];

	rank->is_to_tell = wants_digest(world, number);
	if (rank->is_to_tell && is_told)
		note_look(world, number, poll);
	else if (rank->is_to_tell)
		look_at(world, number, poll);
	return rank->is_to_tell;
}

bool world_ask_for_state(struct world *world, int number)
{
	if (!wants_digest(world, number) || world->ranks[number].is_looked_at)
		return false;
	look_at(world, number, &(struct poll){0}); /* it is none */
	return true;
}

void world_stop_looking(struct world *world, int number)
{
	struct rank *rank = &world->ranks[number];

	if (!rank->is_looked_at)
		return;
	rank->is_looked_at = false;
	world->running--;
	g_clear_pointer(&rank->looked_at.names, g_bytes_unref);
}

bool world_looks_at(const struct world *world, int number)
{
	return world->ranks[number].is_looked_at;
}

static void take_digest(struct world *world, int number, const struct wire_digest *digest)
{
	struct poll poll = world->ranks[number].looked_at;

	world->ranks[number].looked_at.names = NULL;
	world_stop_looking(world, number);
	poll.digest[0] = digest->hash[0];
	poll.digest[1] = digest->hash[1];
	world_add_poll(world, number, &poll);
	world_settle(world);
}

bool world_digest(struct world *world, int number, const struct wire_digest *digest, GError **error)
{
	struct rank *rank = &world->ranks[number];

	world_tell_heard(world, number,
	                 &(struct wire_message){.type = WIRE_DIGEST, .digest = *digest});
	if (world_is_over(world, number))
		return true;
	if (!rank->is_looked_at)
		return world_refuse(error, number, "a digest");
	if (!world_is_poll(rank->line->wait)) {
		world_stop_looking(world, number);
		world_rounds_note_digest(world, number, digest);
		return true;
	}
	take_digest(world, number, digest);
	world_try_release(world, number);
	return true;
}

void world_note_told(struct world *world, int number, const struct wire_call *call)
{
	if (call->has_digest && world->ranks[number].is_looked_at)
		take_digest(world, number, &call->digest);
}

bool world_expects_digest(const struct world *world, int number)
{
	return world->ranks[number].is_to_tell && wants_digest(world, number)
	       && !world_in_loop(world, number);
}
