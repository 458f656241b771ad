/* Random calls of MPI-IO that end well in any order. All ranks take the same steps, drawn from
 * argv[1]; argv[2] is the number of steps, argv[3] a file that is made and removed. After each step
 * a rank prints a hash of all that it read, of statuses, pointers, sizes and names. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 9000, FEW = 4 };

static int rank, size, step;
static uint64_t shared, hash = 1; /* `shared` is the same on all ranks */
static const char *name;
static MPI_File file;
static int in[LENGTH], out[LENGTH];

static unsigned draw(unsigned below)
{
	shared = shared * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(shared >> 33) % below;
}

static void add(const void *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
}

static void add_number(long long number)
{
	add(&number, sizeof(number));
}

static void add_status(MPI_Status *status)
{
	int count;

	MPI_Get_count(status, MPI_INT, &count);
	add_number(count);
}

static void fill(void)
{
	for (int i = 0; i < LENGTH; i++) {
		out[i] = step * 100003 + rank * 1009 + i;
		in[i] = -i;
	}
}

/* Statuses of requests, completed by a random kind of wait or test. In MPICH 4.0, MPI_Testall fails
 * for requests of files. */
static void complete(MPI_Request *requests, int count)
{
	const unsigned way = draw(3);
	MPI_Status statuses[FEW];

	if (way == 0)
		MPI_Waitall(count, requests, statuses);
	for (int i = 0; i < count; i++) {
		int flag = way == 1 ? 0 : 1;

		if (way == 2)
			MPI_Wait(&requests[i], &statuses[i]);
		while (!flag)
			MPI_Test(&requests[i], &flag, &statuses[i]);
		add_status(&statuses[i]);
	}
}

/* --- steps ------------------------------------------------------------------------------------ */

static int few(void)
{
	return 1 + (int)draw(LENGTH / FEW / 8);
}

static void write_own_part(int count)
{
	const MPI_Offset at = (MPI_Offset)rank * count;
	MPI_Request request;
	MPI_Status status;

	switch (draw(7)) {
	case 0: MPI_File_write_at(file, at, out, count, MPI_INT, &status); break;
	case 1: MPI_File_write_at_all(file, at, out, count, MPI_INT, &status); break;
	case 2:
		MPI_File_seek(file, at, MPI_SEEK_SET);
		MPI_File_write(file, out, count, MPI_INT, &status);
		break;
	case 3:
		MPI_File_seek(file, at, MPI_SEEK_SET);
		MPI_File_write_all(file, out, count, MPI_INT, &status);
		break;
	case 4:
		MPI_File_write_at_all_begin(file, at, out, count, MPI_INT);
		MPI_File_write_at_all_end(file, out, &status);
		break;
	case 5:
		MPI_File_iwrite_at(file, at, out, count, MPI_INT, &request);
		complete(&request, 1);
		return;
	default:
		MPI_File_seek(file, at, MPI_SEEK_SET);
		MPI_File_iwrite(file, out, count, MPI_INT, &request);
		complete(&request, 1);
		return;
	}
	add_status(&status);
}

/* Beyond what was written, too. */
static void read_a_part(int count)
{
	const MPI_Offset at = (MPI_Offset)((rank + 1) % size) * count + (MPI_Offset)draw(20);
	MPI_Request requests[2];
	MPI_Status status;

	switch (draw(9)) {
	case 0: MPI_File_read_at(file, at, in, count, MPI_INT, &status); break;
	case 1: MPI_File_read_at_all(file, at, in, count, MPI_INT, &status); break;
	case 2:
		MPI_File_seek(file, at, MPI_SEEK_SET);
		MPI_File_read(file, in, count, MPI_INT, &status);
		break;
	case 3:
		MPI_File_seek(file, at, MPI_SEEK_SET);
		MPI_File_read_all(file, in, count, MPI_INT, &status);
		break;
	case 4:
		MPI_File_read_at_all_begin(file, at, in, count, MPI_INT);
		MPI_File_read_at_all_end(file, in, &status);
		break;
	case 5:
		MPI_File_seek(file, at, MPI_SEEK_SET);
		MPI_File_read_all_begin(file, in, count, MPI_INT);
		MPI_File_read_all_end(file, in, &status);
		break;
	case 6:
		MPI_File_iread_at(file, at, in, count, MPI_INT, &requests[0]);
		MPI_File_iread_at(file, 0, in + count, count, MPI_INT, &requests[1]);
		complete(requests, 2);
		return;
	case 7:
		MPI_File_iread_at_all(file, at, in, count, MPI_INT, &requests[0]);
		complete(requests, 1);
		return;
	default: MPI_File_read_at(file, at, in, count, MPI_INT, MPI_STATUS_IGNORE); return;
	}
	add_status(&status);
}

static void in_parts(void)
{
	const int count = few();

	write_own_part(count);
	MPI_File_sync(file);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_sync(file);
	read_a_part(count);
}

/* Each rank sees every size-th block. */
static void views(void)
{
	const int block = 1 + (int)draw(9), count = block * (1 + (int)draw(30));
	char kind[MPI_MAX_DATAREP_STRING];
	MPI_Datatype blocks, resized, every_other, unit, seen;
	MPI_Offset place;
	MPI_Status status;

	MPI_Type_contiguous(block, MPI_INT, &blocks);
	MPI_Type_create_resized(blocks, 0, (MPI_Aint)sizeof(int) * block * size, &resized);
	MPI_Type_commit(&resized);
	MPI_File_set_view(file, (MPI_Offset)sizeof(int) * block * rank, MPI_INT, resized, "native",
	                  MPI_INFO_NULL);
	MPI_File_get_view(file, &place, &unit, &seen, kind);
	add_number(place + (unit == MPI_INT));
	add(kind, strlen(kind));
	MPI_Type_free(&seen);
	MPI_File_write_all(file, out, count, MPI_INT, &status);
	add_status(&status);
	MPI_File_get_byte_offset(file, block, &place);
	add_number(place);
	MPI_File_get_position(file, &place);
	add_number(place);
	MPI_File_seek(file, 0, MPI_SEEK_SET);
	MPI_Type_vector(count, 1, 2, MPI_INT, &every_other); /* the gaps in memory stay */
	MPI_Type_commit(&every_other);
	MPI_File_read_all(file, in, 1, every_other, &status);
	add_status(&status);
	MPI_Type_free(&every_other);
	MPI_Type_free(&blocks);
	MPI_Type_free(&resized);
	MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
}

/* Who comes first writes first. */
static void shared_pointer(void)
{
	const int count = few();
	MPI_Offset place;
	MPI_Request request;
	MPI_Status status;

	MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
	if (draw(2)) {
		MPI_File_write_shared(file, out, count, MPI_INT, &status);
		add_status(&status);
	} else {
		MPI_File_write_ordered(file, out, count, MPI_INT, &status);
		add_status(&status);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_get_position_shared(file, &place);
	add_number(place);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
	switch (draw(4)) {
	case 0: MPI_File_read_shared(file, in, count, MPI_INT, &status); break;
	case 1: MPI_File_read_ordered(file, in, count, MPI_INT, &status); break;
	case 2:
		MPI_File_read_ordered_begin(file, in, count, MPI_INT);
		MPI_File_read_ordered_end(file, in, &status);
		break;
	default:
		MPI_File_iread_shared(file, in, count, MPI_INT, &request);
		complete(&request, 1);
		return;
	}
	add_status(&status);
}

static void handle(MPI_File *failed, int *code, ...)
{
	int class;

	MPI_Error_class(*code, &class);
	add_number(class);
	add_number(*failed == file);
}

static void facts(void)
{
	char value[64] = "";
	MPI_Errhandler handler;
	MPI_Offset place;
	MPI_Aint extent;
	MPI_Group group;
	MPI_Info info;
	MPI_File missing;
	int number;

	MPI_File_get_amode(file, &number);
	add_number(number);
	MPI_File_set_atomicity(file, (int)draw(2));
	MPI_File_get_atomicity(file, &number);
	add_number(number);
	MPI_File_set_size(file, 4 * (1 + (MPI_Offset)draw(9000)));
	MPI_File_preallocate(file, 4 * (1 + (MPI_Offset)draw(9000)));
	MPI_File_get_size(file, &place);
	add_number(place);
	MPI_File_get_type_extent(file, MPI_DOUBLE, &extent);
	MPI_File_get_group(file, &group);
	MPI_Group_size(group, &number);
	MPI_Group_free(&group);
	add_number(extent + number);
	MPI_File_get_info(file, &info);
	MPI_Info_get(info, "cb_buffer_size", sizeof(value) - 1, value, &number);
	MPI_Info_free(&info);
	add(value, strlen(value));
	add_number(MPI_File_open(MPI_COMM_SELF, "/is/missing", MPI_MODE_RDONLY, MPI_INFO_NULL,
	                         &missing));
	MPI_File_create_errhandler(handle, &handler);
	MPI_File_set_errhandler(file, handler);
	MPI_File_seek(file, -5, MPI_SEEK_SET);
	MPI_File_call_errhandler(file, MPI_ERR_IO);
	MPI_Errhandler_free(&handler);
	MPI_File_set_errhandler(file, MPI_ERRORS_RETURN);
	MPI_File_set_atomicity(file, 0);
}

static void open_file(void)
{
	const int mode = MPI_MODE_RDWR | MPI_MODE_CREATE;

	add_number(MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &file));
	MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
}

static void close_file(void)
{
	MPI_File_close(&file);
	add_number(file == MPI_FILE_NULL);
	if (rank == 0)
		MPI_File_delete(name, MPI_INFO_NULL);
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	static void (*const steps[])(void) = {in_parts, in_parts, views, shared_pointer, facts};
	const int last = argc > 2 ? atoi(argv[2]) : 40;

	shared = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	name = argc > 3 ? argv[3] : "random_file";
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (step = 0; step < last; step++) {
		const unsigned which = draw(sizeof(steps) / sizeof(steps[0]));

		if (step % FEW == 0)
			open_file();
		fill();
		MPI_Barrier(MPI_COMM_WORLD);
		steps[which]();
		MPI_Barrier(MPI_COMM_WORLD);
		add(in, sizeof(in));
		printf("%d: step %d, kind %u: %016llx\n", rank, step, which,
		       (unsigned long long)hash);
		if (step % FEW == FEW - 1 || step == last - 1)
			close_file();
	}
	MPI_Finalize();
	return 0;
}
