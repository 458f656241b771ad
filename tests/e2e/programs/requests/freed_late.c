/* Info objects and error handlers may be made and freed at any time (MPI 4.0, section 11.4.1).
 * Those of the whole process are freed at its end. With "keep" some never are; "again" does not
 * free a group of the first of two sessions. */
#include "../check.h"

static MPI_Info first, second, last;
static MPI_Errhandler handler;

static void handle(MPI_Comm *comm, int *code, ...)
{
	(void)comm, (void)code;
}

static void free_at_exit(void)
{
	MPI_Info_free(&second);
}

static void leave_a_group(void)
{
	MPI_Session session;
	MPI_Group group;

	for (int time = 0; time < 2; time++) {
		MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
		if (time == 0)
			MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
		MPI_Session_finalize(&session);
	}
}

int main(int argc, char **argv)
{
	int keep = argc > 1 && strcmp(argv[1], "keep") == 0;

	if (argc > 1 && strcmp(argv[1], "again") == 0) {
		leave_a_group();
		return 0;
	}
	MPI_Info_create(&first);
	MPI_Info_set(first, "made", "early");
	start(&argc, &argv);
	MPI_Info_dup(first, &second);
	MPI_Comm_create_errhandler(handle, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
	MPI_Finalize();
	MPI_Info_create(&last);
	if (keep)
		return 0;
	MPI_Info_free(&last);
	MPI_Info_free(&first);
	MPI_Errhandler_free(&handler);
	atexit(free_at_exit);
	return 0;
}
