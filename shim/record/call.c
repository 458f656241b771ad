#define _GNU_SOURCE
#include "call.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "below.h"
#include "callbacks.h"
#include "common/mix.h"
#include "in_step.h"
#include "inputs.h"
#include "layouts.h"
#include "matches.h"
#include "replay.h"
#include "shim/mpi/abi.h"
#include "shim/mpi/real.h"
#include "threads.h"
#include "windows.h"

__thread int record_inside __attribute__((tls_model("initial-exec")));
bool record_is_on;
struct record_call *record_present;

/* As they were written or read last. */
static int64_t last_handle[RECORD_KINDS], last_site;

/* The last poll that said "not yet", while nothing else has happened. */
static struct {
	uint64_t key;
	uint32_t *count; /* recording: in the open block */
	uint32_t left;   /* replaying: how often it is repeated */
	bool is_running;
} polls;

/* --- begin and end ---------------------------------------------------------------------------- */

static void differs(const char *name, int64_t was, int64_t is)
{
	replay_stop(REPLAY_DIFFERS, "%s was %lld (%#llx) and is %lld (%#llx)", name, (long long)was,
	            (unsigned long long)was, (long long)is, (unsigned long long)is);
}

void record_breaks_polls(void)
{
	if (polls.left > 0)
		replay_stop(REPLAY_DIFFERS, "the recorded run went on polling here");
	polls.is_running = false;
}

bool record_enter(struct record_call *call, enum mpi_call function, const void *site,
                  const void *stack)
{
	below_note_call(site, stack);
	if (record_inside > 0 || !record_is_on)
		return false;
	record_inside++;
	threads_check(function);
	*call = (struct record_call){
		.outer = record_present, .is_poll = mpi_call_asks(function), .stack = stack};
	record_present = call;
	call->key = mix((uint64_t)function, (uint64_t)(uintptr_t)site);
	windows_enter(call, function);
	log_place->call++;
	log_place->function = (uint32_t)function;
	log_place->site = (uint64_t)(uintptr_t)site;
	log_place->peer = log_place->tag = RECORDING_NOTHING;
	log_place->communicator = 0;
	log_place->inside = 1;
	if (!call->is_poll)
		record_breaks_polls();
	if (log_replaying) {
		replay_call_begin(log_place->call, log_place->site);
		matches_enter(function);
		in_step_enter(function);
		call->is_repeated = polls.left > 0;
		if (call->is_repeated)
			return true;
	} else {
		log_room(1024);
		call->begin = log_at;
		call->sequence = log_sequence;
	}
	const uint64_t recorded = log_number((uint64_t)function);
	if (recorded != (uint64_t)function)
		replay_stop(REPLAY_DIFFERS, "the recorded run called %s here",
		            inputs_name(recorded));
	const int64_t distance = log_signed((int64_t)(uintptr_t)site - last_site);
	if (log_replaying && last_site + distance != (int64_t)(uintptr_t)site)
		differs("the place of the call", last_site + distance, (int64_t)(uintptr_t)site);
	last_site = (int64_t)(uintptr_t)site;
	return true;
}

void record_leave(struct record_call *call)
{
	if (!log_replaying)
		log_commit();
	else
		matches_leave();
	log_place->inside = 0;
	record_spans_release(&call->sends);
	record_spans_release(&call->receives);
	record_present = call->outer;
	threads_leave();
	record_inside--;
	/* A rank that polls comes back to the same memory. */
	*call = (struct record_call){.result = call->result};
	if (record_inside == 0)
		below_clear_stack();
}

/* --- what goes in ----------------------------------------------------------------------------- */

void record_in(struct record_call *call, const char *name, int64_t value)
{
	call->key = mix(call->key, (uint64_t)value);
	if (call->is_repeated)
		return;
	if (log_replaying)
		matches_given(name, value);
	const int64_t was = log_signed(value);
	if (was != value)
		differs(name, was, value);
}

static int64_t handle_moved(enum record_kind kind, int64_t handle)
{
	const int64_t moved = log_signed(handle - last_handle[kind]);

	last_handle[kind] += moved;
	return last_handle[kind];
}

static void in_handle(struct record_call *call, const char *name, enum record_kind kind,
                      int64_t handle)
{
	call->key = mix(call->key, (uint64_t)handle);
	if (call->is_repeated)
		return;
	if (log_replaying && kind == RECORD_COMM)
		matches_given_comm(name, (MPI_Comm)handle);
	else if (log_replaying)
		matches_given(name, handle);
	const int64_t was = handle_moved(kind, handle);
	if (was != handle)
		differs(name, was, handle);
}

void record_in_handle(struct record_call *call, const char *name, enum record_kind kind,
                      uint32_t handle)
{
	in_handle(call, name, kind, handle);
}

void record_in_file(struct record_call *call, const char *name, MPI_File file)
{
	in_handle(call, name, RECORD_FILE, (int64_t)(uintptr_t)file);
}

void record_in_text(struct record_call *call, const char *name, const char *text)
{
	const uint64_t size = text ? strlen(text) + 1 : 0, hash = recording_hash(text, size);
	uint64_t was = hash;

	record_in(call, name, (int64_t)size);
	log_raw(&was, sizeof(was));
	if (was != hash)
		replay_stop(REPLAY_DIFFERS, "%s is another text: %s", name, text);
}

void record_in_numbers(struct record_call *call, const char *name, const void *numbers, size_t size,
                       int64_t count)
{
	count = numbers ? count : 0;
	record_in(call, name, count);
	for (int64_t i = 0; i < count; i++)
		record_in(call, name,
		          size == sizeof(int) ? ((const int *)numbers)[i]
		                              : ((const int64_t *)numbers)[i]);
}

void record_in_handles(struct record_call *call, const char *name, enum record_kind kind,
                       const void *handles, int64_t count)
{
	for (int64_t i = 0; handles && i < count; i++)
		record_in_handle(call, name, kind, ((const uint32_t *)handles)[i]);
}

int64_t record_known(int64_t value)
{
	return log_signed(value);
}

/* --- MPI -------------------------------------------------------------------------------------- */

bool record_run(struct record_call *call)
{
	if (log_replaying)
		return false;
	windows_before(call);
	log_commit();
	return true;
}

void record_result(struct record_call *call, int result)
{
	int64_t recorded;

	if (call->is_repeated) {
		call->result = MPI_SUCCESS;
		return;
	}
	if (!log_replaying)
		log_room(512);
	/* A result is even; a function that was called is odd. */
	while ((recorded = (int64_t)log_number(recording_fold(result) << 1)) & 1)
		callbacks_repeat((uint64_t)recorded >> 1);
	call->result = (int)recording_unfold((uint64_t)recorded >> 1);
	windows_after(call);
}

/* --- what comes out --------------------------------------------------------------------------- */

void record_out_number(void *number, size_t size)
{
	if (!number)
		return;
	if (size == sizeof(int))
		*(int *)number = (int)log_signed(*(int *)number);
	else
		*(int64_t *)number = log_signed(*(int64_t *)number);
}

void record_out_numbers(struct record_call *call, void *numbers, size_t size, int64_t count)
{
	if (call->result != MPI_SUCCESS || !numbers)
		return;
	for (int64_t i = 0; i < count; i++)
		record_out_number((char *)numbers + i * (int64_t)size, size);
}

void record_out_handle(enum record_kind kind, void *handle)
{
	if (!handle)
		return;
	*(uint32_t *)handle = (uint32_t)handle_moved(kind, *(uint32_t *)handle);
	if (log_replaying && kind == RECORD_COMM)
		matches_given_comm("made_comm", *(const MPI_Comm *)handle);
	if (log_replaying && kind == RECORD_MESSAGE)
		matches_given("made_message", *(const uint32_t *)handle);
}

void record_out_file(MPI_File *file)
{
	if (file)
		*file = (MPI_File)(uintptr_t)handle_moved(RECORD_FILE, (int64_t)(uintptr_t)*file);
}

void record_out_handles(struct record_call *call, enum record_kind kind, void *handles,
                        int64_t count)
{
	for (int64_t i = 0; call->result == MPI_SUCCESS && i < count; i++)
		record_out_handle(kind, (uint32_t *)handles + i);
}

void record_out_raw(void *bytes, size_t size)
{
	if (bytes)
		log_raw(bytes, size);
}

void record_out_text(struct record_call *call, char *text)
{
	if (call->result == MPI_SUCCESS && text)
		log_data(text, log_number(log_replaying ? 0 : strlen(text) + 1));
}

void record_out_bytes(struct record_call *call, void *memory, int64_t bytes)
{
	if (call->result == MPI_SUCCESS && memory && bytes > 0)
		log_data(memory, (size_t)bytes);
}

int64_t record_status_bytes(const MPI_Status *status)
{
	return abi_is_cancelled(status) ? 0 : abi_status_bytes(status);
}

void record_out_status(MPI_Status *status)
{
	if (!status || status == MPI_STATUS_IGNORE)
		return;
	record_out_number(&status->MPI_SOURCE, sizeof(int));
	record_out_number(&status->MPI_TAG, sizeof(int));
	for (int i = 0; i < ABI_STATUS_FIELDS; i++)
		record_out_number(abi_status_field(status, i), sizeof(int));
	if (log_replaying)
		matches_status(status);
}

/* --- buffers ---------------------------------------------------------------------------------- */

static void add_span(struct record_spans *spans, const void *at, int64_t count,
                     struct layout *layout)
{
	enum { FEW = sizeof(spans->few) / sizeof(spans->few[0]) };

	if (spans->count == (spans->all ? spans->room : FEW)) {
		const int room = spans->count * 4;
		struct record_span *larger = realloc(spans->all, sizeof(*larger) * (size_t)room);

		if (!larger)
			record_refuse("out of memory");
		if (!spans->all)
			memcpy(larger, spans->few, sizeof(spans->few));
		spans->all = larger;
		spans->room = room;
	}
	(spans->all ? spans->all : spans->few)[spans->count++] = (struct record_span){
		(void *)(uintptr_t)at, count, layout};
}

static const struct record_span *spans_of(const struct record_spans *spans)
{
	return spans->all ? spans->all : spans->few;
}

void record_spans_release(struct record_spans *spans)
{
	for (int i = 0; i < spans->count; i++)
		layouts_release(spans_of(spans)[i].layout);
	free(spans->all);
	*spans = (struct record_spans){.count = 0};
}

void record_spans_move(struct record_spans *to, struct record_spans *from)
{
	*to = *from;
	*from = (struct record_spans){.count = 0};
}

static void in_elements(struct record_call *call, struct record_spans *spans, const void *at,
                        int64_t count, MPI_Datatype type)
{
	struct layout *layout;

	record_in(call, "the count", count);
	record_in_handle(call, "the datatype", RECORD_DATATYPE, (uint32_t)type);
	if (count <= 0 || at == MPI_IN_PLACE || type == MPI_DATATYPE_NULL)
		return;
	layout = layouts_hold(type);
	if (log_replaying)
		matches_bytes(spans == &call->sends, count * layouts_size(layout));
	add_span(spans, at, count, layout);
}

void record_send(struct record_call *call, const void *at, int64_t count, MPI_Datatype type)
{
	in_elements(call, &call->sends, at, count, type);
}

void record_receive(struct record_call *call, void *at, int64_t count, MPI_Datatype type)
{
	in_elements(call, &call->receives, at, count, type);
}

uint64_t record_spans_hash(const struct record_spans *spans)
{
	const struct record_span *all = spans_of(spans);
	uint64_t hash = 0;

	for (int i = 0; i < spans->count; i++)
		hash = layouts_hash(hash, all[i].at, all[i].count, all[i].layout);
	return hash;
}

bool record_spans_reach(const struct record_spans *spans, int at, struct record_reach *ret)
{
	const struct record_span *span = &spans_of(spans)[at];

	if (at >= spans->count)
		return false;
	ret->start = (uintptr_t)span->at + (uintptr_t)layouts_low(span->layout);
	ret->end = ret->start + (uintptr_t)layouts_reach(span->layout, span->count);
	return true;
}

/* The replay goes on: the rank gets what it got all the same, and may still do what it did. Threads
 * that add numbers in another order are a frequent reason. */
void record_hash(struct record_call *call, const struct record_spans *sends)
{
	static bool is_told;
	uint64_t hash, was;

	(void)call;
	if (sends->count == 0)
		return;
	hash = was = record_spans_hash(sends);
	log_raw(&was, sizeof(was));
	if (was == hash || is_told)
		return;
	is_told = true;
	replay_tell_call(REPLAY_VALUES,
	                 "what is sent is not what it was (its hash was %016llx and is %016llx)",
	                 (unsigned long long)was, (unsigned long long)hash);
}

void record_out_spans(const struct record_spans *receives)
{
	const struct record_span *all = spans_of(receives);

	for (int i = 0; i < receives->count; i++)
		layouts_data(all[i].at, all[i].count, all[i].layout);
}

void record_out_received(struct record_call *call)
{
	if (call->result == MPI_SUCCESS)
		record_out_spans(&call->receives);
}

/* The last element that is touched is given as a whole: what MPI did not write there has the
 * contents that it had. */
void record_out_message(const struct record_spans *receives, int64_t bytes)
{
	const struct record_span *span = spans_of(receives);
	int64_t count, size;

	if (receives->count == 0 || bytes <= 0)
		return;
	size = layouts_size(span->layout);
	count = size > 0 ? (bytes + size - 1) / size : 0;
	if (count > span->count) /* an error: the message was longer */
		count = span->count;
	if (layouts_is_dense(span->layout) && bytes < count * size)
		log_data(span->at, (size_t)bytes);
	else
		layouts_data(span->at, count, span->layout);
}

/* --- polls ------------------------------------------------------------------------------------ */

bool record_ask(struct record_call *call)
{
	if (call->is_repeated && call->key != polls.key)
		replay_stop(REPLAY_DIFFERS, "the recorded run repeated another poll here");
	if (!log_replaying)
		windows_before(call);
	return !log_replaying;
}

/* Recording: the same as the last poll, which nothing was written after. */
static bool is_once_more(const struct record_call *call)
{
	return polls.is_running && polls.key == call->key && *polls.count != UINT32_MAX
	       && (uint8_t *)(polls.count + 1) == call->begin && call->sequence == log_sequence;
}

bool record_answer(struct record_call *call, int *flag)
{
	uint32_t times = 0;

	if (call->is_repeated) {
		polls.left--;
		*flag = 0;
		matches_answer(false);
		return false;
	}
	if (!log_replaying && !*flag && call->result == MPI_SUCCESS && !call->was_called
	    && !call->was_shown && is_once_more(call)) {
		++*polls.count; /* in a part of the log that is committed */
		log_at = call->begin;
		return false;
	}
	record_out_number(flag, sizeof(*flag));
	if (log_replaying)
		matches_answer(*flag || call->result != MPI_SUCCESS);
	polls.is_running = false;
	if (*flag || call->result != MPI_SUCCESS)
		return true;
	log_raw(&times, sizeof(times));
	polls.key = call->key;
	polls.is_running = !log_replaying;
	polls.count = (uint32_t *)(void *)(log_at - sizeof(times));
	polls.left = times;
	return true;
}

/* --- the program ends ------------------------------------------------------------------------- */

/* A launcher that aborts may lose what the rank prints last, so the reason stands in the log. */
void record_refuse(const char *format, ...)
{
	char text[RECORDING_REASON], sentence[RECORDING_REASON + 64];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (log_replaying)
		replay_stop(REPLAY_CANNOT, "%s", text);
	fflush(NULL);
	memcpy(log_place->reason, text, sizeof(text));
	log_place->refused = log_place->function;
	log_commit();
	snprintf(sentence, sizeof(sentence), "%s: %s",
	         mpi_call_name((enum mpi_call)log_place->function), text);
	below_refuse(sentence);
	below_mpi()->Abort(MPI_COMM_WORLD, 4);
	_exit(4);
}
