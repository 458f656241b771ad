/* Waiting for requests, testing, cancelling and freeing them.
 *
 * The scheduler is asked for those requests of a call that it knows, under their names. The others
 * can complete without it: inactive ones and MPI_REQUEST_NULL (both ABSENT), those without a peer,
 * messages taken by MPI_Mprobe, and foreign ones, which only MPI knows. The order among requests is
 * fixed: those that can complete without asking come first, lowest index first. */
#include "completion.h"

#include <stdlib.h>

#include "file_buffers.h"
#include "proven.h"
#include "receiving.h"
#include "request_internal.h"
#include "shim/check/access.h"
#include "shim/check/misuse.h"
#include "shim/gate/blocking_call.h"
#include "shim/mpi/abi.h"
#include "shim/mpi/real.h"
#include "shim/objects/error.h"
#include "shim/objects/objects.h"

#define IN_CALL __attribute__((tls_model("initial-exec")))

enum standing completion_standing(MPI_Request handle)
{
	if (handle == MPI_REQUEST_NULL)
		return ABSENT;
	const struct request *request = request_find(handle);
	if (!request)
		return FOREIGN;
	if (!request->active)
		return ABSENT;
	return request->local ? READY : ASKED;
}

bool completion_is_wrong(int count, const MPI_Request *handles)
{
	for (int i = 0; i < count; i++) {
		if (completion_standing(handles[i]) == FOREIGN && !abi_may_be_request(handles[i]))
			return true;
	}
	return false;
}

MPI_Request *completion_stand_ins(int count, const MPI_Request *handles)
{
	static _Thread_local MPI_Request *stand_ins IN_CALL;

	free(stand_ins);
	stand_ins = handles ? malloc(sizeof(*handles) * (count > 0 ? (size_t)count : 1)) : NULL;
	for (int i = 0; stand_ins && i < count; i++)
		stand_ins[i] = request_find(handles[i]) ? request_inactive() : handles[i];
	return stand_ins;
}

/* The arrays live as long as the thread, so that most calls allocate nothing. */
static int grow(struct completion *set)
{
	static _Thread_local struct wire_name *names IN_CALL;
	static _Thread_local uint32_t *places IN_CALL;
	static _Thread_local struct request **requests IN_CALL;
	static _Thread_local size_t capacity IN_CALL;
	size_t wanted = (size_t)set->count;

	if (wanted > capacity) {
		wanted *= 2;
		struct wire_name *more_names = realloc(names, wanted * sizeof(*names));
		names = more_names ? more_names : names;
		uint32_t *more_places = realloc(places, wanted * sizeof(*places));
		places = more_places ? more_places : places;
		struct request **more_requests = realloc(requests,
		                                         wanted * sizeof(struct request *));
		requests = more_requests ? more_requests : requests;
		if (!more_names || !more_places || !more_requests)
			return MPI_ERR_NO_MEM;
		capacity = wanted;
	}
	set->names = names;
	set->places = places;
	set->requests = requests;
	return MPI_SUCCESS;
}

int completion_open(struct completion *set, unsigned function, const void *site, int count,
                    MPI_Request *handles)
{
	*set = (struct completion){.handles = handles, .count = count, .first_ready = -1};
	set->call = gate_call(function, site);
	int code = grow(set);
	for (int i = 0; i < count && code == MPI_SUCCESS; i++) {
		switch (completion_standing(handles[i])) {
		case ABSENT: break;
		case FOREIGN: set->foreign++; break;
		case READY:
			if (set->ready++ == 0)
				set->first_ready = i;
			break;
		case ASKED:
			set->names[set->asked] = request_asked_name(request_find(handles[i]));
			set->places[set->asked++] = (uint32_t)i;
			break;
		}
	}
	set->call.by_rule = wire_returns_indices((uint16_t)function)
	                    && set->ready + set->foreign > 0
	                    && set->asked + (uint32_t)(set->ready + set->foreign) > 1;
	set->comm = MPI_COMM_WORLD;
	return code;
}

/* Appends the indices of those that can complete without asking, of which Waitany and Testany
 * return the first. */
static uint32_t append_ready(struct completion *set, uint32_t count)
{
	if (mpi_call_completes(set->call.function) == MPI_CALL_COMPLETES_ANY) {
		set->places[count] = (uint32_t)set->first_ready;
		return count + 1;
	}
	for (int i = set->first_ready; i < set->count; i++) {
		if (completion_standing(set->handles[i]) == READY)
			set->places[count++] = (uint32_t)i;
	}
	return count;
}

/* Says which indices the call's answer will stand for; struct wire_call. */
static void describe_places(struct completion *set)
{
	bool absent = set->asked == 0 && set->ready == 0;
	uint32_t count = set->asked;

	if (!wire_returns_indices(set->call.function))
		return;
	if (set->foreign > 0 || absent) {
		set->place = set->foreign > 0 ? WIRE_TOLD_LATER : WIRE_UNDEFINED;
		set->call.places = &set->place;
		set->call.place_count = 1;
		return;
	}
	if (set->ready > 0)
		count = append_ready(set, count);
	else if (set->places[count - 1] == count - 1)
		count = 0;
	set->call.places = set->places;
	set->call.place_count = count;
}

/* The program waits for all of them, so it cannot see when each arrives. */
static void set_awaited(const struct completion *set)
{
	for (uint32_t i = 0; i < set->asked; i++) {
		struct request *request = request_find(set->handles[set->places[i]]);

		request->awaited = true;
		if (request->kind == REQUEST_PAIR)
			request->halves[1]->awaited = true;
	}
	receiving_post_ahead();
}

static struct request *asked_at(const struct completion *set, uint32_t index)
{
	return request_find(set->handles[set->places[index]]);
}

/* The one that was started first, as the scheduler chooses. */
static uint32_t oldest_of(const struct completion *set)
{
	uint32_t oldest = 0;

	for (uint32_t i = 1; i < set->asked; i++) {
		const struct wire_name *name = &set->names[i], *best = &set->names[oldest];

		if (name->call < best->call || (name->call == best->call && name->sub < best->sub))
			oldest = i;
	}
	return oldest;
}

static bool all_are_over(const struct completion *set)
{
	for (uint32_t i = 0; i < set->asked; i++)
		set->requests[i] = asked_at(set, i);
	return proven_all(set->requests, set->asked);
}

/* Whether the call returns without GO (proven.h). The answer is the one that the scheduler will
 * give. */
static bool goes_ahead(struct completion *set, enum wire_wait wait, struct gate_answer *ret_answer)
{
	static _Thread_local uint32_t done IN_CALL;
	bool over = false;

	if (!gate_hurries())
		return false;
	if (wait == WIRE_WAIT_ALL) {
		over = all_are_over(set);
		*ret_answer = (struct gate_answer){0, NULL};
	} else if (wait == WIRE_WAIT_ANY && set->foreign == 0) {
		done = oldest_of(set);
		over = proven_one(asked_at(set, done));
		*ret_answer = (struct gate_answer){1, &done};
	}
	if (over) {
		gate_report_ahead(&set->call);
		gate_completed_ahead();
	}
	return over;
}

struct gate_answer completion_ask(struct completion *set, enum wire_wait wait)
{
	struct gate_answer answer;

	if (!set->reported)
		describe_places(set);
	if (set->asked == 0) {
		if (!set->reported)
			gate_report(&set->call);
		set->reported = true;
		return (struct gate_answer){0, NULL};
	}
	set->reported = true;
	if (wait == WIRE_WAIT_ALL)
		set_awaited(set);
	set->call.wait = (uint8_t)wait;
	set->call.waited = set->names;
	set->call.waited_count = set->asked;
	if (goes_ahead(set, wait, &answer))
		return answer;
	return gate_wait(&set->call);
}

/* As in MPICH. It uses a request's communicator only in calls with one request, and release 4.0
 * only if the request is persistent. Other errors go to MPI_COMM_WORLD's error handler. */
static bool raises_on_own_communicator(const struct completion *set, const struct request *request)
{
	return mpi_call_completes(set->call.function) == MPI_CALL_COMPLETES_ONE
	       && (request->persistent || real_version() > 400);
}

/* Completes the request and checks its buffer: a send's before MPI continues, a receive's when the
 * data is there. */
static int complete(struct request *request)
{
	if (request->kind != REQUEST_SEND)
		request_complete(request);
	for (int i = 0; i < 2 && request->kind == REQUEST_PAIR; i++)
		buffer_checksum_end(request->halves[i]);
	buffer_checksum_end(request);
	if (request->actions && request->actions->completed)
		request->actions->completed(request->closure);
	return request_complete(request);
}

/* MPICH 4.1 and later treat some persistent requests as inactive: those that MPI_Request_get_status
 * has reported, and receives without a peer. */
static bool leaves_empty(const struct request *request)
{
	return request->persistent && real_version() > 400
	       && (request->was_reported
	           || (request->kind == REQUEST_RECEIVE && request->peer == MPI_PROC_NULL));
}

int completion_finish(struct completion *set, int place, MPI_Status *status)
{
	MPI_Request *handle = &set->handles[place];
	struct request *request = request_find(*handle);

	if (!request || !request->active) {
		request_store_empty(status);
		return MPI_SUCCESS;
	}
	int code = complete(request);
	if (leaves_empty(request))
		request_store_empty(status);
	else
		request_store_result(status, request);
	request->was_reported = false;
	if (code != MPI_SUCCESS && set->first_error == MPI_SUCCESS) {
		set->first_error = code;
		set->failed = request->name.call;
	}
	if (code != MPI_SUCCESS && raises_on_own_communicator(set, request))
		set->comm = request->comm;
	if (!request->persistent)
		*handle = MPI_REQUEST_NULL;
	request_retire(request);
	return code;
}

/* Tests a foreign request. true: it is over, and completed. */
static bool test_foreign(MPI_Request *handle, MPI_Status *status, int *ret_code)
{
	MPI_Request before = *handle;
	MPI_Status found;
	int done = 0;

	*ret_code = real_mpi()->Test(handle, &done, &found);
	if (*ret_code == MPI_SUCCESS && !done)
		return false;
	if (*handle == MPI_REQUEST_NULL) {
		objects_remove(WIRE_OBJECT_REQUEST, (uintptr_t)before, handle);
		access_request_done(before);
		file_buffers_done(before);
	}
	request_store_status(status, &found);
	return true;
}

void completion_tell(const struct completion *set, const int *indices, int count)
{
	if (set->foreign == 0 || count <= 0)
		return;
	_Static_assert(sizeof(int) == sizeof(uint32_t), "indices are sent as they are");
	gate_send(&(struct wire_message){
		.type = WIRE_RETURNED,
		.returned = {.call = set->call.call,
	                     .count = (uint32_t)count,
	                     .indices = (uint32_t *)(uintptr_t)indices},
	});
}

int completion_finish_any(struct completion *set, int place, MPI_Status *status)
{
	int code;

	if (completion_standing(set->handles[place]) != FOREIGN)
		return completion_finish(set, place, status);
	blocking_call_wait(set->call.function, set->call.site);
	for (unsigned round = 0; !test_foreign(&set->handles[place], status, &code); round++)
		gate_yield(round);
	blocking_call_leave();
	return code;
}

bool completion_try_foreign(struct completion *set, int *ret_place, MPI_Status *status,
                            int *ret_code)
{
	for (int i = 0; set->foreign > 0 && i < set->count; i++) {
		if (completion_standing(set->handles[i]) != FOREIGN)
			continue;
		if (test_foreign(&set->handles[i], status, ret_code)) {
			*ret_place = i;
			return true;
		}
	}
	return false;
}

bool completion_foreign_all_over(const struct completion *set)
{
	for (int i = 0; set->foreign > 0 && i < set->count; i++) {
		int done = 0;
		if (completion_standing(set->handles[i]) != FOREIGN)
			continue;
		if (real_mpi()->Request_get_status(set->handles[i], &done, MPI_STATUS_IGNORE)
		            == MPI_SUCCESS
		    && !done)
			return false;
	}
	return true;
}

int completion_raise(const struct completion *set, int code)
{
	if (code == MPI_SUCCESS)
		return code;
	return error_raise_for(set->comm, code,
	                       &(struct error_call){
				       .call = set->call.call,
				       .function = (enum mpi_call)set->call.function,
				       .site = (const void *)(uintptr_t)set->call.site,
				       .started = set->failed,
				       .why = set->first_error,
			       });
}

int shim_MPI_Cancel(void *site, MPI_Request *handle)
{
	struct completion set;
	MPI_Request inactive = request_inactive();

	int code = completion_open(&set, MPI_CALL_Cancel, site, 1, handle);
	if (code != MPI_SUCCESS || set.asked == 0) {
		gate_report(&set.call);
		if (code == MPI_SUCCESS && !request_find(*handle))
			code = real_mpi()->Cancel(handle);
		else if (code == MPI_SUCCESS && set.ready == 0)
			code = real_mpi()->Cancel(&inactive);
		return completion_raise(&set, code);
	}
	struct request *request = request_find(*handle);
	if (request->kind == REQUEST_PAIR || request->kind == REQUEST_PARTITIONED) {
		gate_report(&set.call);
		return completion_raise(&set, MPI_ERR_REQUEST);
	}
	struct gate_answer answer = completion_ask(&set, WIRE_CANCEL);
	if (request->kind == REQUEST_COLLECTIVE)
		misuse_collective(WIRE_MISUSE_CANCEL, MPI_CALL_Cancel, site);
	if (answer.count > 0)
		request_withdraw(request);
	return MPI_SUCCESS;
}

int shim_MPI_Request_free(void *site, MPI_Request *handle)
{
	struct completion set;

	int code = completion_open(&set, MPI_CALL_Request_free, site, 1, handle);
	struct request *request = code == MPI_SUCCESS ? request_find(*handle) : NULL;
	if (set.asked > 0) {
		set.call.wait = WIRE_FREE;
		set.call.waited = set.names;
		set.call.waited_count = set.asked;
	}
	gate_report(&set.call);
	if (request && set.asked > 0 && request->kind == REQUEST_COLLECTIVE)
		misuse_collective(WIRE_MISUSE_FREE, MPI_CALL_Request_free, site);
	if (request) {
		request_abandon(request);
		*handle = MPI_REQUEST_NULL;
	} else if (code == MPI_SUCCESS) {
		objects_remove(WIRE_OBJECT_REQUEST, (uintptr_t)*handle, handle);
		access_request_freed(*handle);
		file_buffers_freed(*handle);
		code = real_mpi()->Request_free(handle);
	}
	return completion_raise(&set, code);
}

/* MPICH 4.0 does not set the status of a request that is neither a send nor a receive. */
static bool has_early_status(const struct request *request)
{
	return request->persistent || real_version() > 400
	       || (request->kind != REQUEST_COLLECTIVE && request->kind != REQUEST_PAIR);
}

int shim_MPI_Request_get_status(void *site, MPI_Request handle, int *flag, MPI_Status *status)
{
	struct completion set;
	struct request *request;

	int code = completion_open(&set, MPI_CALL_Request_get_status, site, 1, &handle);
	if (!flag || !status) {
		gate_report(&set.call);
		handle = set.foreign > 0 ? handle : request_inactive();
		code = real_mpi()->Request_get_status(handle, flag, status);
		return completion_raise(&set, code);
	}
	bool over = completion_ask(&set, WIRE_TEST_ALL).count > 0 || set.asked == 0;
	if (code == MPI_SUCCESS && set.foreign > 0)
		code = real_mpi()->Request_get_status(handle, flag, status);
	if (code == MPI_SUCCESS && set.foreign > 0 && *flag) {
		access_request_seen(handle);
		file_buffers_done(handle);
	}
	if (code != MPI_SUCCESS || set.foreign > 0)
		return completion_raise(&set, code);
	*flag = over;
	request = request_find(handle);
	if (over && request && request->active) {
		complete(request);
		request->was_reported = true;
		if (has_early_status(request))
			request_store_result(status, request);
	} else if (over) {
		request_store_empty(status);
		if (handle == MPI_REQUEST_NULL && status != MPI_STATUS_IGNORE)
			status->MPI_ERROR = MPI_SUCCESS; /* as in MPICH */
	}
	return MPI_SUCCESS;
}
