#include "access_flags.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "scheduler/host/environment.h"
#include "scheduler/host/installation.h"

#define LIBRARY "matchpoint_access"

/* Functions of the C library that shim/access/hooks.c stands in for. */
static const char *const wrapped[] = {
	"memcpy",  "memmove",      "memset",        "memcmp",       "strcpy",
	"strncpy", "__memcpy_chk", "__memmove_chk", "__memset_chk",
};

bool access_flags_are_wanted(const char *argument)
{
	return strcmp(argument, "--" ACCESS_FLAGS_COMPILE) == 0
	       || strcmp(argument, "--" ACCESS_FLAGS_LINK) == 0;
}

/* Clang links ThreadSanitizer's library by its full path. GCC does not know the option against
 * it. */
static bool is_clang(const char *compiler)
{
	const char *called = compiler ? compiler : g_getenv(ENVIRONMENT_COMPILER);
	g_autofree char *base = called ? g_path_get_basename(called) : NULL;

	return base && (strstr(base, "clang") || strstr(base, "flang"));
}

/* Fortran's compilers do not know the options for functions of C. */
static bool is_fortran(const char *compiler)
{
	g_autofree char *base = compiler ? g_path_get_basename(compiler) : NULL;

	return base && (strstr(base, "fort") || strstr(base, "mpif") || strstr(base, "flang"));
}

static int print_link_flags(void)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *library = installation_find("access/lib" LIBRARY ".a", &error);
	g_autofree char *folder = library ? g_path_get_dirname(library) : NULL;

	if (!library) {
		command_complain("%s", error->message);
		return EXIT_CANNOT;
	}
	/* -u: the library may stand before the objects that need it. */
	printf("-B%s -L%s -Wl,-u,__tsan_init -l" LIBRARY, folder, folder);
	for (gsize i = 0; i < G_N_ELEMENTS(wrapped); i++)
		printf("%s%s", i == 0 ? " -Wl,--wrap=" : ",--wrap=", wrapped[i]);
	printf("\n");
	return EXIT_CLEAN;
}

int access_flags_print(const char *argument, const char *compiler)
{
	if (strcmp(argument, "--" ACCESS_FLAGS_LINK) == 0)
		return print_link_flags();
	printf("-fsanitize=thread%s", is_clang(compiler) ? " -fno-sanitize-link-runtime" : "");
	/* Compilers put short loops of loads and stores in place of such calls, unseen. -Wp: only
	 * for C and C++, without a warning for Fortran. */
	if (!is_fortran(compiler))
		printf(" -U_FORTIFY_SOURCE");
	for (gsize i = 0; !is_fortran(compiler) && i < G_N_ELEMENTS(wrapped); i++)
		if (!g_str_has_prefix(wrapped[i], "__"))
			printf("%s%s", i == 0 ? " -Wp,-fno-builtin-" : ",-fno-builtin-",
			       wrapped[i]);
	printf("\n");
	return EXIT_CLEAN;
}
