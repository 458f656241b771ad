#include "callbacks.h"

#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "layouts.h"
#include "log.h"
#include "replay.h"
#include "threads.h"

enum kind { OPERATION = 1, ERROR_HANDLER, COPY, DELETE, FILE_HANDLER };
enum { FUNCTIONS = 64 };

/* --- what surrounds a call of the program's function ------------------------------------------ */

struct around {
	int inside;
};

/* Recording: the log goes on with the function's arguments. */
static void begin_item(enum kind kind)
{
	if (record_present)
		record_present->was_called = true;
	log_room(1024);
	log_number((uint64_t)kind << 1 | 1);
}

/* What the function does is the program's own. */
static struct around leave_mpi(void)
{
	struct around around = {record_inside};

	if (!log_replaying)
		log_commit();
	threads_leave();
	record_inside = 0;
	return around;
}

static void enter_mpi(struct around around)
{
	threads_check((enum mpi_call)log_place->function);
	record_inside = around.inside;
}

/* MPI calls them after MPI_Finalize, too, or where nothing is recorded. */
static bool is_recorded(void)
{
	return record_is_on && record_present;
}

/* --- operations ------------------------------------------------------------------------------- */

static struct {
	MPI_User_function *function;
} operations[FUNCTIONS];
static int operation_count;

static void call_operation(int slot, void *in, void *inout, int *length, MPI_Datatype *type)
{
	struct around around = leave_mpi();

	operations[slot].function(in, inout, length, type);
	enter_mpi(around);
}

static void operate(int slot, void *in, void *inout, int *length, MPI_Datatype *type)
{
	struct layout *layout;

	if (!is_recorded()) {
		operations[slot].function(in, inout, length, type);
		return;
	}
	begin_item(OPERATION);
	log_number((uint64_t)slot);
	log_number((uint64_t)*length);
	log_number((uint32_t)*type);
	layout = layouts_hold(*type);
	layouts_data(in, *length, layout);
	layouts_data(inout, *length, layout);
	layouts_release(layout);
	call_operation(slot, in, inout, length, type);
}

/* The operands lie in memory of their own: where MPI had them is not known. */
static void repeat_operation(void)
{
	const int slot = (int)log_number(0);
	int length = (int)log_number(0);
	MPI_Datatype type = (MPI_Datatype)log_number(0);
	struct layout *layout = layouts_hold(type);
	const size_t room = (size_t)(layouts_reach(layout, length) + 64);
	char *in = calloc(2, room);

	if (slot >= operation_count || !in)
		replay_stop(REPLAY_CANNOT, "the log names an operation that does not exist");
	char *first = in - layouts_low(layout), *second = first + room;
	layouts_data(first, length, layout);
	layouts_data(second, length, layout);
	layouts_release(layout);
	call_operation(slot, first, second, &length, &type);
	free(in);
}

/* --- error handlers --------------------------------------------------------------------------- */

static MPI_Comm_errhandler_function *handlers[FUNCTIONS];
static int handler_count;

static void call_handler(int slot, MPI_Comm *comm, int *code)
{
	struct around around = leave_mpi();

	handlers[slot](comm, code);
	enter_mpi(around);
}

static void handle(int slot, MPI_Comm *comm, int *code)
{
	if (!is_recorded()) {
		handlers[slot](comm, code);
		return;
	}
	begin_item(ERROR_HANDLER);
	log_number((uint64_t)slot);
	log_number((uint32_t)*comm);
	log_signed(*code);
	call_handler(slot, comm, code);
}

static void repeat_handler(void)
{
	const int slot = (int)log_number(0);
	MPI_Comm comm = (MPI_Comm)log_number(0);
	int code = (int)log_signed(0);

	if (slot >= handler_count)
		replay_stop(REPLAY_CANNOT, "the log names an error handler that does not exist");
	call_handler(slot, &comm, &code);
}

/* Of files, whose handles are pointers. */
static MPI_File_errhandler_function *file_handlers[FUNCTIONS];
static int file_handler_count;

static void call_file_handler(int slot, MPI_File *file, int *code)
{
	struct around around = leave_mpi();

	file_handlers[slot](file, code);
	enter_mpi(around);
}

static void handle_file(int slot, MPI_File *file, int *code)
{
	if (!is_recorded()) {
		file_handlers[slot](file, code);
		return;
	}
	begin_item(FILE_HANDLER);
	log_number((uint64_t)slot);
	log_number((uint64_t)(uintptr_t)*file);
	log_signed(*code);
	call_file_handler(slot, file, code);
}

static void repeat_file_handler(void)
{
	const int slot = (int)log_number(0);
	MPI_File file = (MPI_File)(uintptr_t)log_number(0);
	int code = (int)log_signed(0);

	if (slot >= file_handler_count)
		replay_stop(REPLAY_CANNOT, "the log names an error handler that does not exist");
	call_file_handler(slot, &file, &code);
}

/* --- functions for MPI, which do not tell for whom they are called ---------------------------- */

#define FUNCTION(slot)                                                                       \
	static void operation_##slot(void *in, void *inout, int *length, MPI_Datatype *type) \
	{                                                                                    \
		operate(slot, in, inout, length, type);                                      \
	}                                                                                    \
	static void handler_##slot(MPI_Comm *comm, int *code, ...)                           \
	{                                                                                    \
		handle(slot, comm, code);                                                    \
	}                                                                                    \
	static void file_handler_##slot(MPI_File *file, int *code, ...)                      \
	{                                                                                    \
		handle_file(slot, file, code);                                               \
	}
/* clang-format off */
#define EIGHT(what, tens) \
	what(tens##0) what(tens##1) what(tens##2) what(tens##3) \
	what(tens##4) what(tens##5) what(tens##6) what(tens##7)
/* The slots are octal numbers. */
#define ALL(what) \
	EIGHT(what, 00) EIGHT(what, 01) EIGHT(what, 02) EIGHT(what, 03) \
	EIGHT(what, 04) EIGHT(what, 05) EIGHT(what, 06) EIGHT(what, 07)
/* clang-format on */
#define OPERATION_NAME(slot) operation_##slot,
#define HANDLER_NAME(slot) handler_##slot,
#define FILE_HANDLER_NAME(slot) file_handler_##slot,

ALL(FUNCTION)
static MPI_User_function *const operation_functions[FUNCTIONS] = {ALL(OPERATION_NAME)};
static MPI_Comm_errhandler_function *const handler_functions[FUNCTIONS] = {ALL(HANDLER_NAME)};
static MPI_File_errhandler_function *const file_functions[FUNCTIONS] = {ALL(FILE_HANDLER_NAME)};

MPI_User_function *callbacks_operation(MPI_User_function *function)
{
	for (int i = 0; i < operation_count; i++)
		if (operations[i].function == function)
			return operation_functions[i];
	if (operation_count == FUNCTIONS)
		record_refuse("more than %d different functions for operations", FUNCTIONS);
	operations[operation_count].function = function;
	return operation_functions[operation_count++];
}

MPI_Comm_errhandler_function *callbacks_error_handler(MPI_Comm_errhandler_function *function)
{
	for (int i = 0; i < handler_count; i++)
		if (handlers[i] == function)
			return handler_functions[i];
	if (handler_count == FUNCTIONS)
		record_refuse("more than %d different functions for error handlers", FUNCTIONS);
	handlers[handler_count] = function;
	return handler_functions[handler_count++];
}

MPI_File_errhandler_function *callbacks_file_handler(MPI_File_errhandler_function *function)
{
	for (int i = 0; i < file_handler_count; i++)
		if (file_handlers[i] == function)
			return file_functions[i];
	if (file_handler_count == FUNCTIONS)
		record_refuse("more than %d different functions for error handlers", FUNCTIONS);
	file_handlers[file_handler_count] = function;
	return file_functions[file_handler_count++];
}

/* --- attributes ------------------------------------------------------------------------------- */

/* Lives as long as the process: MPI may call the functions until the keyval's last attribute is
 * gone. */
struct attribute {
	struct callbacks_attribute programs;
	void *extra;
	int number;
	struct attribute *next;
};
static struct attribute *attributes;
static int attribute_count;

static int call_copy(struct attribute *attribute, int object, int keyval, void *in, void *out,
                     int *flag)
{
	struct around around = leave_mpi();
	int code = attribute->programs.copy(object, keyval, attribute->extra, in, out, flag);

	enter_mpi(around);
	return code;
}

static int call_delete(struct attribute *attribute, int object, int keyval, void *value)
{
	struct around around = leave_mpi();
	int code = attribute->programs.delete(object, keyval, value, attribute->extra);

	enter_mpi(around);
	return code;
}

static void log_attribute(enum kind kind, const struct attribute *attribute, int object, int keyval,
                          void *value)
{
	begin_item(kind);
	log_number((uint64_t)attribute->number);
	log_number((uint32_t)object);
	log_number((uint32_t)keyval);
	log_number((uint64_t)(uintptr_t)value);
}

static int copy(int object, int keyval, void *extra, void *in, void *out, int *flag)
{
	struct attribute *attribute = extra;

	if (!is_recorded())
		return attribute->programs.copy(object, keyval, attribute->extra, in, out, flag);
	log_attribute(COPY, attribute, object, keyval, in);
	return call_copy(attribute, object, keyval, in, out, flag);
}

static int delete (int object, int keyval, void *value, void *extra)
{
	struct attribute *attribute = extra;

	if (!is_recorded())
		return attribute->programs.delete(object, keyval, value, attribute->extra);
	log_attribute(DELETE, attribute, object, keyval, value);
	return call_delete(attribute, object, keyval, value);
}

static void repeat_attribute(enum kind kind)
{
	const int number = (int)log_number(0), object = (int)log_number(0),
		  keyval = (int)log_number(0);
	void *value = (void *)(uintptr_t)log_number(0), *copied = NULL;
	struct attribute *attribute = attributes;
	int flag = 0;

	while (attribute && attribute->number != number)
		attribute = attribute->next;
	if (!attribute)
		replay_stop(REPLAY_CANNOT, "the log names an attribute that does not exist");
	if (kind == COPY)
		call_copy(attribute, object, keyval, value, &copied, &flag);
	else
		call_delete(attribute, object, keyval, value);
}

void callbacks_attribute(const struct callbacks_attribute *programs, void *extra,
                         struct callbacks_attribute *ret_functions, void **ret_extra)
{
	struct attribute *attribute = calloc(1, sizeof(*attribute));

	if (!attribute)
		record_refuse("out of memory");
	*attribute = (struct attribute){*programs, extra, attribute_count++, attributes};
	attributes = attribute;
	*ret_functions = (struct callbacks_attribute){copy, delete};
	*ret_extra = attribute;
}

void callbacks_repeat(uint64_t kind)
{
	switch ((enum kind)kind) {
	case OPERATION: repeat_operation(); return;
	case ERROR_HANDLER: repeat_handler(); return;
	case FILE_HANDLER: repeat_file_handler(); return;
	case COPY:
	case DELETE: repeat_attribute((enum kind)kind); return;
	}
	replay_stop(REPLAY_CANNOT, "the log has something unknown (%llu)",
	            (unsigned long long)kind);
}
