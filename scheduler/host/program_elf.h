/* One ELF file: what it needs and which MPI symbols it uses. For program.c and its tests. */
#ifndef MATCHPOINT_SCHEDULER_HOST_PROGRAM_ELF_H
#define MATCHPOINT_SCHEDULER_HOST_PROGRAM_ELF_H

#include <glib.h>

struct program_elf {
	gboolean is_elf;
	gboolean is_native;     /* of this machine and word size */
	gboolean is_dynamic;    /* asks for the dynamic linker (a program; libraries do not) */
	gboolean starts_others; /* imports dlopen, an exec function, ... */
	gboolean looks_up;      /* imports dlsym: finds functions by name */
	gboolean defines_mpi;   /* contains MPI_Init or PMPI_Init itself */
	char *soname, *rpath, *runpath;
	GPtrArray *needed;  /* of char * */
	GPtrArray *imports; /* of char *: undefined symbols of MPI, in C or Fortran */
};

/* NULL: it cannot be read. */
struct program_elf *program_elf_read(const char *file);
void program_elf_free(struct program_elf *elf);

#endif
