#define _GNU_SOURCE
#include "python_stack.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* CPython's functions, by address. Its objects are opaque. */
struct python {
	int (*initialised)(void);
	int (*finalising)(void);
	void *(*own_thread)(void); /* NULL: not a thread of Python's */
	void *(*running_thread)(
		void); /* the thread that holds the lock; from 3.12 on only if that is this
		          thread */
	void *(*interpreter)(void *thread);
	void *(*first_thread)(void *interpreter);
	void *(*next_thread)(void *thread);
	void (*take)(void *thread);
	void *(*let_go)(void);
	int (*collect)(void); /* turns garbage collection on, or off; returns whether it was on */
	int (*collect_not)(void);
	void *(*frame)(void *thread);
	void *(*outer)(void *frame);
	void *(*code)(void *frame);
	int (*line)(void *frame);
	void *(*member)(void *object, const char *name);
	const char *(*text)(void *string);
	void (*release)(void *object);
	void (*fetch)(void **type, void **value, void **trace);
	void (*restore)(void *type, void *value, void *trace);
	void (*clear)(void);
};

static struct python python;

static bool find_function(void *ret_function, const char *name, const char *other)
{
	void *function = dlsym(RTLD_DEFAULT, name);

	if (!function && other)
		function = dlsym(RTLD_DEFAULT, other);
	memcpy(ret_function, &function, sizeof(function));
	/* The message lies on the program's heap: the second call frees it. */
	if (!function && dlerror())
		dlerror();
	return function;
}

static int count_loads(struct dl_phdr_info *module, size_t size, void *data)
{
	(void)size;
	*(unsigned long long *)data = module->dlpi_adds;
	return 1;
}

/* A program may load Python late: looked up again after each dlopen. Not at each call, because the
 * dynamic linker counts its work, and a loop that polls would not return to the same memory. */
static bool find_python(void)
{
	static unsigned long long looked;
	struct python *p = &python;
	unsigned long long loads = 0;

	dl_iterate_phdr(count_loads, &loads);
	if (loads == looked)
		return p->clear;
	looked = loads;
	return p->clear
	       || (find_function(&p->initialised, "Py_IsInitialized", NULL)
	           && find_function(&p->finalising, "Py_IsFinalizing", "_Py_IsFinalizing")
	           && find_function(&p->own_thread, "PyGILState_GetThisThreadState", NULL)
	           && find_function(&p->running_thread, "_PyThreadState_UncheckedGet",
	                            "PyThreadState_GetUnchecked")
	           && find_function(&p->interpreter, "PyThreadState_GetInterpreter", NULL)
	           && find_function(&p->first_thread, "PyInterpreterState_ThreadHead", NULL)
	           && find_function(&p->next_thread, "PyThreadState_Next", NULL)
	           && find_function(&p->take, "PyEval_RestoreThread", NULL)
	           && find_function(&p->let_go, "PyEval_SaveThread", NULL)
	           && find_function(&p->collect, "PyGC_Enable", NULL)
	           && find_function(&p->collect_not, "PyGC_Disable", NULL)
	           && find_function(&p->frame, "PyThreadState_GetFrame", NULL)
	           && find_function(&p->outer, "PyFrame_GetBack", NULL)
	           && find_function(&p->code, "PyFrame_GetCode", NULL)
	           && find_function(&p->line, "PyFrame_GetLineNumber", NULL)
	           && find_function(&p->member, "PyObject_GetAttrString", NULL)
	           && find_function(&p->text, "PyUnicode_AsUTF8", NULL)
	           && find_function(&p->release, "Py_DecRef", NULL)
	           && find_function(&p->fetch, "PyErr_Fetch", NULL)
	           && find_function(&p->restore, "PyErr_Restore", NULL)
	           && find_function(&p->clear, "PyErr_Clear", NULL));
}

/* The text of a string; the object owns it. */
static const char *text_of(void *object, const char *name)
{
	void *string = python.member(object, name);
	const char *text = string ? python.text(string) : NULL;

	if (string)
		python.release(string);
	if (!text)
		python.clear();
	return text;
}

/* false: a frame of the interpreter's own, such as that of `import`. */
static bool describe(void *frame, struct wire_line *ret)
{
	void *code = python.code(frame);
	const char *file = text_of(code, "co_filename");
	const char *function = text_of(code, "co_qualname");
	int line = python.line(frame);

	if (!function) /* before 3.11 */
		function = text_of(code, "co_name");
	python.release(code);
	if (!file || !function || line <= 0 || strncmp(file, "<frozen", 7) == 0)
		return false;
	*ret = (struct wire_line){(char *)function, (char *)file, (uint32_t)line};
	return true;
}

static uint32_t walk(void *thread, struct wire_line *ret_lines, uint32_t most)
{
	void *frame = python.frame(thread);
	uint32_t count = 0;

	while (frame) {
		void *outer = count < most ? python.outer(frame) : NULL;

		if (count < most && describe(frame, &ret_lines[count]))
			count++;
		python.release(frame);
		frame = outer;
	}
	return count;
}

static bool is_alone(void *thread)
{
	return python.first_thread(python.interpreter(thread)) == thread
	       && !python.next_thread(thread);
}

uint32_t python_stack(struct wire_line *ret_lines, uint32_t most)
{
	void *type, *value, *trace;

	if (!find_python() || !python.initialised() || python.finalising())
		return 0;
	void *thread = python.own_thread();
	if (!thread)
		return 0;
	bool held = python.running_thread() == thread;
	if (!held && !is_alone(thread))
		return 0;
	if (!held)
		python.take(thread);
	/* no code of the program may run meanwhile, and its exception must be kept */
	int collects = python.collect_not();
	python.fetch(&type, &value, &trace);
	uint32_t count = walk(thread, ret_lines, most);
	python.restore(type, value, trace);
	if (collects)
		python.collect();
	if (!held)
		python.let_go();
	return count;
}

static const void *object_of(uint64_t address)
{
	Dl_info info;

	return dladdr((const void *)(uintptr_t)(address - 1), &info) ? info.dli_fbase : NULL;
}

/* Whether the code belongs to an extension module: the file NAME.* has PyInit_NAME. */
static bool is_extension(uint64_t address)
{
	Dl_info info;
	char symbol[256];

	if (!dladdr((const void *)(uintptr_t)(address - 1), &info) || !info.dli_fname)
		return false;
	const char *slash = strrchr(info.dli_fname, '/');
	const char *name = slash ? slash + 1 : info.dli_fname;
	snprintf(symbol, sizeof(symbol), "PyInit_%.*s", (int)strcspn(name, "."), name);
	void *module = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (!module)
		return false;
	bool found = dlsym(module, symbol) != NULL;
	dlclose(module);
	return found;
}

void python_stack_leave_out(struct wire_stack *stack)
{
	void *own;

	memcpy(&own, &python.frame, sizeof(own));
	const void *interpreter = object_of((uintptr_t)own + 1);
	uint32_t inner = 0, outer = stack->count;

	while (inner < stack->count && object_of(stack->frames[inner]) != interpreter)
		inner++;
	while (outer > inner && object_of(stack->frames[outer - 1]) != interpreter)
		outer--;
	stack->inner = inner;
	stack->extension = true;
	for (uint32_t i = 0; i < inner; i++)
		stack->extension = stack->extension && is_extension(stack->frames[i]);
	memmove(stack->frames + inner, stack->frames + outer,
	        (stack->count - outer) * sizeof(*stack->frames));
	stack->count -= outer - inner;
}
