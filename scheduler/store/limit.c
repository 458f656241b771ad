#include "limit.h"

/* Each text as it reads. */
/* clang-format off */
static const struct limit_info table[LIMITS] = {
	[LIMIT_STOPPED] = {
		.name = "stopped",
		.leaves_plans = true,
		.about =
			"the exploration was stopped: by a bound on time or number, by a signal, "
			"by an error, or as it was a random search",
		.next =
			"--resume continues where this stopped; --random N and --deviations K "
			"look at a part of a tree that is too large",
	},
	[LIMIT_SHARDS] = {
		.name = "shards",
		.leaves_plans = true,
		.about =
			"shards that are missing in a merge, or that have divided the tree "
			"differently",
	},
	[LIMIT_PLANS_LOST] = {
		.name = "plans-lost",
		.leaves_plans = true,
		.about =
			"planned interleavings that the program did not follow, as it is not "
			"reproducible",
	},
	[LIMIT_MEMORY] = {
		.name = "memory",
		.leaves_plans = true,
		.about =
			"interleavings for which memory did not suffice",
	},
	[LIMIT_STATES] = {
		.name = "states",
		.leaves_plans = true,
		.about =
			"states taken for equal that --verify found to be different, or choices "
			"that were lost between two sessions",
	},
	[LIMIT_BOUNDS] = {
		.name = "bounds",
		.leaves_plans = true,
		.about =
			"paths beyond --deviations, --bound-rank or --bound-site",
		.next = "a larger bound explores more, no bound all of it",
	},
	[LIMIT_SETS] = {
		.name = "sets",
		.leaves_plans = true,
		.about =
			"sets of requests that MPI_Waitsome and MPI_Testsome could have returned "
			"together, beyond --some",
	},
	[LIMIT_BELOW] = {
		.name = "below",
		.leaves_plans = true,
		.about =
			"what is not below the path of --from",
	},
	[LIMIT_POLLS] = {
		.name = "polls",
		.text =
			"polls that returned \"not yet\" were answered otherwise when they were "
			"repeated, as the loop around them changes the program's state or it is "
			"not known: that they return it more often was not explored",
		.lifted_by = "not-yet",
	},
	[LIMIT_COLLECTIVES_ASYNC] = {
		.name = "collectives-async",
		.text =
			"collectives that need not wait for all their members, such as MPI_Bcast, "
			"returned as early as the standard allows: that they wait was not explored",
		.lifted_by = "collectives both",
	},
	[LIMIT_COLLECTIVES_SYNC] = {
		.name = "collectives-sync",
		.text =
			"collectives that need not wait for all their members, such as MPI_Bcast, "
			"waited for them: that they return earlier was not explored",
		.lifted_by = "collectives both",
	},
	[LIMIT_COLLECTIVES_WAITED] = {
		.name = "collectives-waited",
		.text =
			"rooted collectives of intercommunicators and persistent reductions were "
			"assumed to wait for all their members",
	},
	[LIMIT_COLLECTIVES_WHOLE] = {
		.name = "collectives-whole",
		.text =
			"collectives on some communicators were assumed to wait for all their "
			"members: a rank has more than 64 communicators at once, or more than 64 "
			"that MPI_Comm_idup has made of one",
	},
	[LIMIT_SENDS_CANCELLED] = {
		.name = "sends-cancelled",
		.text = "whether a send was cancelled in time followed one fixed rule",
	},
	[LIMIT_FOREIGN_REQUESTS] = {
		.name = "foreign-requests",
		.text =
			"waits for any or some of several requests followed one fixed rule where "
			"MPI completes requests by itself",
	},
	[LIMIT_DATA_ARRIVAL] = {
		.name = "data-arrival",
		.text =
			"a rank that may read the buffers of its pending receives continued before "
			"the others were at rest, because one of them waited for something outside "
			"MPI: which data had arrived by then may depend on timing",
	},
	[LIMIT_BUFFER_ROOM] = {
		.name = "buffer-room",
		.text =
			"the attached buffer may overflow, as buffered sends were made before "
			"earlier ones were known to be received: MPI failing there was not "
			"explored",
	},
	[LIMIT_ATOMICS] = {
		.name = "atomics",
		.text =
			"the order of some accumulates and other atomic operations of several "
			"ranks on a window was left to MPI: of several threads, in dynamic or "
			"very large windows, with more than one element or operation, or all in a "
			"search of states",
	},
	[LIMIT_FILE_POINTER] = {
		.name = "file-pointer",
		.text =
			"the order of calls of several ranks with a shared file pointer, such as "
			"MPI_File_write_shared, was left to MPI",
	},
	[LIMIT_FILE_ACCESSES] = {
		.name = "file-accesses",
		.text =
			"calls of several ranks that use the same bytes of a file, of which one "
			"writes, came in one order only",
	},
	[LIMIT_LOCKS] = {
		.name = "locks",
		.text =
			"MPI_Win_lock and MPI_Win_start waited until the target was ready, before "
			"calls that MPI may let come earlier",
	},
	[LIMIT_THREADS] = {
		.name = "threads",
		.text =
			"threads of a rank entered MPI one at a time, although they could do so at "
			"the same time: other orders were explored only where two waited to enter "
			"and their sends or receives race",
	},
	[LIMIT_THREADS_HURRIED] = {
		.name = "threads-hurried",
		.text =
			"threads that ran for 2 s without calling MPI were not waited for: which "
			"choices were open then depends on timing",
	},
	[LIMIT_WINDOW_MEMORY] = {
		.name = "window-memory",
		.class = LIMIT_NOT_CHECKED,
		.text =
			"loads and stores of the program in windows are not seen: conflicts were "
			"searched only among MPI calls",
		.lifted_by = "cflags-access",
	},
	[LIMIT_WINDOW_PARTLY] = {
		.name = "window-partly",
		.class = LIMIT_NOT_CHECKED,
		.about =
			"loads and stores in windows by parts of the program that are not compiled "
			"for it",
		.lifted_by = "cflags-access",
	},
	[LIMIT_WINDOW_ASSUMED] = {
		.name = "window-assumed",
		.class = LIMIT_NOT_CHECKED,
		.text =
			"accesses to windows that were assumed to be ordered, because a rank may "
			"have seen the other's access in memory: by a fetching atomic operation, "
			"an atomic instruction, or MPI_Win_sync",
	},
	[LIMIT_WINDOW_ACCESSES] = {
		.name = "window-accesses",
		.class = LIMIT_NOT_CHECKED,
		.text =
			"accesses to windows that are too many in one interleaving, or have too "
			"irregular datatypes, to be compared",
	},
	[LIMIT_DATA_LATE] = {
		.name = "data-late",
		.class = LIMIT_NOT_CHECKED,
		.text =
			"reads of a receive's buffer before its completion: with windows or "
			"several threads, data comes with completion alone",
	},
	[LIMIT_DATA_LARGE] = {
		.name = "data-large",
		.class = LIMIT_NOT_CHECKED,
		.text =
			"reads of a receive's buffer before its completion, if it is larger than "
			"64 MB",
	},
	[LIMIT_BUFFER_SAMPLED] = {
		.name = "buffer-sampled",
		.class = LIMIT_NOT_CHECKED,
		.text = "changes between the samples of pending buffers larger than 16 KiB",
		.lifted_by = "cflags-access",
	},
	[LIMIT_THREADS_SERIALIZED] = {
		.name = "threads-serialized",
		.class = LIMIT_NOT_CHECKED,
		.text =
			"calls of two threads at once, which MPI_THREAD_SERIALIZED forbids, unless "
			"they happen to overlap",
	},
	[LIMIT_ERRORS_RETURNED] = {
		.name = "errors-returned",
		.class = LIMIT_NOT_CHECKED,
		.about =
			"whether the program heeds errors that MPI returned to it",
		.lifted_by = "errors-returned=finding",
	},
	[LIMIT_LINES_VARY] = {
		.name = "lines-vary",
		.class = LIMIT_NOT_CHECKED,
		.about =
			"lines of output that vary when the same interleaving is run again, such "
			"as those with times",
	},
	[LIMIT_FILES_LARGE] = {
		.name = "files-large",
		.class = LIMIT_NOT_CHECKED,
		.about =
			"files over 64 MB, or after 256 MB together",
		.lifted_by = "compare FILE",
	},
	[LIMIT_OUTCOMES_MANY] = {
		.name = "outcomes-many",
		.class = LIMIT_NOT_CHECKED,
		.about =
			"outcomes beyond the 64 that are compared",
	},
	[LIMIT_OUTCOMES_TIME] = {
		.name = "outcomes-time",
		.class = LIMIT_NOT_CHECKED,
		.about =
			"outcomes that there was no time to run again, so that it is not known "
			"whether the choices cause them",
	},
	[LIMIT_FILES_APART] = {
		.name = "files-apart",
		.class = LIMIT_NOT_CHECKED,
		.about =
			"files of different stores of a merge: they were compared within each "
			"store alone",
	},
	[LIMIT_OUTPUT_CUT] = {
		.name = "output-cut",
		.class = LIMIT_NOT_CHECKED,
		.about =
			"output that may be cut short, as something ended a rank from outside",
	},
	[LIMIT_PEER_MEMORY] = {
		.name = "peer-memory",
		.class = LIMIT_NOT_CHECKED,
		.text =
			"buffers modified while MPI has them, and ranks that stall inside MPI: "
			"process_vm_readv is forbidden here (by a container?)",
	},
	[LIMIT_OPERATIONS] = {
		.name = "operations",
		.class = LIMIT_NOT_CHECKED,
		.text =
			"whether operations commute that are declared to: they are too many, "
			"their operands are too large, or they are made by MPI's C++ bindings",
	},
	[LIMIT_IGNORED] = {
		.name = "ignored",
		.class = LIMIT_NOT_CHECKED,
		.about =
			"findings of the kinds that --ignore turns off",
	},
	[LIMIT_NATIVE] = {
		.name = "native",
		.class = LIMIT_NOT_CHECKED,
		.about =
			"the run without control that --native asks for, if it could not be "
			"started or there was no time for it",
	},
	[LIMIT_SPAWN_PLACES] = {
		.name = "spawn-places",
		.class = LIMIT_NOT_CHECKED,
		.text =
			"where spawned processes run: the info keys host, arch and file were "
			"ignored",
	},
};
/* clang-format on */

const struct limit_info *limit_info(enum limit limit)
{
	return &table[limit];
}

bool limit_find(const char *name, enum limit *ret_limit)
{
	for (guint i = 0; name && i < LIMITS; i++) {
		if (!g_str_equal(table[i].name, name))
			continue;
		*ret_limit = i;
		return true;
	}
	return false;
}

static void limit_free(gpointer pointer)
{
	struct record_limit *limit = pointer;

	g_free(limit->text);
	g_free(limit);
}

GPtrArray *limits_new(void)
{
	return g_ptr_array_new_with_free_func(limit_free);
}

void limits_add(GPtrArray *limits, enum limit limit, char *text)
{
	struct record_limit *added = g_new(struct record_limit, 1);
	guint at = 0;

	*added = (struct record_limit){limit, text ? text : g_strdup(table[limit].text)};
	for (; at < limits->len; at++) {
		const struct record_limit *other = limits->pdata[at];

		if (other->limit > limit)
			break;
		if (other->limit == limit && g_strcmp0(other->text, added->text) == 0) {
			limit_free(added);
			return;
		}
	}
	g_ptr_array_insert(limits, (gint)at, added);
}

void limits_add_set(GPtrArray *limits, guint64 set)
{
	for (guint i = 0; i < LIMITS; i++)
		if (set & LIMIT_BIT(i))
			limits_add(limits, i, NULL);
}

bool limits_have(const GPtrArray *limits, enum limit limit)
{
	for (guint i = 0; i < limits->len; i++)
		if (((const struct record_limit *)limits->pdata[i])->limit == limit)
			return true;
	return false;
}

bool limits_leave_plans(const GPtrArray *limits)
{
	for (guint i = 0; i < limits->len; i++) {
		const struct record_limit *limit = limits->pdata[i];

		if (table[limit->limit].leaves_plans)
			return true;
	}
	return false;
}

char *limit_print(const struct record_limit *limit)
{
	const char *option = table[limit->limit].lifted_by;

	return option ? g_strdup_printf("%s (--%s)", limit->text, option) : g_strdup(limit->text);
}

char *limits_print(const GPtrArray *limits, enum limit_class class)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < limits->len; i++) {
		const struct record_limit *limit = limits->pdata[i];
		g_autofree char *one = NULL;

		if (table[limit->limit].class != class)
			continue;
		one = limit_print(limit);
		g_string_append_printf(text, "%s%s", text->len > 0 ? "; " : "", one);
	}
	return g_string_free(text, text->len == 0);
}
