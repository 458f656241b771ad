#include "source_lines.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "program_code.h"

#define PROCESSES_MAX 2048 /* beyond this, all are forgotten and read again */

/* A range of a file that a process maps. */
struct mapping {
	uint64_t start, end, offset;
	const char *path; /* interned */
};

struct process {
	GArray *mappings;       /* struct mapping, ascending */
	const char *executable; /* interned; NULL: not known */
};

struct source_lines {
	GHashTable *processes; /* pid to struct process */
	GHashTable *modules;   /* path to Dwfl_Module; NULL: it cannot be read */
	GHashTable *places;    /* struct spot to struct place */
	GHashTable *frames;    /* struct spot to GArray of struct record_frame */
	Dwfl *dwfl;
};

/* An address as an offset in a file: the same in every process. */
struct spot {
	const char *path; /* interned: compared as a pointer */
	uint64_t offset;
};

static guint spot_hash(gconstpointer key)
{
	const struct spot *spot = key;

	return g_direct_hash(spot->path) ^ g_int64_hash(&spot->offset);
}

static gboolean spot_equal(gconstpointer one, gconstpointer other)
{
	const struct spot *a = one, *b = other;

	return a->path == b->path && a->offset == b->offset;
}

static void process_free(gpointer data)
{
	struct process *process = data;

	g_array_unref(process->mappings);
	g_free(process);
}

/* Separate debugging information of the C library takes longer to unpack than many explorations.
 * All it would add is the line that calls main. */
static int find_debuginfo(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
                          const char *file, const char *link, GElf_Word checksum, char **ret_file)
{
	g_autofree char *library = g_path_get_basename(file ? file : name);

	if (g_str_has_prefix(library, "libc.so"))
		return -1;
	return dwfl_standard_find_debuginfo(module, user, name, base, file, link, checksum,
	                                    ret_file);
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

struct source_lines *source_lines_new(void)
{
	struct source_lines *lines = g_new0(struct source_lines, 1);

	lines->processes = g_hash_table_new_full(NULL, NULL, NULL, process_free);
	lines->modules = g_hash_table_new(NULL, NULL);
	lines->places = g_hash_table_new_full(spot_hash, spot_equal, g_free, g_free);
	lines->frames = g_hash_table_new_full(spot_hash, spot_equal, g_free,
	                                      (GDestroyNotify)g_array_unref);
	lines->dwfl = dwfl_begin(&callbacks);
	return lines;
}

void source_lines_free(struct source_lines *lines)
{
	if (!lines)
		return;
	g_hash_table_unref(lines->processes);
	g_hash_table_unref(lines->modules);
	g_hash_table_unref(lines->places);
	g_hash_table_unref(lines->frames);
	dwfl_end(lines->dwfl);
	g_free(lines);
}

/* Reads a line of /proc/PID/maps. Returns false if it is not code of a file. */
static bool read_mapping(const char *line, struct mapping *ret)
{
	guint64 start, end, offset;
	char protection[8];
	int path = 0;
	g_autofree char *name = NULL;

	if (sscanf(line,
	           "%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x %7s %" G_GINT64_MODIFIER
	           "x %*s %*s %n",
	           &start, &end, protection, &offset, &path)
	            != 4
	    || !strchr(protection, 'x') || line[path] != '/')
		return false;
	name = g_strdup(line + path);
	g_strchomp(name);
	if (g_str_has_suffix(name, " (deleted)"))
		return false;
	*ret = (struct mapping){start, end, offset, g_intern_string(name)};
	return true;
}

/* Closes the file. */
static struct process *process_read_maps(FILE *file)
{
	char line[4608]; /* a path and the numbers before it */
	struct process *process = g_new0(struct process, 1);

	process->mappings = g_array_new(false, false, sizeof(struct mapping));
	while (fgets(line, sizeof(line), file)) {
		struct mapping mapping;

		if (read_mapping(line, &mapping))
			g_array_append_val(process->mappings, mapping);
	}
	fclose(file);
	return process;
}

static struct process *process_read(pid_t pid)
{
	g_autofree char *maps = g_strdup_printf("/proc/%d/maps", (int)pid);
	g_autofree char *exe = g_strdup_printf("/proc/%d/exe", (int)pid);
	g_autofree char *executable = NULL;
	struct process *process;
	FILE *file = fopen(maps, "re");

	if (!file)
		return NULL;
	process = process_read_maps(file);
	executable = g_file_read_link(exe, NULL);
	process->executable = executable ? g_intern_string(executable) : NULL;
	return process;
}

static const struct mapping *process_mapping(const struct process *process, uint64_t address)
{
	for (guint i = 0; process && i < process->mappings->len; i++) {
		const struct mapping *mapping = &g_array_index(process->mappings, struct mapping,
		                                               i);

		if (address >= mapping->start && address < mapping->end)
			return mapping;
	}
	return NULL;
}

static void keep_process(struct source_lines *lines, pid_t pid, struct process *process)
{
	if (!process)
		return;
	if (process->mappings->len == 0) { /* a zombie: keep what was known of it */
		process_free(process);
		return;
	}
	if (g_hash_table_size(lines->processes) >= PROCESSES_MAX)
		g_hash_table_remove_all(lines->processes);
	g_hash_table_insert(lines->processes, GINT_TO_POINTER(pid), process);
}

void source_lines_know(struct source_lines *lines, pid_t pid)
{
	keep_process(lines, pid, process_read(pid));
}

void source_lines_know_maps(struct source_lines *lines, pid_t number, const char *maps, size_t size)
{
	FILE *file = size > 0 ? fmemopen((void *)(uintptr_t)maps, size, "r") : NULL;

	if (file)
		keep_process(lines, number, process_read_maps(file));
}

/* Returns what the process maps at the address. Reads its maps if they are not known, or may be out
 * of date (a library was loaded since). */
static const struct mapping *find_mapping(struct source_lines *lines, pid_t pid, uint64_t address)
{
	gpointer key = GINT_TO_POINTER(pid);
	const struct mapping *mapping = process_mapping(g_hash_table_lookup(lines->processes, key),
	                                                address);

	if (mapping)
		return mapping;
	source_lines_know(lines, pid);
	return process_mapping(g_hash_table_lookup(lines->processes, key), address);
}

static Dwfl_Module *find_module(struct source_lines *lines, const char *path)
{
	gpointer module;

	if (!lines->dwfl)
		return NULL;
	if (!g_hash_table_lookup_extended(lines->modules, path, NULL, &module)) {
		int fd = open(path, O_RDONLY | O_CLOEXEC); /* owned by libdwfl on success */

		dwfl_report_begin_add(lines->dwfl);
		module = fd < 0 ? NULL : dwfl_report_offline(lines->dwfl, path, path, fd);
		dwfl_report_end(lines->dwfl, NULL, NULL);
		if (fd >= 0 && !module)
			close(fd);
		g_hash_table_insert(lines->modules, (gpointer)path, module);
	}
	return module;
}

/* Returns the module's address for an offset in its file, by the program headers; 0: in no
 * segment. */
static GElf_Addr module_address(Dwfl_Module *module, uint64_t offset)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module, &bias);
	size_t count;

	if (!elf || elf_getphdrnum(elf, &count) != 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD
		    && offset >= header.p_offset && offset - header.p_offset < header.p_filesz)
			return offset - header.p_offset + header.p_vaddr + bias;
	}
	return 0;
}

static const char *intern_printable(const char *name)
{
	g_autofree char *shown = record_printable(name, -1);

	return g_intern_string(shown);
}

/* `source`: the path that the compiler was given; `compiled_in`: the directory where it ran. */
static struct place place_in_source(const char *source, const char *compiled_in, uint32_t line)
{
	g_autofree char *file = g_path_get_basename(source);
	g_autofree char *directory = g_path_get_dirname(source);
	g_autofree char *whole = g_path_is_absolute(directory) || !compiled_in
	                                 ? g_strdup(directory)
	                                 : g_build_filename(compiled_in, directory, NULL);
	g_autofree char *plain = g_path_is_absolute(whole) ? g_canonicalize_filename(whole, "/")
	                                                   : NULL;

	return (struct place){.directory = plain ? g_intern_string(plain) : NULL,
	                      .file = intern_printable(file),
	                      .line = line};
}

/* Returns the compilation unit that contains the code; *ret_bias must be subtracted from addresses
 * in it. clang omits the table that libdwfl searches (.debug_aranges), so all units are tried. */
static Dwarf_Die *find_unit(Dwfl_Module *module, GElf_Addr address, Dwarf_Addr *ret_bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, ret_bias);

	if (unit)
		return unit;
	while ((unit = dwfl_module_nextcu(module, unit, ret_bias))) {
		if (dwarf_haspc(unit, address - *ret_bias) > 0)
			return unit;
	}
	return NULL;
}

static const char *directory_of(Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
}

/* Returns the line that an address belongs to; without a file if there is none. */
static struct place find_line(Dwfl_Module *module, GElf_Addr address)
{
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit = find_unit(module, address, &bias);
	Dwarf_Line *line = unit ? dwarf_getsrc_die(unit, address - bias) : NULL;
	const char *source = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	int number = 0;

	if (!source || dwarf_lineno(line, &number) != 0 || number <= 0)
		return (struct place){0};
	return place_in_source(source, directory_of(unit), (uint32_t)number);
}

/* Resolves the instruction before `return_offset` of a file. */
static struct place resolve(struct source_lines *lines, const char *path, uint64_t return_offset)
{
	Dwfl_Module *module = find_module(lines, path);
	GElf_Addr address = module ? module_address(module, return_offset - 1) : 0;
	g_autofree char *module_name = g_path_get_basename(path);
	struct place place;
	const char *name;
	GElf_Off offset;
	GElf_Sym symbol;

	if (!address)
		return (struct place){.function = intern_printable(module_name),
		                      .offset = return_offset};
	place = find_line(module, address);
	if (place.file)
		return place;
	name = dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);
	if (name)
		return (struct place){.function = intern_printable(name), .offset = offset + 1};
	return (struct place){.function = intern_printable(module_name), .offset = return_offset};
}

/* Returns the name of a function with its namespaces and classes. */
static const char *qualified_name(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die), *qualified;
	GString *text = g_string_new(name);
	Dwarf_Die declared = *die, *scopes = NULL;
	Dwarf_Attribute attribute;
	int count;

	if (dwarf_attr(&declared, DW_AT_abstract_origin, &attribute))
		dwarf_formref_die(&attribute, &declared);
	if (dwarf_attr(&declared, DW_AT_specification, &attribute))
		dwarf_formref_die(&attribute, &declared);
	count = name ? dwarf_getscopes_die(&declared, &scopes) : 0;
	for (int i = 1; i < count; i++) {
		int tag = dwarf_tag(&scopes[i]);
		const char *outer = dwarf_diename(&scopes[i]);

		if (outer
		    && (tag == DW_TAG_namespace || tag == DW_TAG_class_type
		        || tag == DW_TAG_structure_type || tag == DW_TAG_union_type)) {
			g_string_prepend(text, "::");
			g_string_prepend(text, outer);
		}
	}
	free(scopes);
	qualified = name ? intern_printable(text->str) : NULL;
	g_string_free(text, true);
	return qualified;
}

/* Returns the place where an inlined function is called. */
static struct place inlined_at(Dwarf_Die *unit, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Word file = 0, line = 0;
	Dwarf_Files *files;
	const char *source = NULL;

	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &file) == 0
	    && dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &line) == 0
	    && dwarf_getsrcfiles(unit, &files, NULL) == 0)
		source = dwarf_filesrc(files, file, NULL, NULL);
	if (g_strcmp0(source, "???") == 0) /* libdw's name if there is no file */
		source = NULL;
	return source ? place_in_source(source, directory_of(unit), (uint32_t)line)
	              : (struct place){0};
}

/* Appends the functions below a DIE that contain the address (Dwarf_Die), outermost first. In
 * Fortran, a function may be in a module, or in a function whose range does not include its
 * code. */
static void find_functions(Dwarf_Die *parent, Dwarf_Addr address, GArray *functions)
{
	guint before = functions->len;
	Dwarf_Die child;

	for (int more = dwarf_child(parent, &child); more == 0;
	     more = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);
		bool function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
		bool holds = (function || tag == DW_TAG_lexical_block)
		             && dwarf_haspc(&child, address) > 0;

		if (function && holds)
			g_array_append_val(functions, child);
		if (holds || tag == DW_TAG_subprogram || tag == DW_TAG_module
		    || tag == DW_TAG_namespace)
			find_functions(&child, address, functions);
		if (holds || functions->len > before)
			return;
	}
}

/* Appends the inlined functions at an address and the function that contains them, innermost
 * first. */
static void append_functions(Dwarf_Die *unit, Dwarf_Addr address, struct record_frame frame,
                             GArray *frames)
{
	g_autoptr(GArray) functions = g_array_new(false, false, sizeof(Dwarf_Die));

	find_functions(unit, address, functions);
	for (guint i = functions->len; i-- > 0;) {
		Dwarf_Die *die = &g_array_index(functions, Dwarf_Die, i);

		frame.function = qualified_name(die);
		g_array_append_val(frames, frame);
		if (dwarf_tag(die) == DW_TAG_subprogram)
			break;
		frame.place = inlined_at(unit, die);
	}
}

/* Whether it is the code below the program's main function: the entry in assembler, or the C main
 * of a Fortran program. */
static bool is_start(const char *symbol, Dwarf_Die *unit)
{
	int language = unit ? dwarf_srclang(unit) : -1;

	if (g_str_equal(symbol, "_start"))
		return true;
	return g_str_equal(symbol, "main")
	       && (language == DW_LANG_Fortran77 || language == DW_LANG_Fortran90
	           || language == DW_LANG_Fortran95 || language == DW_LANG_Fortran03
	           || language == DW_LANG_Fortran08);
}

/* Whether it is the shim's code that calls main (shim/lifecycle/before_main.c). */
static bool is_before_main(const char *path, const char *symbol)
{
	g_autofree char *name = g_path_get_basename(path);

	return g_str_has_prefix(name, "libmatchpoint-") && g_str_has_suffix(symbol, "_and_start");
}

static bool is_c_library(const char *path)
{
	g_autofree char *name = g_path_get_basename(path);

	return g_str_has_prefix(name, "libc.so.") || g_str_has_prefix(name, "libpthread.so.")
	       || g_str_has_prefix(name, "ld-linux");
}

static GArray *resolve_frames(struct source_lines *lines, const struct spot *spot)
{
	GArray *frames = g_array_new(false, false, sizeof(struct record_frame));
	Dwfl_Module *module = find_module(lines, spot->path);
	GElf_Addr address = module ? module_address(module, spot->offset - 1) : 0, bias = 0;
	Dwarf_Die *unit = address ? find_unit(module, address, &bias) : NULL;
	const char *symbol = address ? dwfl_module_addrname(module, address) : NULL;
	struct record_frame frame = {.function = symbol ? intern_printable(symbol) : NULL,
	                             .place = resolve(lines, spot->path, spot->offset)};

	if (is_c_library(spot->path)
	    || (symbol && (is_start(symbol, unit) || is_before_main(spot->path, symbol))))
		return frames;
	if (unit)
		append_functions(unit, address - bias, frame, frames);
	if (frames->len == 0)
		g_array_append_val(frames, frame);
	return frames;
}

bool source_lines_frames(struct source_lines *lines, pid_t pid, uint64_t return_address,
                         GArray *frames)
{
	const struct mapping *mapping = return_address
	                                        ? find_mapping(lines, pid, return_address - 1)
	                                        : NULL;
	struct spot spot;
	GArray *known;

	if (!mapping)
		return false;
	spot = (struct spot){mapping->path, return_address - mapping->start + mapping->offset};
	known = g_hash_table_lookup(lines->frames, &spot);
	if (!known) {
		known = resolve_frames(lines, &spot);
		g_hash_table_insert(lines->frames, g_memdup2(&spot, sizeof(spot)), known);
	}
	g_array_append_vals(frames, known->data, known->len);
	return true;
}

struct place source_lines_find(struct source_lines *lines, pid_t pid, uint64_t return_address)
{
	const struct mapping *mapping = return_address
	                                        ? find_mapping(lines, pid, return_address - 1)
	                                        : NULL;
	struct spot spot;
	struct place *place;

	if (!mapping)
		return (struct place){0};
	spot = (struct spot){mapping->path, return_address - mapping->start + mapping->offset};
	place = g_hash_table_lookup(lines->places, &spot);
	if (!place) {
		place = g_new(struct place, 1);
		*place = resolve(lines, spot.path, spot.offset);
		g_hash_table_insert(lines->places, g_memdup2(&spot, sizeof(spot)), place);
	}
	return *place;
}

/* Whether the code is the program's own: the executable, or a library outside the system's
 * directories that is not one of matchpoint's. */
static bool is_program(const struct process *process, const struct mapping *mapping)
{
	return mapping->path == process->executable || !program_code_is_systems(mapping->path);
}

struct place source_lines_find_caller(struct source_lines *lines, pid_t pid, const uint64_t *frames,
                                      size_t count)
{
	struct place best = {0};
	int best_rank = 0;

	for (size_t i = 0; i < count; i++) {
		struct place place = source_lines_find(lines, pid, frames[i]);
		const struct mapping *mapping = find_mapping(lines, pid, frames[i] - 1);
		const struct process *process = g_hash_table_lookup(lines->processes,
		                                                    GINT_TO_POINTER(pid));
		int rank = 0;

		if (mapping && process && is_program(process, mapping))
			rank = place.file ? 4 : 3;
		else if (place.file)
			rank = 2;
		else if (place.function)
			rank = 1;
		if (rank > best_rank) {
			best = place;
			best_rank = rank;
		}
	}
	return best;
}
