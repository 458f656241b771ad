/* The state of a rank, as shim/state/state.c reports it: all that the rank knows, or (forgets) what
 * a program would that adds up what it receives. In the first case states are equal where the same
 * choices were made in another order. */
#include <string.h>

#include "common/state_hash.h"
#include "sim_internal.h"

static void add_line(struct state_hash *hash, const struct fake_line *line)
{
	state_hash_add(hash, (guint64)line->is_there | (guint64)line->enters << 1
	                             | (guint64)line->may_go << 2 | (guint64)line->waits << 3);
	state_hash_add(hash, (guint64)line->call << 8 | line->place);
	state_hash_add_bytes(hash, line->asked, line->asked_count);
}

static struct state_hash state_of(const struct fake_rank *rank)
{
	struct state_hash hash = {{0, 0}};
	int count = rank->program->first[rank->rank + 1] - rank->program->first[rank->rank];

	state_hash_add(&hash, (guint64)rank->stage << 32 | rank->calls);
	for (int i = 0; i < FAKE_LINES_MOST; i++)
		add_line(&hash, &rank->lines[i]);
	state_hash_add_bytes(&hash, rank->received, sizeof(rank->received));
	for (int i = 0; i < count; i++) {
		const struct fake_op *op = &rank->ops[i];

		state_hash_add(&hash, (guint64)op->call << 8 | op->state);
		state_hash_add(&hash, (guint64)op->reporter << 32 | (guint64)op->bound << 24
		                              | (guint64)op->source << 16 | (guint64)op->tag << 8
		                              | op->nth);
	}
	return hash;
}

/* The sum is kept in the first of these operations. */
struct fake_rank sim_forget(const struct fake_rank *rank)
{
	struct fake_rank kept = *rank;
	const int first = rank->program->first[rank->rank];
	struct fake_op *sum = NULL;

	/* It follows from what others have sent, and what is under way. */
	memset(kept.received, 0, sizeof(kept.received));
	for (int i = 0; i < rank->program->first[rank->rank + 1] - first; i++) {
		struct fake_op *op = &kept.ops[i];
		const struct instruction *own = &rank->program->instructions[first + i];
		bool over = own->nonblocking ? op->reporter != 0 : i < rank->lines[0].place;
		guint8 source = op->source;

		if (!op->bound || !over || !may_be_forgotten(rank->program, first + i))
			continue;
		op->source = op->tag = op->nth = 0;
		sum = sum ? sum : op;
		if (own->kind == INSTRUCTION_RECEIVE)
			sum->source += source;
	}
	return kept;
}

/* Whether a rank with nothing under way reports that it is idle; drawn by chance. A rank that
 * shares windows serves the others and is not idle. */
bool sim_may_be_idle(const struct sim_process *process)
{
	return process->keeps_images && process->rank.windows == 0
	       && !process->rank.lines[1].is_there && sim_draw(process->sim, 8) > 0;
}

void sim_tell_state(struct sim_process *process)
{
	static char windows[] = "it uses windows", threads[] = "it has threads", none[] = "";
	const struct fake_rank *rank = &process->rank;
	const struct fake_rank kept = process->sim->options.forgets ? sim_forget(rank) : *rank;
	struct state_hash hash = state_of(&kept);
	const bool idle = sim_may_be_idle(process);
	const struct wire_message message = {.type = WIRE_STATE,
	                                     .state = {.hash = {hash.word[0], hash.word[1]},
	                                               .idle = idle,
	                                               .hazard = rank->windows > 0         ? windows
	                                                         : rank->lines[1].is_there ? threads
	                                                                                   : none}};

	process->idle |= idle;
	if (sim_strikes(process->sim, SIM_RANK_KILLED, 60))
		sim_process_die(process, 9);
	else
		sim_say(process, &message);
}
