#include "attributes.h"

#include <stdlib.h>

#include "shim/gate/caller.h"
#include "shim/mpi/real.h"
#include "shim/objects/error.h"

/* An attribute of MPI_COMM_SELF; a list, last set first. */
struct attribute {
	int keyval;
	struct attribute *next;
};

static struct attribute *attributes;

struct attributes_of_job attributes_of_job;

static void forget_keyval(int keyval)
{
	for (struct attribute **link = &attributes; *link; link = &(*link)->next) {
		struct attribute *found = *link;

		if (found->keyval == keyval) {
			*link = found->next;
			free(found);
			return;
		}
	}
}

/* An attribute that is set again moves to the front. */
static void remember_keyval(int keyval)
{
	struct attribute *attribute;

	forget_keyval(keyval);
	attribute = malloc(sizeof(*attribute));
	if (!attribute)
		return;
	*attribute = (struct attribute){keyval, attributes};
	attributes = attribute;
}

static int set_attribute(MPI_Comm comm, int keyval, void *value)
{
	struct caller_pause pause = caller_suspend();
	int code = real_mpi()->Comm_set_attr(comm, keyval, value);

	caller_resume(&pause);
	if (code == MPI_SUCCESS && comm == MPI_COMM_SELF)
		remember_keyval(keyval);
	return code;
}

static int delete (MPI_Comm comm, int keyval)
{
	struct caller_pause pause = caller_suspend();
	int code = real_mpi()->Comm_delete_attr(comm, keyval);

	caller_resume(&pause);
	if (code == MPI_SUCCESS && comm == MPI_COMM_SELF)
		forget_keyval(keyval);
	return code;
}

int attributes_delete_all(void)
{
	int result = MPI_SUCCESS;

	while (attributes) {
		int keyval = attributes->keyval;
		int code = delete (MPI_COMM_SELF, keyval);

		if (code != MPI_SUCCESS) {
			forget_keyval(keyval);
			result = code;
		}
	}
	return result;
}

/* Where some processes of the job wait to be spawned: the place in its spawn of the command that
 * this process runs. NULL: ask MPI. */
static int *own_value(int keyval)
{
	struct attributes_of_job *job = &attributes_of_job;

	return job->divided && keyval == MPI_APPNUM ? &job->command : NULL;
}

int shim_MPI_Comm_get_attr(void *site, MPI_Comm comm, int keyval, void *value, int *flag)
{
	int *own = own_value(keyval);

	if (!own)
		return error_check(comm, real_mpi()->Comm_get_attr(comm, keyval, value, flag),
		                   MPI_CALL_Comm_get_attr, site);
	*(int **)value = own;
	*flag = 1;
	return MPI_SUCCESS;
}

int shim_MPI_Attr_get(void *site, MPI_Comm comm, int keyval, void *value, int *flag)
{
	int *own = own_value(keyval);

	if (!own)
		return error_check(comm, real_mpi()->Attr_get(comm, keyval, value, flag),
		                   MPI_CALL_Attr_get, site);
	*(int **)value = own;
	*flag = 1;
	return MPI_SUCCESS;
}

int shim_MPI_Comm_set_attr(void *site, MPI_Comm comm, int keyval, void *value)
{
	return error_check(comm, set_attribute(comm, keyval, value), MPI_CALL_Comm_set_attr, site);
}

int shim_MPI_Attr_put(void *site, MPI_Comm comm, int keyval, void *value)
{
	return error_check(comm, set_attribute(comm, keyval, value), MPI_CALL_Attr_put, site);
}

int shim_MPI_Comm_delete_attr(void *site, MPI_Comm comm, int keyval)
{
	return error_check(comm, delete (comm, keyval), MPI_CALL_Comm_delete_attr, site);
}

int shim_MPI_Attr_delete(void *site, MPI_Comm comm, int keyval)
{
	return error_check(comm, delete (comm, keyval), MPI_CALL_Attr_delete, site);
}
