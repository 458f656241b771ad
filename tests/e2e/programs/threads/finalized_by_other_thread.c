/* MPI_Finalize belongs to the thread that has called MPI_Init (MPI 3.1, section 12.4.3). The first
 * argument is the level of thread support, the second says who does what: "other" the thread
 * finalises; "both" it initialises and finalises; "first" it initialises and ends, and main goes on
 * with a second thread; "session" it initialises after main has opened a session, and finalises;
 * "main" main does both, and the thread only communicates. */
#include <pthread.h>

#include "../check.h"

static int level;
static const char *who;

static void communicate(void)
{
	int sum, one = 1;

	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, WORLD);
}

static void *run(void *unused)
{
	int provided;

	(void)unused;
	if (strcmp(who, "both") == 0 || strcmp(who, "session") == 0 || strcmp(who, "first") == 0)
		MPI_Init_thread(NULL, NULL, level, &provided);
	communicate();
	if (strcmp(who, "main") != 0 && strcmp(who, "first") != 0)
		MPI_Finalize(); /* by the thread */
	return NULL;
}

static void *communicate_beside(void *unused)
{
	communicate();
	return unused;
}

static void go_on_without_first(void)
{
	pthread_t second;

	communicate();
	pthread_create(&second, NULL, communicate_beside, NULL);
	pthread_join(second, NULL);
	MPI_Finalize(); /* by main */
}

int main(int argc, char **argv)
{
	MPI_Session session = MPI_SESSION_NULL;
	pthread_t thread;
	int provided;

	(void)argc;
	level = atoi(argv[1]);
	who = argv[2];
	if (strcmp(who, "session") == 0)
		MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
	else if (strcmp(who, "both") != 0 && strcmp(who, "first") != 0)
		MPI_Init_thread(NULL, NULL, level, &provided);
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	if (strcmp(who, "main") == 0)
		MPI_Finalize();
	if (strcmp(who, "first") == 0)
		go_on_without_first();
	if (session != MPI_SESSION_NULL)
		MPI_Session_finalize(&session);
	return 0;
}
