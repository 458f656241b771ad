/* matchpoint-supervisor COMMAND...: the supervisor alone. It needs none of the libraries that
 * matchpoint is linked with, which take several times as long to load. */
#include "supervisor.h"

int main(int argc, char **argv)
{
	return argc > 1 ? supervisor_become(argv + 1) : 2;
}
