#include "pickle.h"

#include <stdbool.h>
#include <string.h>

#include "python_value.h"

#define STEPS_MOST 100000 /* opcodes */
#define NAME_MOST 256     /* bytes of what is called */

/* A tour. A pickle is a program for a machine with a stack and a memory. Here what stands on the
 * stack are values as they are written (python_value.h). */

struct machine {
	const guint8 *at, *end;
	GPtrArray *stack;   /* struct python_value; NULL: a mark */
	GHashTable *memory; /* number to struct python_value */
	GPtrArray *made;    /* struct python_value: all that others may be in */
	guint32 memorized;
	bool failed;
};

/* --- the stack -------------------------------------------------------------------------------- */

static void push(struct machine *machine, struct python_value *value)
{
	g_ptr_array_add(machine->stack, value);
}

static void push_text(struct machine *machine, char *text)
{
	push(machine, python_value_new(PYTHON_TEXT, text));
}

static struct python_value *top(struct machine *machine)
{
	struct python_value *value = machine->stack->len > 0
	                                     ? machine->stack->pdata[machine->stack->len - 1]
	                                     : NULL;

	machine->failed = machine->failed || !value;
	return value;
}

/* It may come to be in itself, or very deep in others, and is emptied before it is freed. */
static struct python_value *container_new(struct machine *machine, enum python_kind kind,
                                          char *text)
{
	struct python_value *value = python_value_new(kind, text);

	g_ptr_array_add(machine->made, python_value_ref(value));
	return value;
}

/* The caller's; NULL: it has failed. */
static struct python_value *pop(struct machine *machine)
{
	return top(machine) ? g_ptr_array_steal_index(machine->stack, machine->stack->len - 1)
	                    : NULL;
}

static void drop(struct machine *machine)
{
	python_value_unref(pop(machine));
}

/* Where the last mark is; it has failed if there is none. */
static guint find_mark(struct machine *machine)
{
	guint index = machine->stack->len;

	while (index > 0 && machine->stack->pdata[index - 1])
		index--;
	machine->failed = machine->failed || index == 0;
	return machine->failed ? machine->stack->len : index - 1;
}

/* What is above the place goes into the value that is there, or comes to be there. */
static void fill(struct machine *machine, struct python_value *value, guint from)
{
	for (guint i = from; value && i < machine->stack->len; i++)
		g_ptr_array_add(value->parts, g_steal_pointer(&machine->stack->pdata[i]));
	g_ptr_array_set_size(machine->stack, (int)from);
}

/* Of what is above the mark. */
static void make(struct machine *machine, enum python_kind kind)
{
	guint mark = find_mark(machine);
	struct python_value *value;

	if (machine->failed)
		return;
	value = container_new(machine, kind, NULL);
	fill(machine, value, mark + 1);
	g_ptr_array_set_size(machine->stack, (int)mark);
	push(machine, value);
}

/* Of the uppermost. */
static void make_of(struct machine *machine, enum python_kind kind, guint count)
{
	struct python_value *value = container_new(machine, kind, NULL);

	machine->failed = machine->failed || machine->stack->len < count;
	for (guint i = machine->stack->len - (machine->failed ? 0 : count); i < machine->stack->len;
	     i++)
		machine->failed = machine->failed || !machine->stack->pdata[i];
	if (!machine->failed)
		fill(machine, value, machine->stack->len - count);
	push(machine, value);
}

/* What is above the mark, or the uppermost, goes into the one below. */
static void add(struct machine *machine, guint count, enum python_kind kind)
{
	guint from = count > 0 ? machine->stack->len - MIN(count, machine->stack->len)
	                       : find_mark(machine) + 1;
	guint into = count > 0 ? from : from - 1;
	struct python_value *value;

	if (machine->failed || into == 0 || machine->stack->len < count) {
		machine->failed = true;
		return;
	}
	value = machine->stack->pdata[into - 1];
	machine->failed = !value || (value->kind != kind && value->kind != PYTHON_CALL);
	for (guint i = from; i < machine->stack->len; i++)
		machine->failed = machine->failed || !machine->stack->pdata[i];
	if (machine->failed)
		return;
	fill(machine, value, from);
	g_ptr_array_set_size(machine->stack, (int)into);
}

/* --- bytes ------------------------------------------------------------------------------------ */

static const guint8 *take(struct machine *machine, guint64 count)
{
	const guint8 *at = machine->at;

	if (count > (guint64)(machine->end - machine->at)) {
		machine->failed = true;
		return NULL;
	}
	machine->at += count;
	return at;
}

static guint64 take_number(struct machine *machine, guint count)
{
	const guint8 *at = take(machine, count);
	guint64 number = 0;

	for (guint i = count; at && i > 0; i--)
		number = number << 8 | at[i - 1];
	return number;
}

/* Without its newline. Free with g_free; NULL: it has failed. */
static char *take_line(struct machine *machine)
{
	const guint8 *end = memchr(machine->at, '\n', (gsize)(machine->end - machine->at));
	char *line;

	if (!end) {
		machine->failed = true;
		return NULL;
	}
	line = g_utf8_make_valid((const char *)machine->at, end - machine->at);
	machine->at = end + 1;
	return line;
}

static void push_line(struct machine *machine)
{
	char *line = take_line(machine);
	gsize length = line ? strlen(line) : 0;

	if (length > 0 && line[length - 1] == 'L')
		line[length - 1] = '\0';
	push_text(machine, line);
}

static void push_bytes(struct machine *machine, guint width, const char *before, bool is_text)
{
	guint64 length = take_number(machine, width);
	const guint8 *bytes = take(machine, length);

	push_text(machine, bytes ? python_quote(before, bytes, (gsize)length, is_text) : NULL);
}

static void push_long(struct machine *machine, guint width)
{
	guint64 length = take_number(machine, width);
	const guint8 *bytes = take(machine, length);

	push_text(machine, bytes ? python_integer(bytes, (gsize)length) : NULL);
}

static void push_double(struct machine *machine)
{
	const guint8 *at = take(machine, 8);
	guint64 bits = 0;
	double number;

	for (guint i = 0; at && i < 8; i++)
		bits = bits << 8 | at[i];
	memcpy(&number, &bits, sizeof(number));
	push_text(machine, python_double(number));
}

/* --- names, calls, memory --------------------------------------------------------------------- */

static const char *without_builtins(const char *module)
{
	return strcmp(module, "builtins") == 0 || strcmp(module, "__builtin__") == 0 ? "" : module;
}

static void push_name(struct machine *machine, const char *module, const char *name)
{
	const char *shown = without_builtins(module);

	push_text(machine, g_strdup_printf("%s%s%s", shown, *shown ? "." : "", name));
}

static void push_global(struct machine *machine)
{
	g_autofree char *module = take_line(machine);
	g_autofree char *name = machine->failed ? NULL : take_line(machine);

	push_name(machine, module ? module : "", name ? name : "");
}

/* 'numpy' as numpy. */
static char *unquote(const struct python_value *value)
{
	gsize length = value && value->text ? strlen(value->text) : 0;

	return length >= 2 ? g_strndup(value->text + 1, length - 2) : g_strdup("?");
}

static void push_stack_global(struct machine *machine)
{
	struct python_value *name = pop(machine), *module = pop(machine);
	g_autofree char *name_text = unquote(name), *module_text = unquote(module);

	python_value_unref(name);
	python_value_unref(module);
	push_name(machine, module_text, name_text);
}

/* The uppermost are what is called and its arguments: "numpy.array(...)". */
static void call(struct machine *machine, bool keywords)
{
	struct python_value *named = keywords ? pop(machine) : NULL;
	struct python_value *arguments = pop(machine), *called = pop(machine), *value;
	GString *text = g_string_new(NULL);

	if (called)
		python_value_append(text, called, NAME_MOST);
	if (text->len > NAME_MOST)
		g_string_assign(text, "<a long name>");
	value = container_new(machine, PYTHON_CALL, g_string_free(text, false));
	if (arguments && arguments->kind == PYTHON_TUPLE)
		for (guint i = 0; i < arguments->parts->len; i++)
			g_ptr_array_add(value->parts, python_value_ref(arguments->parts->pdata[i]));
	else if (arguments)
		g_ptr_array_add(value->parts, python_value_ref(arguments));
	if (named && named->parts && named->parts->len > 0)
		g_ptr_array_add(value->parts, python_value_ref(named));
	python_value_unref(named);
	python_value_unref(arguments);
	python_value_unref(called);
	push(machine, value);
}

/* Its attributes: as one more argument. */
static void build(struct machine *machine)
{
	struct python_value *state = pop(machine), *object = top(machine);

	if (state && object && object->kind == PYTHON_CALL)
		g_ptr_array_add(object->parts, state);
	else
		python_value_unref(state);
}

static void memorize(struct machine *machine, guint32 number)
{
	struct python_value *value = top(machine);

	if (value)
		g_hash_table_insert(machine->memory, GUINT_TO_POINTER(number),
		                    python_value_ref(value));
}

static void recall(struct machine *machine, guint32 number)
{
	struct python_value *value = g_hash_table_lookup(machine->memory, GUINT_TO_POINTER(number));

	machine->failed = machine->failed || !value;
	if (value)
		push(machine, python_value_ref(value));
}

static guint32 take_line_number(struct machine *machine)
{
	g_autofree char *line = take_line(machine);

	return line ? (guint32)g_ascii_strtoull(line, NULL, 10) : 0;
}

/* --- opcodes ---------------------------------------------------------------------------------- */

static bool obey_value(struct machine *machine, guint8 code)
{
	switch (code) {
	case 'N': push_text(machine, g_strdup("None")); return true;
	case 0x88: push_text(machine, g_strdup("True")); return true;
	case 0x89: push_text(machine, g_strdup("False")); return true;
	case 'I':
	case 'L':
	case 'F':
	case 'S':
	case 'V': push_line(machine); return true;
	case 'K':
		push_text(machine, g_strdup_printf("%u", (guint)take_number(machine, 1)));
		return true;
	case 'M':
		push_text(machine, g_strdup_printf("%u", (guint)take_number(machine, 2)));
		return true;
	case 'J':
		push_text(machine, g_strdup_printf("%d", (gint32)take_number(machine, 4)));
		return true;
	case 0x8a: push_long(machine, 1); return true;
	case 0x8b: push_long(machine, 4); return true;
	case 'G': push_double(machine); return true;
	case 0x8c: push_bytes(machine, 1, "", true); return true;
	case 'X': push_bytes(machine, 4, "", true); return true;
	case 0x8d: push_bytes(machine, 8, "", true); return true;
	case 'U': push_bytes(machine, 1, "", true); return true;
	case 'T': push_bytes(machine, 4, "", true); return true;
	case 'C': push_bytes(machine, 1, "b", false); return true;
	case 'B': push_bytes(machine, 4, "b", false); return true;
	case 0x8e: push_bytes(machine, 8, "b", false); return true;
	case 0x96: push_bytes(machine, 8, "bytearray b", false); return true;
	default: return false;
	}
}

static bool obey_container(struct machine *machine, guint8 code)
{
	switch (code) {
	case '(': g_ptr_array_add(machine->stack, NULL); return true;
	case ')': make_of(machine, PYTHON_TUPLE, 0); return true;
	case 0x85: make_of(machine, PYTHON_TUPLE, 1); return true;
	case 0x86: make_of(machine, PYTHON_TUPLE, 2); return true;
	case 0x87: make_of(machine, PYTHON_TUPLE, 3); return true;
	case 't': make(machine, PYTHON_TUPLE); return true;
	case ']': make_of(machine, PYTHON_LIST, 0); return true;
	case 'l': make(machine, PYTHON_LIST); return true;
	case 'a': add(machine, 1, PYTHON_LIST); return true;
	case 'e': add(machine, 0, PYTHON_LIST); return true;
	case '}': make_of(machine, PYTHON_DICT, 0); return true;
	case 'd': make(machine, PYTHON_DICT); return true;
	case 's': add(machine, 2, PYTHON_DICT); return true;
	case 'u': add(machine, 0, PYTHON_DICT); return true;
	case 0x8f: make_of(machine, PYTHON_SET, 0); return true;
	case 0x90: add(machine, 0, PYTHON_SET); return true;
	case 0x91: make(machine, PYTHON_FROZENSET); return true;
	default: return false;
	}
}

static bool obey_memory(struct machine *machine, guint8 code)
{
	switch (code) {
	case 0x94: memorize(machine, machine->memorized++); return true;
	case 'q': memorize(machine, (guint32)take_number(machine, 1)); return true;
	case 'r': memorize(machine, (guint32)take_number(machine, 4)); return true;
	case 'p': memorize(machine, take_line_number(machine)); return true;
	case 'h': recall(machine, (guint32)take_number(machine, 1)); return true;
	case 'j': recall(machine, (guint32)take_number(machine, 4)); return true;
	case 'g': recall(machine, take_line_number(machine)); return true;
	default: return false;
	}
}

static void duplicate(struct machine *machine)
{
	struct python_value *value = top(machine);

	if (value)
		push(machine, python_value_ref(value));
}

static void pop_mark(struct machine *machine)
{
	guint mark = find_mark(machine);

	if (!machine->failed)
		g_ptr_array_set_size(machine->stack, (int)mark);
}

static void obey_rest(struct machine *machine, guint8 code)
{
	switch (code) {
	case 0x80: machine->failed = machine->failed || take_number(machine, 1) > 5; break;
	case 0x95: take(machine, 8); break; /* a frame: how long it is */
	case 'c': push_global(machine); break;
	case 0x93: push_stack_global(machine); break;
	case 'R':
	case 0x81: call(machine, false); break;
	case 0x92: call(machine, true); break;
	case 'b': build(machine); break;
	case '0': drop(machine); break;
	case '2': duplicate(machine); break;
	case '1': pop_mark(machine); break;
	case 0x97: push_text(machine, g_strdup("<buffer>")); break;
	case 0x98: break; /* which is read only */
	default: machine->failed = true;
	}
}

/* true: it has come to its end with one value. */
static bool run(struct machine *machine)
{
	for (guint steps = 0; !machine->failed && steps < STEPS_MOST; steps++) {
		guint8 code = (guint8)take_number(machine, 1);

		if (machine->failed)
			break;
		if (code == '.')
			return machine->at == machine->end && machine->stack->len == 1
			       && machine->stack->pdata[0];
		if (!obey_value(machine, code) && !obey_container(machine, code)
		    && !obey_memory(machine, code))
			obey_rest(machine, code);
	}
	return false;
}

static void forget(struct machine *machine)
{
	g_ptr_array_unref(machine->stack);
	g_hash_table_unref(machine->memory);
	for (guint i = 0; i < machine->made->len; i++)
		g_ptr_array_set_size(((struct python_value *)machine->made->pdata[i])->parts, 0);
	g_ptr_array_unref(machine->made);
}

char *pickle_print(const guint8 *bytes, gsize length, gsize most)
{
	struct machine machine = {.at = bytes, .end = bytes + length};
	GString *text = NULL;

	if (length < 2 || bytes[length - 1] != '.')
		return NULL;
	machine.stack = g_ptr_array_new_with_free_func(python_value_unref);
	machine.made = g_ptr_array_new_with_free_func(python_value_unref);
	machine.memory = g_hash_table_new_full(NULL, NULL, NULL, python_value_unref);
	if (run(&machine)) {
		text = g_string_new(NULL);
		python_value_append(text, machine.stack->pdata[0], most);
		if (text->len > most) {
			g_autofree char *cut = g_utf8_make_valid(text->str, (gssize)most);

			g_string_assign(text, cut);
			g_string_append(text, "...");
		}
	}
	forget(&machine);
	return text ? g_string_free(text, false) : NULL;
}
