/* A sketch as C. Lines are counted while it is written, so that findings can be told by them. */
#include "sketch.h"

#include <string.h>

struct printing {
	struct sketch *sketch;
	GString *text;
	uint32_t line;
	GArray *communicators; /* guint64: those besides MPI_COMM_WORLD that are used */
	GHashTable *requests;  /* index of a step to the number of its request, from 1 */
	gboolean statuses;     /* some call is told who sent a message */
	gboolean collectives;  /* some collective needs a second buffer */
};

static struct sketch_step *step_at(const struct sketch *sketch, guint index)
{
	return sketch->steps->pdata[index];
}

static void G_GNUC_PRINTF(2, 3) put(struct printing *printing, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_string_append_vprintf(printing->text, format, arguments);
	va_end(arguments);
	g_string_append_c(printing->text, '\n');
	printing->line++;
}

/* --- communicators: split off at the beginning, in the order of ranks --- */

#define WORLD 1u /* the number of MPI_COMM_WORLD */

static int communicator_index(const struct printing *printing, uint64_t communicator)
{
	for (guint i = 0; i < printing->communicators->len; i++) {
		if (g_array_index(printing->communicators, guint64, i) == communicator)
			return (int)i;
	}
	return -1;
}

static bool is_member(const struct sketch *sketch, int32_t rank, uint64_t communicator)
{
	for (guint i = 0; i < sketch->steps->len; i++) {
		const struct sketch_step *step = step_at(sketch, i);

		if (step->communicator == communicator && !sketch->gone[rank]
		    && (step->rank == rank || (step->peer == rank && step->kind != SKETCH_WAIT)))
			return true;
	}
	return false;
}

static char *communicator_name(const struct printing *printing, uint64_t communicator)
{
	int index = communicator_index(printing, communicator);

	return index < 0 ? g_strdup("MPI_COMM_WORLD") : g_strdup_printf("comm[%d]", index);
}

static int32_t rank_in(const struct printing *printing, int32_t rank, uint64_t communicator)
{
	int32_t number = 0;

	if (communicator_index(printing, communicator) < 0)
		return sketch_rank(printing->sketch, rank);
	for (int32_t i = 0; i < rank; i++)
		number += is_member(printing->sketch, i, communicator);
	return number;
}

static void put_communicators(struct printing *printing, bool free_them)
{
	const struct sketch *sketch = printing->sketch;

	for (guint i = 0; i < printing->communicators->len; i++) {
		guint64 communicator = g_array_index(printing->communicators, guint64, i);
		GString *members = g_string_new(NULL);

		for (int32_t rank = 0; rank < sketch->ranks; rank++) {
			if (is_member(sketch, rank, communicator))
				g_string_append_printf(members, "%srank == %d",
				                       members->len > 0 ? " || " : "",
				                       sketch_rank(sketch, rank));
		}
		if (free_them) {
			put(printing, "\tif (%s)", members->str);
			put(printing, "\t\tMPI_Comm_free(&comm[%u]);", i);
		} else {
			put(printing,
			    "\tMPI_Comm_split(MPI_COMM_WORLD, %s ? 0 : MPI_UNDEFINED, 0, "
			    "&comm[%u]);",
			    members->str, i);
		}
		g_string_free(members, TRUE);
	}
}

/* --- what is declared --- */

static void survey(struct printing *printing)
{
	const struct sketch *sketch = printing->sketch;

	for (guint i = 0; i < sketch->steps->len; i++) {
		const struct sketch_step *step = step_at(sketch, i);

		if (step->dropped)
			continue;
		if (step->communicator > WORLD
		    && communicator_index(printing, step->communicator) < 0)
			g_array_append_val(printing->communicators, step->communicator);
		if (step->immediate)
			g_hash_table_insert(
				printing->requests, GUINT_TO_POINTER(i),
				GUINT_TO_POINTER(g_hash_table_size(printing->requests) + 1));
		printing->statuses |= step->follows >= 0;
		printing->collectives |= step->kind == SKETCH_COLLECTIVE
		                         && !g_str_equal(step->function, "MPI_Barrier")
		                         && !g_str_equal(step->function, "MPI_Bcast");
	}
}

static uint64_t type_bytes(const char *type)
{
	return g_str_equal(type, "MPI_BYTE") || g_str_equal(type, "MPI_CHAR") ? 1 : 16;
}

/* Room for the largest of what is sent or received; collectives have a part for each rank. */
static uint64_t room(const struct sketch *sketch)
{
	uint64_t most = 4;

	for (guint i = 0; i < sketch->steps->len; i++) {
		const struct sketch_step *step = step_at(sketch, i);
		uint64_t parts = step->kind == SKETCH_COLLECTIVE ? (uint64_t)sketch->ranks : 1;

		if (!step->dropped)
			most = MAX(most, step->count * type_bytes(step->type) * parts);
	}
	return (most + 3) / 4;
}

/* --- the calls --- */

/* A status variable is that of the receive; each call that is followed has its own. */
static char *status_of(const struct sketch *sketch, guint index)
{
	for (guint i = 0; i < sketch->steps->len; i++) {
		if (!step_at(sketch, i)->dropped && step_at(sketch, i)->follows == (int32_t)index)
			return g_strdup_printf("&status[%u]", index);
	}
	return g_strdup("MPI_STATUS_IGNORE");
}

static char *peer_text(const struct printing *printing, const struct sketch_step *step)
{
	const struct sketch *sketch = printing->sketch;

	if (step->peer < 0)
		return g_strdup("MPI_ANY_SOURCE");
	if (step->follows >= 0 && !step_at(sketch, (guint)step->follows)->dropped)
		return g_strdup_printf("status[%d].MPI_SOURCE", step->follows);
	return g_strdup_printf("%d", rank_in(printing, step->peer, step->communicator));
}

static char *where(const struct sketch_step *step)
{
	g_autofree char *place = place_print(&step->place);

	return step->place.file ? g_strdup_printf(" /* %s */", place) : g_strdup("");
}

static char *request_of(const struct printing *printing, guint index)
{
	guint number = GPOINTER_TO_UINT(
		g_hash_table_lookup(printing->requests, GUINT_TO_POINTER(index)));

	return g_strdup_printf("&request[%u]", number - 1);
}

/* What is under way has a buffer of its own. */
static char *buffer_of(const struct printing *printing, guint index)
{
	guint number = GPOINTER_TO_UINT(
		g_hash_table_lookup(printing->requests, GUINT_TO_POINTER(index)));

	return number > 0 ? g_strdup_printf("buffer[%u]", number - 1) : g_strdup("data");
}

static bool asserts(const struct sketch *sketch)
{
	return sketch->blamed >= 0 && sketch->right >= 0;
}

static void put_assertion(struct printing *printing)
{
	g_autofree char *buffer = buffer_of(printing, (guint)printing->sketch->blamed);

	put(printing, "\t\tassert(%s[0] == %d);", buffer, printing->sketch->right);
}

static void put_message(struct printing *printing, guint index)
{
	const struct sketch *sketch = printing->sketch;
	struct sketch_step *step = step_at(sketch, index);
	g_autofree char *communicator = communicator_name(printing, step->communicator);
	g_autofree char *peer = peer_text(printing, step), *place = where(step);
	g_autofree char *tag = step->tag < 0 ? g_strdup("MPI_ANY_TAG")
	                                     : g_strdup_printf("%d", step->tag);
	g_autofree char *status = step->kind == SKETCH_SEND ? NULL : status_of(sketch, index);
	g_autofree char *request = step->immediate ? request_of(printing, index) : NULL;
	g_autofree char *buffer = buffer_of(printing, index);
	const char *last = step->immediate ? request : status;

	if (asserts(sketch) && step->kind == SKETCH_SEND)
		put(printing, "\t\t%s[0] = %u;", buffer, index);
	step->line = printing->line;
	if (step->kind == SKETCH_PROBE)
		put(printing, "\t\t%s(%s, %s, %s, %s);%s", step->function, peer, tag, communicator,
		    status, place);
	else
		put(printing, "\t\t%s(%s, %" G_GUINT64_FORMAT ", %s, %s, %s, %s%s%s);%s",
		    step->function, buffer, step->count, step->type, peer, tag, communicator,
		    last ? ", " : "", last ? last : "", place);
	if (asserts(sketch) && (int32_t)index == sketch->blamed && !step->immediate)
		put_assertion(printing);
}

static void put_collective(struct printing *printing, struct sketch_step *step)
{
	const char *name = step->function;
	g_autofree char *communicator = communicator_name(printing, step->communicator);
	g_autofree char *place = where(step);
	g_autofree char *count = g_strdup_printf("%" G_GUINT64_FORMAT, step->count);
	int32_t root = step->peer < 0 ? 0 : rank_in(printing, step->peer, step->communicator);
	g_autoptr(GString) call = g_string_new(name);

	if (g_str_equal(name, "MPI_Barrier"))
		g_string_append(call, "(");
	else if (g_str_equal(name, "MPI_Bcast"))
		g_string_append_printf(call, "(data, %s, MPI_BYTE, %d, ", count, root);
	else if (g_str_equal(name, "MPI_Reduce"))
		g_string_append_printf(call, "(data, other, %s, MPI_BYTE, MPI_BOR, %d, ", count,
		                       root);
	else if (g_str_equal(name, "MPI_Allreduce") || g_str_equal(name, "MPI_Scan"))
		g_string_append_printf(call, "(data, other, %s, MPI_BYTE, MPI_BOR, ", count);
	else if (g_str_equal(name, "MPI_Gather") || g_str_equal(name, "MPI_Scatter"))
		g_string_append_printf(call, "(data, %s, MPI_BYTE, other, %s, MPI_BYTE, %d, ",
		                       count, count, root);
	else
		g_string_append_printf(call, "(data, %s, MPI_BYTE, other, %s, MPI_BYTE, ", count,
		                       count);
	step->line = printing->line;
	put(printing, "\t\t%s%s);%s", call->str, communicator, place);
}

static void put_waits(struct printing *printing, struct sketch_step *step)
{
	const struct sketch *sketch = printing->sketch;
	g_autofree char *place = where(step);

	for (guint i = 0; i < step->waits->len; i++) {
		guint index = g_array_index(step->waits, guint, i);
		g_autofree char *request = NULL;

		if (step_at(sketch, index)->dropped)
			continue;
		request = request_of(printing, index);
		if (step->line == 0)
			step->line = printing->line;
		put(printing, "\t\tMPI_Wait(%s, MPI_STATUS_IGNORE);%s", request, place);
		if (asserts(sketch) && (int32_t)index == sketch->blamed)
			put_assertion(printing);
	}
}

static bool has_steps(const struct sketch *sketch, int32_t rank)
{
	for (guint i = 0; i < sketch->steps->len; i++) {
		if (step_at(sketch, i)->rank == rank && !step_at(sketch, i)->dropped)
			return true;
	}
	return false;
}

static void put_ranks(struct printing *printing)
{
	struct sketch *sketch = printing->sketch;
	const char *before = "\t";

	for (int32_t rank = 0; rank < sketch->ranks; rank++) {
		if (sketch->gone[rank] || !has_steps(sketch, rank))
			continue;
		put(printing, "%sif (rank == %d) {", before, sketch_rank(sketch, rank));
		for (guint i = 0; i < sketch->steps->len; i++) {
			struct sketch_step *step = step_at(sketch, i);

			step->line = step->rank == rank ? 0 : step->line;
			if (step->rank != rank || step->dropped)
				continue;
			if (step->kind == SKETCH_WAIT)
				put_waits(printing, step);
			else if (step->kind == SKETCH_COLLECTIVE)
				put_collective(printing, step);
			else
				put_message(printing, i);
		}
		before = "\t} else ";
	}
	if (*before && before[1])
		put(printing, "\t}");
}

static void put_comment(struct printing *printing, const char *comment)
{
	g_auto(GStrv) lines = g_strsplit(comment, "\n", -1);
	guint count = g_strv_length(lines);

	for (guint i = 0; i < count; i++) {
		g_auto(GStrv) parts = g_strsplit(lines[i], "*/", -1);
		g_autofree char *line = g_strjoinv("* /", parts);

		put(printing, "%s%s%s%s", i == 0 ? "/*" : " *", *line ? " " : "", line,
		    i + 1 == count ? " */" : "");
	}
}

static void put_declarations(struct printing *printing)
{
	const struct sketch *sketch = printing->sketch;
	guint requests = g_hash_table_size(printing->requests);

	put(printing, "\tstatic int data[%" G_GUINT64_FORMAT "];", room(sketch));
	if (printing->collectives)
		put(printing, "\tstatic int other[%" G_GUINT64_FORMAT "];", room(sketch));
	if (requests > 0) {
		put(printing, "\tstatic int buffer[%u][%" G_GUINT64_FORMAT "];", requests,
		    room(sketch));
		put(printing, "\tMPI_Request request[%u];", requests);
	}
	if (printing->statuses)
		put(printing, "\tMPI_Status status[%u];", sketch->steps->len);
	if (printing->communicators->len > 0)
		put(printing, "\tMPI_Comm comm[%u];", printing->communicators->len);
	put(printing, "\tint rank;");
	put(printing, "\n\tMPI_Init(&argc, &argv);");
	printing->line++;
	put(printing, "\tMPI_Comm_rank(MPI_COMM_WORLD, &rank);");
}

char *sketch_print(struct sketch *sketch, const char *comment)
{
	struct printing printing = {
		.sketch = sketch,
		.text = g_string_new(NULL),
		.line = 1,
		.communicators = g_array_new(FALSE, FALSE, sizeof(guint64)),
		.requests = g_hash_table_new(NULL, NULL),
	};

	survey(&printing);
	put_comment(&printing, comment);
	if (asserts(sketch))
		put(&printing, "#include <assert.h>");
	put(&printing, "#include <mpi.h>");
	put(&printing, "\nint main(int argc, char **argv)\n{");
	printing.line += 2;
	put_declarations(&printing);
	put_communicators(&printing, false);
	put_ranks(&printing);
	put_communicators(&printing, true);
	put(&printing, "\tMPI_Finalize();");
	put(&printing, "\treturn 0;\n}");
	g_array_unref(printing.communicators);
	g_hash_table_destroy(printing.requests);
	return g_string_free(printing.text, FALSE);
}
