#define _GNU_SOURCE
#include "state.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/rseq.h>
#include <sys/uio.h>
#include <unwind.h>

#include "ckpt/agent_page_scan.h"
#include "digest.h"
#include "heap.h"
#include "shim/check/access.h"
#include "shim/check/gone.h"
#include "shim/gate/gate.h"
#include "shim/gate/thread_stacks.h"
#include "shim/gate/threading.h"
#include "shim/libc/file_calls.h"
#include "shim/mpi/abi.h"
#include "shim/mpi/real.h"
#include "shim/objects/windows.h"
#include "shim/park/park.h"
#include "shim/park/park_thread.h"
#include "shim/process/process.h"
#include "shim/process/sanitizer.h"
#include "shim/request/request.h"
#include "state_fork.h"
#include "state_memory.h"

enum {
	THREAD_WORDS = 1,
	LINKER_PARTS = 4,
	RANGES = 1024,
	PRESERVED = 6,
	COPIED = 1 << 14 /* bytes at a time */
};

static struct {
	heap_know_function *know;
	heap_left_out_function *left_out;
	const char *refused; /* why states are refused from now on; NULL: they are not */
	bool hides;          /* since the last seal: MPI keeps something hidden */
	struct state_hash arguments, contents;
	bool knows_contents;
	long own_faults; /* page faults of the shim's own child (state_fork.h) */
	bool looked_for_generation, has_generation; /* `generation` is known */
	struct memory_range generation;
	struct memory_range ranges[RANGES];
} state = {.knows_contents = true};

/* The frame that made the pending call. */
struct frame {
	uintptr_t site, stack;
	uint64_t preserved[PRESERVED];
	bool found;
};

/* So that MPI's heap need not be scanned for pages that the kernel has joined. */
static void tell_small_pages(void)
{
	heap_apart_function *apart = (heap_apart_function *)(uintptr_t)dlsym(RTLD_DEFAULT,
	                                                                     HEAP_APART);
	struct memory_range range;

	if (apart && apart(&range))
		agent_know_small_pages(range.start, range.end);
}

void state_load(void)
{
	heap_watch_function *watch;

	state.know = (heap_know_function *)(uintptr_t)dlsym(RTLD_DEFAULT, HEAP_KNOW);
	state.left_out = (heap_left_out_function *)(uintptr_t)dlsym(RTLD_DEFAULT, HEAP_LEFT_OUT);
	watch = (heap_watch_function *)(uintptr_t)dlsym(RTLD_DEFAULT, HEAP_WATCH);
	if (watch)
		watch(gone_is_any, gone_note_freed);
	thread_stacks_tell((heap_note_function *)(uintptr_t)dlsym(RTLD_DEFAULT, HEAP_NOTE));
	if (state.know)
		state.know(&state);
	tell_small_pages();
}

void state_find_generation(void)
{
	if (!state.looked_for_generation)
		state.has_generation = state_fork_find(&state.generation);
	state.looked_for_generation = true;
}

/* The child that this needs is not the program's. */
static void find_generation(void)
{
	struct rusage usage = {0};

	state_find_generation();
	park_know_children();
	getrusage(RUSAGE_CHILDREN, &usage);
	state.own_faults = usage.ru_minflt + usage.ru_majflt;
}

static const char *add_memory(struct state_hash *hash, uintptr_t stack, bool with_linker,
                              bool is_brief);
static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *context, void *data);

/* Libraries of the program's remember things when they are used for the first time: the unwinder
 * its tables, qsort its memory. That is not to happen at the first digest. */
static void warm_up(void)
{
	struct frame frame = {0};
	struct state_hash hash = {{0, 0}};

	_Unwind_Backtrace(look_at_frame, &frame);
	add_memory(&hash, (uintptr_t)__builtin_frame_address(0), true, false);
}

void state_start(void)
{
	if (sanitizer_is_there())
		state_refuse("it is built with AddressSanitizer");
	if (!state.know || !state.left_out || !state.know(&state))
		state_refuse("its heap cannot be separated from MPI's");
	if (!state.refused)
		find_generation();
	/* Written pages are then known without a scan (ckpt/agent_known.h). Ranks whose states may
	 * never be compared keep their large pages. */
	if (gate_welcome()->seals)
		prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	if (park_writes_files())
		state_refuse("it writes files");
	file_calls_forget();
	state_memory_note_shared();
	if (!state.refused)
		warm_up();
}

bool state_can_digest(void)
{
	return state.know && state.left_out;
}

void state_start_digests(void)
{
	if (!state_can_digest() || !state.know(&state))
		return;
	find_generation();
	state_memory_note_shared();
	warm_up();
}

void state_refuse(const char *why)
{
	if (!state.refused)
		state.refused = why;
}

void state_hide(void)
{
	state.hides = true;
}

/* --- arguments of calls ----------------------------------------------------------------------- */

void state_note_call(unsigned function, const uint64_t *arguments, size_t count, bool hides)
{
	state.arguments = (struct state_hash){{function, count}};
	for (size_t i = 0; i < count; i++)
		state_hash_add(&state.arguments, arguments[i]);
	state.contents = (struct state_hash){{0, 0}};
	state.knows_contents = !hides;
	state.hides |= hides;
}

/* Programs give counts beyond the end of their buffers: memory that is not mapped is not read. */
static bool add_contents(const char *from, size_t size)
{
	static uint64_t copy[COPIED / sizeof(uint64_t)];
	pid_t self = process_real_pid();

	while (size > 0) {
		size_t part = size < sizeof(copy) ? size : sizeof(copy);
		struct iovec to = {copy, part}, there = {(void *)(uintptr_t)from, part};

		if (process_vm_readv(self, &to, 1, &there, 1, 0) != (ssize_t)part)
			return false;
		state_hash_add_bytes(&state.contents, copy, part);
		from += part;
		size -= part;
	}
	return true;
}

void state_note_data(const void *buffer, MPI_Count count, MPI_Datatype type)
{
	size_t size = ABI_BASIC_SIZE(type);
	int saved = errno;

	if (count > 0
	    && (!gate_welcome()->seals || !buffer || !abi_is_basic(type)
	        || !add_contents(buffer, (size_t)count * size)))
		state.knows_contents = false;
	errno = saved;
}

/* Processes that the program has started and waited for can have done anything. */
static void look_for_children(void)
{
	struct rusage usage;
	long faults = getrusage(RUSAGE_CHILDREN, &usage) == 0 ? usage.ru_minflt + usage.ru_majflt
	                                                      : 0;

	if (faults > 0 && faults != state.own_faults)
		state_refuse("it has started other processes");
}

void state_go_unsealed(void)
{
	look_for_children();
	state.hides = false;
}

struct wire_seal state_seal(uint32_t call)
{
	struct wire_seal seal = {
		.call = call,
		.hides = state.hides,
		.knows_contents = state.knows_contents,
		.arguments = {state.arguments.word[0], state.arguments.word[1]},
		.contents = {state.contents.word[0], state.contents.word[1]},
	};

	look_for_children();
	state.hides = false;
	return seal;
}

/* --- the state -------------------------------------------------------------------------------- */

static void add(void *user, const void *bytes, size_t size)
{
	state_hash_add_bytes(user, bytes, size);
}

static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *context, void *data)
{
	static const int numbers[PRESERVED] = {3, 6, 12, 13, 14, 15}; /* rbx, rbp, r12 to r15 */
	struct frame *frame = data;

	if (_Unwind_GetIP(context) != frame->site)
		return _URC_NO_REASON;
	for (int i = 0; i < PRESERVED; i++)
		frame->preserved[i] = _Unwind_GetGR(context, numbers[i]);
	frame->stack = _Unwind_GetCFA(context);
	frame->found = true;
	return _URC_END_OF_STACK;
}

/* Rounding mode and exceptions of floating point; also flags of past exceptions. */
static void add_arithmetic(struct state_hash *hash)
{
	unsigned vector;
	unsigned short control, status;

	__asm__ volatile("stmxcsr %0" : "=m"(vector));
	__asm__ volatile("fnstcw %0" : "=m"(control));
	__asm__ volatile("fnstsw %0" : "=m"(status));
	state_hash_add(hash, (uint64_t)vector << 32 | (uint64_t)control << 16 | status);
}

/* The C library stores its number of the thread where the program cannot see it. It differs between
 * jobs. Returns the number of ranges. */
static int leave_out_thread(struct memory_range *ranges)
{
	enum { BYTES = 2304, RSEQ = 32 }; /* of glibc's struct pthread */
	const uint32_t *words = (const uint32_t *)(uintptr_t)pthread_self();
	const uint32_t number = park_thread_number();
	int count = 0;

	for (size_t i = 0; i < BYTES / sizeof(*words) && count < THREAD_WORDS; i++)
		if (words[i] == number)
			ranges[count++] = (struct memory_range){(uintptr_t)&words[i],
			                                        (uintptr_t)&words[i + 1]};
	/* The kernel writes the current processor there (restartable sequences). */
	ranges[count++] = (struct memory_range){
		(uintptr_t)__builtin_thread_pointer() + (uintptr_t)__rseq_offset,
		(uintptr_t)__builtin_thread_pointer() + (uintptr_t)__rseq_offset + RSEQ};
	return count;
}

static int gather_linker(struct dl_phdr_info *module, size_t size, void *data)
{
	struct memory_range **next = data;
	const struct memory_range *first = *next;

	(void)size;
	if (module->dlpi_addr != getauxval(AT_BASE))
		return 0;
	for (int i = 0; i < module->dlpi_phnum && *next - first < LINKER_PARTS; i++) {
		const ElfW(Phdr) *part = &module->dlpi_phdr[i];
		uintptr_t start = module->dlpi_addr + part->p_vaddr;

		if (part->p_type == PT_LOAD && (part->p_flags & PF_W))
			*(*next)++ = (struct memory_range){start, start + part->p_memsz};
	}
	return 1;
}

/* The dynamic linker counts its work, also for the shim. */
static int leave_out_linker(struct memory_range *ranges)
{
	struct memory_range *next = ranges;

	dl_iterate_phdr(gather_linker, &next);
	return (int)(next - ranges);
}

/* A stack that is not the process's first is hashed as a whole, except the part in use here. */
static const char *add_memory(struct state_hash *hash, uintptr_t stack, bool with_linker,
                              bool is_brief)
{
	enum { BELOW = 8192 }; /* bytes below the current frame: for calls made here */
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	int count, more;

	if (!state.know(&state))
		return "its heap cannot be separated from MPI's";
	count = state.left_out(state.ranges, RANGES - 4 - THREAD_WORDS - LINKER_PARTS);
	if (count < 0)
		return "it has too many libraries";
	if (here < stack)
		state.ranges[count++] = (struct memory_range){here - BELOW, stack};
	count += leave_out_thread(state.ranges + count);
	if (state.has_generation)
		state.ranges[count++] = state.generation;
	if (!with_linker) {
		/* errno is the shim's here: the program gets its own back */
		state.ranges[count++] = (struct memory_range){(uintptr_t)&errno,
		                                              (uintptr_t)(&errno + 1)};
		count += leave_out_linker(state.ranges + count);
	}
	more = park_state_memory(state.ranges + count, RANGES - count);
	if (more < 0)
		return "it has too many open files";
	return state_memory_add(hash, state.ranges, (size_t)(count + more), stack, is_brief);
}

static void add_frame(struct state_hash *hash, const struct frame *frame)
{
	state_hash_add(hash, frame->site);
	state_hash_add(hash, frame->stack);
	for (int i = 0; i < PRESERVED; i++)
		state_hash_add(hash, frame->preserved[i]);
}

bool state_digest(const struct wire_call *call, uint64_t ret[2])
{
	struct frame frame = {.site = call->site};
	struct state_hash hash = {{0, 0}};

	if (!state_can_digest() || threading_are_many() || window_exists() || digest_is_disturbed())
		return false;
	_Unwind_Backtrace(look_at_frame, &frame);
	if (!frame.found)
		return false;
	add_frame(&hash, &frame);
	if (add_memory(&hash, frame.stack, false, gate_hurries()))
		return false;
	ret[0] = hash.word[0];
	ret[1] = hash.word[1];
	return true;
}

static const char *add_all(struct state_hash *hash, const struct wire_call *call)
{
	struct frame frame = {.site = call ? call->site : 0};
	const char *trouble;

	if (state.refused)
		return state.refused;
	if (!call || threading_are_many())
		return "it makes calls from several threads";
	if (access_waits())
		return "it has not yet reported its accesses to windows";
	if (file_calls_seen())
		return "it has changed files";
	_Unwind_Backtrace(look_at_frame, &frame);
	if (!frame.found)
		return "its stack cannot be unwound";
	add_frame(hash, &frame);
	add_arithmetic(hash);
	request_add_state(add, hash);
	trouble = window_add_state(add, hash);
	if (!trouble)
		trouble = park_state(add, hash);
	return trouble ? trouble : add_memory(hash, frame.stack, true, false);
}

struct wire_state state_compute(const struct wire_call *call)
{
	struct state_hash hash = {{0, 0}};
	const char *trouble = add_all(&hash, call);

	return (struct wire_state){.hash = {hash.word[0], hash.word[1]},
	                           .hazard = (char *)(uintptr_t)trouble};
}
