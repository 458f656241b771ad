#include "printable.h"

#include "scheduler/store/record.h"

char *printable(const char *text)
{
	return g_strdelimit(record_printable(text, -1), "\t\n", '?');
}
