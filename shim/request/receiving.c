#include "receiving.h"

#include "awaited.h"
#include "request_internal.h"
#include "shim/gate/gate.h"
#include "shim/mpi/real.h"
#include "transfer.h"

enum {
	LEAST_AHEAD =
		64 << 10, /* bytes; a rank that waits for less sleeps and does not drive MPI */
	LOOKED_AT = 64,   /* the most receives examined */
};

/* Receives that are not posted, in program order. */
static struct {
	struct request *first, *last;
	unsigned count;
	unsigned ahead; /* those among them with names_large */
} waiting;

static bool names_message(const struct request *request)
{
	return request->peer != MPI_ANY_SOURCE && request->tag != MPI_ANY_TAG;
}

static bool may_post_ahead(const struct request *request)
{
	return names_message(request) && transfer_bytes(request) >= LEAST_AHEAD;
}

void receiving_begin(struct request *request)
{
	request->unposted = true;
	request->names_large = may_post_ahead(request);
	waiting.count++;
	waiting.ahead += request->names_large;
	request->next_unposted = NULL;
	request->previous_unposted = waiting.last;
	*(waiting.last ? &waiting.last->next_unposted : &waiting.first) = request;
	waiting.last = request;
}

void receiving_leave(struct request *request)
{
	struct request *next = request->next_unposted, *previous = request->previous_unposted;

	if (!request->unposted)
		return;
	request->unposted = false;
	waiting.count--;
	waiting.ahead -= request->names_large;
	*(previous ? &previous->next_unposted : &waiting.first) = next;
	*(next ? &next->previous_unposted : &waiting.last) = previous;
}

static void post(struct request *request, int source, int tag)
{
	int code;

	receiving_leave(request);
	request->staged = request->outlives && !request->unattended
	                  && (!request->awaited || request->checksum.gone.found);
	if (!request->staged)
		buffer_checksum_before_delivery(request);
	staging_begin(&request->staging, request->data, request->count, request->type,
	              request->staged);
	if (request->staged && !request->staging.packed) {
		request->staged = false;
		buffer_checksum_before_delivery(request);
	}
	code = real_mpi()->Irecv(staging_data(&request->staging), staging_count(&request->staging),
	                         staging_type(&request->staging), source, tag, request->comm,
	                         &request->real);
	if (code == MPI_SUCCESS)
		awaited_count_receive(request, source, tag);
	request_posted(request, code);
}

void receiving_post(struct request *request)
{
	post(request, request->bound_peer, request->bound_tag);
}

/* Whether a message could fit both. */
static bool may_share_message(const struct request *one, const struct request *other)
{
	return one->comm == other->comm
	       && (one->peer == other->peer || one->peer == MPI_ANY_SOURCE
	           || other->peer == MPI_ANY_SOURCE)
	       && (one->tag == other->tag || one->tag == MPI_ANY_TAG || other->tag == MPI_ANY_TAG);
}

static bool is_first(const struct request *request)
{
	for (const struct request *earlier = waiting.first; earlier != request;
	     earlier = earlier->next_unposted)
		if (may_share_message(earlier, request))
			return false;
	return true;
}

void receiving_post_ahead(void)
{
	struct request *next = waiting.first;

	for (unsigned i = 0; next && i < LOOKED_AT && waiting.ahead > 0; i++) {
		struct request *request = next;

		next = request->next_unposted;
		if (!request->names_large || (request->outlives && !request->awaited)
		    || request->unattended || gate_is_serialised() || !is_first(request))
			continue;
		request->ahead = true;
		post(request, request->peer, request->tag);
		awaited_tell(request);
	}
}

unsigned receiving_unposted(void)
{
	return waiting.count;
}

bool receiving_may_go_ahead(const struct request *request)
{
	return names_message(request) && is_first(request);
}

void receiving_go_ahead(struct request *request)
{
	post(request, request->peer, request->tag);
}
