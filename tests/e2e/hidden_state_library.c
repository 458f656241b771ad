#include "hidden_state_library.h"

static int kept;

void library_keep(int number)
{
	kept = number;
}

int library_kept(void)
{
	return kept;
}
