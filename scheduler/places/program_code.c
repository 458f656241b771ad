#include "program_code.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct program_code {
	Dwfl *dwfl;
	GPtrArray *modules; /* Dwfl_Module */
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* --- which files ------------------------------------------------------------------------------ */

static void add_module(struct program_code *code, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC); /* owned by libdwfl if it is reported */
	Dwfl_Module *module = fd < 0 ? NULL : dwfl_report_offline(code->dwfl, path, path, fd);

	if (module)
		g_ptr_array_add(code->modules, module);
	else if (fd >= 0)
		close(fd);
}

bool program_code_is_systems(const char *path)
{
	return g_str_has_prefix(path, "/usr/lib") || g_str_has_prefix(path, "/lib")
	       || g_str_has_suffix(path, "/libmatchpoint-shim.so")
	       || g_str_has_suffix(path, "/libmatchpoint-heap.so");
}

/* Adds each file that the process maps as executable once. */
static void add_libraries(struct program_code *code, const char *executable, pid_t pid)
{
	g_autofree char *file = g_strdup_printf("/proc/%d/maps", (int)pid), *maps = NULL;
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	g_auto(GStrv) lines = NULL;

	if (pid <= 0 || !g_file_get_contents(file, &maps, NULL, NULL))
		return;
	lines = g_strsplit(maps, "\n", -1);
	for (char **line = lines; *line; line++) {
		const char *path = strchr(*line, '/');

		if (path && strstr(*line, " r-xp ") && !program_code_is_systems(path)
		    && g_strcmp0(path, executable) != 0 && g_hash_table_add(seen, (char *)path))
			add_module(code, path);
	}
}

static bool has_information(const struct program_code *code)
{
	Dwarf_Addr bias;

	for (guint i = 0; i < code->modules->len; i++)
		if (dwfl_module_nextcu(code->modules->pdata[i], NULL, &bias))
			return true;
	return false;
}

struct program_code *program_code_new(const char *executable, pid_t pid)
{
	struct program_code *code = g_new0(struct program_code, 1);
	g_autofree char *real = executable ? g_canonicalize_filename(executable, NULL) : NULL;

	code->modules = g_ptr_array_new();
	code->dwfl = dwfl_begin(&callbacks);
	if (code->dwfl) {
		dwfl_report_begin(code->dwfl);
		if (real)
			add_module(code, real);
		add_libraries(code, real, pid);
		dwfl_report_end(code->dwfl, NULL, NULL);
	}
	if (code->dwfl && has_information(code))
		return code;
	program_code_free(code);
	return NULL;
}

void program_code_free(struct program_code *code)
{
	if (!code)
		return;
	if (code->dwfl)
		dwfl_end(code->dwfl);
	g_ptr_array_unref(code->modules);
	g_free(code);
}

/* --- lines ------------------------------------------------------------------------------------ */

static bool is_file(const char *source, const char *file)
{
	const char *slash = source ? strrchr(source, '/') : NULL;

	return source && strcmp(slash ? slash + 1 : source, file) == 0;
}

/* Most units do not contain the file; their line tables need not be read. */
static bool unit_has_file(Dwarf_Die *unit, const char *file)
{
	Dwarf_Files *files;
	size_t count = 0;

	if (dwarf_getsrcfiles(unit, &files, &count) != 0)
		return false;
	for (size_t i = 0; i < count; i++)
		if (is_file(dwarf_filesrc(files, i, NULL, NULL), file))
			return true;
	return false;
}

static void look_in_unit(Dwarf_Die *unit, const char *file, guint line, bool *ret_known,
                         guint *ret_before, guint *ret_behind)
{
	Dwarf_Lines *lines;
	size_t count = 0;

	if (dwarf_getsrclines(unit, &lines, &count) != 0)
		return;
	for (size_t i = 0; i < count; i++) {
		Dwarf_Line *one = dwarf_onesrcline(lines, i);
		int number = 0;

		if (!is_file(dwarf_linesrc(one, NULL, NULL), file)
		    || dwarf_lineno(one, &number) != 0 || number <= 0)
			continue;
		*ret_known = true;
		if ((guint)number <= line)
			*ret_before = MAX(*ret_before, (guint)number);
		if ((guint)number >= line)
			*ret_behind = *ret_behind == 0 ? (guint)number
			                               : MIN(*ret_behind, (guint)number);
	}
}

bool program_code_line(const struct program_code *code, const char *file, guint line,
                       guint *ret_before, guint *ret_behind)
{
	bool known = false;

	*ret_before = *ret_behind = 0;
	for (guint i = 0; i < code->modules->len; i++) {
		Dwarf_Die *unit = NULL;
		Dwarf_Addr bias;

		while ((unit = dwfl_module_nextcu(code->modules->pdata[i], unit, &bias)))
			if (unit_has_file(unit, file))
				look_in_unit(unit, file, line, &known, ret_before, ret_behind);
	}
	return known;
}

/* --- functions -------------------------------------------------------------------------------- */

struct search {
	bool (*fits)(const char *name, void *user);
	void *user;
	bool found;
};

/* The debugging information has only the last name of a function in a namespace or class. The
 * symbol table has the full one. `fits` is called with both, because "solver::step" may be
 * either. */
static int look_at_function(Dwarf_Die *function, void *user)
{
	struct search *search = user;
	const char *name = dwarf_diename(function);

	search->found = search->found || (name && search->fits(name, search->user));
	return search->found ? DWARF_CB_ABORT : DWARF_CB_OK;
}

static void look_at_symbols(Dwfl_Module *module, struct search *search)
{
	int count = dwfl_module_getsymtab(module);

	for (int i = 0; i < count && !search->found; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL,
		                                           NULL);

		search->found = name && GELF_ST_TYPE(symbol.st_info) == STT_FUNC
		                && search->fits(name, search->user);
	}
}

bool program_code_function(const struct program_code *code,
                           bool (*fits)(const char *name, void *user), void *user)
{
	struct search search = {fits, user, false};

	for (guint i = 0; i < code->modules->len && !search.found; i++) {
		Dwarf_Die *unit = NULL;
		Dwarf_Addr bias;

		look_at_symbols(code->modules->pdata[i], &search);
		while (!search.found
		       && (unit = dwfl_module_nextcu(code->modules->pdata[i], unit, &bias)))
			dwarf_getfuncs(unit, look_at_function, &search, 0);
	}
	return search.found;
}
