#include "play.h"

static struct fake_rank *rank_of(void *user, int rank)
{
	struct play *play = user;

	play->ranks[rank].memory = &play->memory;
	return &play->ranks[rank];
}

static void give_bind(void *user, int rank, const struct wire_bind *bind)
{
	fake_rank_obey(rank_of(user, rank),
	               &(struct wire_message){.type = WIRE_BIND, .bind = *bind});
}

static void give_go(void *user, int rank, const struct wire_go *go)
{
	fake_rank_obey(rank_of(user, rank), &(struct wire_message){.type = WIRE_GO, .go = *go});
}

static void give_admission(void *user, int rank, guint32 thread)
{
	fake_rank_obey(rank_of(user, rank),
	               &(struct wire_message){.type = WIRE_ADMIT, .admitted = thread});
}

static void look(void *user, int rank)
{
	rank_of(user, rank)->is_looked_at = true;
}

static const struct world_orders orders = {give_bind, give_go, give_admission, look};

static enum collective_mode mode_of(enum program_collectives collectives)
{
	return collectives == PROGRAM_SYNC    ? COLLECTIVES_SYNC
	       : collectives == PROGRAM_ASYNC ? COLLECTIVES_ASYNC
	                                      : COLLECTIVES_PER_CALL;
}

static struct world_options world_options_of(const struct play_options *options)
{
	const struct random_program *program = options->program;

	return (struct world_options){.ranks = program->ranks,
	                              .buffering = (enum buffering)options->buffering,
	                              .every_call_waits = options->every_call_waits,
	                              .collectives = mode_of(program->collectives),
	                              .arrives_early = options->buffering == PROGRAM_ZERO,
	                              .cancels = program->cancels,
	                              .digests = program->loops,
	                              .not_yet = 1,
	                              .some = options->some};
}

struct play *play_new(const struct play_options *options)
{
	const struct world_options world = world_options_of(options);
	struct play *play = g_new0(struct play, 1);

	play->options = *options;
	play->world = world_new(&world, options->comms, &orders, play);
	for (int rank = 0; rank < options->program->ranks; rank++) {
		struct wire_message welcome = {.type = WIRE_WELCOME};

		welcome.welcome.buffering = (uint8_t)options->buffering;
		welcome.welcome.every_call_waits = options->every_call_waits;
		play->ranks[rank] = fake_rank_new(options->program, rank);
		fake_rank_obey(&play->ranks[rank], &welcome);
	}
	world_start(play->world);
	return play;
}

struct play *play_copy(const struct play *from)
{
	const struct world_options world = world_options_of(&from->options);
	struct play *play = g_memdup2(from, sizeof(*from));

	play->world = world_copy(from->world, &world, play);
	return play;
}

void play_free(void *pointer)
{
	struct play *play = pointer;

	world_free(play->world);
	g_free(play);
}

/* --- moves ------------------------------------------------------------------------------------ */

struct speaker {
	struct play *play;
	int rank;
};

static void hear(void *user, const struct wire_message *message)
{
	const struct speaker *speaker = user;
	struct world *world = speaker->play->world;
	g_autoptr(GError) error = NULL;

	switch (message->type) {
	case WIRE_DIGEST: world_digest(world, speaker->rank, &message->digest, &error); break;
	case WIRE_ENDING: world_rank_ended(world, speaker->rank); break;
	default: world_report(world, speaker->rank, message, &error); break;
	}
	g_assert_no_error(error);
}

static void run_ranks(struct play *play)
{
	int ranks = play->options.program->ranks, idle = 0, rank = 0;

	while (idle < ranks) {
		struct speaker speaker = {play, 0};

		rank = idle == 0 ? g_rand_int_range(play->options.random, 0, ranks)
		                 : (rank + 1) % ranks;
		speaker.rank = rank;
		if (fake_rank_step(rank_of(play, rank), hear, &speaker)) {
			play->steps++;
			idle = 0;
		} else {
			idle++;
		}
	}
}

/* Threads that wait for others of their rank sleep: nothing else can move. */
static void let_threads_sleep(struct play *play)
{
	for (int rank = 0; rank < play->options.program->ranks; rank++) {
		g_autoptr(GArray) views = world_loose_threads(play->world, rank);

		if (views->len > 0)
			world_threads_sleep(play->world, rank);
	}
}

static bool admit(struct play *play)
{
	let_threads_sleep(play);
	return world_at_rest(play->world) && world_admit(play->world);
}

void play_run(struct play *play)
{
	do
		run_ranks(play);
	while (admit(play) || !world_at_rest(play->world) || world_answer_ready(play->world));
}

bool play_choose(struct play *play, const struct choice *choice)
{
	struct choice made = *choice;

	made.taken.promised = false;
	return world_choose(play->world, &made);
}

GArray *play_open(struct play *play)
{
	return world_open_choices(play->world);
}

/* --- outcome ---------------------------------------------------------------------------------- */

const GArray *play_choices(const struct play *play)
{
	return world_choices(play->world);
}

bool play_conflicts(const struct play *play)
{
	world_find_conflicts(play->world);
	return remarks_count(world_remarks(play->world)) > 0;
}

GBytes *play_outcome(const struct play *play)
{
	GBytes *outcome = fake_ranks_outcome(play->options.program, play->ranks);

	g_assert_nonnull(outcome);
	if (play->options.program->windows && !play->options.program->conflicts)
		g_assert_false(play_conflicts(play));
	return outcome;
}

int play_instruction(const struct play *play, const struct point *point)
{
	const struct random_program *program = play->options.program;
	const struct fake_rank *rank = &play->ranks[point->rank];

	for (int i = program->first[point->rank]; i < program->first[point->rank + 1]; i++)
		if (rank->ops[i - program->first[point->rank]].call == point->call)
			return i;
	g_assert_not_reached();
}
