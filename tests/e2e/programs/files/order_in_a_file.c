/* Rank 0 writes what it receives to a file: in the order of arrival with `wrong`, else by rank. The
 * second argument is the way in which it is written; no way prints anything. */
#include "../check.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int order[8];

static void by_stdio(const char *name)
{
	FILE *file = fopen(name, "w");

	CHECK(file);
	for (int i = 1; i < size; i++)
		fprintf(file, "from %d\n", order[i]);
	/* It is closed when the program ends. */
}

static void by_write(const char *name)
{
	int file = open(name, O_CREAT | O_WRONLY | O_APPEND, 0644);

	for (int i = 1; i < size; i++)
		CHECK(write(file, &order[i], sizeof(int)) == sizeof(int));
	close(file);
}

static void by_pwrite(const char *name)
{
	int file = open(name, O_CREAT | O_RDWR, 0644);

	for (int i = size - 1; i > 0; i--)
		CHECK(pwrite(file, &order[i], sizeof(int), i * 100) == sizeof(int));
	close(file);
}

static void by_mmap(const char *name)
{
	int file = open(name, O_CREAT | O_RDWR | O_TRUNC, 0644), *map;

	CHECK(ftruncate(file, 4096) == 0);
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	CHECK(map != MAP_FAILED);
	close(file);
	for (int i = 1; i < size; i++)
		map[i] = order[i];
	CHECK(munmap(map, 4096) == 0);
}

static void by_mpi(const char *name)
{
	MPI_File file;

	CHECK(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
	                    &file)
	      == MPI_SUCCESS);
	MPI_File_write_at(file, 8, order, 8, MPI_INT, IGNORE);
	MPI_File_close(&file);
}

/* The usual way to replace a file at once. */
static void by_rename(const char *name)
{
	by_write("result.new");
	CHECK(rename("result.new", name) == 0);
}

static void by_link(const char *name)
{
	mkdir("run", 0755); /* a replay may have left it */
	CHECK(symlink("run/real.txt", name) == 0);
	by_stdio(name);
}

/* Its name is another one each time. */
static void by_mkstemp(const char *name)
{
	char path[] = "result-XXXXXX";
	int file = mkstemp(path);

	CHECK(name && write(file, order, sizeof(order)) == sizeof(order));
	close(file);
}

/* The same, with the number of the process. */
static void by_process(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s.%d", name, (int)getpid());
	by_stdio(path);
}

/* A time in a header of fixed size. */
static void by_dated(const char *name)
{
	struct timespec now;
	int file = open(name, O_CREAT | O_WRONLY, 0644);

	clock_gettime(CLOCK_REALTIME, &now);
	CHECK(write(file, "\211DATA\0\0", 8) == 8 && write(file, &now.tv_nsec, 8) == 8);
	CHECK(write(file, order, sizeof(order)) == sizeof(order));
	close(file);
}

/* It is larger than what is compared. */
static void by_large(const char *name)
{
	int file = open(name, O_CREAT | O_WRONLY, 0644);

	CHECK(ftruncate(file, (off_t)65 << 20) == 0);
	CHECK(pwrite(file, order, sizeof(order), 0) == sizeof(order));
	close(file);
}

/* It is gone before the end. */
static void by_scratch(const char *name)
{
	by_write(name);
	CHECK(unlink(name) == 0);
}

static const struct {
	const char *name;
	void (*write)(const char *name);
} ways[] = {
	{"stdio", by_stdio},     {"write", by_write},     {"pwrite", by_pwrite},
	{"mmap", by_mmap},       {"mpi", by_mpi},         {"rename", by_rename},
	{"link", by_link},       {"mkstemp", by_mkstemp}, {"dated", by_dated},
	{"process", by_process}, {"scratch", by_scratch}, {"large", by_large},
};

int main(int argc, char **argv)
{
	int value;
	MPI_Status status;

	start(&argc, &argv);
	CHECK(argc == 3);
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	for (int i = 1; rank == 0 && i < size; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, &status);
		order[strcmp(argv[1], "wrong") ? status.MPI_SOURCE : i] = value;
	}
	if (rank == 0)
		unlink("result.dat"); /* that a replay has left */
	for (unsigned i = 0; rank == 0 && i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(argv[2], ways[i].name))
			ways[i].write("result.dat");
	MPI_Finalize();
	return 0;
}
