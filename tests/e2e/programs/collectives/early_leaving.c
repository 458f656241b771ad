/* Each kind of collective that need not synchronise, nonblocking and persistent: members that do
 * not depend on the others continue before these have called. The ranks pass a token that reaches
 * the others only if that works. At the end there is one more choice: the message of a rank that
 * leaves early can overtake. */
#include "../check.h"

enum { TOKEN = 1, KINDS = 12 };

static int mine, parts[8], all[8], value;

static void begin(int kind, MPI_Request *request)
{
	int counts[8], places[8];

	for (int i = 0; i < 8; i++) {
		counts[i] = 1;
		places[i] = i;
		parts[i] = 10 * kind + i;
		all[i] = -1;
	}
	mine = rank + 1;
	value = kind == 0 && rank == 0 ? 7 : -1;
	switch (kind) {
	case 0: MPI_Ibcast(&value, 1, MPI_INT, 0, WORLD, request); break;
	case 1: MPI_Iscatter(parts, 1, MPI_INT, &value, 1, MPI_INT, 0, WORLD, request); break;
	case 2:
		MPI_Iscatterv(parts, counts, places, MPI_INT, &value, 1, MPI_INT, 0, WORLD,
		              request);
		break;
	case 3: MPI_Igather(&mine, 1, MPI_INT, all, 1, MPI_INT, size - 1, WORLD, request); break;
	case 4:
		MPI_Igatherv(&mine, 1, MPI_INT, all, counts, places, MPI_INT, size - 1, WORLD,
		             request);
		break;
	case 5: MPI_Ireduce(&mine, &value, 1, MPI_INT, MPI_SUM, size - 1, WORLD, request); break;
	case 6: MPI_Iscan(&mine, &value, 1, MPI_INT, MPI_SUM, WORLD, request); break;
	case 7: MPI_Iexscan(&mine, &value, 1, MPI_INT, MPI_SUM, WORLD, request); break;
	case 8:
		MPI_Scatter_init(parts, 1, MPI_INT, &value, 1, MPI_INT, 0, WORLD, MPI_INFO_NULL,
		                 request);
		break;
	case 9:
		MPI_Gatherv_init(&mine, 1, MPI_INT, all, counts, places, MPI_INT, size - 1, WORLD,
		                 MPI_INFO_NULL, request);
		break;
	case 10:
		MPI_Scan_init(&mine, &value, 1, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, request);
		break;
	case 11: MPI_Bcast_init(parts, 8, MPI_INT, 0, WORLD, MPI_INFO_NULL, request); break;
	}
	if (kind >= 8)
		MPI_Start(request);
}

static void verify(int kind)
{
	int sum = (rank + 1) * (rank + 2) / 2;

	if (kind == 0)
		CHECK(value == 7);
	if (kind == 1 || kind == 2 || kind == 8)
		CHECK(value == 10 * kind + rank);
	if ((kind == 3 || kind == 4 || kind == 9) && rank == size - 1)
		CHECK(all[0] == 1 && all[1] == 2 && all[size - 1] == size);
	if (kind == 5 && rank == size - 1)
		CHECK(value == size * (size + 1) / 2);
	if (kind == 6 || kind == 10)
		CHECK(value == sum);
	if (kind == 7 && rank > 0)
		CHECK(value == sum - rank - 1);
}

/* Rank 0 first, each after the previous one. A rank that has contributed may overwrite its send
 * buffer. */
static void in_turn(int kind)
{
	MPI_Request request;
	int token;

	if (rank > 0)
		MPI_Recv(&token, 1, MPI_INT, rank - 1, TOKEN, WORLD, IGNORE);
	begin(kind, &request);
	MPI_Wait(&request, IGNORE);
	if (rank < size - 1) {
		mine = -1;
		MPI_Send(&rank, 1, MPI_INT, rank + 1, TOKEN, WORLD);
	}
	verify(kind);
	if (kind >= 8)
		MPI_Request_free(&request);
}

static void overtake(void)
{
	MPI_Request request, received;
	int first;

	if (rank == 1)
		MPI_Irecv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, &received);
	if (rank == 2)
		MPI_Send(&rank, 1, MPI_INT, 1, 0, WORLD);
	MPI_Ibcast(&value, 1, MPI_INT, 0, WORLD, &request);
	MPI_Wait(&request, IGNORE);
	if (rank == 0)
		MPI_Send(&rank, 1, MPI_INT, 1, 0, WORLD);
	if (rank == 1) {
		MPI_Wait(&received, IGNORE);
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
	}
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	for (int kind = 0; argc == 1 && kind < KINDS; kind++)
		in_turn(kind);
	overtake();
	MPI_Finalize();
	return 0;
}
