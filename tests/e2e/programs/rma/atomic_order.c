/* Atomic operations of several ranks at the same words: which one comes first is a choice. The
 * first argument says what they do, the second one how: under which synchronisation. */
#include "../check.h"

static MPI_Win win;
static int *memory;
static const char *how;

static void begin(void)
{
	if (!strcmp(how, "fence"))
		MPI_Win_fence(0, win);
	else if (!strcmp(how, "all"))
		MPI_Win_lock_all(0, win);
	else
		MPI_Win_lock(strcmp(how, "exclusive") ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0,
		             win);
}

static void end(void)
{
	if (!strcmp(how, "fence"))
		MPI_Win_fence(0, win);
	else if (!strcmp(how, "all"))
		MPI_Win_unlock_all(win);
	else
		MPI_Win_unlock(0, win);
}

static void begin_exposure(MPI_Group ranks)
{
	if (rank == 0)
		MPI_Win_post(ranks, 0, win);
}

/* Each rank takes a number. */
static int ticket(void)
{
	int one = 1, mine = -1;

	begin();
	MPI_Fetch_and_op(&one, &mine, MPI_INT, 0, 2, MPI_SUM, win);
	end();
	return mine;
}

/* As a ticket, with 8 bytes. */
static int wide(void)
{
	int64_t one = 1, mine = -1;

	begin();
	MPI_Fetch_and_op(&one, &mine, MPI_INT64_T, 0, 4, MPI_SUM, win);
	end();
	return (int)mine;
}

/* Each rank but the first takes indices until none is left. */
static int queue(void)
{
	int one = 1, next = 0, sum = 0;

	MPI_Win_lock_all(0, win);
	while (rank > 0 && next < 2) {
		MPI_Fetch_and_op(&one, &next, MPI_INT, 0, 0, MPI_SUM, win);
		MPI_Win_flush(0, win);
		sum += next < 2 ? next + 1 : 0;
	}
	MPI_Win_unlock_all(win);
	return sum;
}

/* The last one to replace the value wins. */
static int replace(void)
{
	int value = rank + 1;

	begin();
	MPI_Accumulate(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_REPLACE, win);
	end();
	MPI_Barrier(WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	MPI_Get(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
	MPI_Win_unlock(0, win);
	return value;
}

/* One of them is first. */
static int swap(void)
{
	int mine = rank + 1, none = 0, found = -1;

	begin();
	MPI_Compare_and_swap(&mine, &none, &found, MPI_INT, 0, 3, win);
	end();
	return found;
}

/* Operations at different words do not meet. */
static int apart(void)
{
	int one = 1, found = -1;

	begin();
	MPI_Fetch_and_op(&one, &found, MPI_INT, 0, rank, MPI_SUM, win);
	end();
	return found;
}

/* Sums that nobody fetches commute. */
static int sums(void)
{
	begin();
	MPI_Accumulate(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
	end();
	return 0;
}

/* Rank 0 may find what any of the others has added. */
static int sums_fetched(void)
{
	int none = 0, found = 0;

	begin();
	if (rank == 0)
		MPI_Fetch_and_op(&none, &found, MPI_INT, 0, 0, MPI_NO_OP, win);
	else
		MPI_Accumulate(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
	end();
	return found;
}

/* Rank 1 replaces what rank 2 adds to, or before that. */
static int against(void)
{
	int value = 5, found = 0;

	begin();
	if (rank > 0)
		MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT,
		               rank == 1 ? MPI_REPLACE : MPI_SUM, win);
	end();
	MPI_Barrier(WORLD);
	if (rank == 0) {
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
		MPI_Get(&found, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_unlock(0, win);
		CHECK(found == value || found == 2 * value);
	}
	return 0;
}

/* Rank 0 adds, the others read. */
static int reads(void)
{
	int one = 1, found = 0;

	begin();
	MPI_Fetch_and_op(&one, &found, MPI_INT, 0, 0, rank == 0 ? MPI_SUM : MPI_NO_OP, win);
	end();
	return found;
}

/* Variants with requests. */
static int requests(void)
{
	int one = rank + 1, found = -1;
	MPI_Request request;

	begin();
	if (rank == 0)
		MPI_Raccumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win, &request);
	else
		MPI_Rget_accumulate(&one, 1, MPI_INT, &found, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM,
		                    win, &request);
	MPI_Wait(&request, IGNORE);
	end();
	return found;
}

/* Two words with a gap, and a single one of them. */
static int derived(void)
{
	int ones[2] = {1, 1}, found[2] = {-1, -1};
	MPI_Datatype pair;

	MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	begin();
	if (rank == 0)
		MPI_Get_accumulate(ones, 2, MPI_INT, found, 2, MPI_INT, 0, 0, 1, pair, MPI_SUM,
		                   win);
	else
		MPI_Fetch_and_op(ones, found, MPI_INT, 0, 2, MPI_SUM, win);
	end();
	MPI_Type_free(&pair);
	return 10 * found[0] + found[1];
}

/* Ranks 1 and 2 take tickets of rank 0, which exposes its window. */
static int post(void)
{
	int one = 1, mine = -1, both[2] = {1, 2}, none = 0;
	MPI_Group all, origins, target;

	MPI_Comm_group(WORLD, &all);
	MPI_Group_incl(all, 2, both, &origins);
	MPI_Group_incl(all, 1, &none, &target);
	begin_exposure(origins);
	if (rank > 0) {
		MPI_Win_start(target, 0, win);
		MPI_Fetch_and_op(&one, &mine, MPI_INT, 0, 0, MPI_SUM, win);
		MPI_Win_complete(win);
	} else {
		MPI_Win_wait(win);
	}
	MPI_Group_free(&all);
	MPI_Group_free(&origins);
	MPI_Group_free(&target);
	return mine;
}

static const struct {
	const char *name;
	int (*run)(void);
} kinds[] = {
	{"ticket", ticket},   {"wide", wide},   {"queue", queue}, {"replace", replace},
	{"swap", swap},       {"apart", apart}, {"reads", reads}, {"requests", requests},
	{"derived", derived}, {"post", post},   {"sums", sums},   {"sums_fetched", sums_fetched},
	{"against", against},
};

int main(int argc, char **argv)
{
	start(&argc, &argv);
	how = argc > 2 ? argv[2] : "all";
	if (argc > 3)
		MPI_Win_allocate_shared(64, 4, MPI_INFO_NULL, WORLD, &memory, &win);
	else
		MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &memory, &win);
	memset(memory, 0, 64);
	MPI_Barrier(WORLD);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, argv[1]))
			printf("rank %d: %d\n", rank, kinds[i].run());
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
