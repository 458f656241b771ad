#include "matches.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "replay.h"
#include "shim/mpi/abi.h"

/* A request, and the call that has started it. */
struct started {
	struct started *next;
	uint32_t handle, call, sub;
	uint32_t prepared; /* the call that has made it */
	bool is_persistent, is_active;
	bool is_done; /* in the present call */
};

enum { BUCKETS = 4096 };
/* Requests that are complete at once can have the same handle: the oldest is taken first. */
static struct started *buckets[BUCKETS];
static struct started **done; /* in the present call */
static size_t done_count, done_room;

static bool is_on, tells_all;
static uint32_t calls;    /* communication calls so far */
static uint32_t starts;   /* what the present call has started so far */
static enum mpi_call now; /* the present call */
static bool counts;       /* whether it is one that communicates */
static bool is_open;      /* it was told, and has not returned */
static pthread_t thread;  /* of the last call */
static struct {
	uint32_t first, times; /* 0 times: the last call was none */
	enum mpi_call function;
	uint64_t site;
} not_yet;
static struct {
	char text[1024];
	size_t size;
	const char *last; /* name */
	int64_t sent, received;
} handed; /* to the present call */

void matches_begin(bool all)
{
	is_on = true;
	tells_all = all;
	thread = pthread_self();
}

static bool is_told(void)
{
	return is_on && counts;
}

static bool takes_given(void)
{
	return is_on && (counts || tells_all);
}

static void end_not_yet(void)
{
	if (not_yet.times > 0)
		replay_tell(REPLAY_MATCH, "n %u %d %u %llu", not_yet.first, (int)not_yet.function,
		            not_yet.times, (unsigned long long)not_yet.site);
	not_yet.times = 0;
}

static void tell_call(void)
{
	end_not_yet();
	if (!pthread_equal(thread, pthread_self()))
		replay_tell(REPLAY_MATCH, "t");
	thread = pthread_self();
	replay_tell(REPLAY_MATCH, "k %u %d %llu", calls, (int)now,
	            (unsigned long long)log_place->site);
}

/* --- what a call is given --------------------------------------------------------------------- */

/* What stands for no number. NULL: it is one. */
static const char *word_of(const char *name, int64_t value)
{
	static const struct {
		const char *name;
		int value;
		const char *word;
	} words[] = {
		{"source", MPI_ANY_SOURCE, "MPI_ANY_SOURCE"},
		{"source", MPI_PROC_NULL, "MPI_PROC_NULL"},
		{"dest", MPI_PROC_NULL, "MPI_PROC_NULL"},
		{"tag", MPI_ANY_TAG, "MPI_ANY_TAG"},
		{"recvtag", MPI_ANY_TAG, "MPI_ANY_TAG"},
		{"root", MPI_ROOT, "MPI_ROOT"},
		{"root", MPI_PROC_NULL, "MPI_PROC_NULL"},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (value == words[i].value && strcmp(name, words[i].name) == 0)
			return words[i].word;
	return NULL;
}

/* Arrays tell their first element. Of what has no room, the rest is left out. `word`: instead of
 * the value, or NULL. */
static void hand(const char *name, int64_t value, const char *word)
{
	char number[24];
	int size;

	if (!takes_given() || name == handed.last || strchr(name, ' '))
		return;
	handed.last = name;
	snprintf(number, sizeof(number), "%lld", (long long)value);
	size = snprintf(handed.text + handed.size, sizeof(handed.text) - handed.size, " %s=%s",
	                name, word ? word : number);
	if ((size_t)size < sizeof(handed.text) - handed.size)
		handed.size += (size_t)size;
}

void matches_given(const char *name, int64_t value)
{
	hand(name, value, word_of(name, value));
}

void matches_given_comm(const char *name, MPI_Comm comm)
{
	hand(name, (uint32_t)comm,
	     comm == MPI_COMM_WORLD  ? "MPI_COMM_WORLD"
	     : comm == MPI_COMM_SELF ? "MPI_COMM_SELF"
	                             : NULL);
}

void matches_bytes(bool sends, int64_t bytes)
{
	*(sends ? &handed.sent : &handed.received) += bytes;
}

static void tell_given(void)
{
	handed.text[handed.size] = '\0';
	replay_tell(REPLAY_MATCH, "a sent=%lld received=%lld%s", (long long)handed.sent,
	            (long long)handed.received, handed.text);
}

void matches_makes(MPI_Comm comm)
{
	if (is_told())
		replay_tell(REPLAY_MATCH, "c %u", (unsigned)comm);
}

void matches_members(bool remote, int first, int distance, int count)
{
	if (is_told())
		replay_tell(REPLAY_MATCH, "g %d %d %d %d", remote, first, distance, count);
}

/* --- calls ------------------------------------------------------------------------------------ */

void matches_enter(enum mpi_call function)
{
	now = function;
	counts = mpi_call_counts(function);
	starts = 0;
	if (!takes_given())
		return;
	handed.size = 0;
	handed.sent = handed.received = 0;
	handed.last = NULL;
	if (tells_all)
		replay_tell(REPLAY_MATCH, "e %llu %d %llu", (unsigned long long)log_place->call,
		            (int)now, (unsigned long long)log_place->site);
	if (!counts)
		return;
	is_open = !mpi_call_asks(function);
	calls++;
	if (is_open)
		tell_call();
}

void matches_answer(bool yes)
{
	if (!is_told())
		return;
	if (tells_all && !yes) {
		tell_given();
		replay_tell(REPLAY_MATCH, "y");
	}
	if (yes) {
		is_open = true;
		tell_call();
	} else if (not_yet.times > 0 && not_yet.function == now) {
		not_yet.times++;
	} else {
		end_not_yet();
		not_yet.first = calls;
		not_yet.function = now;
		not_yet.site = log_place->site;
		not_yet.times = 1;
	}
}

void matches_end(void)
{
	if (is_on)
		end_not_yet();
	if (is_on && is_open)
		tell_given();
	is_open = false;
}

/* --- requests --------------------------------------------------------------------------------- */

static struct started **bucket_of(MPI_Request request)
{
	return &buckets[((uint32_t)request * 2654435761u) >> 20];
}

static struct started *find(MPI_Request request)
{
	struct started *one = *bucket_of(request);

	while (one && (one->handle != (uint32_t)request || one->is_done))
		one = one->next;
	return one;
}

void matches_add(MPI_Request request, bool is_persistent)
{
	struct started **at = bucket_of(request), *one;

	if (!is_on)
		return;
	one = calloc(1, sizeof(*one));
	if (!one)
		record_refuse("out of memory");
	*one = (struct started){.handle = (uint32_t)request,
	                        .call = calls,
	                        .prepared = calls,
	                        .is_persistent = is_persistent,
	                        .is_active = !is_persistent};
	while (*at)
		at = &(*at)->next;
	*at = one;
}

void matches_start(MPI_Request request)
{
	struct started *one = find(request);

	if (one) {
		one->call = calls;
		one->sub = starts;
		one->is_active = true;
		if (is_told())
			replay_tell(REPLAY_MATCH, "p %u %u", starts, one->prepared);
	}
	starts++;
}

static void forget(struct started *started)
{
	struct started **at = bucket_of((MPI_Request)started->handle);

	while (*at != started)
		at = &(*at)->next;
	*at = started->next;
	free(started);
}

void matches_free(MPI_Request request)
{
	struct started *one = find(request);

	if (one)
		forget(one);
}

static void note_done(struct started *one)
{
	if (done_count == done_room) {
		const size_t room = done_room * 2 + 16;
		struct started **larger = realloc(done, room * sizeof(struct started *));

		if (!larger)
			record_refuse("out of memory");
		done = larger;
		done_room = room;
	}
	one->is_done = true;
	done[done_count++] = one;
}

void matches_leave(void)
{
	for (size_t i = 0; i < done_count; i++) {
		done[i]->is_done = done[i]->is_active = false;
		if (!done[i]->is_persistent)
			forget(done[i]);
	}
	done_count = 0;
	if (is_told() && is_open) {
		tell_given();
		replay_tell(REPLAY_MATCH, "l");
		is_open = false;
	} else if (takes_given() && !counts) {
		tell_given();
	}
	/* What the rank does without MPI may have no end. */
	if (is_on && !mpi_call_ends_mpi(now) && !log_more())
		replay_ended();
}

/* --- what a call reports ---------------------------------------------------------------------- */

/* As the call was entered: what it has completed itself counts. */
static bool was_active(MPI_Request request)
{
	const struct started *one = *bucket_of(request);

	if (request == MPI_REQUEST_NULL)
		return false;
	while (one && one->handle != (uint32_t)request)
		one = one->next;
	return !one || one->is_active;
}

static bool needs_index(void)
{
	return mpi_call_completes(now) == MPI_CALL_COMPLETES_ANY
	       || mpi_call_completes(now) == MPI_CALL_COMPLETES_SOME;
}

void matches_completed(const MPI_Request *given, int at, const MPI_Status *status, bool stays)
{
	struct started *one;
	int index = 0;

	if (!is_told() || !was_active(given[at]))
		return;
	for (int i = 0; i < at && needs_index(); i++)
		index += was_active(given[i]);
	one = find(given[at]);
	replay_tell(REPLAY_MATCH, "s %d %u %u %d %d %d %lld", index, one ? one->call : 0,
	            one ? one->sub : 0, status->MPI_SOURCE, status->MPI_TAG,
	            abi_is_cancelled(status), (long long)record_status_bytes(status));
	if (one && !stays)
		note_done(one);
}

void matches_status(const MPI_Status *status)
{
	if (is_told() && mpi_call_completes(now) == MPI_CALL_COMPLETES_NONE
	    && now != MPI_CALL_Request_get_status)
		replay_tell(REPLAY_MATCH, "s 0 %u 0 %d %d 0 %lld", calls, status->MPI_SOURCE,
		            status->MPI_TAG, (long long)record_status_bytes(status));
}
