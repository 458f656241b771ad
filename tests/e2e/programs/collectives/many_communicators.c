/* More communicators at once than the shim has counterparts for: rooted collectives work on all of
 * them, and MPI has room for as many as without matchpoint. Arguments: how they are made, how many,
 * and "keep", or "free" for those that are freed at once. */
#include "../check.h"

static MPI_Comm make(const char *how, MPI_Comm last)
{
	MPI_Comm made;
	MPI_Request request;
	MPI_Group group;

	if (!strcmp(how, "dup")) {
		MPI_Comm_dup(WORLD, &made); /* made */
	} else if (!strcmp(how, "chain")) {
		MPI_Comm_dup(last, &made);
	} else if (!strcmp(how, "idup")) {
		MPI_Comm_idup(WORLD, &made, &request);
		MPI_Wait(&request, IGNORE);
	} else if (!strcmp(how, "idups")) {
		MPI_Comm_idup(last, &made, &request);
		MPI_Wait(&request, IGNORE);
	} else if (!strcmp(how, "split")) {
		MPI_Comm_split(WORLD, 0, -rank, &made);
	} else {
		MPI_Comm_group(WORLD, &group);
		MPI_Comm_create(WORLD, group, &made);
		MPI_Group_free(&group);
	}
	return made;
}

/* The root of the broadcast waits for nobody; the sum is what it must be. */
static void use(MPI_Comm comm, int number)
{
	int value = rank == 0 ? number : -1, sum = -1, root = 0, place;

	MPI_Group all, own;

	MPI_Comm_group(WORLD, &all);
	MPI_Comm_group(comm, &own);
	MPI_Group_translate_ranks(all, 1, &root, own, &place);
	MPI_Group_free(&all);
	MPI_Group_free(&own);
	MPI_Bcast(&value, 1, MPI_INT, place, comm);
	CHECK(value == number);
	MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, place, comm);
	CHECK(sum == (rank == 0 ? size * number : -1));
	MPI_Scan(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, comm);
	CHECK(value >= number);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "dup";
	int count = argc > 2 ? atoi(argv[2]) : 70;
	int keeps = argc < 4 || !strcmp(argv[3], "keep");
	MPI_Comm *made = calloc((size_t)count, sizeof(*made)), last = WORLD;

	start(&argc, &argv);
	for (int i = 0; i < count; i++) {
		made[i] = make(how, last);
		if (keeps || !strncmp(how, "chain", 5) || !strcmp(how, "idups"))
			last = made[i];
		if (i < 2 || i > count - 3)
			use(made[i], i + 1);
		if (!keeps)
			MPI_Comm_free(&made[i]);
	}
	for (int i = 0; keeps && i < count; i++)
		MPI_Comm_free(&made[i]);
	free(made);
	MPI_Finalize();
	return 0;
}
