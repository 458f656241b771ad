#include "program_elf.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/direct_access.h"

/* A file as it was when it was read. */
struct known {
	struct stat status;
	struct program_elf *elf;
};

static void release(struct program_elf *elf)
{
	if (--elf->references > 0)
		return;
	g_free(elf->soname);
	g_free(elf->rpath);
	g_free(elf->runpath);
	g_ptr_array_unref(elf->needed);
	g_ptr_array_unref(elf->imports);
	g_free(elf);
}

void program_elf_free(const struct program_elf *elf)
{
	if (elf)
		release((struct program_elf *)elf);
}

static bool is_native(const GElf_Ehdr *header)
{
#if defined(__x86_64__)
	const int machine = EM_X86_64;
#elif defined(__aarch64__)
	const int machine = EM_AARCH64;
#else
	const int machine = header->e_machine;
#endif
	const int word = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;

	return header->e_ident[EI_CLASS] == word && header->e_machine == machine
	       && (header->e_type == ET_EXEC || header->e_type == ET_DYN);
}

static bool is_mpi_symbol(const char *name)
{
	static const char *const prefixes[] = {"MPI_", "PMPI_", "MPIX_", "PMPIX_", "mpi_", "pmpi_"};

	for (guint i = 0; i < G_N_ELEMENTS(prefixes); i++) {
		if (g_str_has_prefix(name, prefixes[i]))
			return true;
	}
	return false;
}

static bool starts_others(const char *name)
{
	static const char *const names[] = {
		"dlopen", "dlmopen", "execv",   "execve",      "execvp",       "execl", "execlp",
		"execle", "execvpe", "fexecve", "posix_spawn", "posix_spawnp", "system"};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

static void read_symbol(struct program_elf *elf, const GElf_Sym *symbol, const char *name)
{
	if (!name || !*name)
		return;
	if (strcmp(name, "__asan_init") == 0)
		elf->is_sanitized = true;
	if (symbol->st_shndx != SHN_UNDEF) {
		if (strcmp(name, "MPI_Init") == 0 || strcmp(name, "PMPI_Init") == 0)
			elf->defines_mpi = true;
		return;
	}
	if (is_mpi_symbol(name) && GELF_ST_TYPE(symbol->st_info) != STT_OBJECT)
		g_ptr_array_add(elf->imports, g_strdup(name));
	else if (starts_others(name))
		elf->starts_others = true;
	else if (strcmp(name, "__libc_start_main") == 0)
		elf->begins_in_libc = true;
	else if (strcmp(name, "dlsym") == 0 || strcmp(name, "dlvsym") == 0)
		elf->looks_up = true;
}

static void read_symbols(struct program_elf *elf, Elf *file, Elf_Scn *section,
                         const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);

	if (!data || header->sh_entsize == 0)
		return;
	for (gsize i = 0; i < header->sh_size / header->sh_entsize; i++) {
		GElf_Sym symbol;

		if (gelf_getsym(data, (int)i, &symbol))
			read_symbol(elf, &symbol,
			            elf_strptr(file, header->sh_link, symbol.st_name));
	}
}

static void read_dynamic(struct program_elf *elf, Elf *file, Elf_Scn *section,
                         const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);

	if (!data || header->sh_entsize == 0)
		return;
	for (gsize i = 0; i < header->sh_size / header->sh_entsize; i++) {
		GElf_Dyn entry;
		const char *text;

		if (!gelf_getdyn(data, (int)i, &entry) || entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_SONAME && entry.d_tag != DT_RPATH
		    && entry.d_tag != DT_RUNPATH)
			continue;
		text = elf_strptr(file, header->sh_link, entry.d_un.d_val);
		if (!text)
			continue;
		if (entry.d_tag == DT_NEEDED) {
			g_ptr_array_add(elf->needed, g_strdup(text));
			continue;
		}
		char **place = entry.d_tag == DT_SONAME  ? &elf->soname
		               : entry.d_tag == DT_RPATH ? &elf->rpath
		                                         : &elf->runpath;
		g_free(*place);
		*place = g_strdup(text);
	}
}

static bool asks_for_linker(Elf *file)
{
	size_t count = 0;

	if (elf_getphdrnum(file, &count) != 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (gelf_getphdr(file, (int)i, &header) && header.p_type == PT_INTERP)
			return true;
	}
	return false;
}

/* Compilers add one function to each file, which registers nothing (frame_dummy). */
static bool has_starters(const GElf_Shdr *header)
{
	const gsize usual = header->sh_type == SHT_INIT_ARRAY ? 1 : 0;

	return (header->sh_type == SHT_INIT_ARRAY || header->sh_type == SHT_PREINIT_ARRAY)
	       && header->sh_size > usual * sizeof(void *);
}

static void read_sections(struct program_elf *elf, Elf *file)
{
	Elf_Scn *section = NULL;
	size_t names = 0;

	elf_getshdrstrndx(file, &names);
	while ((section = elf_nextscn(file, section))) {
		const char *name;
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(file, names, header.sh_name);
		elf->acts |= has_starters(&header);
		elf->has_hooks |= name && strcmp(name, DIRECT_SECTION) == 0;
		if (header.sh_type == SHT_DYNAMIC)
			read_dynamic(elf, file, section, &header);
		else if (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB)
			read_symbols(elf, file, section, &header);
	}
}

static struct program_elf *read_descriptor(int descriptor)
{
	struct program_elf *elf = g_new0(struct program_elf, 1);
	GElf_Ehdr header;
	Elf *file;

	elf_version(EV_CURRENT);
	elf->references = 1;
	elf->needed = g_ptr_array_new_with_free_func(g_free);
	elf->imports = g_ptr_array_new_with_free_func(g_free);
	file = elf_begin(descriptor, ELF_C_READ_MMAP, NULL);
	if (file && elf_kind(file) == ELF_K_ELF && gelf_getehdr(file, &header)) {
		elf->is_elf = true;
		elf->is_native = is_native(&header);
		elf->is_dynamic = asks_for_linker(file);
		read_sections(elf, file);
	}
	if (file)
		elf_end(file);
	return elf;
}

static bool is_unchanged(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino
	       && one->st_size == other->st_size && one->st_mtim.tv_sec == other->st_mtim.tv_sec
	       && one->st_mtim.tv_nsec == other->st_mtim.tv_nsec
	       && one->st_ctim.tv_sec == other->st_ctim.tv_sec
	       && one->st_ctim.tv_nsec == other->st_ctim.tv_nsec;
}

static void forget(gpointer pointer)
{
	struct known *known = pointer;

	release(known->elf);
	g_free(known);
}

const struct program_elf *program_elf_read(const char *path)
{
	static GHashTable *all; /* path to struct known */
	const struct known *before;
	struct known now;
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);

	if (descriptor < 0)
		return NULL;
	if (!all)
		all = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, forget);
	before = g_hash_table_lookup(all, path);
	if (fstat(descriptor, &now.status) == 0 && before
	    && is_unchanged(&before->status, &now.status)) {
		now.elf = before->elf;
	} else {
		now.elf = read_descriptor(descriptor);
		g_hash_table_replace(all, g_strdup(path), g_memdup2(&now, sizeof(now)));
	}
	close(descriptor);
	now.elf->references++;
	return now.elf;
}
