/* Loops of polls: of a rank alone, and of all ranks together. */
#include "fake_internal.h"

#include <string.h>

#include "mpi_calls.h"

static int first_of(const struct fake_rank *rank)
{
	return rank->program->first[rank->rank];
}

/* Whether the poll has reported something, in this round of its loop. */
static bool reported_now(const struct fake_rank *rank, int poll)
{
	if (!is_question(fake_instruction(rank, poll)->kind))
		return rank->ops[poll].bound;
	for (int i = 0; rank->ops[poll].state == MATCHED && i < fake_end(rank); i++)
		if (rank->ops[i].reporter == poll + 1)
			return true;
	return false;
}

/* All ranks tell each other how the round was. */
void fake_meet_after_round(struct speech *speech)
{
	struct fake_rank *rank = speech->rank;
	const int loop = fake_line(rank)->place;
	guint8 *said = rank->memory->said;

	said[(rank->meetings + 1) % 3] = 0;
	for (int i = fake_instruction(rank, loop)->of - first_of(rank); i < loop; i++)
		said[rank->meetings % 3] |= (reported_now(rank, i) ? FAKE_REPORTED : 0)
		                            | (rank->ops[i].state == NO ? FAKE_NO : 0);
	fake_meet(speech, MPI_CALL_Allreduce);
}

/* They have met: all go back, or on. */
void fake_leave_meeting(struct fake_rank *rank)
{
	const int loop = fake_line(rank)->place,
		  first = fake_instruction(rank, loop)->of - first_of(rank);

	rank->ops[loop] = (struct fake_op){0};
	if (rank->memory->said[rank->meetings++ % 3] != FAKE_NO) {
		fake_line(rank)->place++;
		return;
	}
	memset(&rank->ops[first], 0, (gsize)(loop - first) * sizeof(rank->ops[0]));
	fake_line(rank)->place = (guint8)first;
}

/* The end of a round of polls: goes back, or on. */
void fake_end_round(struct fake_rank *rank, int loop)
{
	int first = fake_instruction(rank, loop)->of - first_of(rank), reported = first;
	bool vain = false;

	while (reported < loop && !reported_now(rank, reported))
		reported++;
	for (int i = first; i < loop; i++)
		vain = vain || rank->ops[i].state == NO;
	if (reported == loop && vain) {
		memset(&rank->ops[first], 0, (gsize)(loop - first) * sizeof(rank->ops[0]));
		fake_line(rank)->place = (guint8)first;
		if (fake_instruction(rank, loop)->flushed)
			rank->ops[loop].state = MATCHED;
		return;
	}
	for (int i = first; i < reported; i++)
		if (rank->ops[i].state == NO)
			rank->ops[i] = (struct fake_op){0};
	fake_line(rank)->place++;
}
