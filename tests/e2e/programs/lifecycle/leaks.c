/* Objects of each kind, freed in all possible ways or, with the argument "keep", not freed. */
#include "../check.h"

#include <stdlib.h>

static int keep;
static int numbers[8];

static void make_groups(void)
{
	int first = 0;
	MPI_Group all, again, some, none;

	MPI_Comm_group(WORLD, &all);
	MPI_Comm_group(WORLD, &again); /* the same handle */
	MPI_Group_incl(all, 1, &first, &some);
	MPI_Group_incl(all, 0, &first, &none); /* MPI_GROUP_EMPTY */
	MPI_Group_free(&all);
	MPI_Group_free(&again);
	if (!keep)
		MPI_Group_free(&some);
}

static void make_types(void)
{
	int integers[4];
	MPI_Aint addresses[1];
	MPI_Datatype three, vector, parts[1], real, basic, view;

	MPI_Type_contiguous(3, MPI_INT, &three);
	MPI_Type_vector(2, 1, 2, three, &vector);
	MPI_Type_get_contents(vector, 3, 0, 1, integers, addresses, parts); /* derived */
	MPI_Type_free(&vector);
	MPI_Type_free(&three);
	if (!keep)
		MPI_Type_free(&parts[0]);
	MPI_Type_create_f90_real(12, MPI_UNDEFINED, &real); /* predefined */
	MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 4, &basic);
	MPI_Type_dup(real, &view);
	MPI_Type_get_contents(view, 0, 0, 1, integers, addresses, parts); /* predefined again */
	MPI_Type_free(&view);
}

static int free_group(MPI_Comm comm, int keyval, void *value, void *state)
{
	(void)comm, (void)keyval, (void)state;
	MPI_Group_free(value);
	return MPI_SUCCESS;
}

/* Freed by MPI_Finalize: MPI 3.1, section 8.7.1. */
static void leave_to_finalize(void)
{
	static MPI_Group group;
	int keyval;

	MPI_Comm_group(MPI_COMM_SELF, &group);
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_group, &keyval, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &group);
	MPI_Comm_free_keyval(&keyval);
}

static void make_communicators(void)
{
	MPI_Request request;
	MPI_Comm split, dup, later;

	MPI_Comm_split(WORLD, rank == 0 ? 1 : MPI_UNDEFINED, 0, &split);
	MPI_Comm_dup(WORLD, &dup);
	MPI_Comm_idup(WORLD, &later, &request);
	MPI_Wait(&request, IGNORE);
	MPI_Comm_disconnect(&dup);
	if (keep)
		return;
	if (rank == 0)
		MPI_Comm_free(&split);
	MPI_Comm_free(&later);
}

static void make_requests(void)
{
	MPI_Request sends, start, lost, ended;
	MPI_Message message;
	int zero = 0;

	MPI_Send_init(&rank, 1, MPI_INT, rank, 1, WORLD, &start);
	MPI_Start(&start);
	MPI_Recv(&numbers[0], 1, MPI_INT, rank, 1, WORLD, IGNORE);
	MPI_Wait(&start, IGNORE);
	MPI_Irecv(&numbers[1], 1, MPI_INT, rank, 2, WORLD, &lost);
	MPI_Isend(&rank, 1, MPI_INT, rank, 3, WORLD, &sends);
	MPI_Request_free(&sends);
	MPI_Mprobe(rank, 3, WORLD, &message, IGNORE);
	MPI_Ibarrier(WORLD, &ended);
	MPI_Waitany(1, &ended, &zero, IGNORE);
	if (keep)
		return;
	MPI_Cancel(&lost);
	MPI_Wait(&lost, IGNORE);
	MPI_Request_free(&start);
	MPI_Mrecv(&numbers[2], 1, MPI_INT, &message, IGNORE);
}

static void make_window(void)
{
	MPI_Win window;
	MPI_Request request;

	MPI_Win_create(numbers, sizeof(numbers), sizeof(int), MPI_INFO_NULL, WORLD, &window);
	MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
	MPI_Rput(&rank, 1, MPI_INT, rank, 3, 1, MPI_INT, window, &request);
	MPI_Wait(&request, IGNORE);
	MPI_Rget(&numbers[4], 1, MPI_INT, rank, 2, 1, MPI_INT, window, &request);
	if (!keep)
		MPI_Wait(&request, IGNORE);
	MPI_Win_unlock(rank, window);
	if (!keep)
		MPI_Win_free(&window);
}

static void make_file(void)
{
	const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
	MPI_Request requests[2];
	MPI_File file;
	char name[64];

	snprintf(name, sizeof(name), "leaks.%d", rank);
	MPI_File_open(MPI_COMM_SELF, name, mode, MPI_INFO_NULL, &file);
	MPI_File_iwrite_at(file, 0, numbers, 1, MPI_INT, &requests[0]);
	MPI_File_iwrite_at_all(file, 4, numbers, 1, MPI_INT, &requests[1]);
	MPI_Wait(&requests[1], IGNORE);
	if (!keep)
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	MPI_File_close(&file);
}

static void handle(MPI_Comm *comm, int *code, ...)
{
	(void)comm, (void)code;
}

static void combine(void *in, void *out, int *count, MPI_Datatype *type)
{
	(void)in, (void)out, (void)count, (void)type;
}

static void make_others(void)
{
	int comm_keyval, type_keyval, win_keyval;
	MPI_Errhandler handler, same, none;
	MPI_Info info, other, used;
	MPI_Op op;

	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &comm_keyval, NULL);
	MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &type_keyval, NULL);
	MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &win_keyval, NULL);
	MPI_Comm_get_errhandler(WORLD, &none); /* predefined */
	MPI_Comm_create_errhandler(handle, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
	MPI_Comm_get_errhandler(MPI_COMM_SELF, &same);
	MPI_Errhandler_free(&handler);
	MPI_Op_create(combine, 1, &op);
	MPI_Info_create(&info);
	MPI_Info_dup(info, &other);
	MPI_Comm_get_info(WORLD, &used);
	MPI_Info_free(&info);
	MPI_Comm_free_keyval(&comm_keyval);
	if (keep)
		return;
	MPI_Type_free_keyval(&type_keyval);
	MPI_Win_free_keyval(&win_keyval);
	MPI_Errhandler_free(&same);
	MPI_Op_free(&op);
	MPI_Info_free(&other);
	MPI_Info_free(&used);
}

/* What MPI 3.0 has removed: in MPICH these functions are jumps to their successors. */
static void make_the_old_way(void)
{
	int one = 1, keyval;
	MPI_Aint zero = 0;
	MPI_Datatype basic = MPI_INT, type;
	MPI_Errhandler handler;

	MPI_Type_struct(1, &one, &zero, &basic, &type);
	MPI_Type_free(&type);
	MPI_Type_hindexed(1, &one, &zero, MPI_INT, &type);
	MPI_Type_free(&type);
	MPI_Type_hvector(2, 1, 8, MPI_INT, &type);
	MPI_Type_free(&type);
	MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &keyval, NULL);
	MPI_Keyval_free(&keyval);
	MPI_Errhandler_create(handle, &handler);
	MPI_Errhandler_free(&handler);
}

/* Whether the cancel comes in time or not, no rank waits for the message any more. */
static void cancel_a_send(void)
{
	MPI_Request request;

	MPI_Isend(&rank, 1, MPI_INT, rank, 4, WORLD, &request);
	MPI_Cancel(&request);
	MPI_Wait(&request, IGNORE);
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	keep = argc > 1;
	make_groups();
	make_types();
	leave_to_finalize();
	make_communicators();
	make_requests();
	make_window();
	make_file();
	make_others();
	make_the_old_way();
	cancel_a_send();
	MPI_Finalize();
	return 0;
}
