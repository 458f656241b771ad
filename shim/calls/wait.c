/* MPI_Wait* and MPI_Test* (MPI 3.1, section 3.7). */
#include "mpi_functions.h"
#include "shim/mpi/real.h"
#include "shim/objects/error.h"
#include "shim/request/completion.h"

static MPI_Status *status_at(MPI_Status *statuses, int i)
{
	return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

/* Collects finished requests. Sets MPI_ERROR in each status if one of them failed. */
struct finished {
	MPI_Status *statuses;
	int count;
	bool failed;
};

static void finish_next(struct completion *set, struct finished *finished, int place)
{
	MPI_Status *status = status_at(finished->statuses, finished->count);
	int before = finished->statuses == MPI_STATUSES_IGNORE ? 0 : finished->count;
	int code = completion_finish_any(set, place, status);

	if (code != MPI_SUCCESS && !finished->failed) {
		finished->failed = true;
		for (int i = 0; i < before; i++)
			finished->statuses[i].MPI_ERROR = MPI_SUCCESS;
	}
	if (finished->failed && status != MPI_STATUS_IGNORE)
		status->MPI_ERROR = code;
	finished->count++;
}

/* MPICH's MPI_Waitall sets the MPI_ERROR of each request, except of MPI_REQUEST_NULL. */
static int finish_all(struct completion *set, MPI_Status *statuses)
{
	struct finished finished = {.statuses = statuses};
	bool tells = set->call.function == MPI_CALL_Waitall && statuses != MPI_STATUSES_IGNORE;

	for (int i = 0; i < set->count; i++) {
		if (tells && set->handles[i] != MPI_REQUEST_NULL)
			statuses[i].MPI_ERROR = MPI_SUCCESS;
		finish_next(set, &finished, i);
	}
	return completion_raise(set, finished.failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS);
}

static int open_set(struct completion *set, unsigned function, const void *site, int count,
                    MPI_Request *handles)
{
	int code = completion_open(set, function, site, count, handles);

	if (code != MPI_SUCCESS)
		gate_report(&set->call);
	return completion_raise(set, code);
}

int shim_MPI_Wait(void *site, MPI_Request *request, MPI_Status *status)
{
	struct completion set;

	int code = open_set(&set, MPI_CALL_Wait, site, 1, request);
	if (code != MPI_SUCCESS)
		return code;
	completion_ask(&set, WIRE_WAIT_ALL);
	return completion_raise(&set, completion_finish_any(&set, 0, status));
}

int shim_MPI_Waitall(void *site, int count, MPI_Request array_of_requests[],
                     MPI_Status array_of_statuses[])
{
	struct completion set;

	int code = open_set(&set, MPI_CALL_Waitall, site, count, array_of_requests);
	if (code != MPI_SUCCESS)
		return code;
	completion_ask(&set, WIRE_WAIT_ALL);
	return finish_all(&set, array_of_statuses);
}

int shim_MPI_Test(void *site, MPI_Request *request, int *flag, MPI_Status *status)
{
	struct completion set;
	int place;

	int code = open_set(&set, MPI_CALL_Test, site, 1, request);
	if (code != MPI_SUCCESS)
		return code;
	*flag = 0; /* before the rank's state may be looked at */
	*flag = completion_ask(&set, WIRE_TEST_ALL).count > 0 || set.asked == 0;
	if (set.foreign > 0)
		*flag = completion_try_foreign(&set, &place, status, &code);
	else if (*flag)
		code = completion_finish(&set, 0, status);
	return completion_raise(&set, code);
}

int shim_MPI_Testall(void *site, int count, MPI_Request array_of_requests[], int *flag,
                     MPI_Status array_of_statuses[])
{
	struct completion set;

	int code = open_set(&set, MPI_CALL_Testall, site, count, array_of_requests);
	if (code != MPI_SUCCESS)
		return code;
	*flag = 0;
	if (!completion_foreign_all_over(&set)) {
		set.asked = 0;
		completion_ask(&set, WIRE_TEST_ALL);
		return MPI_SUCCESS;
	}
	*flag = completion_ask(&set, WIRE_TEST_ALL).count > 0 || set.asked == 0;
	return *flag ? finish_all(&set, array_of_statuses) : MPI_SUCCESS;
}

static bool is_all_absent(const struct completion *set)
{
	return set->asked == 0 && set->ready == 0 && set->foreign == 0;
}

/* Finishes one request: one that can complete without waiting, otherwise the one that the scheduler
 * answers to `wait`. Returns its index, or -1. */
static int find_one(struct completion *set, enum wire_wait wait, MPI_Status *status, int *ret_code)
{
	int place = set->first_ready;

	*ret_code = MPI_SUCCESS;
	if (place < 0 && completion_try_foreign(set, &place, status, ret_code)) {
		set->asked = 0;
		completion_ask(set, wait);
		return place;
	}
	if (place >= 0) {
		set->asked = 0;
		completion_ask(set, wait);
	} else {
		struct gate_answer answer = completion_ask(set, wait);
		if (answer.count == 0 || answer.done[0] >= set->asked)
			return -1;
		place = (int)set->places[answer.done[0]];
	}
	*ret_code = completion_finish(set, place, status);
	return place;
}

int shim_MPI_Waitany(void *site, int count, MPI_Request array_of_requests[], int *indx,
                     MPI_Status *status)
{
	struct completion set;

	int code = open_set(&set, MPI_CALL_Waitany, site, count, array_of_requests);
	if (code != MPI_SUCCESS)
		return code;
	*indx = MPI_UNDEFINED;
	if (is_all_absent(&set)) {
		completion_ask(&set, WIRE_WAIT_ANY);
		request_store_empty(status);
		return MPI_SUCCESS;
	}
	enum wire_wait wait = set.foreign > 0 ? WIRE_TEST_ANY : WIRE_WAIT_ANY;
	int place = find_one(&set, wait, status, &code);
	for (unsigned round = 0; place < 0; round++) {
		gate_yield(round);
		place = find_one(&set, wait, status, &code);
	}
	*indx = place;
	completion_tell(&set, indx, 1);
	return completion_raise(&set, code);
}

/* With inactive requests among null ones, MPICH 4.0 does not set the status. */
static bool leaves_status_alone(const struct completion *set)
{
	if (real_version() > 400)
		return false;
	for (int i = 0; i < set->count; i++) {
		if (set->handles[i] != MPI_REQUEST_NULL)
			return true;
	}
	return false;
}

int shim_MPI_Testany(void *site, int count, MPI_Request array_of_requests[], int *indx, int *flag,
                     MPI_Status *status)
{
	struct completion set;

	int code = open_set(&set, MPI_CALL_Testany, site, count, array_of_requests);
	if (code != MPI_SUCCESS)
		return code;
	*indx = MPI_UNDEFINED;
	*flag = is_all_absent(&set);
	if (*flag) {
		completion_ask(&set, WIRE_TEST_ANY);
		if (!leaves_status_alone(&set))
			request_store_empty(status);
		return MPI_SUCCESS;
	}
	int place = find_one(&set, WIRE_TEST_ANY, status, &code);
	*flag = place >= 0;
	if (*flag) {
		*indx = place;
		completion_tell(&set, indx, 1);
	}
	return completion_raise(&set, code);
}

static bool is_foreign_over(MPI_Request handle)
{
	int done = 0;
	int code = real_mpi()->Request_get_status(handle, &done, MPI_STATUS_IGNORE);
	return code != MPI_SUCCESS || done;
}

/* Finishes all that can complete: those that need no answer, those answered, and foreign ones that
 * are over. In ascending order of their indices. */
static int finish_some(struct completion *set, struct gate_answer answer, int *indices,
                       MPI_Status *statuses, bool *ret_failed)
{
	struct finished finished = {.statuses = statuses};
	uint32_t next = 0; /* index in set->names, which is in ascending order of requests */

	for (uint32_t k = 0; k < answer.count; k++) {
		if (answer.done[k] < set->asked)
			set->names[answer.done[k]].call = 0;
	}
	for (int i = 0; i < set->count; i++) {
		enum standing standing = completion_standing(set->handles[i]);
		bool over = standing == READY;
		if (standing == ASKED)
			over = set->names[next++].call == 0;
		else if (standing == FOREIGN)
			over = is_foreign_over(set->handles[i]);
		if (!over)
			continue;
		indices[finished.count] = i;
		finish_next(set, &finished, i);
	}
	*ret_failed = finished.failed;
	return finished.count;
}

static int some(void *site, unsigned function, int incount, MPI_Request *handles, int *outcount,
                int *indices, MPI_Status *statuses)
{
	struct completion set;
	bool waits = function == MPI_CALL_Waitsome, failed = false;

	int code = open_set(&set, function, site, incount, handles);
	if (code != MPI_SUCCESS)
		return code;
	if (is_all_absent(&set)) {
		completion_ask(&set, WIRE_TEST_SOME);
		*outcount = MPI_UNDEFINED;
		return MPI_SUCCESS;
	}
	*outcount = 0; /* before the rank's state may be looked at */
	bool may_wait = waits && set.ready == 0 && set.foreign == 0;
	for (unsigned round = 0;; round++) {
		struct gate_answer answer = completion_ask(&set, may_wait ? WIRE_WAIT_SOME
		                                                          : WIRE_TEST_SOME);
		*outcount = finish_some(&set, answer, indices, statuses, &failed);
		if (!waits || *outcount > 0)
			break;
		gate_yield(round);
	}
	completion_tell(&set, indices, *outcount);
	return completion_raise(&set, failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS);
}

int shim_MPI_Waitsome(void *site, int incount, MPI_Request array_of_requests[], int *outcount,
                      int array_of_indices[], MPI_Status array_of_statuses[])
{
	return some(site, MPI_CALL_Waitsome, incount, array_of_requests, outcount, array_of_indices,
	            array_of_statuses);
}

int shim_MPI_Testsome(void *site, int incount, MPI_Request array_of_requests[], int *outcount,
                      int array_of_indices[], MPI_Status array_of_statuses[])
{
	return some(site, MPI_CALL_Testsome, incount, array_of_requests, outcount, array_of_indices,
	            array_of_statuses);
}
