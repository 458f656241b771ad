/* Messages of all lengths in a ring, received from anybody, with polls; a hash of all that was
 * received at the end. argv: rounds, then the largest message in ints. "different" as a third word
 * in a file called "input" changes what is sent. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 50, most = argc > 2 ? atoi(argv[2]) : 3000;
	int rank, size, *in = malloc(sizeof(int) * (size_t)most),
			*out = malloc(sizeof(int) * (size_t)most);
	unsigned long hash = 1, polls = 0;
	char word[32] = "";
	FILE *file = fopen("input", "r");

	if (file && fscanf(file, "%31s", word) != 1)
		word[0] = '\0';
	if (file)
		fclose(file);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < rounds; i++) {
		const int length = i * 37 % most + 1;
		int flag = 0, count, sum;
		MPI_Request request, sending;
		MPI_Status status;

		for (int j = 0; j < length; j++)
			out[j] = rank * i + j + (int)strlen(word);
		MPI_Irecv(in, most, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &request);
		MPI_Isend(out, length, MPI_INT, (rank + i + 1) % size, i, MPI_COMM_WORLD, &sending);
		while (!flag) {
			MPI_Test(&request, &flag, &status);
			polls++;
		}
		MPI_Wait(&sending, MPI_STATUS_IGNORE);
		MPI_Get_count(&status, MPI_INT, &count);
		for (int j = 0; j < count; j++)
			hash = hash * 31 + (unsigned)in[j];
		MPI_Allreduce(&count, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		hash += (unsigned)sum;
	}
	printf("%d: %lx, %d polls\n", rank, hash, polls > 0);
	MPI_Finalize();
	return 0;
}
