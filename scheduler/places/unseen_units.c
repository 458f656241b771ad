#include "unseen_units.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static const char *text_of(Dwarf_Die *unit, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(unit, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

/* GCC's compilers record their options. The hooks themselves are in each such program. */
static bool is_unseen(Dwarf_Die *unit)
{
	const char *producer = text_of(unit, DW_AT_producer), *name = text_of(unit, DW_AT_name);

	return producer && name && g_str_has_prefix(producer, "GNU ")
	       && !g_str_has_prefix(producer, "GNU AS") && !strstr(producer, "-fsanitize=thread")
	       && !g_str_has_suffix(name, "shim/access/hooks.c");
}

void unseen_units_add(const char *file, GPtrArray *ret)
{
	int descriptor = open(file, O_RDONLY | O_CLOEXEC);
	Dwarf *dwarf = descriptor < 0 ? NULL : dwarf_begin(descriptor, DWARF_C_READ);
	Dwarf_Off at = 0, next;
	size_t header;

	for (; dwarf && dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL) == 0; at = next) {
		Dwarf_Die unit;

		if (dwarf_offdie(dwarf, at + header, &unit) && is_unseen(&unit))
			g_ptr_array_add(ret, g_path_get_basename(text_of(&unit, DW_AT_name)));
	}
	if (dwarf)
		dwarf_end(dwarf);
	if (descriptor >= 0)
		close(descriptor);
}
