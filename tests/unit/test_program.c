/* Programs are built here with the compilers of this machine. Without mpicc.mpich or gcc, the tests
 * that need them are skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <glib.h>
#include <glib/gstdio.h>

#include "scheduler/commands/check.h"
#include "scheduler/host/program.h"
#include "scheduler/host/program_elf.h"

static char *directory;

static int set_up(void **state)
{
	(void)state;
	directory = g_dir_make_tmp("mp-program-XXXXXX", NULL);
	return directory ? 0 : -1;
}

static int tear_down(void **state)
{
	g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
	const char *name;

	(void)state;
	while ((name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(directory, name, NULL);

		assert_int_equal(g_unlink(path), 0);
	}
	assert_int_equal(g_rmdir(directory), 0);
	g_free(directory);
	return 0;
}

static char *write_file(const char *name, const char *text, int mode)
{
	char *path = g_build_filename(directory, name, NULL);

	assert_true(g_file_set_contents(path, text, -1, NULL));
	assert_int_equal(g_chmod(path, mode), 0);
	return path;
}

/* Runs `command` with %s replaced. Skips the test if there is no such compiler. */
static void compile(const char *compiler, const char *name, const char *text, const char *options)
{
	g_autofree char *found = g_find_program_in_path(compiler);
	g_autofree char *source_name = g_strconcat(name, ".c", NULL);
	g_autofree char *source = NULL, *command = NULL;
	int status = -1;

	if (!found)
		skip();
	source = write_file(source_name, text, 0644);
	command = g_strdup_printf("%s %s -o %s/%s %s", compiler, source, directory, name, options);
	assert_true(g_spawn_command_line_sync(command, NULL, NULL, &status, NULL));
	assert_int_equal(status, 0);
}

static void expect(const char *name, enum program_kind kind, const char *part_of_message)
{
	g_autofree char *path = g_path_is_absolute(name) ? g_strdup(name)
	                                                 : g_build_filename(directory, name, NULL);
	struct program *program = program_inspect(path);
	g_autoptr(GError) error = NULL;

	assert_int_equal(program->kind, kind);
	if (part_of_message) {
		assert_non_null(program->message);
		assert_non_null(strstr(program->message, path));
		assert_non_null(strstr(program->message, part_of_message));
		assert_false(program_usable(path, &error));
		assert_string_equal(error->message, program->message);
	} else {
		assert_null(program->message);
		assert_true(program_usable(path, &error));
	}
	program_free(program);
}

static void test_what_is_no_program(void **state)
{
	(void)state;
	g_free(write_file("text", "hello\n", 0644));
	g_free(write_file("script", "#!/bin/sh\nexec \"$@\"\n", 0755));
	g_free(write_file("empty", "", 0755));
	g_free(write_file("cut", "\177ELF\002\001\001", 0755));
	g_free(write_file("setuid", "#!/bin/sh\n", 04755));
	expect("nothing", PROGRAM_MISSING, "no program");
	expect("/", PROGRAM_DIRECTORY, "directory");
	expect("text", PROGRAM_NOT_EXECUTABLE, "chmod");
	expect("setuid", PROGRAM_PRIVILEGED, "preloaded");
	expect("script", PROGRAM_SCRIPT, NULL);
	expect("empty", PROGRAM_SCRIPT, NULL);
	expect("cut", PROGRAM_SCRIPT, NULL);
}

static void test_names_without_a_slash(void **state)
{
	struct program *program = program_inspect("no-such-program-anywhere");

	(void)state;
	assert_int_equal(program->kind, PROGRAM_MISSING);
	assert_non_null(strstr(program->message, "PATH"));
	program_free(program);
	program = program_inspect("sh");
	assert_null(program->message);
	assert_int_equal(program->kind, PROGRAM_LOADER);
	program_free(program);
}

static void test_programs_without_mpi(void **state)
{
	static const char hello[] = "int main(void) { return 0; }\n";
	static const char own_mpi[] =
		"int MPI_Init(int *c, char ***v) { (void)c; (void)v; return 0; }\n"
		"int main(int c, char **v) { return MPI_Init(&c, &v); }\n";

	(void)state;
	compile("gcc", "hello", hello, "");
	compile("gcc", "own", own_mpi, "");
	compile("gcc", "static", hello, "-static");
	expect("hello", PROGRAM_NO_MPI, "not linked with MPI");
	expect("own", PROGRAM_STATIC, "statically");
	expect("static", PROGRAM_STATIC, "statically");
}

/* A library that a program needs counts even if it is not installed. */
static void test_other_mpi(void **state)
{
	g_autofree char *options = g_strdup_printf("%s/libmpi.so.40", directory);

	(void)state;
	compile("gcc", "libmpi.so.40",
	        "int MPI_Init(int *c, char ***v) { return c != 0 && v != 0; }\n",
	        "-shared -fPIC -Wl,-soname,libmpi.so.40");
	compile("gcc", "open",
	        "int MPI_Init(int *, char ***);\n"
	        "int main(void) { return MPI_Init(0, 0); }\n",
	        options);
	expect("open", PROGRAM_OTHER_MPI, "Open MPI");
}

static const char ring[] =
	"#include <mpi.h>\n"
	"int MPI_Buffer_flush(void) __attribute__((weak));\n"
	"int main(int c, char **v)\n"
	"{\n"
	"	MPI_Win window; int *base;\n"
	"	MPI_Init_thread(&c, &v, 0, &c);\n"
	"	PMPI_Barrier(MPI_COMM_WORLD);\n"
	"	if (c > 5) MPI_Comm_disconnect(0);\n"
	"	MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);\n"
	"	if (c > 1) { MPI_Win_flush(0, window); MPI_Wtime(); }\n"
	"	if (c > 1) MPI_Accumulate(v, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);\n"
	"	if (c > 2) MPI_Open_port(MPI_INFO_NULL, v[0]);\n"
	"	if (c > 3) MPI_Buffer_flush();\n"
	"	return MPI_Finalize();\n"
	"}\n";

static bool lists(const GPtrArray *list, const char *name)
{
	for (guint i = 0; i < list->len; i++) {
		const struct program_call *call = list->pdata[i];

		if (strcmp(call->name, name) == 0)
			return true;
	}
	return false;
}

static void test_mpich_and_its_calls(void **state)
{
	g_autofree char *path = g_build_filename(directory, "ring", NULL);
	struct check *check;

	(void)state;
	compile("mpicc.mpich", "ring", ring, "-Wl,-z,dynamic-undefined-weak");
	expect("ring", PROGRAM_MPI, NULL);
	check = check_new(path);
	assert_true(lists(check->controlled, "MPI_Init_thread"));
	assert_true(lists(check->controlled, "MPI_Barrier"));
	assert_true(lists(check->controlled, "MPI_Win_allocate"));
	assert_true(lists(check->passed, "MPI_Win_flush"));
	assert_true(lists(check->harmless, "MPI_Wtime"));
	assert_true(lists(check->refused, "MPI_Buffer_flush"));
	assert_false(check_is_complete(check));
	check_free(check);
}

static bool notes(const GPtrArray *notes, const char *start)
{
	for (guint i = 0; i < notes->len; i++) {
		if (g_str_has_prefix(notes->pdata[i], start))
			return true;
	}
	return false;
}

static GPtrArray *notes_of(const char *name)
{
	g_autofree char *path = g_build_filename(directory, name, NULL);
	struct program *program = program_inspect(path);
	struct check *check = check_new(path);
	GPtrArray *list = check_notes(check, program);

	check_free(check);
	program_free(program);
	return list;
}

static void test_what_cannot_be_controlled(void **state)
{
	g_autoptr(GPtrArray) of_ring = NULL, of_finder = NULL, of_plain = NULL;

	(void)state;
	compile("mpicc.mpich", "ring", ring, "-Wl,-z,dynamic-undefined-weak");
	of_ring = notes_of("ring");
	assert_int_equal(of_ring->len, 3);
	assert_true(notes(of_ring, "MPI_Buffer_flush: "));
	assert_true(notes(of_ring, "MPI_Init_thread: "));
	assert_true(notes(of_ring, "MPI_Accumulate: "));
	compile("mpicc.mpich", "finder",
	        "#include <dlfcn.h>\n#include <mpi.h>\n"
	        "int main(void) { MPI_Init(0, 0); return dlsym(0, \"MPI_Send\") == 0; }\n",
	        "");
	of_finder = notes_of("finder");
	assert_int_equal(of_finder->len, 1);
	assert_true(notes(of_finder, "finder looks up functions by name"));
	compile("mpicc.mpich", "plain",
	        "#include <mpi.h>\n"
	        "int main(void) { MPI_Init(0, 0); return MPI_Finalize(); }\n",
	        "");
	of_plain = notes_of("plain");
	assert_int_equal(of_plain->len, 0);
}

/* MPI is often linked through a library of the program. */
static void test_mpi_through_a_library(void **state)
{
	g_autofree char *path = g_build_filename(directory, "front", NULL);
	g_autofree char *options = g_strdup_printf("-L%s -lwork -Wl,-rpath,'$ORIGIN'", directory);
	struct check *check;

	(void)state;
	compile("mpicc.mpich", "libwork.so",
	        "#include <mpi.h>\n"
	        "int work(void) { MPI_Init(0, 0); return MPI_Finalize(); }\n",
	        "-shared -fPIC");
	compile("gcc", "front", "int work(void);\nint main(void) { return work(); }\n", options);
	expect("front", PROGRAM_MPI, NULL);
	check = check_new(path);
	assert_true(lists(check->controlled, "MPI_Init"));
	assert_true(check_is_complete(check));
	assert_string_equal(((struct program_call *)check->controlled->pdata[0])->where,
	                    "libwork.so");
	check_free(check);
}

/* Several questions read it once; a file that has changed is read again. */
static void test_a_file_is_read_once(void **state)
{
	g_autofree char *path = g_build_filename(directory, "libone.so", NULL);
	const struct program_elf *first, *second, *third;

	(void)state;
	compile("gcc", "libone.so", "int one(void) { return 1; }\n", "-shared -fPIC");
	first = program_elf_read(path);
	second = program_elf_read(path);
	assert_ptr_equal(first, second);
	assert_false(first->acts);
	assert_int_equal(g_unlink(path), 0);
	compile("gcc", "libone.so",
	        "__attribute__((constructor)) static void act(void) {}\n"
	        "int one(void) { return 1; }\n",
	        "-shared -fPIC");
	third = program_elf_read(path);
	assert_true(third->acts);
	assert_false(first->acts); /* as long as it is used */
	program_elf_free(first);
	program_elf_free(second);
	program_elf_free(third);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_what_is_no_program, set_up, tear_down),
		cmocka_unit_test(test_names_without_a_slash),
		cmocka_unit_test_setup_teardown(test_programs_without_mpi, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_other_mpi, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_mpich_and_its_calls, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_what_cannot_be_controlled, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_mpi_through_a_library, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_file_is_read_once, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
