#define _GNU_SOURCE
#include "program.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "library_path.h"
#include "mpi_calls.h"
#include "mpi_runtime.h"
#include "program_elf.h"

G_DEFINE_QUARK(matchpoint_program_error, program_error)

/* --- libraries ------------------------------------------------------------------------------- */

/* Called once for the program and for every library that it needs. Returns false if the libraries
 * that this file needs are of no interest. */
typedef bool (*visitor)(const char *file, const struct program_elf *elf, void *user);

struct closure {
	GHashTable *seen; /* sonames */
	GPtrArray *missing;
	visitor visit;
	void *user;
};

bool program_is_native(const char *file)
{
	const struct program_elf *elf = program_elf_read(file);
	bool fits = elf && elf->is_elf && elf->is_native;

	program_elf_free(elf);
	return fits;
}

static void visit_needed(struct closure *closure, const char *file)
{
	const struct program_elf *elf = program_elf_read(file);
	g_autofree char *origin = g_path_get_dirname(file);

	if (!elf || !elf->is_elf || !closure->visit(file, elf, closure->user)) {
		program_elf_free(elf);
		return;
	}
	const struct library_path path = {elf->rpath, elf->runpath, origin};
	for (guint i = 0; i < elf->needed->len; i++) {
		const char *name = elf->needed->pdata[i];
		g_autofree char *found = NULL;

		if (!g_hash_table_add(closure->seen, g_strdup(name)))
			continue;
		found = library_path_find(&path, name, program_is_native);
		if (found)
			visit_needed(closure, found);
		else if (closure->missing)
			g_ptr_array_add(closure->missing, g_strdup(name));
	}
	program_elf_free(elf);
}

static void visit_all(const char *file, visitor visit, void *user, GPtrArray *missing)
{
	struct closure closure = {g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
	                          missing, visit, user};

	visit_needed(&closure, file);
	g_hash_table_unref(closure.seen);
}

/* --- which MPI ------------------------------------------------------------------------------- */

/* What the files of a program show together. */
struct impression {
	bool starts_others; /* the program itself, or the interpreter that it is */
	bool defines_mpi, first_is_dynamic, first_seen;
	char *controlled, *stranger, *other; /* sonames of MPI libraries */
	GPtrArray *looking_up;               /* names of files; borrowed */
};

static void note_library(struct impression *seen, const char *name)
{
	char **place = mpi_runtime_find(name)         ? &seen->controlled
	               : mpi_runtime_stranger(name)   ? &seen->stranger
	               : mpi_runtime_is_library(name) ? &seen->other
	                                              : NULL;

	if (place && !*place)
		*place = g_strdup(name);
}

static bool gather_impression(const char *file, const struct program_elf *elf, void *user)
{
	struct impression *seen = user;
	g_autofree char *base = g_path_get_basename(file);
	const char *name = elf->soname ? elf->soname : base;

	if (!seen->first_seen) {
		seen->first_seen = true;
		seen->first_is_dynamic = elf->is_dynamic;
		seen->starts_others = elf->starts_others;
		seen->defines_mpi = elf->defines_mpi;
	} else {
		note_library(seen, name);
		if (mpi_runtime_is_library(name))
			return false;
		seen->defines_mpi |= elf->defines_mpi;
		/* if Python has a shared library, the program is only its main() */
		seen->starts_others |= g_str_has_prefix(name, "libpython") && elf->starts_others;
	}
	if (elf->looks_up && !mpi_runtime_is_part(name))
		g_ptr_array_add(seen->looking_up, g_strdup(base));
	/* also libraries that are not installed here */
	for (guint i = 0; i < elf->needed->len; i++)
		note_library(seen, elf->needed->pdata[i]);
	return true;
}

static void impression_release(struct impression *seen)
{
	g_free(seen->controlled);
	g_free(seen->stranger);
	g_free(seen->other);
}

/* --- the verdict ----------------------------------------------------------------------------- */

static struct program *judge(struct program *program, enum program_kind kind, const char *format,
                             ...) G_GNUC_PRINTF(3, 4);

static struct program *judge(struct program *program, enum program_kind kind, const char *format,
                             ...)
{
	va_list arguments;

	program->kind = kind;
	va_start(arguments, format);
	program->message = format ? g_strdup_vprintf(format, arguments) : NULL;
	va_end(arguments);
	/* The message is one line, even if the program's name is not. */
	for (char *at = program->message; at && *at; at++)
		*at = g_ascii_iscntrl(*at) ? '?' : *at;
	return program;
}

static struct program *judge_library(struct program *program, const struct impression *seen)
{
	const struct mpi_runtime *usual = mpi_runtime_usual();
	g_autofree char *libraries = mpi_runtime_libraries(" and ");
	const char *path = program->path;

	if (seen->controlled) {
		program->mpi = g_strdup(seen->controlled);
		program->runtime = mpi_runtime_find(seen->controlled);
		return judge(program, PROGRAM_MPI, NULL);
	}
	if (seen->stranger) {
		program->mpi = g_strdup(seen->stranger);
		return judge(program, PROGRAM_OTHER_MPI,
		             "%s is linked with %s (%s); matchpoint controls %s: build it with %s",
		             path, mpi_runtime_stranger(seen->stranger), seen->stranger,
		             usual->controlled, usual->compiler);
	}
	if (seen->other) {
		program->mpi = g_strdup(seen->other);
		return judge(
			program, PROGRAM_OTHER_MPI,
			"%s is linked with %s, an MPI that matchpoint does not know; it controls "
			"%s: build it with %s",
			path, seen->other, libraries, usual->compiler);
	}
	if (seen->defines_mpi)
		return judge(program, PROGRAM_STATIC,
		             "%s contains its own copy of MPI (linked statically), which cannot be "
		             "controlled: link it with %s's shared library",
		             path, usual->name);
	if (!seen->first_is_dynamic)
		return judge(
			program, PROGRAM_STATIC,
			"%s is linked statically, and nothing can be preloaded into it: link it "
			"dynamically, with %s's shared library",
			path, usual->name);
	if (seen->starts_others)
		return judge(program, PROGRAM_LOADER, NULL);
	return judge(program, PROGRAM_NO_MPI,
	             "%s is not linked with MPI: build it with %s, or name the program that is",
	             path, usual->compiler);
}

static struct program *judge_elf(struct program *program)
{
	const struct program_elf *elf = program_elf_read(program->path);
	struct impression seen = {.looking_up = program->looking_up};

	if (!elf)
		return judge(program, PROGRAM_UNREADABLE, "%s cannot be read: %s", program->path,
		             g_strerror(errno));
	if (!elf->is_elf) {
		program_elf_free(elf);
		return judge(program, PROGRAM_SCRIPT, NULL);
	}
	bool native = elf->is_native;
	program_elf_free(elf);
	if (!native)
		return judge(
			program, PROGRAM_FOREIGN,
			"%s is built for another machine or word size than matchpoint: build it "
			"for this one",
			program->path);
	visit_all(program->path, gather_impression, &seen, program->missing);
	judge_library(program, &seen);
	impression_release(&seen);
	return program;
}

/* Finds the program as execvp does. If a file of that name is in the current directory, the
 * message suggests it. */
static char *locate(const char *name, struct program *program)
{
	char *found;

	if (strchr(name, '/'))
		return g_strdup(name);
	found = g_find_program_in_path(name);
	if (!found && g_file_test(name, G_FILE_TEST_EXISTS))
		judge(program, PROGRAM_MISSING,
		      "there is no program %s on the PATH; to run the file here, use ./%s", name,
		      name);
	else if (!found)
		judge(program, PROGRAM_MISSING, "there is no program %s on the PATH", name);
	return found;
}

struct program *program_inspect(const char *name)
{
	struct program *program = g_new0(struct program, 1);
	struct stat status;

	program->missing = g_ptr_array_new_with_free_func(g_free);
	program->looking_up = g_ptr_array_new_with_free_func(g_free);
	program->path = locate(name, program);
	if (!program->path)
		return program;
	if (stat(program->path, &status) < 0)
		return judge(program, PROGRAM_MISSING, "there is no program %s: %s", program->path,
		             g_strerror(errno));
	if (S_ISDIR(status.st_mode))
		return judge(program, PROGRAM_DIRECTORY, "%s is a directory, not a program",
		             program->path);
	if (!S_ISREG(status.st_mode) || access(program->path, X_OK) < 0)
		return judge(program, PROGRAM_NOT_EXECUTABLE,
		             "%s is not executable: use chmod +x, if it is a program",
		             program->path);
	if (status.st_mode & (S_ISUID | S_ISGID))
		return judge(
			program, PROGRAM_PRIVILEGED,
			"%s is set-user-ID or set-group-ID, and nothing can be preloaded into it: "
			"run a copy without that",
			program->path);
	return judge_elf(program);
}

void program_free(struct program *program)
{
	if (!program)
		return;
	g_free(program->path);
	g_free(program->mpi);
	g_free(program->message);
	g_ptr_array_unref(program->missing);
	g_ptr_array_unref(program->looking_up);
	g_free(program);
}

bool program_usable(const char *name, GError **error)
{
	struct program *program = program_inspect(name);
	bool usable = program->message == NULL;

	if (!usable)
		g_set_error_literal(error, PROGRAM_ERROR, program->kind, program->message);
	program_free(program);
	return usable;
}

/* --- calls ----------------------------------------------------------------------------------- */

/* Returns the name of a symbol in the table of MPI calls; NULL: it is not there. Fortran's
 * symbols are in lower case, end with underscores, and may name the binding (mpi_send_,
 * mpi_send_f08_, mpi_send_f08ts_). */
static const char *name_of_symbol(const char *symbol)
{
	g_autofree char *name = g_strdup(symbol[0] == 'P' || symbol[0] == 'p' ? symbol + 1
	                                                                      : symbol);
	char *binding;

	for (gsize length = strlen(name); length > 0 && name[length - 1] == '_'; length--)
		name[length - 1] = 0;
	binding = strstr(name, "_f08");
	if (binding)
		*binding = 0;
	for (unsigned call = MPI_CALL_NONE + 1; call < MPI_CALL_COUNT; call++) {
		if (g_ascii_strcasecmp(mpi_call_name(call), name) == 0)
			return mpi_call_name(call);
	}
	return NULL;
}

static bool gather_calls(const char *file, const struct program_elf *elf, void *user)
{
	GHashTable *calls = user;
	g_autofree char *base = g_path_get_basename(file);

	if (mpi_runtime_is_part(elf->soname ? elf->soname : base))
		return false;
	for (guint i = 0; i < elf->imports->len; i++) {
		const char *symbol = elf->imports->pdata[i];
		const char *name = name_of_symbol(symbol);
		/* Other symbols, such as constants of the Fortran bindings, are no calls. */
		if (!name && !strstr(symbol, "MPIX_"))
			continue;
		if (!name)
			name = symbol;
		if (!g_hash_table_contains(calls, name))
			g_hash_table_insert(calls, g_strdup(name), g_strdup(base));
	}
	return true;
}

static void call_free(gpointer pointer)
{
	struct program_call *call = pointer;

	g_free(call->name);
	g_free(call->where);
	g_free(call);
}

static gint compare_calls(gconstpointer a, gconstpointer b)
{
	const struct program_call *const *first = a, *const *second = b;

	return strcmp((*first)->name, (*second)->name);
}

GPtrArray *program_mpi_calls(const char *path)
{
	g_autoptr(GHashTable)
		found = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	GPtrArray *calls = g_ptr_array_new_with_free_func(call_free);
	GHashTableIter iter;
	gpointer name, where;

	visit_all(path, gather_calls, found, NULL);
	g_hash_table_iter_init(&iter, found);
	while (g_hash_table_iter_next(&iter, &name, &where)) {
		struct program_call *call = g_new(struct program_call, 1);

		*call = (struct program_call){g_strdup(name), g_strdup(where)};
		g_ptr_array_add(calls, call);
	}
	g_ptr_array_sort(calls, compare_calls);
	return calls;
}

struct looking {
	void (*look)(const char *file, bool has_hooks, void *user);
	void *user;
};

static bool look_at(const char *file, const struct program_elf *elf, void *user)
{
	const struct looking *looking = user;
	g_autofree char *base = g_path_get_basename(file);

	if (mpi_runtime_is_part(elf->soname ? elf->soname : base))
		return false;
	looking->look(file, elf->has_hooks, looking->user);
	return true;
}

void program_each_file(const char *path, void (*look)(const char *file, bool has_hooks, void *user),
                       void *user)
{
	struct looking looking = {look, user};

	visit_all(path, look_at, &looking, NULL);
}

bool *program_calls(const char *name)
{
	struct program *program = program_inspect(name);
	g_autoptr(GPtrArray) calls = program->path ? program_mpi_calls(program->path)
	                                           : g_ptr_array_new();
	bool *ret = g_new0(bool, MPI_CALL_COUNT);

	for (guint i = 0; i < calls->len; i++)
		ret[mpi_call_by_name(((const struct program_call *)calls->pdata[i])->name)] = true;
	ret[MPI_CALL_NONE] = false;
	program_free(program);
	return ret;
}

bool program_polls(const char *name)
{
	struct program *program = program_inspect(name);
	g_autoptr(GPtrArray) calls = program->path ? program_mpi_calls(program->path)
	                                           : g_ptr_array_new();
	bool found = calls->len == 0;

	for (guint i = 0; i < calls->len && !found; i++)
		found = mpi_call_asks(
			mpi_call_by_name(((const struct program_call *)calls->pdata[i])->name));
	program_free(program);
	return found;
}

bool program_is_sanitized(const char *name)
{
	struct program *program = program_inspect(name);
	const struct program_elf *elf = program->path ? program_elf_read(program->path) : NULL;
	bool sanitized = elf && elf->is_sanitized;

	program_elf_free(elf);
	program_free(program);
	return sanitized;
}

/* --- what acts when it is loaded -------------------------------------------------------------- */

/* Those of the C library and of compilers: what they do does not depend on the rank. */
static bool is_of_compiler(const char *name)
{
	static const char *const beginnings[] = {
		"libc.so",        "libm.so",          "libdl.so",   "libpthread.so",
		"librt.so",       "libmvec.so",       "ld-linux",   "ld64.so",
		"libgcc_s.so",    "libstdc++.so",     "libc++.so",  "libc++abi.so",
		"libgfortran.so", "libquadmath.so",   "libgomp.so", "libatomic.so",
		"libflang",       "libFortranRuntime"};

	for (guint i = 0; i < G_N_ELEMENTS(beginnings); i++)
		if (g_str_has_prefix(name, beginnings[i]))
			return true;
	return false;
}

struct loading {
	bool first_seen;
	char *obstacle;
};

static void find_other_pmi(struct loading *loading, const struct program_elf *elf)
{
	for (guint i = 0; i < elf->needed->len && !loading->obstacle; i++)
		if (g_str_has_prefix(elf->needed->pdata[i], "libpmi"))
			loading->obstacle = g_strdup_printf("MPI is told its rank by %s",
			                                    (char *)elf->needed->pdata[i]);
}

static bool find_loading(const char *file, const struct program_elf *elf, void *user)
{
	struct loading *loading = user;
	g_autofree char *base = g_path_get_basename(file);
	const char *name = elf->soname ? elf->soname : base;

	if (!loading->first_seen) { /* its own functions run in each rank */
		if (!elf->begins_in_libc)
			loading->obstacle = g_strdup("the C library does not call its main()");
		return loading->first_seen = true;
	}
	if (mpi_runtime_is_part(name)) {
		find_other_pmi(loading, elf);
		return false;
	}
	if (is_of_compiler(name))
		return false;
	if (elf->acts && !loading->obstacle)
		loading->obstacle = g_strdup_printf("%s runs functions when it is loaded", base);
	return true;
}

char *program_loading_obstacle(const char *name)
{
	struct program *program = program_inspect(name);
	struct loading loading = {0};

	if (program->path)
		visit_all(program->path, find_loading, &loading, NULL);
	program_free(program);
	return loading.obstacle;
}
