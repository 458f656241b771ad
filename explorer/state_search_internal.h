/* Shared by state_search.c (the search) and state_search_save.c (the search as a value). No other
 * file includes it. */
#ifndef MATCHPOINT_EXPLORER_STATE_SEARCH_INTERNAL_H
#define MATCHPOINT_EXPLORER_STATE_SEARCH_INTERNAL_H

#include "saved_states.h"
#include "state_search.h"

/* A known state. */
struct node {
	struct state_hash name;
	struct choice_list *list;  /* owned reference; NULL: the beginning */
	struct state_hash offered; /* hash of all choices open there, with relative call numbers */
	struct choice first;       /* the choice made there first, with relative call numbers */
	guint number;              /* in the graph */
};

/* A state in which a world has made a choice. Counted by reference (g_rc_box). */
struct place {
	guint number; /* in the graph */
	int ranks;
	guint32 calls[]; /* of that world, by rank */
};

/* An end, by its fingerprint. */
struct end {
	struct state_hash name;
	guint number; /* in the graph */
};

/* Choices that are still to be made at a node. */
struct waiting {
	struct choice_list *list;
	GArray *choices;                 /* struct choice; the last one is next; never empty */
	struct place *place;             /* owned reference: where they are made */
	const struct saved_state *saved; /* the end of that list, if an earlier search was there */
};

struct state_search {
	bool verify;
	bool begun;
	GHashTable *nodes; /* struct node, by fingerprint */
	GHashTable *ends;  /* struct end, by fingerprint */
	struct state_graph *graph;
	GHashTable *steps; /* verify: the known struct edge */
	GArray *waiting;   /* struct waiting, the next one last */
	/* struct waiting, served before `waiting`: visited by an earlier search */
	GArray *known_before;
	struct saved_state *saved; /* the earlier search; NULL: there was none */
	const struct saved_state
		*from; /* in `saved`: where the last choice of `here` was made; NULL: unknown */
	const struct saved_state *at; /* in `saved`: where it led */
	struct choice_list *here;     /* choices of the running world */
	/* the known state in which its last choice was made; NULL: none, or one without
	 * fingerprint */
	const struct node *last;
	struct place *place; /* owned reference: where it was made; NULL: nothing chosen yet */
	struct choice made;  /* that choice, with relative call numbers */
	guint ended;         /* the end that the last world came to, in the graph */
	bool known;          /* verify: the world has reached a known state */
	bool struck;         /* something outside has ended a rank of the world for good */
	bool left;           /* for that reason it goes no further */
	struct state_statistics statistics;
};

/* Free with g_free. */
struct end *state_search_end_new(const struct state_hash *name, guint number);

#endif
