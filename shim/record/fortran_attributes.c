/* Attributes in Fortran (MPI 3.1, section 17.2.7): MPICH's bindings call functions of their own,
 * which give integers of the size of an address, whatever the attribute is. */
#include "shim/mpi/next.h"
#include "wrapper.h"

/* `type` tells MPICH which kind of value is wanted, or given. */
typedef int get_attribute(int object, int keyval, void *value, int *flag, int type);
typedef int set_attribute(int object, int keyval, void *value, int type);

EXPORTED get_attribute MPII_Comm_get_attr, MPII_Type_get_attr, MPII_Win_get_attr;
EXPORTED set_attribute MPII_Comm_set_attr, MPII_Type_set_attr, MPII_Win_set_attr;

#define FIND(type, name) ((type *)real_symbol(name))

#define ATTRIBUTES(kind, object_kind)                                                             \
	int MPII_##kind##_get_attr(int object, int keyval, void *value, int *flag, int type)      \
	{                                                                                         \
		get_attribute *real = FIND(get_attribute, "MPII_" #kind "_get_attr");             \
		struct record_call call;                                                          \
                                                                                                  \
		if (!record_enter(&call, MPI_CALL_##kind##_get_attr, __builtin_return_address(0), \
		                  __builtin_dwarf_cfa()))                                         \
			return real(object, keyval, value, flag, type);                           \
		record_in_handle(&call, "the object", object_kind, (uint32_t)object);             \
		record_in(&call, "the keyval", keyval);                                           \
		record_result(&call, record_run(&call) ? real(object, keyval, value, flag, type)  \
		                                       : MPI_SUCCESS);                            \
		record_out_number(flag, sizeof(*flag));                                           \
		if (call.result == MPI_SUCCESS && *flag)                                          \
			record_out_raw(value, sizeof(void *));                                    \
		record_leave(&call);                                                              \
		return call.result;                                                               \
	}                                                                                         \
	int MPII_##kind##_set_attr(int object, int keyval, void *value, int type)                 \
	{                                                                                         \
		set_attribute *real = FIND(set_attribute, "MPII_" #kind "_set_attr");             \
		struct record_call call;                                                          \
                                                                                                  \
		if (!record_enter(&call, MPI_CALL_##kind##_set_attr, __builtin_return_address(0), \
		                  __builtin_dwarf_cfa()))                                         \
			return real(object, keyval, value, type);                                 \
		record_in_handle(&call, "the object", object_kind, (uint32_t)object);             \
		record_in(&call, "the keyval", keyval);                                           \
		record_result(&call, record_run(&call) ? real(object, keyval, value, type)        \
		                                       : MPI_SUCCESS);                            \
		record_leave(&call);                                                              \
		return call.result;                                                               \
	}

ATTRIBUTES(Comm, RECORD_COMM)
ATTRIBUTES(Type, RECORD_DATATYPE)
ATTRIBUTES(Win, RECORD_WIN)
