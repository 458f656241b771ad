/* Partitions of a send that the program writes after MPI_Pready. By the first argument, wrong:
 * "next" in a loop with two lines swapped, "range", "list", "again" in the second start only,
 * "types" with a datatype that has gaps, "overlap" a receive into a partition that is ready,
 * "into" a send from the buffer of a partitioned receive that is not complete. Right: "before"
 * each partition is written before it is ready, while others are ready; "gaps" only the gaps of
 * the datatype are written; "nobody" the send goes to MPI_PROC_NULL. */
#include "../check.h"

#define PARTITIONS 3
#define COUNT 4

static int data[2 * PARTITIONS * COUNT], more[4];

static MPI_Datatype make_type(void)
{
	MPI_Datatype narrow, type;

	MPI_Type_vector(COUNT / 2, 1, 2, MPI_INT, &narrow);
	MPI_Type_create_resized(narrow, 0, COUNT * sizeof(int), &type);
	MPI_Type_commit(&type);
	MPI_Type_free(&narrow);
	return type;
}

static void receive(MPI_Datatype type, int count, const char *what)
{
	MPI_Request request;

	MPI_Precv_init(data, PARTITIONS, count, type, 0, 5, WORLD, MPI_INFO_NULL, &request);
	for (int i = 0; i < 2; i++) {
		MPI_Start(&request);
		if (!strcmp(what, "into"))
			MPI_Send(data + 2, 2, MPI_INT, 0, 6, WORLD);
		MPI_Wait(&request, IGNORE);
	}
	MPI_Request_free(&request);
}

static void fill(int partition, int value)
{
	for (int i = 0; i < COUNT; i++)
		data[COUNT * partition + i] = value;
}

static void make_ready(const char *what, int round, MPI_Request request)
{
	int list[PARTITIONS] = {2, 0, 1};
	MPI_Request other;

	for (int i = 0; i < PARTITIONS && strcmp(what, "next") != 0; i++)
		if (strcmp(what, "gaps") != 0 && strcmp(what, "types") != 0)
			fill(i, 10 * round + i);
	if (!strcmp(what, "range")) {
		MPI_Pready_range(0, PARTITIONS - 1, request);
	} else if (!strcmp(what, "list")) {
		MPI_Pready_list(PARTITIONS, list, request);
	} else {
		for (int i = 0; i < PARTITIONS; i++) {
			if (!strcmp(what, "before") || !strcmp(what, "nobody"))
				fill(i, 100 * round + i);
			MPI_Pready(i, request);
			if (!strcmp(what, "next") || !strcmp(what, "nobody"))
				fill(i, 100 * round + i + 1);
		}
	}
	if (!strcmp(what, "range") || !strcmp(what, "list"))
		data[COUNT + 1]++;
	if (!strcmp(what, "again") && round == 1)
		data[0]++;
	if (!strcmp(what, "types"))
		data[2]++;
	if (!strcmp(what, "gaps"))
		data[1]++;
	if (!strcmp(what, "overlap")) {
		MPI_Irecv(data + 1, 2, MPI_INT, 1, 7, WORLD, &other);
		MPI_Wait(&other, IGNORE);
	}
	if (!strcmp(what, "into"))
		MPI_Recv(more, 2, MPI_INT, 1, 6, WORLD, IGNORE);
}

static void send(MPI_Datatype type, int count, const char *what)
{
	int to = strcmp(what, "nobody") ? 1 : MPI_PROC_NULL;
	MPI_Request request;

	MPI_Psend_init(data, PARTITIONS, count, type, to, 5, WORLD, MPI_INFO_NULL, &request);
	for (int round = 0; round < 2; round++) {
		MPI_Start(&request);
		make_ready(what, round, request);
		MPI_Wait(&request, IGNORE);
	}
	MPI_Request_free(&request);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int has_gaps, count;
	MPI_Datatype type = MPI_INT;

	start(&argc, &argv);
	has_gaps = !strcmp(what, "types") || !strcmp(what, "gaps");
	count = has_gaps ? 1 : COUNT;
	if (has_gaps)
		type = make_type();
	if (rank == 1 && !strcmp(what, "overlap"))
		for (int i = 0; i < 2; i++)
			MPI_Send(more, 2, MPI_INT, 0, 7, WORLD);
	if (rank == 0)
		send(type, count, what);
	else if (rank == 1 && strcmp(what, "nobody") != 0)
		receive(type, count, what);
	if (has_gaps)
		MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
