/* Prints what a program can ask of the system and cannot compute again: clocks, random numbers,
 * ids, the machine, devices, files of the kernel, temporary files, directories. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

static void tell(const char *what, uint64_t value)
{
	printf("%s: %llu\n", what, (unsigned long long)value);
}

static void clocks(void)
{
	struct timespec time;
	struct rusage usage;

	timespec_get(&time, TIME_UTC);
	tell("timespec_get", (uint64_t)time.tv_nsec);
	clock_gettime(CLOCK_MONOTONIC, &time);
	tell("clock_gettime", (uint64_t)time.tv_nsec);
	getrusage(RUSAGE_SELF, &usage);
	tell("getrusage", (uint64_t)usage.ru_minflt);
}

static void random_numbers(void)
{
	uint64_t value = 0;

	if (getrandom(&value, sizeof(value), 0) == sizeof(value))
		tell("getrandom", value);
	if (syscall(SYS_getrandom, &value, sizeof(value), 0) == sizeof(value))
		tell("getrandom by number", value);
#if __GLIBC_PREREQ(2, 36)
	tell("arc4random", arc4random());
	tell("arc4random_uniform", arc4random_uniform(1000000));
	arc4random_buf(&value, sizeof(value));
	tell("arc4random_buf", value);
#endif
	memcpy(&value, (const void *)getauxval(AT_RANDOM), sizeof(value));
	tell("AT_RANDOM", value);
}

static void ids(void)
{
	tell("getpid", (uint64_t)getpid());
	tell("getppid", (uint64_t)getppid());
	tell("gettid", (uint64_t)gettid());
	tell("gettid by number", (uint64_t)syscall(SYS_gettid));
	tell("getpgrp", (uint64_t)getpgrp());
	tell("getpgid", (uint64_t)getpgid(0));
	tell("getsid", (uint64_t)getsid(0));
	tell("getuid", getuid());
	tell("getegid", getegid());
	tell("gethostid", (uint64_t)gethostid());
}

static void machine(void)
{
	struct statvfs disk;
	struct statfs same;
	struct sysinfo info;
	cpu_set_t set;
	unsigned processor, node;
	double load[3];

	sysinfo(&info);
	tell("sysinfo", info.freeram);
	statvfs("/tmp", &disk);
	tell("statvfs", disk.f_bfree);
	statfs("/tmp", &same);
	tell("statfs", (uint64_t)same.f_bfree);
	getloadavg(load, 3);
	tell("getloadavg", (uint64_t)(load[0] * 100));
	getcpu(&processor, &node);
	tell("getcpu", processor);
	sched_getaffinity(0, sizeof(set), &set);
	tell("sched_getaffinity", (uint64_t)CPU_COUNT(&set));
	tell("processors", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	tell("get_nprocs", (uint64_t)get_nprocs());
	tell("free pages", (uint64_t)sysconf(_SC_AVPHYS_PAGES));
	tell("get_avphys_pages", (uint64_t)get_avphys_pages());
}

/* By the functions of descriptors, by streams, and once more from the beginning. */
static void device(const char *path)
{
	int file = open(path, O_RDONLY), other = dup(file);
	FILE *stream = fopen(path, "r");
	char bytes[17] = "";
	uint64_t value;

	if (read(file, &value, sizeof(value)) != sizeof(value)
	    || read(other, &value, sizeof(value)) != sizeof(value))
		value = 0;
	printf("%s: %llu", path, (unsigned long long)value);
	close(file);
	if (read(other, &value, sizeof(value)) != sizeof(value))
		value = 0;
	printf(" %llu", (unsigned long long)value);
	close(other);
	for (int i = 0; i < 2; i++) {
		if (fread(&value, sizeof(value), 1, stream) != 1)
			value = 0;
		printf(" %llu", (unsigned long long)value);
		if (strncmp(path, "/proc/", 6) == 0)
			rewind(stream);
	}
	if (fileno(stream) < 0 || read(fileno(stream), bytes, 4) < 0)
		printf(" no descriptor");
	fclose(stream);
	stream = fopen(path, "r");
	if (!fgets(bytes, sizeof(bytes), stream))
		bytes[0] = '\0';
	for (size_t i = 0; bytes[i]; i++)
		printf(" %02x", (unsigned char)bytes[i]);
	fclose(stream);
	printf("\n");
}

static void temporary(void)
{
	char template[] = "/tmp/recorded-XXXXXX", folder[] = "/tmp/recorded-XXXXXX", line[16] = "";
	int file = mkstemp(template);

	if (write(file, "written\n", 8) != 8 || lseek(file, 0, SEEK_SET) != 0
	    || read(file, line, 8) != 8)
		printf("cannot write\n");
	printf("%s has %s", template, line);
	close(file);
	printf("removed: %d\n", unlink(template));
	printf("%s", mkdtemp(folder));
	printf(", removed: %d\n", rmdir(folder));
}

/* The second one is not there when the run is recorded. */
static void descriptors(void)
{
	static const char *const paths[] = {"/etc/passwd", "appears", "/etc", "/dev/null"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		int file = open(paths[i], O_RDONLY | (i == 2 ? O_DIRECTORY : 0));
		FILE *stream = i == 2 ? NULL : fopen(paths[i], "r");

		printf("%s: %d %d\n", paths[i], file, stream ? fileno(stream) : -1);
		if (stream)
			fclose(stream);
		if (file >= 0)
			close(file);
	}
}

/* Those that the run itself changes. */
static void directory(const char *path)
{
	DIR *stream = opendir(path);
	uint64_t count = 0, sum = 0;
	struct dirent *entry;

	if (!stream) {
		printf("%s: none\n", path);
		return;
	}
	while ((entry = readdir(stream))) {
		count++;
		for (const char *at = entry->d_name; *at; at++)
			sum = sum * 31 + (unsigned char)*at;
	}
	closedir(stream);
	tell(path, count);
	tell("its names", sum);
}

int main(int argc, char **argv)
{
	void *block;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	clocks();
	random_numbers();
	ids();
	machine();
	device("/dev/urandom");
	device("/proc/uptime");
	device("/proc/self/stat");
	device("/proc/meminfo");
	device("/sys/kernel/mm/transparent_hugepage/enabled");
	descriptors();
	temporary();
	directory("/proc");
	directory(".");
	directory("/nowhere");
	block = malloc(100);
	printf("memory: %p %p\n", block, (void *)&rank);
	free(block);
	MPI_Finalize();
	return 0;
}
