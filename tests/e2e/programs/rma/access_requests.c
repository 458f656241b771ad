/* Each request of a one-sided call stands for that call alone, although the library gives one
 * handle to several calls that are complete at once. The first argument is the call, the second how
 * its request is completed. Then the buffer of that call is used again, while a second call of the
 * same kind is pending. That is right, except for
 *   other   the other call's request is completed
 *   none    the request of a call to MPI_PROC_NULL is completed */
#include "../check.h"

#include <string.h>

static int data[8], other[8], result[8], other_result[8];
static MPI_Win window;

static MPI_Request begin(const char *call, int *own, int *fetched, int target, MPI_Aint place)
{
	MPI_Request request = MPI_REQUEST_NULL;

	if (!strcmp(call, "put"))
		MPI_Rput(own, 8, MPI_INT, target, place, 8, MPI_INT, window, &request); /* begun */
	else if (!strcmp(call, "get"))
		MPI_Rget(own, 8, MPI_INT, target, place, 8, MPI_INT, window, &request); /* begun */
	else if (!strcmp(call, "accumulate"))
		MPI_Raccumulate(own, 8, MPI_INT, target, place, 8, MPI_INT, MPI_SUM,
		                window, /* begun */
		                &request);
	else
		MPI_Rget_accumulate(own, 8, MPI_INT, fetched, 8, MPI_INT, target, place,
		                    8, /* begun */
		                    MPI_INT, MPI_SUM, window, &request);
	return request;
}

static void complete(const char *how, MPI_Request *first, MPI_Request *second)
{
	MPI_Request all[] = {MPI_REQUEST_NULL, *first};
	MPI_Status statuses[2];
	int index = 1, indices[2], flag = 0;

	if (!strcmp(how, "wait")) {
		MPI_Wait(first, IGNORE);
	} else if (!strcmp(how, "waitall")) {
		MPI_Waitall(2, all, statuses);
	} else if (!strcmp(how, "waitany")) {
		MPI_Waitany(2, all, &index, IGNORE);
	} else if (!strcmp(how, "waitsome")) {
		MPI_Waitsome(2, all, &flag, indices, statuses);
	} else if (!strcmp(how, "test")) {
		while (!flag)
			MPI_Test(first, &flag, IGNORE);
	} else if (!strcmp(how, "testall")) {
		while (!flag)
			MPI_Testall(2, all, &flag, statuses);
	} else if (!strcmp(how, "testany")) {
		while (!flag)
			MPI_Testany(2, all, &index, &flag, IGNORE);
	} else if (!strcmp(how, "status")) {
		while (!flag)
			MPI_Request_get_status(*first, &flag, IGNORE); /* it stays */
	} else if (!strcmp(how, "other")) {
		MPI_Wait(second, IGNORE);
	}
	if (!strncmp(how, "waita", 5) || !strcmp(how, "waitsome") || !strncmp(how, "testa", 5))
		*first = all[1];
}

int main(int argc, char **argv)
{
	const char *call = argc > 2 ? argv[1] : "put", *how = argc > 2 ? argv[2] : "wait";
	MPI_Request first, second, third;
	int *memory;

	start(&argc, &argv);
	MPI_Win_allocate(256, sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
	MPI_Win_lock_all(0, window);
	first = begin(call, data, result, 1 - rank, 0);
	second = begin(call, other, other_result, strcmp(how, "none") ? 1 - rank : MPI_PROC_NULL,
	               16);
	if (!strcmp(how, "none"))
		MPI_Wait(&second, IGNORE);
	complete(how, &first, &second);
	MPI_Rget(data, 8, MPI_INT, 1 - rank, 32, 8, MPI_INT, window, &third); /* again */
	MPI_Wait(&third, IGNORE);
	if (first != MPI_REQUEST_NULL)
		MPI_Wait(&first, IGNORE);
	if (second != MPI_REQUEST_NULL)
		MPI_Wait(&second, IGNORE);
	MPI_Win_unlock_all(window);
	MPI_Win_free(&window);
	MPI_Finalize();
	return first != MPI_REQUEST_NULL || second != MPI_REQUEST_NULL || third != MPI_REQUEST_NULL;
}
