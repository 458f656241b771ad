#include "leaks.h"

#include "explorer/rank_name.h"

#include <string.h>

/* Parts of the message "3 <many> made by MPI_X at a.c:7 are <fate>". */
static const struct {
	const char *one, *many, *made, *fate;
	const char *does; /* of one rank, for any number */
} words[] = {
	[WIRE_OBJECT_REQUEST] = {"request", "requests", "made", "never completed",
                                 "makes a request that is never completed"},
	[WIRE_OBJECT_PERSISTENT] = {"persistent request", "persistent requests", "made",
                                    "never freed",
                                    "makes a persistent request that is never freed"},
	[WIRE_OBJECT_COMMUNICATOR] = {"communicator", "communicators", "made", "never freed",
                                      "makes a communicator that is never freed"},
	[WIRE_OBJECT_DATATYPE] = {"datatype", "datatypes", "made", "never freed",
                                  "makes a datatype that is never freed"},
	[WIRE_OBJECT_GROUP] = {"group", "groups", "made", "never freed",
                               "makes a group that is never freed"},
	[WIRE_OBJECT_WINDOW] = {"window", "windows", "made", "never freed",
                                "makes a window that is never freed"},
	[WIRE_OBJECT_FILE] = {"file", "files", "opened", "never closed",
                              "opens a file that is never closed"},
	[WIRE_OBJECT_MESSAGE] = {"message", "messages", "taken", "never received",
                                 "takes a message that is never received"},
	[WIRE_OBJECT_OP] = {"operation", "operations", "made", "never freed",
                            "makes an operation that is never freed"},
	[WIRE_OBJECT_ERRHANDLER] = {"error handler", "error handlers", "made", "never freed",
                                    "makes an error handler that is never freed"},
	[WIRE_OBJECT_KEYVAL] = {"key", "keys", "made", "never freed",
                                "makes a key of attributes that is never freed"},
	[WIRE_OBJECT_INFO] = {"info object", "info objects", "made", "never freed",
                              "makes an info object that is never freed"},
	[LEAK_UNRECEIVED] = {"message", "messages", "sent", "never received",
                             "sends a message that is never received"},
};

enum { RANKS_SHOWN = 8 };

/* The leaks of one finding. */
struct group {
	struct leak first;
	char *arguments; /* of `first`, owned */
	GArray *counts;  /* struct share, ascending by rank */
	guint total;
};

struct share {
	int rank;
	guint32 call;
	guint count;
};

struct leaks {
	GPtrArray *groups;
};

static void group_free(gpointer pointer)
{
	struct group *group = pointer;

	g_free(group->arguments);
	g_array_unref(group->counts);
	g_free(group);
}

struct leaks *leaks_new(void)
{
	struct leaks *leaks = g_new0(struct leaks, 1);

	leaks->groups = g_ptr_array_new_with_free_func(group_free);
	return leaks;
}

void leaks_free(struct leaks *leaks)
{
	if (!leaks)
		return;
	g_ptr_array_unref(leaks->groups);
	g_free(leaks);
}

static bool belongs_to_group(const struct group *group, const struct leak *leak)
{
	return group->first.kind == leak->kind && group->first.function == leak->function
	       && place_equal(&group->first.place, &leak->place);
}

static struct group *group_of(struct leaks *leaks, const struct leak *leak)
{
	struct group *group;

	for (guint i = 0; i < leaks->groups->len; i++) {
		if (belongs_to_group(leaks->groups->pdata[i], leak))
			return leaks->groups->pdata[i];
	}
	group = g_new0(struct group, 1);
	group->first = *leak;
	group->arguments = g_strdup(leak->arguments);
	group->counts = g_array_new(false, false, sizeof(struct share));
	g_ptr_array_add(leaks->groups, group);
	return group;
}

void leaks_add(struct leaks *leaks, const struct leak *leak)
{
	struct group *group = group_of(leaks, leak);
	struct share fresh = {leak->rank, leak->call, leak->count};
	guint at = 0;

	group->total += leak->count;
	while (at < group->counts->len
	       && g_array_index(group->counts, struct share, at).rank < leak->rank)
		at++;
	if (at < group->counts->len
	    && g_array_index(group->counts, struct share, at).rank == leak->rank)
		g_array_index(group->counts, struct share, at).count += leak->count;
	else
		g_array_insert_val(group->counts, at, fresh);
}

static bool is_even(const struct group *group)
{
	for (guint i = 1; i < group->counts->len; i++) {
		if (g_array_index(group->counts, struct share, i).count
		    != g_array_index(group->counts, struct share, 0).count)
			return false;
	}
	return true;
}

/* "rank 0: 3, rank 2: 1", or "1 on each rank". Free with g_free. */
static char *describe_shares(const struct group *group, int ranks)
{
	const GArray *counts = group->counts;
	GString *text = g_string_new(NULL);

	if ((int)counts->len == ranks && ranks > 1 && is_even(group)) {
		g_string_printf(text, "%u on each rank", group->total / counts->len);
		return g_string_free(text, false);
	}
	for (guint i = 0; i < MIN(counts->len, RANKS_SHOWN); i++) {
		const struct share *share = &g_array_index(counts, struct share, i);

		g_string_append_printf(text, "%srank %s: %u", i > 0 ? ", " : "",
		                       rank_name(share->rank), share->count);
	}
	if (counts->len > RANKS_SHOWN)
		g_string_append_printf(text, ", and on %u other ranks", counts->len - RANKS_SHOWN);
	return g_string_free(text, false);
}

static char *describe_leaks(const struct group *group, int ranks)
{
	const struct leak *first = &group->first;
	g_autofree char *place = place_print(&first->place);
	g_autofree char *shares = describe_shares(group, ranks);
	bool one = group->total == 1;

	if (first->kind == LEAK_UNRECEIVED && one)
		return g_strdup_printf("rank %s's %s(%s) at %s is never received",
		                       rank_name(first->rank), first->function,
		                       group->arguments ? group->arguments : "", place);
	return g_strdup_printf("%u %s %s by %s at %s %s %s (%s)", group->total,
	                       one ? words[first->kind].one : words[first->kind].many,
	                       words[first->kind].made, first->function, place, one ? "is" : "are",
	                       words[first->kind].fate, shares);
}

static struct record_finding *finding_of(const struct group *group, int ranks)
{
	struct record_finding *finding = record_finding_new(FINDING_LEAK);

	for (guint i = 0; i < group->counts->len; i++) {
		const struct share *share = &g_array_index(group->counts, struct share, i);
		struct record_rank *line = record_rank_new(share->rank);

		line->call = share->call;
		line->function = group->first.function;
		line->place = group->first.place;
		line->does = g_strdup(words[group->first.kind].does);
		g_ptr_array_add(finding->ranks, line);
	}
	finding->message = describe_leaks(group, ranks);
	return finding;
}

GPtrArray *leaks_findings(const struct leaks *leaks, int ranks)
{
	GPtrArray *findings = g_ptr_array_new();

	for (guint i = 0; i < leaks->groups->len; i++)
		g_ptr_array_add(findings, finding_of(leaks->groups->pdata[i], ranks));
	return findings;
}
