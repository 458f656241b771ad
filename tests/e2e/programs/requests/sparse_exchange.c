/* As in the assembly of a distributed matrix: each rank asks some others for rows that they own,
 * and nobody knows who will ask. A question is answered when a probe finds it; a rank whose answers
 * have come enters the consensus, and answers on until it is over. Right in any order. */
#include "../check.h"

enum { QUESTION = 1, ANSWER = 2, MOST = 8 };

static MPI_Request answering[MOST];
static int answers[MOST], answered;

static void answer(int asker)
{
	int row;

	MPI_Recv(&row, 1, MPI_INT, asker, QUESTION, WORLD, IGNORE);
	CHECK(answered < MOST);
	answers[answered] = 100 * rank + row;
	MPI_Isend(&answers[answered], 1, MPI_INT, asker, ANSWER, WORLD, &answering[answered]);
	answered++;
	row = 0;
}

/* Whether a question was there. */
static int look(void)
{
	MPI_Status status;
	int found;

	memset(&status, 0, sizeof(status));
	MPI_Iprobe(MPI_ANY_SOURCE, QUESTION, WORLD, &found, &status);
	if (found)
		answer(status.MPI_SOURCE);
	return found;
}

int main(int argc, char **argv)
{
	MPI_Request exchange[2], consensus = MPI_REQUEST_NULL;
	MPI_Status statuses[MOST];
	int owner, row, value = -1, done = 0, over = 0;

	start(&argc, &argv);
	owner = (rank + 1) % size;
	row = 10 + rank;
	MPI_Irecv(&value, 1, MPI_INT, owner, ANSWER, WORLD, &exchange[0]);
	MPI_Isend(&row, 1, MPI_INT, owner, QUESTION, WORLD, &exchange[1]);
	while (!over) {
		look();
		if (done) {
			MPI_Test(&consensus, &over, IGNORE);
			continue;
		}
		MPI_Testall(2, exchange, &done, statuses);
		if (done)
			MPI_Ibarrier(WORLD, &consensus);
	}
	MPI_Waitall(answered, answering, statuses);
	CHECK(answered == 1 && value == 100 * owner + row);
	printf("row %d: %d\n", row, value);
	MPI_Finalize();
	return 0;
}
