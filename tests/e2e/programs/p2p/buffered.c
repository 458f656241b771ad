/* Buffered sends need room in the attached buffer, and nowhere else. The error of one request among
 * several is in its status. With "hurried" the sender does not know that the messages of the
 * previous round have been received: they may still fill the buffer (MPI 3.1, section 3.6). */
#include "../check.h"

#include <stdbool.h>

enum { MESSAGE = 1000, MESSAGES = 4 };

static int class_of(int code)
{
	int class;
	MPI_Error_class(code, &class);
	return class;
}

static void buffered(int left, int right, bool hurried)
{
	static char room[MESSAGES * (MESSAGE + MPI_BSEND_OVERHEAD)], bytes[MESSAGE];
	MPI_Request request;
	void *address;
	int count;

	CHECK(class_of(MPI_Bsend(&rank, 1, MPI_INT, right, 0, WORLD)) == MPI_ERR_BUFFER);
	MPI_Buffer_attach(room, sizeof(room));
	CHECK(MPI_Buffer_attach(room, 1)
	      != MPI_SUCCESS); /* MPICH's releases return different error classes */
	for (int round = 0; round < 3; round++) {
		for (int tag = 0; tag < MESSAGES; tag++) {
			memset(bytes, rank + tag, sizeof(bytes));
			MPI_Ibsend(bytes, MESSAGE, MPI_CHAR, right, tag, WORLD, &request);
			MPI_Wait(&request, IGNORE);
		}
		memset(bytes, 99, sizeof(bytes));
		for (int tag = MESSAGES; tag-- > 0;) {
			MPI_Recv(bytes, MESSAGE, MPI_CHAR, left, tag, WORLD, IGNORE);
			CHECK(bytes[MESSAGE - 1] == left + tag);
		}
		if (!hurried)
			MPI_Sendrecv(NULL, 0, MPI_INT, left, 99, NULL, 0, MPI_INT, right, 99, WORLD,
			             IGNORE);
	}
	MPI_Buffer_detach(&address, &count);
	CHECK(address == room && count == (int)sizeof(room));
}

static void truncated(int left, int right)
{
	MPI_Request requests[4];
	MPI_Status statuses[4];
	int many[4] = {0}, few, fits = -1;

	MPI_Isend(many, 4, MPI_INT, right, 1, WORLD, &requests[0]);
	MPI_Isend(&rank, 1, MPI_INT, right, 2, WORLD, &requests[1]);
	MPI_Irecv(&few, 1, MPI_INT, left, 1, WORLD, &requests[2]);
	MPI_Irecv(&fits, 1, MPI_INT, left, 2, WORLD, &requests[3]);
	CHECK(class_of(MPI_Waitall(4, requests, statuses)) == MPI_ERR_IN_STATUS);
	CHECK(class_of(statuses[2].MPI_ERROR) == MPI_ERR_TRUNCATE);
	for (int i = 0; i < 4; i++)
		CHECK(i == 2 || statuses[i].MPI_ERROR == MPI_SUCCESS);
	CHECK(fits == left);
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	int left = (rank + size - 1) % size, right = (rank + 1) % size;
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	buffered(left, right, argc > 1 && strcmp(argv[1], "hurried") == 0);
	truncated(left, right);
	MPI_Finalize();
	return 0;
}
