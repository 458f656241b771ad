/* One ELF file: which libraries it needs, and which MPI symbols it uses. For program.c and its
 * tests. */
#ifndef MATCHPOINT_SCHEDULER_HOST_PROGRAM_ELF_H
#define MATCHPOINT_SCHEDULER_HOST_PROGRAM_ELF_H

#include <glib.h>
#include <stdbool.h>

/* Shared: of one file, as long as it stays as it is, there is one. */
struct program_elf {
	guint references;
	bool is_elf;
	bool is_native;      /* for this machine and word size */
	bool is_dynamic;     /* requests the dynamic linker; libraries do not */
	bool starts_others;  /* imports dlopen, an exec function, ... */
	bool looks_up;       /* imports dlsym: finds functions by name */
	bool has_hooks;      /* reports its loads and stores (shim/access/hooks.c) */
	bool begins_in_libc; /* the C library calls its main() */
	bool acts;           /* runs functions of its own when it is loaded */
	bool is_sanitized;   /* built with AddressSanitizer, whose library may be part of it */
	bool defines_mpi;    /* contains MPI_Init or PMPI_Init itself */
	char *soname, *rpath, *runpath;
	GPtrArray *needed;  /* char * */
	GPtrArray *imports; /* char *: undefined symbols of MPI, in C or Fortran */
};

/* Returns NULL if the file cannot be read. What has been read once is kept, until the file is found
 * changed: several questions about a program read the same libraries. */
const struct program_elf *program_elf_read(const char *file);
/* Ends the use of what program_elf_read returned. NULL is legal. */
void program_elf_free(const struct program_elf *elf);

#endif
