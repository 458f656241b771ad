/* Mprobe takes the message out of matching: what is received is always what was probed. */
#include "../check.h"

int main(int argc, char **argv)
{
	start(&argc, &argv);
	if (rank == 0) {
		for (int i = 0; i < 2; i++) {
			int numbers[3], count;
			MPI_Message message;
			MPI_Status status;
			MPI_Request request;

			MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &message, &status);
			MPI_Get_count(&status, MPI_INT, &count);
			CHECK(count == status.MPI_SOURCE && status.MPI_TAG == count + 1);
			if (i == 0) {
				MPI_Mrecv(numbers, count, MPI_INT, &message, IGNORE);
			} else {
				MPI_Imrecv(numbers, count, MPI_INT, &message, &request);
				MPI_Wait(&request, &status);
				CHECK(status.MPI_SOURCE == count);
			}
			CHECK(message == MPI_MESSAGE_NULL && numbers[count - 1] == count);
		}
	} else {
		int numbers[] = {1, 2, 3};

		MPI_Send(numbers, rank, MPI_INT, 0, rank + 1, WORLD);
	}
	MPI_Finalize();
	return 0;
}
