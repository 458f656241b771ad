#include "full_disk.h"

#include <sys/statvfs.h>

bool full_disk(const char *path, double *ret_megabytes)
{
	struct statvfs status;

	if (statvfs(path, &status) < 0 || status.f_blocks == 0 || status.f_bavail > 0)
		return false;
	*ret_megabytes = (double)status.f_blocks * (double)status.f_frsize / 1e6;
	return true;
}
