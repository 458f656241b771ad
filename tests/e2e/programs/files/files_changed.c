/* Files and directories are made, overwritten, renamed and removed by name: before MPI_Init,
 * between choices and at the end, by every rank and through MPI-IO. Each interleaving finds
 * everything as the first did, whatever it continues from. */
#include "../check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void write_text(const char *name, const char *mode, const char *text)
{
	FILE *file = fopen(name, mode);

	CHECK(file && fputs(text, file) >= 0);
	CHECK(fclose(file) == 0);
}

static void check_text(const char *name, const char *text)
{
	char found[256] = "";
	FILE *file = fopen(name, "r");

	CHECK(file);
	CHECK(fread(found, 1, sizeof(found) - 1, file) == strlen(text) && !strcmp(found, text));
	fclose(file);
}

static int there(const char *name)
{
	struct stat status;

	return lstat(name, &status) == 0;
}

/* If the test has not made them (see check_files_put_back.py). */
static void make_inputs(void)
{
	if (there("input.txt"))
		return;
	write_text("input.txt", "w", "input\n");
	write_text("log", "w", "log\n");
	write_text("gone.txt", "w", "gone\n");
	CHECK(mkdir("old", 0750) == 0 && mkdir("old/sub", 0755) == 0);
	write_text("old/sub/deep.txt", "w", "deep\n");
	CHECK(symlink("input.txt", "link") == 0);
}

static void check_inputs(void)
{
	static const char *const made[] = {"made.txt", "made", "log.1", "older", "made.io"};
	struct stat status;

	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++)
		CHECK(!there(made[i]));
	check_text("input.txt", "input\n");
	check_text("log", "log\n");
	check_text("gone.txt", "gone\n");
	check_text("old/sub/deep.txt", "deep\n");
	CHECK(stat("old", &status) == 0 && (status.st_mode & 0777) == 0750);
	CHECK(lstat("link", &status) == 0 && S_ISLNK(status.st_mode));
}

/* The contents of made.txt belong to the choices made so far. */
static void receive_all(void)
{
	const struct timespec pause = {.tv_nsec = 30000000}; /* makes a deep snapshot worthwhile */
	char expected[256] = "", line[32];
	int value;

	nanosleep(&pause, NULL);
	for (int i = 1; i < size; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
		snprintf(line, sizeof(line), "took %d\n", value);
		write_text("made.txt", "a", line);
		strncat(expected, line, sizeof(expected) - strlen(expected) - 1);
		check_text("made.txt", expected);
		CHECK(i > 1 || rename("log", "log.1") == 0);
		write_text("log", i > 1 ? "a" : "wx", "new log\n");
		nanosleep(&pause, NULL);
	}
}

static void change_all(void)
{
	char name[] = "made/XXXXXX";
	int fd;

	write_text("link", "w", "overwritten through a link\n");
	check_text("input.txt", "overwritten through a link\n");
	CHECK(unlink("link") == 0 && symlink("log", "link") == 0);
	CHECK(remove("gone.txt") == 0 && mkdir("gone.txt", 0700) == 0);
	CHECK(mkdir("made", 0700) == 0 && mkdir("made/sub", 0700) == 0);
	write_text("made/sub/new.txt", "w", "new\n");
	fd = mkstemp(name);
	CHECK(fd >= 0 && close(fd) == 0);
	CHECK(rename("old", "older") == 0);
	write_text("older/sub/deep.txt", "a", "deeper\n");
	CHECK(truncate("log", 3) == 0 && chmod("log", 0600) == 0);
}

static void write_together(void)
{
	MPI_File file;

	CHECK(MPI_File_open(WORLD, "made.io", MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY,
	                    MPI_INFO_NULL, &file)
	      == MPI_SUCCESS);
	CHECK(MPI_File_write_at(file, (MPI_Offset)(rank * sizeof(int)), &rank, 1, MPI_INT, IGNORE)
	      == MPI_SUCCESS);
	MPI_File_close(&file);
}

int main(int argc, char **argv)
{
	char name[32];
	int fd;

	if (getenv("PMI_RANK") && !strcmp(getenv("PMI_RANK"), "0"))
		make_inputs();
	start(&argc, &argv);
	snprintf(name, sizeof(name), "rank.%d", rank);
	CHECK(!there(name));
	if (rank == 0) {
		check_inputs();
		receive_all();
		change_all();
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	}
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
	CHECK(fd >= 0 && write(fd, "rank\n", 5) == 5 && close(fd) == 0);
	write_together();
	if (rank == 0)
		printf("all as it was\n");
	MPI_Finalize();
	return 0;
}
