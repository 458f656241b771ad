/* Rank 0 makes, renames, links, cuts and removes files, reads back what it has written, and prints
 * what it sees. At replay nothing of that is done to the files themselves. */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void tell(const char *what, int result)
{
	printf("%s: %d%s%s\n", what, result, result < 0 ? ", " : "",
	       result < 0 ? strerror(errno) : "");
}

static void show(const char *name)
{
	FILE *file = fopen(name, "r");
	char line[64];

	if (!file)
		tell(name, -1);
	while (file && fgets(line, sizeof(line), file))
		printf("%s has %s\n", name, strtok(line, "\n"));
	if (file)
		fclose(file);
}

static void append(const char *name, const char *line)
{
	FILE *file = fopen(name, "a+");

	tell("append", file ? 0 : -1);
	if (!file)
		return;
	fprintf(file, "%s\n", line);
	fclose(file);
}

static int opens(const char *name, int flags)
{
	int file = open(name, flags, 0600);

	if (file >= 0)
		close(file);
	return file < 0 ? -1 : 0;
}

static void work(void)
{
	struct stat by_name, opened;
	int file;

	tell("mkdir", mkdir("made", 0777));
	tell("mkdir, again", mkdir("made", 0777));
	append("made/one", "first");
	append("made/one", "second");
	show("made/one");
	tell("rename", rename("made/one", "made/two"));
	show("made/one");
	show("made/two");
	tell("link", link("made/two", "made/three"));
	tell("truncate", truncate("made/three", 3));
	show("made/two");
	tell("open what is there", opens("made/two", O_CREAT | O_EXCL | O_WRONLY));
	tell("open what is not", opens("made/four", O_CREAT | O_EXCL | O_WRONLY));
	tell("open nowhere", opens("nowhere/one", O_CREAT | O_WRONLY));
	append("nowhere/two", "line");
	tell("access", access("made/four", R_OK));
	tell("access nothing", access("made/five", F_OK));
	file = open("made/two", O_RDONLY);
	tell("stat", stat("made/two", &by_name));
	tell("fstat", fstat(file, &opened));
	printf("%d, %lld bytes\n", by_name.st_ino == opened.st_ino, (long long)opened.st_size);
	close(file);
	tell("remove", remove("made/two"));
	tell("unlink", unlink("made/three"));
	tell("unlink", unlink("made/four"));
	tell("unlink, again", unlink("made/four"));
	show("made/two");
	tell("rmdir", rmdir("made"));
	append("kept", "more"); /* it was there before */
	show("kept");
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		work();
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
