/* Sessions (MPI 4.0, section 11.3): without MPI_Init, together with it, two at once, and one after
 * another. The argument names the case. Rank 0 of each communicator takes a message from every
 * rank. */
#include "../check.h"

static MPI_Session open_session(void)
{
	MPI_Session session;
	MPI_Info info;

	MPI_Info_create(&info);
	MPI_Info_set(info, "thread_level", "MPI_THREAD_SINGLE");
	CHECK(MPI_Session_init(info, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
	MPI_Info_free(&info);
	return session;
}

static MPI_Comm everybody(MPI_Session session, const char *tag)
{
	MPI_Group group;
	MPI_Comm comm;

	CHECK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group) == MPI_SUCCESS);
	CHECK(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm)
	      == MPI_SUCCESS);
	MPI_Group_free(&group);
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	return comm;
}

static void gather(MPI_Comm comm)
{
	int value, sum = 0, me, members;

	MPI_Comm_rank(comm, &me);
	MPI_Comm_size(comm, &members);
	if (me > 0)
		MPI_Send(&me, 1, MPI_INT, 0, 0, comm);
	for (int i = 1; me == 0 && i < members; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, IGNORE);
		sum += value;
	}
	MPI_Bcast(&sum, 1, MPI_INT, 0, comm);
	printf("sum %d of %d\n", sum, members);
}

static void use(const char *tag)
{
	MPI_Session session = open_session();
	MPI_Comm comm = everybody(session, tag);

	gather(comm);
	MPI_Comm_free(&comm);
	MPI_Session_finalize(&session);
	CHECK(session == MPI_SESSION_NULL);
}

/* Without MPI_Init; the session's properties are queried. */
static void alone(void)
{
	MPI_Session session = open_session();
	MPI_Comm comm = everybody(session, "alone");
	int count, flag, length = MPI_MAX_PSET_NAME_LEN;
	char name[MPI_MAX_PSET_NAME_LEN];
	MPI_Info info;

	MPI_Initialized(&flag);
	CHECK(!flag);
	MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count);
	MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, name);
	MPI_Session_get_pset_info(session, name, &info);
	MPI_Info_free(&info);
	printf("%d sets, %s\n", count, name);
	gather(comm);
	MPI_Comm_disconnect(&comm);
	MPI_Session_finalize(&session);
	MPI_Finalized(&flag);
	CHECK(!flag);
}

/* Between the groups {0} and {1, 2}; a file and a window on the session's communicator. */
static void more(void)
{
	MPI_Session session = open_session();
	MPI_Comm comm = everybody(session, "more"), inter;
	MPI_Group all, first, others;
	const int zero = 0;
	MPI_File file;
	MPI_Win window;
	int cell = 0;

	MPI_Comm_group(comm, &all);
	MPI_Group_incl(all, 1, &zero, &first);
	MPI_Group_excl(all, 1, &zero, &others);
	MPI_Intercomm_create_from_groups(rank == 0 ? first : others, 0, rank == 0 ? others : first,
	                                 0, "between", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &inter);
	if (rank == 0) {
		MPI_Recv(&cell, 1, MPI_INT, 1, 0, inter, IGNORE);
		CHECK(cell == 2);
	} else if (rank == 2) {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, inter);
	}
	MPI_Barrier(inter);
	MPI_Comm_free(&inter);
	MPI_Group_free(&all);
	MPI_Group_free(&first);
	MPI_Group_free(&others);
	CHECK(MPI_File_open(comm, "sessions.data",
	                    MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
	                    MPI_INFO_NULL, &file)
	      == MPI_SUCCESS);
	MPI_File_write_ordered(file, &rank, 1, MPI_INT, IGNORE);
	MPI_File_close(&file);
	MPI_Win_create(&cell, sizeof(cell), sizeof(cell), MPI_INFO_NULL, comm, &window);
	MPI_Win_fence(0, window);
	MPI_Win_free(&window);
	MPI_Comm_free(&comm);
	MPI_Session_finalize(&session);
}

/* Before, between and after MPI_Init and MPI_Finalize; rank 1 has one more session of its own. */
static void beside(void)
{
	MPI_Session outer = open_session(), inner, own = MPI_SESSION_NULL;
	MPI_Comm comm;

	MPI_Init(NULL, NULL);
	inner = open_session();
	gather(WORLD);
	comm = everybody(inner, "inner");
	gather(comm);
	MPI_Comm_free(&comm);
	MPI_Session_finalize(&inner);
	if (rank == 1)
		own = open_session();
	MPI_Finalize();
	if (rank == 1)
		MPI_Session_finalize(&own);
	comm = everybody(outer, "outer");
	gather(comm);
	MPI_Comm_free(&comm);
	MPI_Session_finalize(&outer);
}

/* A library on one rank makes queries. */
static void uneven(void)
{
	MPI_Session own;

	start(NULL, NULL);
	if (rank == 1)
		own = open_session();
	gather(WORLD);
	MPI_Finalize();
	if (rank == 1)
		MPI_Session_finalize(&own);
}

int main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "alone";

	if (strcmp(which, "alone") == 0) {
		alone();
	} else if (strcmp(which, "more") == 0) {
		more();
	} else if (strcmp(which, "beside") == 0) {
		beside();
	} else if (strcmp(which, "uneven") == 0) {
		uneven();
	} else {
		use("first");
		use("second");
	}
	return 0;
}
