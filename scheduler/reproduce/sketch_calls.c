/* Prints the calls of a sketch as C. */
#include "sketch_internal.h"

void sketch_put_call(struct sketch_printing *printing, struct sketch_step *step, const char *call)
{
	g_autofree char *place = place_print(&step->place);
	bool stays = step->kind == SKETCH_MAKE;
	bool other = stays || (step->kind == SKETCH_COLLECTIVE && step->original != step->function);
	g_autoptr(GString) remark = g_string_new(NULL);

	if (step->place.file)
		g_string_append(remark, place);
	if (other)
		g_string_append_printf(remark, "%s%s", remark->len > 0 ? ", " : "",
		                       mpi_call_name(step->original));
	if (stays)
		g_string_append(remark, ": never freed");
	if (step->hangs)
		g_string_append_printf(remark, "%swaits for ever", remark->len > 0 ? ": " : "");
	if (step->line == 0)
		step->line = printing->line;
	sketch_put(printing, "%s%s;%s%s%s", printing->indent, call, remark->len > 0 ? " /* " : "",
	           remark->str, remark->len > 0 ? " */" : "");
}

/* --- names --- */

static char *element_words(const char *name, guint number, guint count, bool address)
{
	if (count == 1)
		return g_strdup_printf("%s%s", address ? "&" : "", name);
	return g_strdup_printf("%s%s[%u]", address ? "&" : "", name, number - 1);
}

static char *request_of(const struct sketch_printing *printing, guint index)
{
	return element_words("request", printing->request[index], printing->requests, true);
}

/* Each operation in progress has its own buffer. */
static char *buffer_of(const struct sketch_printing *printing, guint index)
{
	guint number = printing->request[index];

	if (index > 0 && sketch_is_exchange(printing->sketch, index - 1))
		return g_strdup("result");
	return number > 0 ? g_strdup_printf("buffer[%u]", number - 1) : g_strdup("data");
}

static char *status_of(const struct sketch_printing *printing, guint index)
{
	if (printing->status[index] == 0)
		return g_strdup("MPI_STATUS_IGNORE");
	return element_words("status", printing->status[index], printing->statuses, true);
}

static char *peer_of(const struct sketch_printing *printing, const struct sketch_step *step)
{
	const struct sketch *sketch = printing->sketch;
	guint status = step->follows >= 0 ? printing->status[step->follows] : 0;

	if (step->peer < 0)
		return g_strdup("MPI_ANY_SOURCE");
	if (status > 0 && !sketch_step(sketch, (guint)step->follows)->dropped) {
		g_autofree char *name = element_words("status", status, printing->statuses, false);

		return g_strdup_printf("%s.MPI_SOURCE", name);
	}
	return g_strdup_printf("%d", sketch_rank_in(printing, step->peer, step->communicator));
}

static char *tag_of(const struct sketch_step *step)
{
	return step->tag < 0 ? g_strdup("MPI_ANY_TAG") : g_strdup_printf("%d", step->tag);
}

/* --- branches and assertions --- */

void sketch_asked(const struct sketch_printing *printing, const struct sketch_step *step,
                  guint *ret_first, guint *ret_last)
{
	*ret_first = G_MAXUINT;
	*ret_last = 0;
	for (guint i = 0; i < step->waits->len; i++) {
		guint number = printing->request[g_array_index(step->waits, guint, i)];

		if (number == 0)
			continue;
		*ret_first = MIN(*ret_first, number);
		*ret_last = MAX(*ret_last, number);
	}
}

static int compare_numbers(const void *one, const void *other)
{
	guint a = *(const guint *)one, b = *(const guint *)other;

	return (a > b) - (a < b);
}

/* The positions of the requests reported among those asked about. */
static GArray *reported_places(const struct sketch_printing *printing,
                               const struct sketch_step *step, enum sketch_side side)
{
	const GArray *reported = step->events[side].reported;
	GArray *result = g_array_new(false, false, sizeof(guint));
	guint first, last;

	sketch_asked(printing, step, &first, &last);
	for (guint i = 0; i < reported->len; i++) {
		guint place = printing->request[g_array_index(reported, guint, i)] - first;

		g_array_append_val(result, place);
	}
	g_array_sort(result, compare_numbers);
	return result;
}

static char *answer_condition(const struct sketch_printing *printing,
                              const struct sketch_step *step, bool bad)
{
	g_autoptr(GArray) wrong = NULL, right = NULL;
	const char *equal = bad ? "==" : "!=";
	guint i = 0;

	if (step->kind == SKETCH_PROBE)
		return g_strdup(step->events[SKETCH_BAD].yes == bad ? "flag" : "!flag");
	if (step->kind == SKETCH_CANCEL)
		return g_strdup(step->events[SKETCH_BAD].yes == bad ? "cancelled" : "!cancelled");
	wrong = reported_places(printing, step, SKETCH_BAD);
	right = reported_places(printing, step, SKETCH_GOOD);
	if (mpi_call_completes(step->function) == MPI_CALL_COMPLETES_SOME) {
		if (wrong->len != right->len)
			return g_strdup_printf("count %s %u", equal, wrong->len);
		while (i + 1 < wrong->len
		       && g_array_index(wrong, guint, i) == g_array_index(right, guint, i))
			i++;
		return g_strdup_printf("indices[%u] %s %u", i, equal,
		                       g_array_index(wrong, guint, i));
	}
	if ((wrong->len == 0) != (right->len == 0) && mpi_call_asks(step->function))
		return g_strdup((wrong->len > 0) == bad ? "flag" : "!flag");
	return g_strdup_printf("index %s %u", equal,
	                       wrong->len > 0 ? g_array_index(wrong, guint, 0) : 0);
}

static char *status_condition(const struct sketch_printing *printing, guint index,
                              enum sketch_sign sign, bool bad)
{
	const struct sketch_step *step = sketch_step(printing->sketch, index);
	g_autofree char *status = element_words("status", printing->status[index],
	                                        printing->statuses, false);
	const struct sketch_event *wrong = &step->events[SKETCH_BAD];
	const struct sketch_event *right = &step->events[SKETCH_GOOD];

	if (sign == SKETCH_BY_TAG)
		return g_strdup_printf("%s.MPI_TAG %s %d", status, bad ? "==" : "!=", wrong->tag);
	if (wrong->source >= 0)
		return g_strdup_printf("%s.MPI_SOURCE %s %d", status, bad ? "==" : "!=",
		                       sketch_rank_in(printing, wrong->source, step->communicator));
	return g_strdup_printf("%s.MPI_SOURCE %s %d", status, bad ? "!=" : "==",
	                       sketch_rank_in(printing, right->source, step->communicator));
}

char *sketch_condition(const struct sketch_printing *printing, int32_t rank, bool bad)
{
	const struct sketch_condition *condition = &printing->sketch->conditions[rank];

	switch (condition->sign) {
	case SKETCH_BY_SOURCE:
	case SKETCH_BY_TAG:
		return status_condition(printing, condition->step, condition->sign, bad);
	case SKETCH_BY_ANSWER:
		return answer_condition(printing, sketch_step(printing->sketch, condition->step),
		                        bad);
	case SKETCH_BY_VALUE: return g_strdup(bad ? "told" : "!told");
	case SKETCH_UNKNOWN: break;
	}
	return g_strdup("0");
}

/* The value of a message in an assertion: its sender, or its position if one rank has sent both. */
static int32_t value_of(const struct sketch_printing *printing, guint send)
{
	const struct sketch *sketch = printing->sketch;
	const struct sketch_step *blamed = sketch_step(sketch, (guint)sketch->blamed);
	const struct sketch_step *right = sketch_step(sketch, (guint)sketch->right);

	if (blamed->events[SKETCH_BAD].source != right->rank)
		return sketch_rank(sketch, sketch_step(sketch, send)->rank);
	return (int32_t)send;
}

/* Prints what the rank must find out here, or what the program relies on from here on. */
static void put_learnt(struct sketch_printing *printing, guint index)
{
	const struct sketch *sketch = printing->sketch;
	const struct sketch_step *step = sketch_step(sketch, index);
	const struct sketch_condition *condition = &sketch->conditions[step->rank];
	g_autofree char *buffer = buffer_of(printing, index), *text = NULL;

	if (condition->sign == SKETCH_BY_VALUE && condition->step == index
	    && sketch_knows(sketch, step->rank))
		sketch_put(printing, "%stold = %s[0];", printing->indent, buffer);
	if (!sketch->asserts || sketch->blamed != (int32_t)index)
		return;
	if (sketch->right >= 0) {
		sketch_put(printing, "%sassert(%s%s[0] == %d);", printing->indent,
		           sketch_cancels(sketch, index) >= 0 ? "cancelled || " : "", buffer,
		           value_of(printing, (guint)sketch->right));
		return;
	}
	if (sketch_sign(step) == SKETCH_BY_ANSWER)
		text = answer_condition(printing, step, false);
	else if (printing->status[index] > 0)
		text = status_condition(printing, index, sketch_sign(step), false);
	if (text)
		sketch_put(printing, "%sassert(%s);", printing->indent, text);
}

/* Prints the assignment of a message's value. */
static void put_value(struct sketch_printing *printing, guint index)
{
	const struct sketch *sketch = printing->sketch;
	const struct sketch_step *step = sketch_step(sketch, index);
	g_autofree char *buffer = buffer_of(printing, index), *condition = NULL;

	if (sketch->asserts && sketch->right >= 0 && step->kind == SKETCH_SEND) {
		sketch_put(printing, "%s%s[0] = %d;", printing->indent, buffer,
		           value_of(printing, index));
	} else if (step->tells && step->side == SKETCH_BOTH) {
		condition = sketch_condition(printing, step->rank, true);
		sketch_put(printing, "%s%s[0] = %s;", printing->indent, buffer, condition);
	} else if (step->tells) {
		sketch_put(printing, "%s%s[0] = %d;", printing->indent, buffer,
		           step->side == SKETCH_BAD);
	}
}

/* --- the calls --- */

/* Prints the three steps of an MPI_Sendrecv, if all remain, as one call. */
static void put_exchange(struct sketch_printing *printing, guint index)
{
	const struct sketch *sketch = printing->sketch;
	struct sketch_step *send = sketch_step(sketch, index);
	struct sketch_step *receive = sketch_step(sketch, index + 1);
	g_autofree char *communicator = sketch_communicator(printing, send->communicator);
	g_autofree char *to = peer_of(printing, send), *from = peer_of(printing, receive);
	g_autofree char *tag = tag_of(receive), *status = status_of(printing, index + 1);
	g_autofree char *call = NULL;

	put_value(printing, index);
	call = g_strdup_printf(
		"MPI_Sendrecv(data, %" G_GUINT64_FORMAT
		", MPI_BYTE, %s, %d, result, %" G_GUINT64_FORMAT ", MPI_BYTE, %s, %s, %s, %s)",
		send->count, to, send->tag, receive->count, from, tag, communicator, status);
	receive->line = sketch_step(sketch, index + 2)->line = printing->line;
	sketch_put_call(printing, send, call);
	put_learnt(printing, index + 1);
}

static bool is_put(const struct sketch_printing *printing, guint index)
{
	const struct sketch *sketch = printing->sketch;

	return (index >= 1 && sketch_is_exchange(sketch, index - 1))
	       || (index >= 2 && sketch_is_exchange(sketch, index - 2));
}

/* The call that does the same and waits, of those that are written. */
static enum mpi_call blocking_call(enum mpi_call function)
{
	switch (function) {
	case MPI_CALL_Irecv: return MPI_CALL_Recv;
	case MPI_CALL_Issend: return MPI_CALL_Ssend;
	default: return MPI_CALL_Send;
	}
}

static void put_message(struct sketch_printing *printing, guint index)
{
	struct sketch_step *step = sketch_step(printing->sketch, index);
	g_autofree char *communicator = sketch_communicator(printing, step->communicator);
	g_autofree char *peer = peer_of(printing, step), *tag = tag_of(step);
	g_autofree char *status = step->kind == SKETCH_SEND ? NULL : status_of(printing, index);
	bool immediate = step->immediate && !step->blocking;
	enum mpi_call function = step->blocking ? blocking_call(step->function) : step->function;
	g_autofree char *request = immediate ? request_of(printing, index) : NULL;
	g_autofree char *buffer = buffer_of(printing, index);
	const char *last = immediate ? request : status;
	g_autofree char *call = NULL;

	if (step->kind == SKETCH_SEND)
		put_value(printing, index);
	call = g_strdup_printf("%s(%s, %" G_GUINT64_FORMAT ", %s, %s, %s, %s%s%s)",
	                       mpi_call_name(function), buffer, step->count, step->type, peer, tag,
	                       communicator, last ? ", " : "", last ? last : "");
	sketch_put_call(printing, step, call);
	if (!immediate)
		put_learnt(printing, index);
}

static enum sketch_side made_in(const struct sketch_step *step)
{
	return step->events[SKETCH_BAD].call > 0 ? SKETCH_BAD : SKETCH_GOOD;
}

/* A poll with the same answer in both is not printed as a poll. */
static void put_probe(struct sketch_printing *printing, guint index)
{
	struct sketch_step *step = sketch_step(printing->sketch, index);
	g_autofree char *communicator = sketch_communicator(printing, step->communicator);
	g_autofree char *peer = peer_of(printing, step), *tag = tag_of(step);
	g_autofree char *status = status_of(printing, index), *call = NULL;
	bool polls = sketch_sign(step) == SKETCH_BY_ANSWER;
	enum sketch_side side = made_in(step);

	if (!polls && step->function == MPI_CALL_Iprobe && !step->events[side].yes)
		return;
	call = g_strdup_printf("%s(%s, %s, %s, %s%s)", polls ? "MPI_Iprobe" : "MPI_Probe", peer,
	                       tag, communicator, polls ? "&flag, " : "", status);
	sketch_put_call(printing, step, call);
	put_learnt(printing, index);
}

static void put_collective(struct sketch_printing *printing, guint index)
{
	struct sketch_step *step = sketch_step(printing->sketch, index);
	g_autofree char *communicator = sketch_communicator(printing, step->communicator);
	g_autofree char *data = buffer_of(printing, index);
	g_autofree char *result = step->immediate ? g_strdup_printf("results[%u]",
	                                                            printing->request[index] - 1)
	                                          : g_strdup("result");
	g_autofree char *request = step->immediate ? request_of(printing, index) : NULL;
	int32_t root = step->peer < 0 ? 0
	                              : sketch_rank_in(printing, step->peer, step->communicator);
	g_autofree char *sent = g_strdup_printf("%s, %" G_GUINT64_FORMAT ", %s", data, step->count,
	                                        step->type);
	g_autofree char *both = g_strdup_printf("%s, %s, %" G_GUINT64_FORMAT ", %s", data, result,
	                                        step->count, step->type);
	g_autofree char *parts = g_strdup_printf("%s, %s, %" G_GUINT64_FORMAT ", %s", sent, result,
	                                         step->count, step->type);
	g_autoptr(GString) call = g_string_new(mpi_call_name(step->function));

	switch (mpi_call_collective(step->function)) {
	case MPI_CALL_COLLECTIVE_BARRIER: g_string_append(call, "("); break;
	case MPI_CALL_COLLECTIVE_BCAST:
		g_string_append_printf(call, "(%s, %d, ", sent, root);
		break;
	case MPI_CALL_COLLECTIVE_REDUCE:
		g_string_append_printf(call, "(%s, %s, %d, ", both, step->reduction, root);
		break;
	case MPI_CALL_COLLECTIVE_ALLREDUCE:
	case MPI_CALL_COLLECTIVE_SCAN:
		g_string_append_printf(call, "(%s, %s, ", both, step->reduction);
		break;
	case MPI_CALL_COLLECTIVE_GATHER:
	case MPI_CALL_COLLECTIVE_SCATTER:
		g_string_append_printf(call, "(%s, %d, ", parts, root);
		break;
	default: g_string_append_printf(call, "(%s, ", parts); break;
	}
	put_value(printing, index);
	g_string_append_printf(call, "%s%s%s)", communicator, request ? ", " : "",
	                       request ? request : "");
	sketch_put_call(printing, step, call->str);
	if (!step->immediate)
		put_learnt(printing, index);
}

static void put_wait(struct sketch_printing *printing, struct sketch_step *step, guint index)
{
	g_autofree char *request = NULL, *status = NULL, *call = NULL;

	if (sketch_step(printing->sketch, index)->dropped)
		return;
	request = request_of(printing, index);
	status = status_of(printing, index);
	call = g_strdup_printf("MPI_Wait(%s, %s)", request, status);
	sketch_put_call(printing, step, call);
	put_learnt(printing, index);
}

/* Whether these requests are adjacent in the array, and no status, condition or assertion refers to
 * one of them. */
static bool are_one_array(const struct sketch_printing *printing, const GArray *indices,
                          guint *ret_first, guint *ret_count)
{
	*ret_first = *ret_count = 0;
	for (guint i = 0; i < indices->len; i++) {
		guint index = g_array_index(indices, guint, i);
		const struct sketch_step *step = sketch_step(printing->sketch, index);
		const struct sketch_condition *condition =
			&printing->sketch->conditions[step->rank];

		if (step->dropped)
			continue;
		if (*ret_count == 0)
			*ret_first = printing->request[index];
		if (printing->request[index] != *ret_first + *ret_count
		    || printing->status[index] > 0 || printing->sketch->blamed == (int32_t)index
		    || (condition->sign != SKETCH_UNKNOWN && condition->step == index))
			return false;
		++*ret_count;
	}
	return *ret_count > 1;
}

/* The array of several requests, from this number on. */
static char *array_of(const struct sketch_printing *printing, guint first, guint count)
{
	return first == 1 && printing->requests > 1 && count > 1
	               ? g_strdup("request")
	               : element_words("request", first, printing->requests, true);
}

static void put_waits(struct sketch_printing *printing, struct sketch_step *step,
                      const GArray *indices)
{
	guint first, count;

	if (are_one_array(printing, indices, &first, &count)) {
		g_autofree char *requests = array_of(printing, first, count);
		g_autofree char *call = g_strdup_printf("MPI_Waitall(%u, %s, MPI_STATUSES_IGNORE)",
		                                        count, requests);

		sketch_put_call(printing, step, call);
		return;
	}
	for (guint i = 0; i < indices->len; i++)
		put_wait(printing, step, g_array_index(indices, guint, i));
}

static void put_question(struct sketch_printing *printing, guint index)
{
	struct sketch_step *step = sketch_step(printing->sketch, index);
	enum sketch_side side = made_in(step);
	g_autofree char *requests = NULL, *status = status_of(printing, index);
	g_autoptr(GString) call = g_string_new(mpi_call_name(step->function));
	guint first, last, count;

	if (!sketch_asks(step)) {
		put_waits(printing, step, step->events[side].reported);
		return;
	}
	sketch_asked(printing, step, &first, &last);
	if (last == 0)
		return;
	count = last - first + 1;
	requests = array_of(printing, first, count);
	switch (mpi_call_completes(step->function)) {
	case MPI_CALL_COMPLETES_ONE:
		g_string_append_printf(call, "(%s, &flag, %s)", requests, status);
		break;
	case MPI_CALL_COMPLETES_ALL:
		g_string_append_printf(call, "(%u, %s, &flag, MPI_STATUSES_IGNORE)", count,
		                       requests);
		break;
	case MPI_CALL_COMPLETES_SOME:
		g_string_append_printf(call, "(%u, %s, &count, indices, MPI_STATUSES_IGNORE)",
		                       count, requests);
		break;
	default:
		g_string_append_printf(call, "(%u, %s, &index, %s%s)", count, requests,
		                       mpi_call_asks(step->function) ? "&flag, " : "", status);
		break;
	}
	sketch_put_call(printing, step, call->str);
	put_learnt(printing, index);
}

bool sketch_tests_cancelled(const struct sketch *sketch, guint index)
{
	const struct sketch_step *step = sketch_step(sketch, index);
	const struct sketch_condition *condition = &sketch->conditions[step->rank];
	bool asserted = sketch->asserts
	                && sketch->blamed == (int32_t)g_array_index(step->waits, guint, 0);

	return asserted
	       || (condition->sign == SKETCH_BY_ANSWER && condition->step == index
	           && sketch_knows(sketch, step->rank));
}

/* After MPI_Cancel the request will complete, so it is waited for at once. */
static void put_cancel(struct sketch_printing *printing, guint index)
{
	const struct sketch *sketch = printing->sketch;
	struct sketch_step *step = sketch_step(sketch, index);
	guint about = g_array_index(step->waits, guint, 0);
	g_autofree char *request = NULL, *status = NULL, *call = NULL, *learnt = NULL;

	if (sketch_step(sketch, about)->dropped)
		return;
	request = request_of(printing, about);
	status = status_of(printing, about);
	call = g_strdup_printf("MPI_Cancel(%s)", request);
	sketch_put_call(printing, step, call);
	sketch_put(printing, "%sMPI_Wait(%s, %s);", printing->indent, request, status);
	if (sketch_tests_cancelled(sketch, index))
		sketch_put(printing, "%sMPI_Test_cancelled(%s, &cancelled);", printing->indent,
		           status);
	if (sketch_sign(step) == SKETCH_UNKNOWN) {
		put_learnt(printing, about);
	} else if (sketch->asserts && sketch->blamed == (int32_t)about) {
		learnt = answer_condition(printing, step, false);
		sketch_put(printing, "%sassert(%s);", printing->indent, learnt);
	}
}

const char *sketch_object(enum mpi_call function)
{
	switch (mpi_call_makes(function)) {
	case MPI_CALL_MAKES_REQUEST: return "MPI_Request";
	case MPI_CALL_MAKES_KEYVAL: return "int";
	case MPI_CALL_MAKES_ERRHANDLER: return "MPI_Errhandler";
	case MPI_CALL_MAKES_INFO: return "MPI_Info";
	case MPI_CALL_MAKES_OP: return "MPI_Op";
	case MPI_CALL_MAKES_DATATYPE: return "MPI_Datatype";
	case MPI_CALL_MAKES_GROUP: return "MPI_Group";
	default: return "MPI_Comm";
	}
}

/* Creates an object of the same kind, which is never freed. */
static void put_object(struct sketch_printing *printing, guint index)
{
	struct sketch_step *step = sketch_step(printing->sketch, index);
	g_autofree char *communicator = sketch_communicator(printing, step->communicator);
	g_autofree char *call = NULL;

	switch (mpi_call_makes(step->function)) {
	case MPI_CALL_MAKES_REQUEST:
		call = g_strdup("MPI_Send_init(data, 4, MPI_BYTE, 0, 0, MPI_COMM_SELF, &left)");
		break;
	case MPI_CALL_MAKES_DATATYPE:
		call = g_strdup("MPI_Type_contiguous(2, MPI_INT, &left)");
		break;
	case MPI_CALL_MAKES_KEYVAL:
		call = g_strdup("MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, "
		                "MPI_COMM_NULL_DELETE_FN, &left, NULL)");
		break;
	case MPI_CALL_MAKES_ERRHANDLER:
		call = g_strdup("MPI_Comm_create_errhandler("
		                "(MPI_Comm_errhandler_function *)abort, &left)");
		break;
	case MPI_CALL_MAKES_INFO: call = g_strdup("MPI_Info_create(&left)"); break;
	case MPI_CALL_MAKES_OP:
		call = g_strdup("MPI_Op_create((MPI_User_function *)abort, 1, &left)");
		break;
	case MPI_CALL_MAKES_GROUP: call = g_strdup("MPI_Comm_group(MPI_COMM_WORLD, &left)"); break;
	default: call = g_strdup_printf("MPI_Comm_dup(%s, &left)", communicator); break;
	}
	sketch_put_call(printing, step, call);
}

static void put_write(struct sketch_printing *printing, const struct sketch_step *step)
{
	guint index = g_array_index(step->waits, guint, 0);
	const struct sketch_step *operation = sketch_step(printing->sketch, index);
	g_autofree char *buffer = buffer_of(printing, index);

	if (!operation->dropped)
		sketch_put(printing,
		           "%s%s[0]++; /* the program must not write here before the wait */",
		           printing->indent, buffer);
}

void sketch_put_step(struct sketch_printing *printing, guint index)
{
	struct sketch_step *step = sketch_step(printing->sketch, index);

	switch (step->kind) {
	case SKETCH_SEND:
	case SKETCH_RECEIVE:
		if (sketch_is_exchange(printing->sketch, index))
			put_exchange(printing, index);
		else if (!is_put(printing, index))
			put_message(printing, index);
		break;
	case SKETCH_PROBE: put_probe(printing, index); break;
	case SKETCH_COLLECTIVE: put_collective(printing, index); break;
	case SKETCH_WAIT:
		if (!is_put(printing, index))
			put_waits(printing, step, step->waits);
		break;
	case SKETCH_ASK: put_question(printing, index); break;
	case SKETCH_CANCEL: put_cancel(printing, index); break;
	case SKETCH_LOCK: sketch_put_lock(printing, index); break;
	case SKETCH_MAKE: put_object(printing, index); break;
	case SKETCH_WRITE: put_write(printing, step); break;
	}
}
