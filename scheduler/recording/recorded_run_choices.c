/* What a recording says about an open point. */
#include "mpi_calls.h"
#include "recorded_run_internal.h"

static const struct taken *alternative(const struct open_choice *open, guint at)
{
	return at < open->alternatives->len ? &g_array_index(open->alternatives, struct taken, at)
	                                    : NULL;
}

static bool offers(const struct open_choice *open, const struct taken *wanted)
{
	for (guint i = 0; i < open->alternatives->len; i++)
		if (taken_equal(alternative(open, i), wanted)
		    && alternative(open, i)->ahead == wanted->ahead)
			return true;
	return false;
}

static enum followed_answer take(struct taken *ret_taken, struct taken taken)
{
	*ret_taken = taken;
	return FOLLOWED_TAKE;
}

/* --- messages --------------------------------------------------------------------------------- */

static const struct taken *find_message(const struct open_choice *open, int source, guint ahead)
{
	for (guint i = 0; i < open->alternatives->len; i++) {
		const struct taken *taken = alternative(open, i);

		if (taken->kind == TAKEN_MESSAGE && taken->send.rank == source
		    && taken->ahead == ahead)
			return taken;
	}
	return NULL;
}

static enum followed_answer decide_receive(const struct recorded_run *run,
                                           const struct open_choice *open, struct taken *ret_taken)
{
	const struct taken cancelled = taken_plain(TAKEN_CANCELLED), *message;
	int source;
	const struct recorded_report *report = followed_report(
		run, open->point.rank, (struct wire_name){open->point.call, open->point.sub},
		&source);

	if (report && report->is_cancelled)
		return offers(open, &cancelled) ? take(ret_taken, cancelled) : FOLLOWED_LATER;
	if (!report || source < 0)
		return FOLLOWED_FREE;
	message = find_message(open, source, 0);
	return message ? take(ret_taken, *message) : FOLLOWED_LATER;
}

/* --- requests --------------------------------------------------------------------------------- */

/* The answer that reports what the recorded call has reported; false: paths have none. */
static bool reported(const struct recorded_run *run, int number, const struct recorded_call *call,
                     struct taken *ret_taken)
{
	const GArray *reports = run->ranks[number].matches->reports;
	guint32 window = 0;
	guint64 bits = 0;

	for (guint i = 0; i < call->count; i++) {
		const guint32 index = (guint32)g_array_index(reports, struct recorded_report,
		                                             call->first + i)
		                              .index;

		if (bits == 0)
			window = index / TAKEN_WINDOW;
		if (index / TAKEN_WINDOW != window)
			return false;
		bits |= G_GUINT64_CONSTANT(1) << (index % TAKEN_WINDOW);
	}
	if (bits != 0)
		*ret_taken = taken_some(window, bits);
	return bits != 0;
}

/* Whether each request of the set is complete: then the set can be taken, even if it is not among
 * the alternatives. */
static bool all_are_offered(const struct open_choice *open, const struct taken *set)
{
	for (guint32 i = taken_next(set, 0, open->requests); i < open->requests;
	     i = taken_next(set, i + 1, open->requests)) {
		const struct taken one = taken_ahead(taken_one(i), set->ahead);

		if (!offers(open, &one))
			return false;
	}
	return true;
}

static enum followed_answer decide_requests(const struct recorded_run *run,
                                            const struct open_choice *open, guint ahead,
                                            enum open_question question,
                                            const struct recorded_call *call,
                                            struct taken *ret_taken)
{
	struct taken taken = taken_plain(TAKEN_YES);

	if (question != QUESTION_ALL && !reported(run, open->point.rank, call, &taken))
		return FOLLOWED_LATER;
	taken = taken_ahead(taken, ahead);
	return offers(open, &taken)
	                       || (taken.kind == TAKEN_SOME && ahead == 0
	                           && all_are_offered(open, &taken))
	               ? take(ret_taken, taken)
	               : FOLLOWED_LATER;
}

/* --- polls ------------------------------------------------------------------------------------ */

/* Of the calls that the recording has as a poll answered otherwise than "not yet": whether it is
 * this poll. */
static bool is_poll(const struct followed_rank *rank, const struct recorded_call *call,
                    const struct followed_poll *poll)
{
	const struct recorded_report *report = call->count > 0
	                                               ? &g_array_index(rank->matches->reports,
	                                                                struct recorded_report,
	                                                                call->first)
	                                               : NULL;

	if (call->function != poll->function)
		return false;
	if (!report)
		return true;
	if (poll->first.call == 0) /* a probe; the communicator's ranks are the program's */
		return (poll->peer == WIRE_ANY || report->source < 0
		        || report->source == poll->peer)
		       && (poll->tag == WIRE_ANY || report->source < 0 || report->tag == poll->tag);
	return mpi_call_completes(poll->function) != MPI_CALL_COMPLETES_ONE || report->start == 0
	       || followed_number(rank, poll->first.call) == 0
	       || followed_number(rank, poll->first.call) == report->start;
}

static const struct followed_poll *poll_at(const struct followed_rank *rank, guint32 call)
{
	for (guint i = rank->polls->len; i-- > 0;)
		if (g_array_index(rank->polls, struct followed_poll, i).call == call)
			return &g_array_index(rank->polls, struct followed_poll, i);
	return NULL;
}

/* A poll of the loop that comes so many calls later than the present one: it was made as many calls
 * later than the last one that asked what the present one asks. */
static const struct followed_poll *poll_ahead(const struct followed_rank *rank, guint32 call,
                                              guint ahead)
{
	const struct followed_poll *now = poll_at(rank, call);

	for (guint i = rank->polls->len; now && ahead > 0 && i-- > 0;) {
		const struct followed_poll *before = &g_array_index(rank->polls,
		                                                    struct followed_poll, i);

		if (before->call < call && before->question == now->question)
			return poll_at(rank, before->call + ahead);
	}
	return ahead > 0 ? NULL : now;
}

static enum followed_answer decide_yes(const struct recorded_run *run,
                                       const struct open_choice *open, guint ahead,
                                       enum open_question question,
                                       const struct recorded_call *next, struct taken *ret_taken)
{
	const struct followed_rank *rank = &run->ranks[open->point.rank];
	const struct followed_poll *poll = poll_ahead(rank, open->point.call, ahead);
	const struct followed_operation *operation;
	const struct recorded_report *report;
	const struct taken *message;
	int source = -1;

	if (!poll || !is_poll(rank, next, poll))
		return FOLLOWED_LATER;
	if (poll->first.call > 0)
		return decide_requests(run, open, ahead, question, next, ret_taken);
	report = next->count > 0 ? &g_array_index(rank->matches->reports, struct recorded_report,
	                                          next->first)
	                         : NULL;
	operation = followed_find(rank, poll->call, 0);
	if (report && operation && report->source >= 0)
		source = communicators_to_world(run->comms, operation->comm, open->point.rank,
		                                report->source);
	if (source < 0) /* the program has ignored the status: any message */
		for (guint i = 0; i < open->alternatives->len; i++)
			if (alternative(open, i)->kind == TAKEN_MESSAGE
			    && alternative(open, i)->ahead == ahead)
				return take(ret_taken, *alternative(open, i));
	message = source < 0 ? NULL : find_message(open, source, ahead);
	return message ? take(ret_taken, *message) : FOLLOWED_LATER;
}

static enum followed_answer decide_poll(const struct recorded_run *run,
                                        const struct open_choice *open, struct taken *ret_taken)
{
	const struct followed_rank *rank = &run->ranks[open->point.rank];
	const struct recorded_call *next = followed_next(rank);
	const struct taken no = taken_plain(TAKEN_NO);
	const bool may_wait = !open->later && offers(open, &no);
	enum followed_answer answer = FOLLOWED_LATER;

	if (may_wait && (run->is_patient || followed_not_yet(rank) > 0))
		return take(ret_taken, no);
	if (!next || next->is_inside)
		return FOLLOWED_FREE;
	if (mpi_call_asks(next->function))
		answer = decide_yes(run, open, 0, open->question, next, ret_taken);
	for (guint i = 0; answer != FOLLOWED_TAKE && open->later && i < open->later->len; i++) {
		const struct open_later *later = &g_array_index(open->later, struct open_later, i);

		if (mpi_call_asks(next->function))
			answer = decide_yes(run, open, later->ahead, later->question, next,
			                    ret_taken);
	}
	return answer == FOLLOWED_LATER && may_wait ? FOLLOWED_NOT_YET : answer;
}

/* --- all points ------------------------------------------------------------------------------- */

/* Whether a rank stood in its last call because of this operation. */
static bool has_held(const struct followed_rank *rank, const struct point *point)
{
	const guint32 number = followed_number(rank, point->call);
	const struct recorded_call *last = followed_call(rank, rank->matches->calls->len - 1);

	return rank->matches->cut && last && last->is_inside && number == last->number;
}

enum followed_answer followed_decide(const struct recorded_run *run, const struct open_choice *open,
                                     struct taken *ret_taken)
{
	const struct taken late = taken_plain(TAKEN_LATE);
	const enum taken_kind kind = alternative(open, 0)->kind;
	const struct followed_rank *rank;
	const struct recorded_call *call;

	if (open->point.kind != POINT_CALL)
		return FOLLOWED_FREE;
	rank = &run->ranks[open->point.rank];
	if (kind == TAKEN_EARLY || kind == TAKEN_LATE)
		return take(ret_taken, has_held(rank, &open->point) && offers(open, &late)
		                               ? late
		                               : *alternative(open, 0));
	if (rank->is_poll && open->point.call == rank->call)
		return decide_poll(run, open, ret_taken);
	if (kind != TAKEN_ONE && kind != TAKEN_SOME)
		return decide_receive(run, open, ret_taken);
	call = followed_call(rank, rank->at);
	return call && !call->is_inside
	               ? decide_requests(run, open, 0, open->question, call, ret_taken)
	               : FOLLOWED_FREE;
}
