#include "proven.h"

#include <sched.h>

#include "awaited.h"
#include "receiving.h"
#include "request_internal.h"
#include "shim/gate/blocking_call.h"
#include "shim/gate/gate.h"
#include "shim/mpi/real.h"
#include "transfer.h"

enum {
	ROUNDS = 60,       /* each yields: some tens of microseconds, or as long as others need
	                      the processor */
	TESTS = 8,         /* in a round */
	LARGE_TESTS = 256, /* of a large message, which takes longer than that anyway */
};

/* A send whose message is copied completes at once. Others complete when they are matched. Of small
 * messages MPI does not tell that; of large ones it is known if their receivers wait. */
static bool needs_nothing(const struct request *request)
{
	return request->local || (request->kind == REQUEST_SEND && request->copied);
}

/* Whether MPI has the request, or will have it, before BIND. */
static bool post(struct request *request)
{
	if (needs_nothing(request))
		return true;
	if (request->kind == REQUEST_SEND)
		return request->direct || request->synchronous || transfer_is_held(request);
	if (request->kind != REQUEST_RECEIVE || request->unattended)
		return false;
	if (request->unposted && receiving_may_go_ahead(request)) {
		request->ahead = true;
		receiving_go_ahead(request);
		if (request->names_large)
			awaited_tell(request);
	}
	return !request->unposted;
}

static bool is_over(struct request *request)
{
	return needs_nothing(request) || request_try(request);
}

/* Drives MPI for a moment, until `holds` does. */
static bool drive_until(int tests, bool (*holds)(void *user), void *user)
{
	struct wire_blocking_call before = blocking_call_drive();
	bool over = false;

	for (int round = 0; round < ROUNDS && !over; round++) {
		for (int i = 0; i < tests && !over; i++)
			over = holds(user);
		if (!over) {
			blocking_call_step();
			sched_yield();
		}
	}
	blocking_call_driven(&before);
	return over;
}

struct several {
	struct request *const *requests;
	uint32_t count;
	uint32_t first;       /* that is not known to be over */
	struct request *held; /* a send that is posted if its receiver waits; NULL: none */
};

static bool are_over(void *user)
{
	struct several *several = user;
	struct request *held = several->held;
	bool sent = !held || (transfer_post_awaited(held) && request_try(held));

	while (several->first < several->count
	       && (several->requests[several->first] == held
	           || is_over(several->requests[several->first])))
		several->first++;
	return several->first == several->count && sent;
}

static bool wait_for_all(struct request *const *requests, uint32_t count)
{
	struct several several = {requests, count, 0, NULL};
	bool is_large = false;

	for (uint32_t i = 0; i < count; i++) {
		if (!post(requests[i]))
			return false;
		if (transfer_is_held(requests[i]))
			several.held = requests[i];
		is_large |= !needs_nothing(requests[i]) && transfer_is_large(requests[i]);
	}
	return drive_until(is_large ? LARGE_TESTS : TESTS, are_over, &several);
}

bool proven_all(struct request *const *requests, uint32_t count)
{
	return gate_hurries() && wait_for_all(requests, count);
}

/* Under zero buffering: whether MPI completes large messages, and all that it completes is matched.
 * Data arrives with the match, at rest, for what the rank does next. So a rank that has other
 * receives under way must not go on. */
static bool is_matched_alone(struct request *const *requests, uint32_t count)
{
	unsigned receives = 0;
	bool is_large = false;

	for (uint32_t i = 0; i < count; i++) {
		const struct request *request = requests[i];

		if (!request->local && request->kind == REQUEST_SEND && !request->synchronous)
			return false;
		receives += request->unposted;
		is_large |= !request->local && transfer_is_large(request);
	}
	return is_large && receiving_unposted() == receives;
}

bool proven_blocking(struct request *const *requests, uint32_t count)
{
	if (gate_hurries())
		return wait_for_all(requests, count);
	return gate_hurries_if_matched() && is_matched_alone(requests, count)
	       && wait_for_all(requests, count);
}

static bool message_is_there(const struct request *request)
{
	int there = 0;

	return real_mpi()->Iprobe(request->peer, request->tag, request->comm, &there,
	                          MPI_STATUS_IGNORE)
	               == MPI_SUCCESS
	       && there;
}

static bool is_there(struct request *request)
{
	if (!request->unposted)
		return request_try(request);
	if (!message_is_there(request))
		return false;
	request->awaited = true; /* the call returns it */
	request->ahead = true;
	receiving_go_ahead(request);
	request_complete(request);
	return true;
}

bool proven_one(struct request *request)
{
	struct wire_blocking_call before;
	bool over;

	if (!gate_hurries())
		return false;
	if (needs_nothing(request))
		return true;
	if (request->kind != REQUEST_RECEIVE || request->unattended
	    || (request->unposted && !receiving_may_go_ahead(request)))
		return false;
	before = blocking_call_drive();
	over = is_there(request);
	for (int round = 0; !over && round < ROUNDS; round++) {
		blocking_call_step();
		request_progress();
		over = is_there(request);
		if (!over)
			sched_yield();
	}
	blocking_call_driven(&before);
	return over;
}

static bool library_is_over(void *user)
{
	int done = 0;

	return real_mpi()->Test(user, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done;
}

bool proven_library(MPI_Request *request)
{
	return drive_until(TESTS, library_is_over, request);
}
