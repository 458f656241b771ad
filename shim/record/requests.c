#include "requests.h"

#include <stdlib.h>

#include "matches.h"

struct pending {
	struct pending *next;
	uint32_t handle;
	enum requests_bring bring;
	bool is_persistent, is_active;
	struct record_spans sends, receives;
};

enum { BUCKETS = 4096 };
/* Requests that are complete at once can have the same handle. They are complete in any order, so
 * the oldest is taken first. */
static struct pending *buckets[BUCKETS];

static struct pending **bucket_of(uint32_t handle)
{
	return &buckets[(handle * 2654435761u) >> 20];
}

void requests_add(struct record_call *call, const MPI_Request *request, enum requests_bring bring,
                  bool is_persistent)
{
	struct pending *pending, **at;

	if (call->result == MPI_SUCCESS)
		matches_add(*request, is_persistent);
	if (call->result != MPI_SUCCESS || (call->receives.count == 0 && !is_persistent))
		return;
	pending = calloc(1, sizeof(*pending));
	if (!pending)
		record_refuse("out of memory");
	pending->handle = (uint32_t)*request;
	pending->bring = bring;
	pending->is_persistent = is_persistent;
	pending->is_active = !is_persistent;
	record_spans_move(&pending->receives, &call->receives);
	if (is_persistent)
		record_spans_move(&pending->sends, &call->sends);
	at = bucket_of(pending->handle);
	while (*at)
		at = &(*at)->next;
	*at = pending;
}

struct pending *requests_find(MPI_Request request)
{
	struct pending *pending = *bucket_of((uint32_t)request);

	while (pending && pending->handle != (uint32_t)request)
		pending = pending->next;
	return pending;
}

static void forget(struct pending *pending)
{
	struct pending **at = bucket_of(pending->handle);

	while (*at != pending)
		at = &(*at)->next;
	*at = pending->next;
	record_spans_release(&pending->sends);
	record_spans_release(&pending->receives);
	free(pending);
}

void requests_show(struct pending *pending, const MPI_Status *status)
{
	if (!pending || !pending->is_active)
		return;
	if (pending->bring == REQUESTS_MESSAGE)
		record_out_message(&pending->receives, record_status_bytes(status));
	else
		record_out_spans(&pending->receives);
}

void requests_complete(struct pending *pending, const MPI_Status *status)
{
	requests_show(pending, status);
	if (!pending || !pending->is_active)
		return;
	if (pending->is_persistent)
		pending->is_active = false;
	else
		forget(pending);
}

void requests_start(struct record_call *call, MPI_Request request)
{
	struct pending *pending = requests_find(request);

	matches_start(request);
	if (!pending || !pending->is_persistent)
		return;
	pending->is_active = true;
	record_hash(call, &pending->sends);
}

bool requests_free(MPI_Request request)
{
	struct pending *pending = requests_find(request);

	matches_free(request);
	if (!pending)
		return true;
	if (pending->is_active && pending->receives.count > 0)
		return false;
	forget(pending);
	return true;
}
