/* Requests made by the MPI library (generalised ones, MPI-IO) are mixed with those of messages in
 * the calls that complete them, with null requests and with messages to MPI_PROC_NULL. */
#include "../check.h"
#include "../generalised.h"

static int query(void *state, MPI_Status *status)
{
	(void)state;
	MPI_Status_set_elements(status, MPI_INT, 3);
	MPI_Status_set_cancelled(status, 0);
	status->MPI_SOURCE = 5;
	status->MPI_TAG = 6;
	return MPI_SUCCESS;
}

static void generalised(int left, int right)
{
	MPI_Request requests[3];
	MPI_Status statuses[3], status;
	int got, flag, index, count;

	MPI_Grequest_start(query, free_nothing, cancel_nothing, NULL, &requests[0]);
	MPI_Isend(&rank, 1, MPI_INT, right, 1, WORLD, &requests[1]);
	MPI_Irecv(&got, 1, MPI_INT, left, 1, WORLD, &requests[2]);
	MPI_Testall(3, requests, &flag, statuses);
	CHECK(!flag);
	MPI_Grequest_complete(requests[0]);
	MPI_Waitall(3, requests, statuses);
	MPI_Get_count(&statuses[0], MPI_INT, &count);
	CHECK(got == left && count == 3 && statuses[0].MPI_SOURCE == 5);

	MPI_Grequest_start(query, free_nothing, cancel_nothing, NULL, &requests[0]);
	MPI_Irecv(&got, 1, MPI_INT, left, 2, WORLD, &requests[1]);
	MPI_Send(&rank, 1, MPI_INT, right, 2, WORLD);
	MPI_Waitany(2, requests, &index, &status);
	CHECK(index == 1 && got == left);
	MPI_Grequest_complete(requests[0]);
	MPI_Waitany(2, requests, &index, &status);
	CHECK(index == 0 && status.MPI_TAG == 6);
	MPI_Waitany(2, requests, &index, &status);
	CHECK(index == MPI_UNDEFINED && status.MPI_SOURCE == MPI_ANY_SOURCE);
}

static void file(int left, int right)
{
	MPI_File handle;
	MPI_Request requests[4];
	MPI_Status statuses[4];
	char name[64], bytes[100] = "";
	int got, count, none;

	snprintf(name, sizeof(name), "foreign_requests.%d", rank);
	MPI_File_open(MPI_COMM_SELF, name,
	              MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
	              &handle);
	MPI_File_iwrite_at(handle, 0, bytes, 100, MPI_CHAR, &requests[0]);
	MPI_Isend(&rank, 1, MPI_INT, right, 3, WORLD, &requests[1]);
	MPI_Irecv(&got, 1, MPI_INT, left, 3, WORLD, &requests[2]);
	MPI_Irecv(&none, 1, MPI_INT, MPI_PROC_NULL, 3, WORLD, &requests[3]);
	MPI_Waitall(4, requests, statuses);
	MPI_Get_count(&statuses[0], MPI_CHAR, &count);
	CHECK(count == 100 && got == left);
	CHECK(statuses[3].MPI_SOURCE == MPI_PROC_NULL && statuses[3].MPI_TAG == MPI_ANY_TAG);
	MPI_Get_count(&statuses[3], MPI_INT, &count);
	CHECK(count == 0);
	MPI_File_close(&handle);
}

static void asked_and_freed(int left, int right)
{
	MPI_Request request;
	MPI_Status status;
	int got, flag;

	MPI_Irecv(&got, 1, MPI_INT, left, 4, WORLD, &request);
	MPI_Send(&rank, 1, MPI_INT, right, 4, WORLD);
	do
		MPI_Request_get_status(request, &flag, &status);
	while (!flag);
	CHECK(status.MPI_SOURCE == left && request != MPI_REQUEST_NULL);
	MPI_Wait(&request, &status);
	CHECK(status.MPI_SOURCE == left && got == left && request == MPI_REQUEST_NULL);

	MPI_Isend(&rank, 1, MPI_INT, right, 5, WORLD, &request);
	MPI_Request_free(&request);
	CHECK(request == MPI_REQUEST_NULL);
	MPI_Recv(&got, 1, MPI_INT, left, 5, WORLD, &status);
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	int left = (rank + size - 1) % size, right = (rank + 1) % size;
	generalised(left, right);
	file(left, right);
	asked_and_freed(left, right);
	MPI_Finalize();
	return 0;
}
