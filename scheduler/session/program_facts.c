#include "program_facts.h"

#include "scheduler/world/world_arrival.h"

struct program_facts {
	bool by_rule; /* Waitany, Test etc. were answered by rule somewhere */
	bool collectives_waited, collectives_lacked; /* see world_collectives_waited */
	guint32 collectives_tried; /* 1 << enum collective_mode, where the mode mattered */
	bool locks, atomics;       /* see world_has_locked, world_has_atomics */
	bool accesses_unseen;      /* see world_has_unseen */
	bool accesses_unknown, accesses_learnt; /* see world_finds_invalid */
	bool let_go_unsettled;                  /* world_has_let_go_unsettled */
	bool may_lack_room;                     /* world_may_lack_room */
	bool threads;                           /* MPI_THREAD_MULTIPLE was granted */
	bool threads_in_turn; /* a multithreaded program asked for MPI_THREAD_SERIALIZED */
	bool threads_hurried; /* see run_result */
};

struct program_facts *program_facts_new(void)
{
	return g_new0(struct program_facts, 1);
}

void program_facts_free(struct program_facts *facts)
{
	g_free(facts);
}

void program_facts_add(struct program_facts *facts, const struct execution *execution)
{
	const struct world *world = execution_world(execution);
	const struct run_result *result = execution_result(execution);

	facts->by_rule |= world_answered_by_rule(world);
	facts->collectives_waited |= world_collectives_waited(world);
	facts->collectives_lacked |= world_collectives_lacked(world);
	if (world_collectives_matter(world))
		facts->collectives_tried |= 1u << world_options(world)->collectives;
	facts->locks |= world_has_locked(world);
	facts->atomics |= world_has_atomics(world);
	facts->accesses_unseen |= world_has_unseen(world);
	facts->accesses_unknown |= world_finds_invalid(world)->unknown > 0;
	facts->accesses_learnt |= world_finds_invalid(world)->learnt > 0;
	facts->let_go_unsettled |= world_has_let_go_unsettled(world);
	facts->may_lack_room |= world_may_lack_room(world);
	facts->threads |= result->threads;
	facts->threads_in_turn |= result->threads_in_turn;
	facts->threads_hurried |= result->threads_hurried;
}

bool program_facts_threads(const struct program_facts *facts)
{
	return facts->threads;
}

const char *program_facts_hurried(const struct program_facts *facts)
{
	return facts->threads_hurried
	               ? "threads that ran for long without calling MPI were not waited for"
	               : NULL;
}

/* The members that are saved, with their names in the saved state. */
static const struct {
	const char *name;
	size_t where;
} kept[] = {
	{"by-rule", offsetof(struct program_facts, by_rule)},
	{"collectives-waited", offsetof(struct program_facts, collectives_waited)},
	{"collectives-lacked", offsetof(struct program_facts, collectives_lacked)},
	{"threads", offsetof(struct program_facts, threads)},
	{"threads-in-turn", offsetof(struct program_facts, threads_in_turn)},
	{"threads-hurried", offsetof(struct program_facts, threads_hurried)},
	{"may-lack-room", offsetof(struct program_facts, may_lack_room)},
	{"let-go-unsettled", offsetof(struct program_facts, let_go_unsettled)},
	{"locks", offsetof(struct program_facts, locks)},
	{"atomics", offsetof(struct program_facts, atomics)},
	{"accesses", offsetof(struct program_facts, accesses_unseen)},
	{"accesses-unknown", offsetof(struct program_facts, accesses_unknown)},
	{"accesses-learnt", offsetof(struct program_facts, accesses_learnt)},
};

void program_facts_save(const struct program_facts *facts, GVariantDict *state)
{
	for (guint i = 0; i < G_N_ELEMENTS(kept); i++)
		g_variant_dict_insert(state, kept[i].name, "b",
		                      (gboolean)G_STRUCT_MEMBER(bool, facts, kept[i].where));
	g_variant_dict_insert(state, "collectives-tried", "u", facts->collectives_tried);
}

void program_facts_restore(struct program_facts *facts, GVariantDict *state)
{
	for (guint i = 0; i < G_N_ELEMENTS(kept); i++) {
		gboolean is = false; /* GVariant writes a gboolean */

		if (g_variant_dict_lookup(state, kept[i].name, "b", &is))
			G_STRUCT_MEMBER(bool, facts, kept[i].where) = is;
	}
	g_variant_dict_lookup(state, "collectives-tried", "u", &facts->collectives_tried);
}

/* --- words ----------------------------------------------------------------------------------- */

static void add_note(GPtrArray *notes, const char *text)
{
	g_ptr_array_add(notes, g_strdup(text));
}

static void note_threads(const struct program_facts *facts, GPtrArray *notes)
{
	if (facts->threads_hurried)
		add_note(notes, "threads that ran for 2 s without calling MPI were not waited for: "
		                "which choices were open then depends on timing");
	if (facts->threads)
		add_note(notes, "threads of a rank entered MPI one at a time; other orders were "
		                "explored if two waited to enter and their sends or receives race");
	if (facts->threads_in_turn)
		add_note(notes,
		         "threads of a rank must call MPI one at a time (MPI_THREAD_SERIALIZED): "
		         "two calls at once are found only if they happen to overlap");
}

/* Notes which of the two extremes was not tried although it can make a difference. */
static void note_collectives(const struct program_facts *facts, GPtrArray *notes)
{
	const guint early = 1u << COLLECTIVES_ASYNC, waiting = 1u << COLLECTIVES_SYNC;

	if (facts->collectives_tried == early)
		add_note(notes, "collectives that need not wait for all their members, such as "
		                "MPI_Bcast, returned as early as the standard allows; that they "
		                "wait was not explored (--collectives)");
	else if (facts->collectives_tried == waiting)
		add_note(notes,
		         "collectives that need not wait for all their members, such as MPI_Bcast, "
		         "waited for them; that they return earlier was not explored "
		         "(--collectives)");
}

/* Notes accesses that the search for conflicts could not see. */
static void note_accesses(const struct program_facts *facts, GPtrArray *notes)
{
	if (facts->accesses_unseen)
		add_note(notes, "loads and stores in windows are not seen: conflicts were searched "
		                "only among MPI calls (compile with the flags of matchpoint "
		                "--cflags-access)");
	if (facts->accesses_learnt)
		add_note(notes, "some accesses to windows were assumed to be ordered, because a "
		                "rank may have seen the other's access in memory: by a fetching "
		                "atomic operation or by MPI_Win_sync");
	if (facts->accesses_unknown)
		add_note(notes, "some accesses to windows were not compared: too many in one "
		                "interleaving, or with too irregular datatypes");
}

void program_facts_note(const struct program_facts *facts, bool all, GPtrArray *notes)
{
	if (facts->by_rule)
		add_note(notes, "cancelled sends, and waits for requests that MPI completes by "
		                "itself, followed one fixed rule: other orders were not explored");
	if (facts->let_go_unsettled)
		add_note(notes, "a rank that may read the buffers of its pending receives "
		                "continued before the others were at rest, because one of them "
		                "waited for something outside MPI: which data had arrived by then "
		                "may depend on timing, and that was not explored");
	if (facts->may_lack_room)
		add_note(notes, "the attached buffer may overflow: buffered sends were made before "
		                "earlier ones were known to be received, and together they need "
		                "more room; MPI failing there was not explored");
	note_threads(facts, notes);
	if (all)
		note_collectives(facts, notes);
	if (facts->collectives_waited)
		add_note(notes, "rooted collectives of intercommunicators and persistent "
		                "reductions were assumed to wait for all their members");
	if (facts->collectives_lacked)
		add_note(notes, "collectives on some communicators were assumed to wait for all "
		                "their members: a rank has more than 64 communicators at once, or "
		                "more than 64 that MPI_Comm_idup has made of one");
	if (facts->atomics)
		add_note(notes,
		         "the order of accumulates and other atomic operations of several ranks on "
		         "a window, outside of exclusive locks, was left to MPI and not explored");
	note_accesses(facts, notes);
	if (facts->locks)
		add_note(notes, "MPI_Win_lock and MPI_Win_start were assumed to wait until the "
		                "target is ready; MPI may let them return earlier");
}
