/* Operations, error handlers, attributes, datatypes, info (MPI 3.1, chapters 4 to 9). */
#include <stdlib.h>
#include <string.h>

#include "callbacks.h"
#include "shim/mpi/abi.h"
#include "wrapper.h"

/* --- functions of the program ----------------------------------------------------------------- */

/* Whether MPI, or its Fortran bindings, made a function: it calls nothing of the program's. */
static bool is_mpis(const void *function)
{
	return !function || real_is_library(function) || real_is_binding(function);
}

static const void *address_of(void (*function)(void))
{
	return (const void *)(uintptr_t)function;
}

WRAPPER(int, Op_create, (MPI_User_function * function, int commute, MPI_Op *op))
{
	struct record_call call;
	MPI_User_function *own;

	ENTER_OR_PASS(&call, Op_create, (function, commute, op));
	own = callbacks_operation(function);
	record_in(&call, "commute", commute);
	RUN(&call, Op_create, (own, commute, op));
	record_out_handle(RECORD_OP, op);
	record_leave(&call);
	return call.result;
}

WRAPPER(int, Comm_get_parent, (MPI_Comm * parent))
{
	struct record_call call;
	bool runs;

	ENTER_OR_PASS(&call, Comm_get_parent, (parent));
	runs = record_run(&call);
	record_result(&call, runs ? below_mpi()->Comm_get_parent(parent) : MPI_SUCCESS);
	if (runs && call.result == MPI_SUCCESS && *parent != MPI_COMM_NULL)
		record_refuse("processes that another one has spawned cannot be recorded");
	record_out_handle(RECORD_COMM, parent);
	record_leave(&call);
	return call.result;
}

WRAPPER(int, Op_create_c, (MPI_User_function_c * function, int commute, MPI_Op *op))
{
	struct record_call call;

	ENTER_OR_PASS(&call, Op_create_c, (function, commute, op));
	record_refuse("operations with large counts cannot be recorded");
	return below_mpi()->Op_create_c(function, commute, op);
}

static int create_error_handler(struct record_call *call, MPI_Comm_errhandler_function *function,
                                MPI_Errhandler *handler)
{
	MPI_Comm_errhandler_function *own = callbacks_error_handler(function);

	RUN(call, Comm_create_errhandler, (own, handler));
	record_out_handle(RECORD_ERRHANDLER, handler);
	record_leave(call);
	return call->result;
}

WRAPPER(int, Comm_create_errhandler,
        (MPI_Comm_errhandler_function * function, MPI_Errhandler *handler))
{
	struct record_call call;

	ENTER_OR_PASS(&call, Comm_create_errhandler, (function, handler));
	return create_error_handler(&call, function, handler);
}

WRAPPER(int, Errhandler_create, (MPI_Comm_errhandler_function * function, MPI_Errhandler *handler))
{
	struct record_call call;

	ENTER_OR_PASS(&call, Errhandler_create, (function, handler));
	return create_error_handler(&call, function, handler);
}

/* A handler of windows has the same type: both handles are ints. */
WRAPPER(int, Win_create_errhandler,
        (MPI_Win_errhandler_function * function, MPI_Errhandler *handler))
{
	struct record_call call;
	MPI_Win_errhandler_function *own;

	ENTER_OR_PASS(&call, Win_create_errhandler, (function, handler));
	own = callbacks_error_handler(function);
	RUN(&call, Win_create_errhandler, (own, handler));
	record_out_handle(RECORD_ERRHANDLER, handler);
	record_leave(&call);
	return call.result;
}

WRAPPER(int, File_create_errhandler,
        (MPI_File_errhandler_function * function, MPI_Errhandler *handler))
{
	struct record_call call;
	MPI_File_errhandler_function *own;

	ENTER_OR_PASS(&call, File_create_errhandler, (function, handler));
	own = callbacks_file_handler(function);
	RUN(&call, File_create_errhandler, (own, handler));
	record_out_handle(RECORD_ERRHANDLER, handler);
	record_leave(&call);
	return call.result;
}

/* What goes to MPI instead of a keyval's functions. MPICH converts the arguments of Fortran's
 * functions, in a way that the recorder's would not understand. */
static void replace_functions(const struct callbacks_attribute *programs, void **extra,
                              const void *site, struct callbacks_attribute *ret)
{
	const bool copies = !is_mpis(address_of((void (*)(void))programs->copy)),
		   deletes = !is_mpis(address_of((void (*)(void))programs->delete));

	*ret = *programs;
	if (!copies && !deletes)
		return;
	if (real_is_binding(site))
		record_refuse("attributes with functions in Fortran cannot be recorded");
	callbacks_attribute(programs, *extra, ret, extra);
	if (!copies)
		ret->copy = programs->copy;
	if (!deletes)
		ret->delete = programs->delete;
}

/* Communicators, datatypes and windows are numbers of the same size. */
#define KEYVAL(name, copying, deleting)                                                   \
	WRAPPER(int, name, (copying * copy, deleting * delete, int *keyval, void *extra)) \
	{                                                                                 \
		struct record_call call;                                                  \
		struct callbacks_attribute own;                                           \
                                                                                          \
		ENTER_OR_PASS(&call, name, (copy, delete, keyval, extra));                \
		replace_functions(&(struct callbacks_attribute){copy, delete}, &extra,    \
		                  __builtin_return_address(0), &own);                     \
		RUN(&call, name, (own.copy, own.delete, keyval, extra));                  \
		record_out_number(keyval, sizeof(*keyval));                               \
		record_leave(&call);                                                      \
		return call.result;                                                       \
	}

KEYVAL(Comm_create_keyval, MPI_Comm_copy_attr_function, MPI_Comm_delete_attr_function)
KEYVAL(Keyval_create, MPI_Copy_function, MPI_Delete_function)
KEYVAL(Type_create_keyval, MPI_Type_copy_attr_function, MPI_Type_delete_attr_function)
KEYVAL(Win_create_keyval, MPI_Win_copy_attr_function, MPI_Win_delete_attr_function)

/* --- values of attributes --------------------------------------------------------------------- */

/* A predefined attribute's value is a pointer to an int of MPI's (MPI 3.1, section 8.1.2). */
static void out_attribute(int keyval, void *value)
{
	enum { KINDS = 16 };
	static struct {
		int keyval, number;
	} numbers[KINDS];
	int i = 0, number = 0;
	void *pointer;

	if (!abi_is_predefined(keyval)) {
		record_out_raw(value, sizeof(void *));
		return;
	}
	memcpy(&pointer, value, sizeof(pointer));
	if (!log_replaying)
		number = *(int *)pointer;
	record_out_number(&number, sizeof(number));
	while (i < KINDS - 1 && numbers[i].keyval != keyval && numbers[i].keyval != 0)
		i++;
	numbers[i].keyval = keyval;
	numbers[i].number = number;
	pointer = &numbers[i].number;
	memcpy(value, &pointer, sizeof(pointer));
}

#define ATTRIBUTE(name, object_type, kind)                                           \
	WRAPPER(int, name, (object_type object, int keyval, void *value, int *flag)) \
	{                                                                            \
		struct record_call call;                                             \
                                                                                     \
		ENTER_OR_PASS(&call, name, (object, keyval, value, flag));           \
		record_in_handle(&call, "the object", kind, (uint32_t)object);       \
		record_in(&call, "the keyval", keyval);                              \
		RUN(&call, name, (object, keyval, value, flag));                     \
		record_out_number(flag, sizeof(*flag));                              \
		if (call.result == MPI_SUCCESS && *flag)                             \
			out_attribute(keyval, value);                                \
		record_leave(&call);                                                 \
		return call.result;                                                  \
	}

ATTRIBUTE(Comm_get_attr, MPI_Comm, RECORD_COMM)
ATTRIBUTE(Attr_get, MPI_Comm, RECORD_COMM)
ATTRIBUTE(Type_get_attr, MPI_Datatype, RECORD_DATATYPE)

/* --- datatypes -------------------------------------------------------------------------------- */

WRAPPER(int, Type_free, (MPI_Datatype * type))
{
	struct record_call call;
	MPI_Datatype was;

	ENTER_OR_PASS(&call, Type_free, (type));
	was = *type;
	record_in_handle(&call, "the datatype", RECORD_DATATYPE, (uint32_t)was);
	RUN(&call, Type_free, (type));
	record_out_handle(RECORD_DATATYPE, type);
	if (call.result == MPI_SUCCESS)
		layouts_forget(was);
	record_leave(&call);
	return call.result;
}

/* Packing moves `position` forward over what was written. */
#define PACK(name, number, parameters, values)                                      \
	WRAPPER(int, name, parameters)                                              \
	{                                                                           \
		struct record_call call;                                            \
		number begin;                                                       \
                                                                                    \
		ENTER_OR_PASS(&call, name, values);                                 \
		begin = *position;                                                  \
		record_in(&call, "position", begin);                                \
		record_send(&call, inbuf, incount, datatype);                       \
		record_hash(&call, &call.sends);                                    \
		RUN(&call, name, values);                                           \
		record_out_number(position, sizeof(*position));                     \
		record_out_bytes(&call, (char *)outbuf + begin, *position - begin); \
		record_leave(&call);                                                \
		return call.result;                                                 \
	}
#define UNPACK(name, parameters, values)                           \
	WRAPPER(int, name, parameters)                             \
	{                                                          \
		struct record_call call;                           \
                                                                   \
		ENTER_OR_PASS(&call, name, values);                \
		record_in(&call, "position", *position);           \
		record_receive(&call, outbuf, outcount, datatype); \
		RUN(&call, name, values);                          \
		record_out_number(position, sizeof(*position));    \
		record_out_received(&call);                        \
		record_leave(&call);                               \
		return call.result;                                \
	}

PACK(Pack, int,
     (const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf, int outsize,
      int *position, MPI_Comm comm),
     (inbuf, incount, datatype, outbuf, outsize, position, comm))
PACK(Pack_c, MPI_Count,
     (const void *inbuf, MPI_Count incount, MPI_Datatype datatype, void *outbuf, MPI_Count outsize,
      MPI_Count *position, MPI_Comm comm),
     (inbuf, incount, datatype, outbuf, outsize, position, comm))
PACK(Pack_external, MPI_Aint,
     (const char *datarep, const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf,
      MPI_Aint outsize, MPI_Aint *position),
     (datarep, inbuf, incount, datatype, outbuf, outsize, position))
PACK(Pack_external_c, MPI_Count,
     (const char *datarep, const void *inbuf, MPI_Count incount, MPI_Datatype datatype,
      void *outbuf, MPI_Count outsize, MPI_Count *position),
     (datarep, inbuf, incount, datatype, outbuf, outsize, position))
UNPACK(Unpack,
       (const void *inbuf, int insize, int *position, void *outbuf, int outcount,
        MPI_Datatype datatype, MPI_Comm comm),
       (inbuf, insize, position, outbuf, outcount, datatype, comm))
UNPACK(Unpack_c,
       (const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf, MPI_Count outcount,
        MPI_Datatype datatype, MPI_Comm comm),
       (inbuf, insize, position, outbuf, outcount, datatype, comm))
UNPACK(Unpack_external,
       (const char datarep[], const void *inbuf, MPI_Aint insize, MPI_Aint *position, void *outbuf,
        int outcount, MPI_Datatype datatype),
       (datarep, inbuf, insize, position, outbuf, outcount, datatype))
UNPACK(Unpack_external_c,
       (const char datarep[], const void *inbuf, MPI_Count insize, MPI_Count *position,
        void *outbuf, MPI_Count outcount, MPI_Datatype datatype),
       (datarep, inbuf, insize, position, outbuf, outcount, datatype))

#define REDUCE_LOCAL(name, number)                                                       \
	WRAPPER(int, name,                                                               \
	        (const void *inbuf, void *inoutbuf, number count, MPI_Datatype datatype, \
	         MPI_Op op))                                                             \
	{                                                                                \
		struct record_call call;                                                 \
                                                                                         \
		ENTER_OR_PASS(&call, name, (inbuf, inoutbuf, count, datatype, op));      \
		record_in_handle(&call, "op", RECORD_OP, (uint32_t)op);                  \
		record_send(&call, inbuf, count, datatype);                              \
		record_receive(&call, inoutbuf, count, datatype);                        \
		record_hash(&call, &call.sends);                                         \
		RUN(&call, name, (inbuf, inoutbuf, count, datatype, op));                \
		record_out_received(&call);                                              \
		record_leave(&call);                                                     \
		return call.result;                                                      \
	}

REDUCE_LOCAL(Reduce_local, int)
REDUCE_LOCAL(Reduce_local_c, MPI_Count)

/* --- info ------------------------------------------------------------------------------------- */

WRAPPER(int, Info_create_env, (int argc, char *argv[], MPI_Info *info))
{
	struct record_call call;

	ENTER_OR_PASS(&call, Info_create_env, (argc, argv, info));
	RUN(&call, Info_create_env, (argc, argv, info));
	record_out_handle(RECORD_INFO, info);
	record_leave(&call);
	return call.result;
}

WRAPPER(int, Info_get, (MPI_Info info, const char *key, int valuelen, char *value, int *flag))
{
	struct record_call call;

	ENTER_OR_PASS(&call, Info_get, (info, key, valuelen, value, flag));
	record_in_handle(&call, "info", RECORD_INFO, (uint32_t)info);
	record_in_text(&call, "key", key);
	RUN(&call, Info_get, (info, key, valuelen, value, flag));
	record_out_number(flag, sizeof(*flag));
	if (*flag)
		record_out_text(&call, value);
	record_leave(&call);
	return call.result;
}

/* With a length of 0, only the length is asked for. */
WRAPPER(int, Info_get_string, (MPI_Info info, const char *key, int *buflen, char *value, int *flag))
{
	struct record_call call;
	int room;

	ENTER_OR_PASS(&call, Info_get_string, (info, key, buflen, value, flag));
	room = *buflen;
	record_in_handle(&call, "info", RECORD_INFO, (uint32_t)info);
	record_in_text(&call, "key", key);
	record_in(&call, "buflen", room);
	RUN(&call, Info_get_string, (info, key, buflen, value, flag));
	record_out_number(flag, sizeof(*flag));
	record_out_number(buflen, sizeof(*buflen));
	if (*flag && room > 0)
		record_out_text(&call, value);
	record_leave(&call);
	return call.result;
}

/* --- topologies ------------------------------------------------------------------------------- */

/* MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY are no memory of the program's. */
static bool are_weights(const int *weights)
{
	static const char *const names[] = {"MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		int *const *variable = real_symbol(names[i]);

		if (variable && weights == *variable)
			return false;
	}
	return weights != NULL;
}

WRAPPER(int, Dist_graph_neighbors,
        (MPI_Comm comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree,
         int destinations[], int destweights[]))
{
	struct record_call call;

	ENTER_OR_PASS(&call, Dist_graph_neighbors,
	              (comm, maxindegree, sources, sourceweights, maxoutdegree, destinations,
	               destweights));
	record_in_handle(&call, "comm", RECORD_COMM, (uint32_t)comm);
	record_in(&call, "maxindegree", maxindegree);
	record_in(&call, "maxoutdegree", maxoutdegree);
	RUN(&call, Dist_graph_neighbors,
	    (comm, maxindegree, sources, sourceweights, maxoutdegree, destinations, destweights));
	record_out_numbers(&call, sources, sizeof(int), maxindegree);
	record_out_numbers(&call, destinations, sizeof(int), maxoutdegree);
	if (are_weights(sourceweights))
		record_out_numbers(&call, sourceweights, sizeof(int), maxindegree);
	if (are_weights(destweights))
		record_out_numbers(&call, destweights, sizeof(int), maxoutdegree);
	record_leave(&call);
	return call.result;
}
