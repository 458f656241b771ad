#define _GNU_SOURCE
#include "below.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#include "shim/process/above.h"

const struct real_mpi *below_table;

static struct real_mpi shims;
static __thread struct above_call present __attribute__((tls_model("initial-exec")));

static const struct above_call *present_call(void)
{
	return &present;
}

void below_note_call(const void *site, const void *stack)
{
	present.site = (void *)(uintptr_t)site;
	present.stack = (uintptr_t)stack;
}

int below_pcontrol(int level)
{
	void *symbol = dlsym(RTLD_NEXT, "PMPI_Pcontrol");
	int (*pcontrol)(const int level, ...);

	if (!symbol)
		return MPI_SUCCESS;
	memcpy(&pcontrol, &symbol, sizeof(symbol));
	below_note_call(__builtin_return_address(0), __builtin_dwarf_cfa());
	return pcontrol(level);
}

/* The shim stands behind this library, and before MPI. It may not have all functions. */
static void find_in_shim(void)
{
	shims = *real_mpi();
	for (const struct real_function *function = real_functions; function->name; function++) {
		void *address = dlsym(RTLD_NEXT, function->name);

		if (address)
			memcpy((char *)&shims + function->offset, &address, sizeof(address));
	}
}

const void *below_shim(void)
{
	return dlsym(RTLD_NEXT, ABOVE_STAND);
}

void below_clear_stack(void)
{
	static above_clear_function *clear;
	static bool is_known;

	if (!is_known) {
		void *symbol = dlsym(RTLD_NEXT, ABOVE_CLEAR);

		memcpy(&clear, &symbol, sizeof(symbol));
		is_known = true;
	}
	if (clear)
		clear();
}

void below_refuse(const char *text)
{
	void *symbol = dlsym(RTLD_NEXT, ABOVE_REFUSE);
	above_refuse_function *refuse;

	if (!symbol)
		return;
	memcpy(&refuse, &symbol, sizeof(symbol));
	refuse(present.site, text);
}

const struct real_mpi *below_find(void)
{
	const void *symbol = below_shim();
	above_stand_function *stand;

	if (real_find() != 0)
		return &real_table;
	if (!symbol) {
		below_table = &real_table;
		return below_table;
	}
	memcpy(&stand, &symbol, sizeof(symbol));
	stand(present_call);
	find_in_shim();
	below_table = &shims;
	return below_table;
}
