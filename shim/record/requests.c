#define _GNU_SOURCE
#include "requests.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "matches.h"

struct pending {
	struct pending *next;
	uint32_t handle;
	enum requests_bring bring;
	bool is_persistent, is_active, has_handle;
	struct record_spans sends, receives;
	/* Until it is settled: */
	struct pending *next_held, *last_held;
	uint64_t holder; /* 0: none */
	int target;
	bool is_shown; /* complete, only locally; it has no handle */
	uint64_t hash; /* recording: of what was shown */
};

enum { BUCKETS = 4096 };
/* Requests that are complete at once can have the same handle. They are complete in any order, so
 * the oldest is taken first. */
static struct pending *buckets[BUCKETS];

static struct pending *held, *last_held; /* in the order in which they were begun */
static int shown;                        /* of them */

enum { SHOWN_MOST = 64, PAGE = 4096, FRAMES = 4096 /* bytes */ };

static struct pending **bucket_of(uint32_t handle)
{
	return &buckets[(handle * 2654435761u) >> 20];
}

static struct pending *make(struct record_call *call, enum requests_bring bring)
{
	struct pending *pending = calloc(1, sizeof(*pending));

	if (!pending)
		record_refuse("out of memory");
	pending->bring = bring;
	record_spans_move(&pending->receives, &call->receives);
	return pending;
}

static void name(struct pending *pending, MPI_Request request)
{
	struct pending **at;

	pending->handle = (uint32_t)request;
	pending->has_handle = true;
	at = bucket_of(pending->handle);
	while (*at)
		at = &(*at)->next;
	*at = pending;
}

void requests_add(struct record_call *call, const MPI_Request *request, enum requests_bring bring,
                  bool is_persistent)
{
	struct pending *pending;

	if (call->result == MPI_SUCCESS)
		matches_add(*request, is_persistent);
	if (call->result != MPI_SUCCESS || (call->receives.count == 0 && !is_persistent))
		return;
	pending = make(call, bring);
	pending->is_persistent = is_persistent;
	pending->is_active = !is_persistent;
	if (is_persistent)
		record_spans_move(&pending->sends, &call->sends);
	name(pending, *request);
}

struct pending *requests_find(MPI_Request request)
{
	struct pending *pending = *bucket_of((uint32_t)request);

	while (pending && pending->handle != (uint32_t)request)
		pending = pending->next;
	return pending;
}

static void take_out_of_bucket(struct pending *pending)
{
	struct pending **at = bucket_of(pending->handle);

	while (*at != pending)
		at = &(*at)->next;
	*at = pending->next;
	pending->has_handle = false;
}

static void let_go(struct pending *pending)
{
	*(pending->last_held ? &pending->last_held->next_held : &held) = pending->next_held;
	*(pending->next_held ? &pending->next_held->last_held : &last_held) = pending->last_held;
	pending->holder = 0;
}

static void forget(struct pending *pending)
{
	if (pending->has_handle)
		take_out_of_bucket(pending);
	if (pending->holder != 0)
		let_go(pending);
	shown -= pending->is_shown;
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

void requests_hold(struct record_call *call, uint64_t holder, int target,
                   const MPI_Request *request)
{
	struct pending *pending;

	if (call->result != MPI_SUCCESS || call->receives.count == 0 || target == MPI_PROC_NULL)
		return;
	pending = make(call, REQUESTS_RESULT);
	pending->is_active = true;
	pending->holder = holder;
	pending->target = target;
	if (holder != 0) {
		pending->last_held = last_held;
		*(last_held ? &last_held->next_held : &held) = pending;
		last_held = pending;
	}
	if (request)
		name(pending, *request);
}

/* The program may have given the buffer back, and the recorder's own frames may lie there now. */
static bool is_there(const struct record_call *call, const struct record_spans *spans)
{
	const uintptr_t low = (uintptr_t)__builtin_frame_address(0) - FRAMES,
			high = (uintptr_t)call->stack;
	struct record_reach reach;

	for (int i = 0; record_spans_reach(spans, i, &reach); i++) {
		const uintptr_t page = reach.start / PAGE * PAGE;
		unsigned char pages[64];

		for (uintptr_t at = page; at < reach.end; at += PAGE * sizeof(pages)) {
			const size_t left = reach.end - at, most = PAGE * sizeof(pages);

			if (mincore((void *)at, left < most ? left : most, pages) != 0)
				return false;
		}
		if (reach.start < high && reach.end > low)
			return false;
	}
	return true;
}

/* What was shown is given again if it has changed. */
static void show_again(const struct record_call *call, const struct pending *pending)
{
	bool changed = false;

	if (!log_replaying)
		changed = is_there(call, &pending->receives)
		          && record_spans_hash(&pending->receives) != pending->hash;
	if (record_known(changed))
		record_out_spans(&pending->receives);
}

static void settle(const struct record_call *call, struct pending *pending)
{
	if (pending->is_shown)
		show_again(call, pending);
	else
		record_out_spans(&pending->receives);
	if (!pending->has_handle) {
		forget(pending);
		return;
	}
	/* The program may do with the buffer what it likes. */
	record_spans_release(&pending->receives);
	let_go(pending);
}

static struct pending *next_of(struct pending *pending, uint64_t holder, int target)
{
	while (pending
	       && (pending->holder != holder
	           || (target != REQUESTS_ALL && pending->target != target)))
		pending = pending->next_held;
	return pending;
}

void requests_settle(const struct record_call *call, uint64_t holder, int target)
{
	struct pending *pending = next_of(held, holder, target), *next;

	for (; call->result == MPI_SUCCESS && pending; pending = next) {
		next = next_of(pending->next_held, holder, target);
		settle(call, pending);
	}
}

static void forget_oldest_shown(void)
{
	struct pending *oldest = held;

	while (oldest && !oldest->is_shown)
		oldest = oldest->next_held;
	if (oldest)
		forget(oldest);
}

void requests_settle_locally(const struct record_call *call, uint64_t holder, int target)
{
	struct pending *pending = next_of(held, holder, target);

	if (call->result != MPI_SUCCESS)
		return;
	for (; pending; pending = next_of(pending->next_held, holder, target)) {
		if (pending->is_shown)
			continue;
		record_out_spans(&pending->receives);
		if (pending->has_handle) /* its request gives it, too */
			continue;
		if (!log_replaying)
			pending->hash = record_spans_hash(&pending->receives);
		pending->is_shown = true;
		shown++;
	}
	while (shown > SHOWN_MOST)
		forget_oldest_shown();
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
	if (pending->holder != 0) {
		take_out_of_bucket(pending); /* it is settled later */
		return true;
	}
	if (pending->is_active && pending->receives.count > 0)
		return false;
	forget(pending);
	return true;
}
