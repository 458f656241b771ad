/* A file that is open at a deep snapshot is written, renamed, removed and made anew by name in
 * every interleaving. Each interleaving finds it unchanged, by its descriptors and by its path. */
#include "../check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char name[] = "by_name.txt", moved[] = "by_name.moved";

static void receive(FILE *file)
{
	int value;

	MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
	CHECK(fprintf(file, "%d\n", value) > 0);
	CHECK(fflush(file) == 0);
}

static void check_same(int fd, const char *path)
{
	struct stat opened, named;

	CHECK(fstat(fd, &opened) == 0);
	CHECK(stat(path, &named) == 0);
	CHECK(opened.st_dev == named.st_dev && opened.st_ino == named.st_ino);
	CHECK((named.st_mode & 07777) == 0640);
}

/* Prints the lines that start with a word, and their number. */
static void print_words(FILE *file)
{
	char line[64];
	int numbers = 0;

	rewind(file);
	while (fgets(line, sizeof(line), file))
		if (line[0] >= '0' && line[0] <= '9')
			numbers++;
		else
			printf("%s", line);
	printf("%d numbers\n", numbers);
}

static void make_anew(int keep)
{
	FILE *file = fopen(name, "wx");

	CHECK(file);
	fprintf(file, "new\n");
	CHECK(fclose(file) == 0);
	CHECK(keep || remove(name) == 0);
}

/* `reader` and `log` have the file open as well, each with its own offset. */
static void run(FILE *file, int reader, int log, int keep)
{
	const struct timespec pause = {.tv_nsec = 30000000}; /* makes a deep snapshot worthwhile */
	char text[16] = "";

	nanosleep(&pause, NULL);
	for (int i = 1; i < size; i++) {
		receive(file);
		check_same(fileno(file), name);
	}
	check_same(reader, name);
	CHECK(lseek(reader, 0, SEEK_CUR) == 6);
	CHECK(read(reader, text, 6) == 6 && !strcmp(text, "start\n"));
	CHECK(write(log, "log\n", 4) == 4);
	print_words(file);
	CHECK(rename(name, moved) == 0);
	check_same(log, moved);
	CHECK(fchmod(log, 0600) == 0);
	CHECK(fclose(file) == 0 && close(log) == 0 && close(reader) == 0);
	CHECK(remove(moved) == 0);
	make_anew(keep);
}

int main(int argc, char **argv)
{
	int fd, log, reader;

	start(&argc, &argv);
	if (rank == 0) {
		fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
		CHECK(fd >= 0 && fchmod(fd, 0640) == 0);
		CHECK(write(fd, "hello\nstart\n", 12) == 12);
		log = open(name, O_WRONLY | O_APPEND);
		reader = open(name, O_RDONLY);
		CHECK(log >= 0 && lseek(reader, 6, SEEK_SET) == 6);
		run(fdopen(fd, "r+"), reader, log, argc > 1);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	}
	MPI_Finalize();
	return 0;
}
