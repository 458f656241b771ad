/* Every call that completes, tests, cancels or frees requests, and partitioned messages. The
 * argument names the part. */
#include "../check.h"

enum { MANY = 2, PARTITIONS = 4 };

static MPI_Request requests[MANY];
static MPI_Status statuses[MANY];
static int data[PARTITIONS], got[PARTITIONS];

/* Rank 0 sends MANY messages, rank 1 receives them. */
static void begin(void)
{
	for (int i = 0; i < MANY; i++) {
		data[i] = 10 + i;
		got[i] = -1;
		if (rank == 0)
			MPI_Isend(&data[i], 1, MPI_INT, 1, i, WORLD, &requests[i]);
		else
			MPI_Irecv(&got[i], 1, MPI_INT, 0, i, WORLD, &requests[i]);
	}
}

static void end(const char *call)
{
	int sum = 0;

	for (int i = 0; i < MANY; i++) {
		CHECK(requests[i] == MPI_REQUEST_NULL);
		CHECK(rank == 0 || got[i] == 10 + i);
		sum += got[i];
	}
	printf("%s: %d\n", call, sum);
}

static void waits(void)
{
	int index, count, left = MANY, indices[MANY];

	begin();
	for (int i = 0; i < MANY; i++)
		MPI_Wait(&requests[i], &statuses[i]);
	end("MPI_Wait");
	begin();
	MPI_Waitall(MANY, requests, statuses);
	for (int i = 0; rank == 1 && i < MANY; i++)
		CHECK(statuses[i].MPI_TAG == i && statuses[i].MPI_SOURCE == 0);
	end("MPI_Waitall");
	begin();
	for (int i = 0; i < MANY; i++) {
		MPI_Waitany(MANY, requests, &index, statuses);
		CHECK(index >= 0 && index < MANY);
	}
	MPI_Waitany(MANY, requests, &index, statuses);
	CHECK(index == MPI_UNDEFINED);
	end("MPI_Waitany");
	begin();
	while (left > 0) {
		MPI_Waitsome(MANY, requests, &count, indices, statuses);
		CHECK(count >= 1 && count <= left);
		left -= count;
	}
	MPI_Waitsome(MANY, requests, &count, indices, statuses);
	CHECK(count == MPI_UNDEFINED);
	end("MPI_Waitsome");
}

static void tests(void)
{
	int index, count, flag, left = MANY, indices[MANY];

	begin();
	for (int i = 0; i < MANY; i++) {
		do
			MPI_Test(&requests[i], &flag, &statuses[i]);
		while (!flag);
	}
	end("MPI_Test");
	begin();
	do
		MPI_Testall(MANY, requests, &flag, statuses);
	while (!flag);
	end("MPI_Testall");
	begin();
	do
		MPI_Testany(MANY, requests, &index, &flag, statuses);
	while (!flag || index != MPI_UNDEFINED);
	end("MPI_Testany");
	begin();
	while (left > 0) {
		MPI_Testsome(MANY, requests, &count, indices, statuses);
		left -= count;
	}
	end("MPI_Testsome");
	begin();
	for (int i = 0; i < MANY; i++) {
		do
			MPI_Request_get_status(requests[i], &flag, &statuses[i]);
		while (!flag);
		CHECK(requests[i] != MPI_REQUEST_NULL);
	}
	MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
	end("MPI_Request_get_status");
}

static void given_up(void)
{
	int cancelled, value = 5, back = -1;
	MPI_Status status;

	MPI_Irecv(&back, 1, MPI_INT, 1 - rank, 99, WORLD, requests);
	MPI_Cancel(requests);
	MPI_Wait(requests, &status);
	MPI_Test_cancelled(&status, &cancelled);
	printf("MPI_Cancel: %d\n", cancelled);
	MPI_Isend(&value, 1, MPI_INT, 1 - rank, 0, WORLD, requests);
	MPI_Request_free(requests);
	CHECK(requests[0] == MPI_REQUEST_NULL);
	MPI_Recv(&back, 1, MPI_INT, 1 - rank, 0, WORLD, &status);
	printf("MPI_Request_free: %d\n", back);
	MPI_Barrier(WORLD);
}

static void started(void)
{
	for (int i = 0; i < MANY; i++) {
		if (rank == 0)
			MPI_Send_init(&data[i], 1, MPI_INT, 1, i, WORLD, &requests[i]);
		else
			MPI_Recv_init(&got[i], 1, MPI_INT, 0, i, WORLD, &requests[i]);
	}
	for (int time = 0; time < 3; time++) {
		for (int i = 0; i < MANY; i++)
			data[i] = 100 * time + i;
		if (time == 2)
			for (int i = 0; i < MANY; i++)
				MPI_Start(&requests[i]);
		else
			MPI_Startall(MANY, requests);
		MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
		printf("MPI_Startall: %d %d\n", got[0], got[1]);
	}
	for (int i = 0; i < MANY; i++)
		MPI_Request_free(&requests[i]);
}

static void send_partitions(void)
{
	int list[] = {3};

	for (int time = 0; time < 2; time++) {
		for (int i = 0; i < PARTITIONS; i++)
			data[i] = 1000 * (time + 1) + i;
		MPI_Start(requests);
		MPI_Pready(0, requests[0]);
		MPI_Pready_range(1, 2, requests[0]);
		MPI_Pready_list(1, list, requests[0]);
		MPI_Wait(requests, IGNORE);
	}
}

static void receive_partitions(void)
{
	int flag;

	for (int time = 0; time < 2; time++) {
		MPI_Start(requests);
		do
			MPI_Parrived(requests[0], 2, &flag);
		while (!flag);
		printf("MPI_Parrived: %d\n", got[2]);
		MPI_Wait(requests, IGNORE);
		printf("MPI_Precv_init: %d %d %d %d\n", got[0], got[1], got[2], got[3]);
	}
}

static void partitioned(void)
{
	if (rank == 0) {
		MPI_Psend_init(data, PARTITIONS, 1, MPI_INT, 1, 0, WORLD, MPI_INFO_NULL, requests);
		send_partitions();
	} else {
		MPI_Precv_init(got, PARTITIONS, 1, MPI_INT, 0, 0, WORLD, MPI_INFO_NULL, requests);
		receive_partitions();
	}
	MPI_Request_free(requests);
}

static const struct {
	const char *name;
	void (*run)(void);
} parts[] = {{"waits", waits},
             {"tests", tests},
             {"given_up", given_up},
             {"started", started},
             {"partitioned", partitioned}};

int main(int argc, char **argv)
{
	int flag, provided;

	MPI_Initialized(&flag);
	CHECK(!flag);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
	CHECK(provided >= MPI_THREAD_SERIALIZED);
	MPI_Initialized(&flag);
	CHECK(flag);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (argc < 2 || strcmp(argv[1], parts[i].name) == 0)
			parts[i].run();
	}
	MPI_Finalized(&flag);
	CHECK(!flag);
	MPI_Finalize();
	MPI_Finalized(&flag);
	CHECK(flag);
	return 0;
}
