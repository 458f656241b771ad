/* Prints a sketch as C. Counts lines, so that findings can be related to them. */
#include "sketch_internal.h"

void sketch_put(struct sketch_printing *printing, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_string_append_vprintf(printing->text, format, arguments);
	va_end(arguments);
	g_string_append_c(printing->text, '\n');
	printing->line++;
}

/* --- communicators: created at the beginning, in the order of ranks ----- */

int sketch_position(const GArray *numbers, uint64_t number)
{
	for (guint i = 0; i < numbers->len; i++) {
		if (g_array_index(numbers, guint64, i) == number)
			return (int)i;
	}
	return -1;
}

static bool is_member(const struct sketch *sketch, int32_t rank, uint64_t communicator)
{
	for (guint i = 0; i < sketch->steps->len; i++) {
		const struct sketch_step *step = sketch_step(sketch, i);

		if (step->communicator == communicator && !sketch->gone[rank]
		    && (step->rank == rank || (step->peer == rank && step->kind <= SKETCH_PROBE)))
			return true;
	}
	return false;
}

char *sketch_communicator(const struct sketch_printing *printing, uint64_t communicator)
{
	int index = sketch_position(printing->communicators, communicator);

	if (index < 0)
		return g_strdup(communicator == SKETCH_SELF ? "MPI_COMM_SELF" : "MPI_COMM_WORLD");
	return printing->communicators->len == 1 ? g_strdup("comm")
	                                         : g_strdup_printf("comm[%d]", index);
}

int32_t sketch_rank_in(const struct sketch_printing *printing, int32_t rank, uint64_t communicator)
{
	int32_t number = 0;

	if (communicator == SKETCH_SELF)
		return 0;
	if (sketch_position(printing->communicators, communicator) < 0)
		return sketch_rank(printing->sketch, rank);
	for (int32_t i = 0; i < rank; i++)
		number += is_member(printing->sketch, i, communicator);
	return number;
}

static void put_communicators(struct sketch_printing *printing, bool free_them)
{
	const struct sketch *sketch = printing->sketch;

	for (guint i = 0; i < printing->communicators->len; i++) {
		guint64 communicator = g_array_index(printing->communicators, guint64, i);
		g_autofree char *name = sketch_communicator(printing, communicator);
		g_autoptr(GString) members = g_string_new(NULL);
		int32_t count = 0;

		for (int32_t rank = 0; rank < sketch->ranks; rank++) {
			if (!is_member(sketch, rank, communicator))
				continue;
			g_string_append_printf(members, "%srank == %d", count++ > 0 ? " || " : "",
			                       sketch_rank(sketch, rank));
		}
		if (count == sketch_ranks(sketch)) {
			sketch_put(printing,
			           free_them ? "\tMPI_Comm_free(&%s);"
			                     : "\tMPI_Comm_dup(MPI_COMM_WORLD, &%s);",
			           name);
		} else if (free_them) {
			sketch_put(printing, "\tif (%s)", members->str);
			sketch_put(printing, "\t\tMPI_Comm_free(&%s);", name);
		} else {
			sketch_put(printing,
			           "\tMPI_Comm_split(MPI_COMM_WORLD, %s ? 0 : MPI_UNDEFINED, 0, "
			           "&%s);",
			           members->str, name);
		}
	}
}

/* --- declarations ------- */

/* Whether a question includes requests that are not started yet. */
static bool asks_early(const struct sketch_printing *printing, guint index)
{
	const struct sketch_step *step = sketch_step(printing->sketch, index);
	guint first, last;

	sketch_asked(printing, step, &first, &last);
	for (guint i = index; i < printing->sketch->steps->len; i++) {
		if (sketch_step(printing->sketch, i)->rank == step->rank
		    && printing->request[i] >= first && printing->request[i] <= last)
			return true;
	}
	return false;
}

static void number_request(struct sketch_printing *printing, guint index, guint *count)
{
	if (!sketch_step(printing->sketch, index)->dropped && printing->request[index] == 0
	    && !sketch_step(printing->sketch, index)->blocking
	    && !sketch_is_exchange(printing->sketch, index))
		printing->request[index] = ++*count;
}

/* Whether the requests of a question are adjacent. */
static bool is_one_array(const struct sketch_printing *printing, const struct sketch_step *step)
{
	guint first, last, count = 0;

	sketch_asked(printing, step, &first, &last);
	for (guint i = 0; i < step->waits->len; i++)
		count += printing->request[g_array_index(step->waits, guint, i)] > 0;
	return count == 0 || last - first + 1 == count;
}

/* Requests are numbered within their rank in the order of creation. If that would put others
 * between those of a question, those of the question come first. */
static void number_requests(struct sketch_printing *printing, int32_t rank)
{
	const struct sketch *sketch = printing->sketch;
	bool side_by_side = true;
	guint count = 0;

	for (int pass = 0; pass < 2 && (pass == 0 || !side_by_side); pass++) {
		count = 0;
		for (guint i = 0; i < sketch->steps->len; i++) {
			const struct sketch_step *step = sketch_step(sketch, i);

			if (step->rank == rank)
				printing->request[i] = 0;
			if (pass == 0 || step->rank != rank || step->dropped || !sketch_asks(step))
				continue;
			for (guint j = 0; j < step->waits->len; j++)
				number_request(printing, g_array_index(step->waits, guint, j),
				               &count);
		}
		for (guint i = 0; i < sketch->steps->len; i++) {
			const struct sketch_step *step = sketch_step(sketch, i);

			if (step->rank == rank && step->immediate)
				number_request(printing, i, &count);
		}
		for (guint i = 0; i < sketch->steps->len && pass == 0; i++) {
			const struct sketch_step *step = sketch_step(sketch, i);

			if (step->rank == rank && !step->dropped && sketch_asks(step))
				side_by_side &= is_one_array(printing, step);
		}
	}
	printing->requests = MAX(printing->requests, count);
}

/* A status gets a name if a later call or a branch uses it. */
static void number_statuses(struct sketch_printing *printing, int32_t rank)
{
	const struct sketch *sketch = printing->sketch;
	const struct sketch_condition *condition = &sketch->conditions[rank];
	bool knows = sketch_knows(sketch, rank);
	guint count = 0;

	printing->told |= knows && condition->sign == SKETCH_BY_VALUE;
	for (guint i = 0; i < sketch->steps->len; i++) {
		const struct sketch_step *step = sketch_step(sketch, i);
		guint about = condition->step;

		if (step->rank != rank || step->dropped)
			continue;
		if (step->follows >= 0 && printing->status[step->follows] == 0)
			printing->status[step->follows] = ++count;
		if (sketch->asserts && sketch->blamed == (int32_t)i && step->kind == SKETCH_PROBE
		    && sketch_sign(step) != SKETCH_UNKNOWN && printing->status[i] == 0)
			printing->status[i] = ++count;
		if (step->kind == SKETCH_CANCEL && sketch_tests_cancelled(sketch, i)
		    && printing->status[g_array_index(step->waits, guint, 0)] == 0)
			printing->status[g_array_index(step->waits, guint, 0)] = ++count;
		if (knows && printing->status[about] == 0
		    && (condition->sign == SKETCH_BY_SOURCE || condition->sign == SKETCH_BY_TAG))
			printing->status[about] = ++count;
	}
	printing->statuses = MAX(printing->statuses, count);
}

static bool is_barrier(const struct sketch_step *step)
{
	return mpi_call_collective(step->function) == MPI_CALL_COLLECTIVE_BARRIER;
}

static bool needs_result(const struct sketch_step *step)
{
	return step->kind == SKETCH_COLLECTIVE && !is_barrier(step)
	       && mpi_call_collective(step->function) != MPI_CALL_COLLECTIVE_BCAST;
}

static bool needs_data(const struct sketch_step *step)
{
	if (step->kind == SKETCH_MAKE)
		return g_str_equal(sketch_object(step->function), "MPI_Request");
	return step->exchange
	       || ((!step->immediate || step->blocking)
	           && (step->kind == SKETCH_SEND || step->kind == SKETCH_RECEIVE
	               || (step->kind == SKETCH_COLLECTIVE && !is_barrier(step))));
}

static void survey_steps(struct sketch_printing *printing)
{
	const struct sketch *sketch = printing->sketch;

	for (guint i = 0; i < sketch->steps->len; i++) {
		const struct sketch_step *step = sketch_step(sketch, i);
		enum mpi_call_completes completes = mpi_call_completes(step->function);
		bool polls;

		if (step->dropped)
			continue;
		if (step->communicator > SKETCH_SELF
		    && sketch_position(printing->communicators, step->communicator) < 0)
			g_array_append_val(printing->communicators, step->communicator);
		printing->data |= needs_data(step);
		printing->result |= step->exchange;
		if (step->kind == SKETCH_MAKE)
			printing->object = sketch_object(step->function);
		if (needs_result(step)) {
			printing->result |= !step->immediate;
			printing->results |= step->immediate;
		}
		polls = sketch_asks(step)
		        || (step->function == MPI_CALL_Iprobe
		            && sketch_sign(step) == SKETCH_BY_ANSWER);
		printing->index |= polls && completes == MPI_CALL_COMPLETES_ANY;
		printing->count |= polls && completes == MPI_CALL_COMPLETES_SOME;
		printing->cancelled |= step->kind == SKETCH_CANCEL
		                       && sketch_tests_cancelled(sketch, i);
		printing->flag |= polls && completes != MPI_CALL_COMPLETES_SOME
		                  && mpi_call_asks(step->function);
	}
	sketch_survey_windows(printing);
	for (int32_t rank = 0; rank < sketch->ranks; rank++) {
		number_requests(printing, rank);
		number_statuses(printing, rank);
	}
	for (guint i = 0; i < sketch->steps->len; i++) {
		const struct sketch_step *step = sketch_step(sketch, i);

		printing->early |= !step->dropped && sketch_asks(step) && asks_early(printing, i);
	}
}

static uint64_t type_bytes(const char *type)
{
	return g_str_equal(type, "MPI_BYTE") || g_str_equal(type, "MPI_CHAR") ? 1 : 16;
}

/* The buffer size for the largest message; collectives need a part for each rank. */
static uint64_t room_needed(const struct sketch *sketch)
{
	uint64_t most = 4;

	for (guint i = 0; i < sketch->steps->len; i++) {
		const struct sketch_step *step = sketch_step(sketch, i);
		uint64_t parts = step->kind == SKETCH_COLLECTIVE ? (uint64_t)sketch->ranks : 1;

		if (!step->dropped)
			most = MAX(most, step->count * type_bytes(step->type) * parts);
	}
	return (most + 3) / 4;
}

static void put_variables(struct sketch_printing *printing)
{
	g_autoptr(GString) names = g_string_new("rank");

	if (printing->index)
		g_string_append(names, ", index");
	if (printing->flag)
		g_string_append(names, ", flag");
	if (printing->count)
		g_string_append_printf(names, ", count, indices[%u]", printing->requests);
	if (printing->cancelled)
		g_string_append(names, ", cancelled");
	if (printing->told)
		g_string_append(names, ", told = 0");
	sketch_put(printing, "\tint %s;", names->str);
}

static void put_array(struct sketch_printing *printing, const char *type, const char *name,
                      guint count)
{
	if (count == 1)
		sketch_put(printing, "\t%s %s;", type, name);
	else if (count > 1)
		sketch_put(printing, "\t%s %s[%u];", type, name, count);
}

static void put_declarations(struct sketch_printing *printing)
{
	guint64 size = room_needed(printing->sketch);

	if (printing->data)
		sketch_put(printing, "\tstatic int data[%" G_GUINT64_FORMAT "];", size);
	if (printing->result)
		sketch_put(printing, "\tstatic int result[%" G_GUINT64_FORMAT "];", size);
	if (printing->requests > 0)
		sketch_put(printing, "\tstatic int buffer[%u][%" G_GUINT64_FORMAT "];",
		           printing->requests, size);
	if (printing->results)
		sketch_put(printing, "\tstatic int results[%u][%" G_GUINT64_FORMAT "];",
		           printing->requests, size);
	put_array(printing, "MPI_Request", "request", printing->requests);
	put_array(printing, "MPI_Status", "status", printing->statuses);
	put_array(printing, "MPI_Comm", "comm", printing->communicators->len);
	sketch_declare_windows(printing);
	if (printing->object)
		sketch_put(printing, "\t%s left;", printing->object);
	put_variables(printing);
	sketch_put(printing, "%s", "");
	for (guint i = 0; printing->early && i < printing->requests; i++)
		sketch_put(printing,
		           printing->requests > 1 ? "\trequest[%u] = MPI_REQUEST_NULL;"
		                                  : "\trequest = MPI_REQUEST_NULL;",
		           i);
	sketch_put(printing, "\tMPI_Init(&argc, &argv);");
	sketch_put(printing, "\tMPI_Comm_rank(MPI_COMM_WORLD, &rank);");
}

/* --- ranks --- */

static bool has_steps(const struct sketch *sketch, int32_t rank)
{
	for (guint i = 0; i < sketch->steps->len; i++) {
		if (sketch_step(sketch, i)->rank == rank && !sketch_step(sketch, i)->dropped)
			return true;
	}
	return false;
}

/* Prints the branch from one side to another; `before` has steps. */
static void print_turn(struct sketch_printing *printing, int32_t rank, enum sketch_side before,
                       enum sketch_side now)
{
	g_autofree char *condition = NULL;

	if (before != SKETCH_BOTH && now == SKETCH_GOOD) {
		sketch_put(printing, "\t\t} else { /* goes well */");
	} else if (now == SKETCH_BOTH) {
		sketch_put(printing, "\t\t}");
	} else {
		condition = sketch_condition(printing, rank, now == SKETCH_BAD);
		sketch_put(printing, "\t\tif (%s) { /* goes %s */", condition,
		           now == SKETCH_BAD ? "wrong" : "well");
	}
	printing->indent = now == SKETCH_BOTH ? "\t\t" : "\t\t\t";
}

static void put_rank(struct sketch_printing *printing, int32_t rank)
{
	const struct sketch *sketch = printing->sketch;
	enum sketch_side side = SKETCH_BOTH;

	printing->indent = "\t\t";
	for (guint i = 0; i < sketch->steps->len; i++) {
		struct sketch_step *step = sketch_step(sketch, i);

		if (step->rank != rank || step->dropped)
			continue;
		if (step->side != side)
			print_turn(printing, rank, side, step->side);
		side = step->side;
		sketch_put_step(printing, i);
	}
	if (side != SKETCH_BOTH)
		print_turn(printing, rank, side, SKETCH_BOTH);
}

static void put_ranks(struct sketch_printing *printing)
{
	struct sketch *sketch = printing->sketch;
	const char *before = "\t";

	for (int32_t rank = 0; rank < sketch->ranks; rank++) {
		if (sketch->gone[rank] || !has_steps(sketch, rank))
			continue;
		sketch_put(printing, "%sif (rank == %d) {", before, sketch_rank(sketch, rank));
		put_rank(printing, rank);
		before = "\t} else ";
	}
	if (*before && before[1])
		sketch_put(printing, "\t}");
}

static void put_comment(struct sketch_printing *printing, const char *comment)
{
	g_auto(GStrv) lines = g_strsplit(comment, "\n", -1);
	guint count = g_strv_length(lines);

	for (guint i = 0; i < count; i++) {
		g_auto(GStrv) parts = g_strsplit(lines[i], "*/", -1);
		g_autofree char *line = g_strjoinv("* /", parts);

		sketch_put(printing, "%s%s%s%s", i == 0 ? "/*" : " *", *line ? " " : "", line,
		           i + 1 == count ? " */" : "");
	}
}

char *sketch_print(struct sketch *sketch, const char *comment)
{
	struct sketch_printing printing = {
		.sketch = sketch,
		.text = g_string_new(NULL),
		.line = 1,
		.communicators = g_array_new(false, false, sizeof(guint64)),
		.windows = g_array_new(false, false, sizeof(guint64)),
		.request = g_new0(guint, sketch->steps->len + 1),
		.status = g_new0(guint, sketch->steps->len + 1),
	};

	for (guint i = 0; i < sketch->steps->len; i++)
		sketch_step(sketch, i)->line = 0;
	survey_steps(&printing);
	put_comment(&printing, comment);
	if (sketch->asserts)
		sketch_put(&printing, "#include <assert.h>");
	sketch_put(&printing, "#include <mpi.h>");
	sketch_put(&printing, "%s", "");
	sketch_put(&printing, "int main(int argc, char **argv)");
	sketch_put(&printing, "{");
	put_declarations(&printing);
	put_communicators(&printing, false);
	sketch_put_windows(&printing, false);
	put_ranks(&printing);
	sketch_put_windows(&printing, true);
	put_communicators(&printing, true);
	sketch_put(&printing, "\tMPI_Finalize();");
	sketch_put(&printing, "\treturn 0;");
	sketch_put(&printing, "}");
	g_array_unref(printing.communicators);
	g_array_unref(printing.windows);
	g_free(printing.request);
	g_free(printing.status);
	return g_string_free(printing.text, false);
}
