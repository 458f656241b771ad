/* Each field of a status is what MPICH leaves there: after each call that gives a status, for each
 * kind of request, also for null and inactive ones, and without a peer. */
#include <stdbool.h>

#include "../check.h"

enum { FILLED = 77, KINDS = 21, CANCELLED = 19 };

static MPI_Status statuses[4], *const status = &statuses[0];
static bool is_vague; /* source, tag, count: undefined, or wrong in MPICH 4.0 (no peer) */
static int number, there[4], beside[4], flag, indx, outcount, indices[4];

static void clear(void)
{
	for (int i = 0; i < 4; i++) {
		statuses[i].MPI_SOURCE = statuses[i].MPI_TAG = statuses[i].MPI_ERROR = FILLED;
		MPI_Status_set_elements(&statuses[i], MPI_BYTE, FILLED);
		MPI_Status_set_cancelled(&statuses[i], 1);
	}
	flag = indx = outcount = FILLED;
}

static void show(const char *call, int count)
{
	for (int i = 0; i < count; i++) {
		int bytes, cancelled;

		MPI_Get_elements(&statuses[i], MPI_BYTE, &bytes);
		MPI_Test_cancelled(&statuses[i], &cancelled);
		printf("%s %d: error %d cancelled %d flag %d", call, i, statuses[i].MPI_ERROR,
		       cancelled, flag);
		if (!is_vague)
			printf(" source %d tag %d bytes %d", statuses[i].MPI_SOURCE,
			       statuses[i].MPI_TAG, bytes);
		printf("\n");
	}
	printf("index %d outcount %d\n", indx, outcount);
	clear();
}

#define SHOW(call, count)           \
	do {                        \
		call;               \
		show(#call, count); \
	} while (0)

/* Starts a request of each kind; the other rank does its part. */
static int begin(int kind, MPI_Request *request)
{
	int other = 1 - rank;

	*request = MPI_REQUEST_NULL;
	switch (kind) {
	case 0: break;
	case 1: MPI_Irecv(there, 4, MPI_INT, other, 5, WORLD, request); break;
	case 2: MPI_Isend(&number, 1, MPI_INT, other, 7, WORLD, request); break;
	case 3: MPI_Issend(&number, 1, MPI_INT, other, 7, WORLD, request); break;
	case 4: MPI_Irecv(there, 4, MPI_INT, MPI_PROC_NULL, 5, WORLD, request); break;
	case 5: MPI_Isend(&number, 1, MPI_INT, MPI_PROC_NULL, 5, WORLD, request); break;
	case 6: MPI_Recv_init(there, 4, MPI_INT, other, 5, WORLD, request); return 1;
	case 7: MPI_Send_init(&number, 1, MPI_INT, other, 7, WORLD, request); return 1;
	case 8: MPI_Recv_init(there, 4, MPI_INT, other, 5, WORLD, request); break;
	case 9: MPI_Send_init(&number, 1, MPI_INT, other, 7, WORLD, request); break;
	case 10: MPI_Ibarrier(WORLD, request); break;
	case 11: MPI_Ibcast(there, 1, MPI_INT, 0, WORLD, request); break;
	case 12: MPI_Iallreduce(&number, there, 1, MPI_INT, MPI_SUM, WORLD, request); break;
	case 13: MPI_Barrier_init(WORLD, MPI_INFO_NULL, request); return 1;
	case 14: MPI_Recv_init(there, 4, MPI_INT, MPI_PROC_NULL, 5, WORLD, request); break;
	case 15: MPI_Ibsend(&number, 1, MPI_INT, other, 7, WORLD, request); break;
	case 16: MPI_Bsend_init(&number, 1, MPI_INT, other, 7, WORLD, request); return 1;
	case 17: MPI_Recv_init(there, 4, MPI_INT, MPI_PROC_NULL, 5, WORLD, request); return 1;
	case 18: MPI_Irecv(there, 0, MPI_INT, other, 6, WORLD, request); break;
	case 19: MPI_Irecv(there, 4, MPI_INT, other, 9, WORLD, request); break;
	case 20:
		MPI_Isendrecv(&number, 1, MPI_INT, other, 7, there, 4, MPI_INT, other, 5, WORLD,
		              request);
		break;
	default: return -1;
	}
	return 0;
}

/* Receives what the sends transmit, and sends what the receives take. */
static void help(int kind)
{
	MPI_Request request;

	if (kind == 1 || kind == 6 || kind == 20)
		MPI_Isend(&number, 1, MPI_INT, 1 - rank, 5, WORLD, &request);
	else if (kind == 18)
		MPI_Isend(&number, 0, MPI_INT, 1 - rank, 6, WORLD, &request);
	else
		request = MPI_REQUEST_NULL;
	MPI_Wait(&request, IGNORE);
	if (kind == 2 || kind == 3 || kind == 7 || kind == 15 || kind == 16 || kind == 20)
		MPI_Recv(beside, 4, MPI_INT, 1 - rank, 7, WORLD, IGNORE);
}

static void complete(int way, MPI_Request *one)
{
	MPI_Request all[3] = {MPI_REQUEST_NULL, *one, MPI_REQUEST_NULL};

	switch (way) {
	case 0: SHOW(MPI_Wait(one, status), 1); return;
	case 1: SHOW(MPI_Waitall(3, all, statuses), 3); break;
	case 2: SHOW(MPI_Waitany(3, all, &indx, status), 1); break;
	case 3: SHOW(MPI_Waitsome(3, all, &outcount, indices, statuses), 2); break;
	case 4:
		do {
			clear();
			MPI_Test(one, &flag, status);
		} while (!flag);
		show("MPI_Test", 1);
		return;
	case 5:
		do {
			clear();
			MPI_Testall(3, all, &flag, statuses);
		} while (!flag);
		show("MPI_Testall", 3);
		break;
	case 6:
		do {
			clear();
			MPI_Testany(3, all, &indx, &flag, status);
		} while (!flag);
		show("MPI_Testany", 1);
		break;
	case 7:
		do {
			clear();
			MPI_Testsome(3, all, &outcount, indices, statuses);
		} while (outcount == 0);
		show("MPI_Testsome", 2);
		break;
	default:
		do {
			clear();
			MPI_Request_get_status(*one, &flag, status);
		} while (!flag);
		show("MPI_Request_get_status", 1);
		SHOW(MPI_Wait(one, status), 1);
		return;
	}
	*one = all[1];
}

/* Rank 0 checks; rank 1 completes its requests with MPI_Wait. */
static void requests(int way)
{
	for (int kind = 0; kind < KINDS; kind++) {
		MPI_Request request;

		/* MPICH 4.0's MPI_Testall fails; other calls treat the request as inactive. */
		if ((way == 5 && kind == 13) || (way > 1 && kind == 17))
			continue;
		is_vague = (kind >= 10 && kind <= 13) || kind == 4 || kind == 14 || kind == 17
		           || kind == CANCELLED || kind == 20;
		int started = begin(kind, &request);

		if (started == 1)
			MPI_Start(&request);
		if (kind == CANCELLED)
			MPI_Cancel(&request);
		help(kind);
		MPI_Barrier(WORLD);
		printf("way %d kind %d\n", way, kind);
		complete(rank == 0 ? way : 0, &request);
		if (request != MPI_REQUEST_NULL)
			MPI_Request_free(&request);
	}
}

static void not_yet(void)
{
	MPI_Request both[2];

	MPI_Irecv(there, 1, MPI_INT, rank, 8, WORLD, &both[0]);
	MPI_Irecv(there, 1, MPI_INT, rank, 8, WORLD, &both[1]);
	SHOW(MPI_Test(&both[0], &flag, status), 1);
	SHOW(MPI_Testall(2, both, &flag, statuses), 2);
	SHOW(MPI_Testany(2, both, &indx, &flag, status), 1);
	SHOW(MPI_Testsome(2, both, &outcount, indices, statuses), 2);
	SHOW(MPI_Request_get_status(both[0], &flag, status), 1);
	SHOW(MPI_Iprobe(rank, 8, WORLD, &flag, status), 1);
	for (int i = 0; i < 2; i++) {
		MPI_Cancel(&both[i]);
		MPI_Wait(&both[i], IGNORE);
	}
}

static void blocking(void)
{
	int other = 1 - rank;
	MPI_Message message;
	MPI_Request request, both[2];

	MPI_Irecv(there, 1, MPI_INT, other, 0, WORLD, &both[0]);
	MPI_Isend(&number, 1, MPI_INT, other, 0, WORLD, &both[1]);
	SHOW(MPI_Waitall(2, both, statuses), 2);
	SHOW(MPI_Sendrecv(&number, 1, MPI_INT, other, 1, there, 4, MPI_INT, other, 1, WORLD,
	                  status),
	     1);
	SHOW(MPI_Sendrecv_replace(there, 1, MPI_INT, other, 1, other, 1, WORLD, status), 1);
	SHOW(MPI_Sendrecv(&number, 1, MPI_INT, MPI_PROC_NULL, 1, there, 4, MPI_INT, MPI_PROC_NULL,
	                  1, WORLD, status),
	     1);
	SHOW(MPI_Recv(there, 1, MPI_INT, MPI_PROC_NULL, 1, WORLD, status), 1);
	SHOW(MPI_Probe(MPI_PROC_NULL, 1, WORLD, status), 1);
	SHOW(MPI_Iprobe(MPI_PROC_NULL, 1, WORLD, &flag, status), 1);
	SHOW(MPI_Mprobe(MPI_PROC_NULL, 1, WORLD, &message, status), 1);
	SHOW(MPI_Mrecv(there, 1, MPI_INT, &message, status), 1);
	SHOW(MPI_Improbe(MPI_PROC_NULL, 1, WORLD, &flag, &message, status), 1);
	MPI_Imrecv(there, 1, MPI_INT, &message, &request);
	SHOW(MPI_Wait(&request, status), 1);
	for (int i = 0; i < 4; i++)
		MPI_Bsend(&number, 1, MPI_INT, other, i, WORLD);
	SHOW(MPI_Probe(other, 0, WORLD, status), 1);
	SHOW(MPI_Recv(there, 4, MPI_INT, other, 0, WORLD, status), 1);
	SHOW(MPI_Mprobe(other, 1, WORLD, &message, status), 1);
	SHOW(MPI_Mrecv(there, 4, MPI_INT, &message, status), 1);
	MPI_Barrier(WORLD);
	do {
		clear();
		MPI_Iprobe(other, 2, WORLD, &flag, status);
	} while (!flag);
	show("MPI_Iprobe", 1);
	MPI_Recv(there, 4, MPI_INT, other, 2, WORLD, IGNORE);
	do {
		clear();
		MPI_Improbe(other, 3, WORLD, &flag, &message, status);
	} while (!flag);
	show("MPI_Improbe", 1);
	MPI_Imrecv(there, 4, MPI_INT, &message, &request);
	SHOW(MPI_Wait(&request, status), 1);
}

int main(int argc, char **argv)
{
	static char buffer[1 << 16];
	void *detached;
	int bytes;

	start(&argc, &argv);
	MPI_Buffer_attach(buffer, sizeof(buffer));
	clear();
	for (int way = 0; way < 9; way++)
		requests(way);
	is_vague = false;
	not_yet();
	blocking();
	MPI_Buffer_detach(&detached, &bytes);
	MPI_Finalize();
	return 0;
}
