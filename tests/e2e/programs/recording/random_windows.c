/* Random one-sided communication that ends well in any order. All ranks take the same steps, drawn
 * from argv[1]; argv[2] is the number of steps. Memory is created, allocated by MPI, or attached;
 * accesses are of all kinds and completed in all ways. After each step a rank prints a hash of all
 * that it got, of its own memory in the window, and of its addresses. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 8, LONGEST = 20000, FEW = 5 };

static int rank, size, step;
static uint64_t shared, hash = 1; /* `shared` is the same on all ranks */

/* The window of the present step. Each rank has PARTS parts of `length` numbers in it; part i is
 * for the rank with i = its number modulo PARTS. */
static MPI_Win win;
static long *memory;
static int length;
static MPI_Aint places[64]; /* by rank, if the window is dynamic: its displacements are addresses */
static int unit;
static long out[LONGEST], in[LONGEST];

static unsigned draw(unsigned below)
{
	shared = shared * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(shared >> 33) % below;
}

static void add(const void *bytes, size_t count)
{
	uint64_t word;
	size_t at = 0;

	for (; at + sizeof(word) <= count; at += sizeof(word)) {
		memcpy(&word, (const char *)bytes + at, sizeof(word));
		hash = (hash ^ word) * 1099511628211u;
		hash ^= hash >> 32;
	}
	for (; at < count; at++)
		hash = (hash ^ ((const unsigned char *)bytes)[at]) * 1099511628211u;
}

static void add_number(long number)
{
	add(&number, sizeof(number));
}

static int next(int by)
{
	return (rank + by) % size;
}

/* Where the caller's part in another rank's memory begins, and a number in it. */
static MPI_Aint place(int target, int at)
{
	const MPI_Aint number = (MPI_Aint)(rank % PARTS) * length + at;

	return places[target] + (unit == 1 ? number * (MPI_Aint)sizeof(long) : number);
}

static void fill(void)
{
	for (int i = 0; i < LONGEST; i++) {
		out[i] = step * 1000003L + rank * 101 + i;
		in[i] = i * 3;
	}
}

/* --- windows ---------------------------------------------------------------------------------- */

static void look_at_attributes(void)
{
	const int keyvals[] = {MPI_WIN_SIZE, MPI_WIN_DISP_UNIT, MPI_WIN_CREATE_FLAVOR,
	                       MPI_WIN_MODEL};
	void *value, *base;
	int flag;

	MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
	add_number((long)base);
	for (int i = 0; i < 4; i++) {
		MPI_Win_get_attr(win, keyvals[i], &value, &flag);
		add_number(flag ? i == 0 ? *(MPI_Aint *)value : *(int *)value : -1);
	}
}

static void make_window(unsigned way)
{
	MPI_Aint bytes, own = 0;
	MPI_Comm comm = MPI_COMM_WORLD;

	length = FEW * (draw(4) == 0 ? LONGEST / PARTS / FEW : 1 + (int)draw(12));
	bytes = (MPI_Aint)sizeof(long) * length * PARTS;
	unit = way == 2 ? 1 : draw(2) ? 1 : (int)sizeof(long);
	memory = NULL;
	if (way != 1) {
		memory = malloc((size_t)bytes);
		for (int i = 0; i < length * PARTS; i++)
			memory[i] = rank * 7 + i;
	}
	if (way == 0) {
		MPI_Win_create(memory, bytes, unit, MPI_INFO_NULL, comm, &win);
	} else if (way == 1) {
		MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, comm, &memory, &win);
		for (int i = 0; i < length * PARTS; i++)
			memory[i] = rank * 11 + i;
	} else {
		MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &win);
		MPI_Win_attach(win, memory, bytes);
		MPI_Get_address(memory, &own);
	}
	MPI_Allgather(&own, 1, MPI_AINT, places, 1, MPI_AINT, comm);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	look_at_attributes();
}

static void free_window(unsigned way)
{
	add(memory, sizeof(long) * (size_t)length * PARTS);
	add_number((long)memory);
	if (way == 2) {
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Win_detach(win, memory);
	}
	MPI_Win_free(&win);
	add_number(win == MPI_WIN_NULL);
	if (way != 1)
		free(memory);
}

/* --- accesses --------------------------------------------------------------------------------- */

/* One access to the caller's part of the target's memory, where no other slot's is. With `request`:
 * completed by it. Each slot has its part of `in` and `out`. */
static void access_one(int target, int slot, MPI_Request *request)
{
	const MPI_Op ops[] = {MPI_SUM, MPI_REPLACE, MPI_NO_OP, MPI_BXOR};
	const MPI_Op op = ops[draw(4)];
	const int part = length / FEW, first = (int)draw((unsigned)part), count = part - first;
	const MPI_Aint at = place(target, slot * part + first);
	const int room = LONGEST / FEW;
	long *result = in + slot * room, *from = out + slot * room;
	MPI_Datatype every_other;

	switch (draw(request ? 4 : 7)) {
	case 0:
		if (request)
			MPI_Rput(from, count, MPI_LONG, target, at, count, MPI_LONG, win, request);
		else
			MPI_Put(from, count, MPI_LONG, target, at, count, MPI_LONG, win);
		break;
	case 1:
		if (request)
			MPI_Rget(result, count, MPI_LONG, target, at, count, MPI_LONG, win,
			         request);
		else
			MPI_Get(result, count, MPI_LONG, target, at, count, MPI_LONG, win);
		break;
	case 2:
		if (request)
			MPI_Raccumulate(from, count, MPI_LONG, target, at, count, MPI_LONG,
			                op == MPI_NO_OP ? MPI_SUM : op, win, request);
		else
			MPI_Accumulate(from, count, MPI_LONG, target, at, count, MPI_LONG,
			               op == MPI_NO_OP ? MPI_SUM : op, win);
		break;
	case 3:
		if (request)
			MPI_Rget_accumulate(from, count, MPI_LONG, result, count, MPI_LONG, target,
			                    at, count, MPI_LONG, op, win, request);
		else
			MPI_Get_accumulate(from, count, MPI_LONG, result, count, MPI_LONG, target,
			                   at, count, MPI_LONG, op, win);
		break;
	case 4: MPI_Fetch_and_op(from, result, MPI_LONG, target, at, op, win); break;
	case 5: MPI_Compare_and_swap(from, from + 1, result, MPI_LONG, target, at, win); break;
	default: /* the gaps of the origin stay as they are */
		MPI_Type_vector((count + 1) / 2, 1, 2, MPI_LONG, &every_other);
		MPI_Type_commit(&every_other);
		MPI_Get(result, 1, every_other, target, at, (count + 1) / 2, MPI_LONG, win);
		MPI_Type_free(&every_other);
		break;
	}
}

static int random_target(void)
{
	return next((int)draw((unsigned)size));
}

/* --- synchronisation -------------------------------------------------------------------------- */

static void store_in_own_part(void)
{
	memory[(rank % PARTS) * length + (int)draw((unsigned)length)] += step + 1;
}

static void fences(void)
{
	MPI_Win_fence(draw(2) ? MPI_MODE_NOPRECEDE : 0, win);
	for (int i = 0; i < 3; i++) {
		access_one(random_target(), i, NULL);
		MPI_Win_fence(i == 2 ? MPI_MODE_NOSUCCEED : 0, win);
		add(in, sizeof(in));
		add(memory, sizeof(long) * (size_t)length * PARTS);
		MPI_Barrier(MPI_COMM_WORLD); /* then others go on to access it */
	}
}

/* All ranks expose their memory, and access it. */
static void post_and_start(void)
{
	const unsigned way = draw(2), many = 1 + draw(FEW - 1);
	MPI_Group all;
	int flag = 0;

	MPI_Win_get_group(win, &all);
	store_in_own_part();
	MPI_Win_post(all, 0, win);
	MPI_Win_start(all, 0, win);
	for (unsigned i = 0; i < many; i++)
		access_one(random_target(), (int)i, NULL);
	MPI_Win_complete(win);
	add(in, sizeof(in));
	if (way == 0)
		MPI_Win_wait(win);
	while (way == 1 && !flag)
		MPI_Win_test(win, &flag);
	add(memory, sizeof(long) * (size_t)length * PARTS);
	MPI_Group_free(&all);
}

/* A counter at rank 0 that all share: whoever comes later gets more. */
static void take_turns(void)
{
	const long one = 1;
	const MPI_Aint at =
		places[0] + (MPI_Aint)((PARTS * length - 1) * (unit == 1 ? (int)sizeof(long) : 1));
	long mine = 0;

	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	MPI_Fetch_and_op(&one, &mine, MPI_LONG, 0, at, MPI_SUM, win);
	MPI_Win_unlock(0, win);
	add_number(mine);
}

static void look_at_own_memory(void)
{
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
	add(memory, sizeof(long) * (size_t)length * PARTS);
	store_in_own_part();
	MPI_Win_unlock(rank, win);
}

static void locks(void)
{
	const int target = random_target(), kind = draw(2) ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;

	MPI_Win_lock(kind, target, 0, win);
	access_one(target, 0, NULL);
	if (draw(2)) {
		MPI_Win_flush(target, win);
		add(in, sizeof(in));
	}
	access_one(target, 1, NULL);
	MPI_Win_unlock(target, win);
	add(in, sizeof(in));
	take_turns();
	MPI_Barrier(MPI_COMM_WORLD);
	look_at_own_memory();
}

static void locks_of_all(void)
{
	const unsigned way = draw(5);
	const int target = random_target();
	MPI_Request requests[2];
	MPI_Status statuses[2];

	MPI_Win_lock_all(draw(2) ? MPI_MODE_NOCHECK : 0, win);
	if (way == 4) {
		access_one(target, 0, &requests[0]);
		access_one(target, 1, &requests[1]);
		if (draw(2))
			MPI_Win_flush(target, win);
		MPI_Waitall(2, requests, statuses);
	} else {
		access_one(target, 0, NULL);
		access_one(target, 1, NULL);
	}
	switch (way) {
	case 0: MPI_Win_flush(target, win); break;
	case 1: MPI_Win_flush_all(win); break;
	case 2: MPI_Win_flush_local(target, win); break;
	case 3: MPI_Win_flush_local_all(win); break;
	default: break;
	}
	add(in, sizeof(in));
	MPI_Win_flush_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_sync(win);
	add(memory, sizeof(long) * (size_t)length * PARTS);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_unlock_all(win);
}

/* Each rank waits until its predecessor has changed a number in its memory, and resets it. */
static void flags(void)
{
	const int from = next(size - 1) % PARTS * length;
	const MPI_Aint own = places[rank] + from * (MPI_Aint)(unit == 1 ? sizeof(long) : 1);
	const unsigned way = draw(3);
	const long one = -77;
	long seen = 0;

	MPI_Win_lock_all(0, win);
	for (int round = 0; round < 3; round++) {
		MPI_Accumulate(&one, 1, MPI_LONG, next(1), place(next(1), 0), 1, MPI_LONG,
		               MPI_REPLACE, win);
		MPI_Win_flush(next(1), win);
		for (int flag; seen != -77;) {
			MPI_Fetch_and_op(NULL, &seen, MPI_LONG, rank, own, MPI_NO_OP, win);
			MPI_Win_flush(rank, win);
			if (way == 0)
				MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag,
				           MPI_STATUS_IGNORE);
			for (int i = 0; way == 1 && i < 9; i++)
				MPI_Win_sync(win);
		}
		add_number(memory[from]);
		seen = 0;
		memory[from] = round;
		MPI_Win_sync(win);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Win_unlock_all(win);
	add_number(memory[from]);
}

static void handle(MPI_Win *window, int *code, ...)
{
	int class;

	MPI_Error_class(*code, &class);
	add_number(class);
	add_number(*window == win);
}

static void errors(void)
{
	char name[MPI_MAX_OBJECT_NAME];
	MPI_Errhandler handler;
	int count;

	MPI_Win_create_errhandler(handle, &handler);
	MPI_Win_set_errhandler(win, handler);
	add_number(MPI_Put(out, 1, MPI_LONG, size + 3, 0, 1, MPI_LONG, win) == MPI_SUCCESS);
	MPI_Errhandler_free(&handler);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	MPI_Win_set_name(win, "mine");
	MPI_Win_get_name(win, name, &count);
	add(name, (size_t)count);
}

int main(int argc, char **argv)
{
	static void (*const steps[])(void) = {fences,       post_and_start, locks,
	                                      locks_of_all, flags,          errors};
	const int last = argc > 2 ? atoi(argv[2]) : 40;
	unsigned way = 0;

	shared = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (step = 0; step < last; step++) {
		const unsigned which = draw(sizeof(steps) / sizeof(steps[0]));

		if (step % FEW == 0) {
			way = draw(3);
			make_window(way);
		}
		fill();
		MPI_Barrier(MPI_COMM_WORLD);
		steps[which]();
		MPI_Barrier(MPI_COMM_WORLD);
		add(in, sizeof(in));
		printf("%d: step %d, window %u, kind %u: %016llx\n", rank, step, way, which,
		       (unsigned long long)hash);
		if (step % FEW == FEW - 1 || step == last - 1)
			free_window(way);
	}
	printf("%d: %016llx\n", rank, (unsigned long long)hash);
	MPI_Finalize();
	return 0;
}
