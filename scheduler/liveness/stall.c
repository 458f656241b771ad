#include "stall.h"

#include <stdlib.h>

#include "mpi_calls.h"
#include "scheduler/host/environment.h"

#define INSIDE_US (G_USEC_PER_SEC / 5)  /* a call that takes longer waits for another rank */
#define AROUND_US (2 * G_USEC_PER_SEC)  /* a loop around such calls likewise */
#define SILENT_US (30 * G_USEC_PER_SEC) /* a loop that only reads the memory of a window likewise */
#define HOPELESS_US (2 * G_USEC_PER_SEC)
#define HOPELESS_AROUND_US (10 * G_USEC_PER_SEC)
#define SPIN_CALLS 2000u /* fewer are no loop that only waits for a change */
#define SPIN_LOOKS 20u   /* fewer show little of what a rank does mostly */

/* Since quiet began, or since the rank was last found in a call that does not only read. */
struct spin {
	gint64 since;
	guint32 times_then;   /* note.times then */
	guint looks, outside; /* how often it was looked at; outside of such calls */
	struct wire_blocking_call
		most; /* the call that it was found in most often (majority vote) */
	int votes;
};

struct seat {
	pid_t pid;
	guint64 address;
	struct wire_blocking_call note; /* as last read */
	guint32 times_then;             /* note.times when quiet began */
	guint64 file_bytes;             /* for disk_work_look */
	gint64 stepped; /* when it was last not in the same step of MPI's progress */
	gint64 entered; /* when it was last not in the same call */
	struct spin spin;
};

struct stall {
	struct host *host;
	int ranks;
	int haste; /* divides the long waits */
	struct seat *seats;
	bool heard, hopeless;
	bool lost;   /* a rank has ended without MPI_Finalize; others may need it */
	bool around; /* quiet for so long that a rank waits in a loop */
	gint64 quiet_since, idle_since; /* no report; no rank moved, or did more than poll */
	gint64 worked;                  /* when a rank inside a call last worked with files */
	gint64 moved; /* last report, or when a running rank was last outside of MPI */
	gint64 looked;
};

int stall_haste(void)
{
	const char *text = g_getenv(ENVIRONMENT_HASTE);
	int haste = text ? atoi(text) : 1;

	return CLAMP(haste, 1, 100);
}

double stall_seconds(bool spin)
{
	return (double)(spin ? STALL_SPIN_SECONDS : STALL_OVER_SECONDS) / stall_haste();
}

struct stall *stall_new(struct host *host, int ranks)
{
	struct stall *stall = g_new0(struct stall, 1);

	stall->host = host;
	stall->ranks = ranks;
	stall->haste = stall_haste();
	stall->seats = g_new0(struct seat, ranks);
	stall->heard = true;
	return stall;
}

void stall_free(struct stall *stall)
{
	if (!stall)
		return;
	g_free(stall->seats);
	g_free(stall);
}

void stall_set(struct stall *stall, int rank, pid_t pid, guint64 address)
{
	stall->seats[rank] = (struct seat){.pid = pid, .address = address};
	stall->heard = true;
}

void stall_heard(struct stall *stall)
{
	stall->heard = true;
}

static struct wire_blocking_call read_note(const struct stall *stall, const struct seat *seat)
{
	struct wire_blocking_call note = {0};
	struct host *host = stall->host;

	if (seat->address == 0 || seat->pid <= 0
	    || !host->operations->read_memory(host, seat->pid, seat->address, &note, sizeof(note)))
		return (struct wire_blocking_call){0};
	return note;
}

static void begin_spin(struct seat *seat, gint64 now)
{
	seat->spin = (struct spin){.since = now, .times_then = seat->note.times};
}

static void note_spin(struct seat *seat, gint64 now)
{
	const struct wire_blocking_call *note = &seat->note;
	struct spin *spin = &seat->spin;

	spin->looks++;
	if (note->function == 0 || note->driven) {
		spin->outside++;
	} else if (!mpi_call_only_looks(note->function)) {
		begin_spin(seat, now);
	} else {
		if (spin->votes == 0)
			spin->most = *note;
		spin->votes += note->site == spin->most.site ? 1 : -1;
	}
}

/* Whether the rank has read a window most of the time, and not changed it. */
static bool seat_spins(const struct stall *stall, const struct seat *seat, gint64 now)
{
	const struct spin *spin = &seat->spin;

	return (now - spin->since) * stall->haste > STALL_SPIN_SECONDS * G_USEC_PER_SEC
	       && spin->looks >= SPIN_LOOKS && 2 * spin->outside <= spin->looks
	       && spin->most.function != 0 && seat->note.times - spin->times_then >= SPIN_CALLS;
}

static bool all_spin(const struct stall *stall, const struct world *world, gint64 now)
{
	for (int rank = 0; rank < stall->ranks; rank++) {
		enum world_phase phase = world_phase(world, rank);

		if ((phase == PHASE_RUNNING || phase == PHASE_ABSENT)
		    && !seat_spins(stall, &stall->seats[rank], now))
			return false;
	}
	return true;
}

/* What the running ranks do. inside: each is still inside the same call that MPI carries out
 * unreported. in_mpi: the same for any call. spinning: each has made unreported calls since
 * quiet began. met: one is in a collective that waits for no rank at rest. works: one works with
 * files. */
struct movement {
	bool inside, in_mpi, spinning, met, works;
};

static struct movement read_all(struct stall *stall, const struct world *world, gint64 now)
{
	struct movement movement = {true, true, true, false, false};

	for (int rank = 0; rank < stall->ranks; rank++) {
		struct seat *seat = &stall->seats[rank];
		enum world_phase phase = world_phase(world, rank);
		struct wire_blocking_call note;
		bool same, stays;

		if (phase == PHASE_STOPPED && world_calls(world, rank) == 0)
			seat->note = read_note(stall, seat); /* inside MPI_Init */
		if (phase == PHASE_STOPPED || phase == PHASE_ENDED)
			continue;
		note = read_note(stall, seat);
		same = note.function != 0 && note.function == seat->note.function
		       && note.times == seat->note.times;
		stays = same && !note.driven;
		if (!same || !note.driven || note.steps != seat->note.steps)
			seat->stepped = now;
		if (!same)
			seat->entered = now;
		if (phase != PHASE_RUNNING && phase != PHASE_ABSENT) {
			seat->note = note;
			continue;
		}
		movement.inside &= stays;
		movement.in_mpi &= same;
		movement.met |= note.function != 0 && note.met;
		movement.works |= stays
		                  && stall->host->operations->works_on_disk(stall->host, seat->pid,
		                                                            &seat->file_bytes);
		movement.spinning &= note.times != seat->times_then;
		seat->note = note;
		note_spin(seat, now);
	}
	return movement;
}

static void begin_quiet(struct stall *stall, gint64 now)
{
	stall->quiet_since = now;
	for (int rank = 0; rank < stall->ranks; rank++) {
		struct seat *seat = &stall->seats[rank];

		seat->times_then = seat->note.times;
		begin_spin(seat, now);
	}
}

/* Whether a rank does not return from one step of MPI's progress, while all running ranks are
 * inside MPI. If a rank is lost, one call counts instead of one step: it may go on stepping for
 * what the lost rank will never do. */
static bool is_stuck(const struct stall *stall, const struct seat *seat)
{
	gint64 since = stall->lost ? seat->entered : seat->stepped;

	return seat->note.driven
	       && (stall->looked - MAX(since, stall->moved)) * stall->haste
	                  > STALL_OVER_SECONDS * G_USEC_PER_SEC;
}

static bool one_is_lost(const struct stall *stall, const struct world *world)
{
	bool lost = false;

	for (int rank = 0; rank < stall->ranks; rank++) {
		enum world_phase phase = world_phase(world, rank);

		lost |= phase == PHASE_STOPPED
		        || (phase == PHASE_ENDED && !world_finalized(world, rank));
	}
	return lost;
}

static bool one_is_stuck(const struct stall *stall)
{
	bool stuck = false;

	for (int rank = 0; rank < stall->ranks; rank++)
		stuck |= is_stuck(stall, &stall->seats[rank]);
	return stuck;
}

void stall_rest(struct stall *stall)
{
	stall->quiet_since = stall->idle_since = stall->moved = 0;
	stall->around = false;
}

enum stall_step stall_look(struct stall *stall, const struct world *world, gint64 now)
{
	bool polls = world_idle(world)->rounds > 0;
	struct movement movement = read_all(stall, world, now);
	gint64 quiet, still;

	if (stall->heard || stall->quiet_since == 0)
		begin_quiet(stall, now);
	if (!movement.inside || stall->idle_since == 0 || (stall->heard && !polls))
		stall->idle_since = now;
	if (stall->heard || !movement.in_mpi || stall->moved == 0)
		stall->moved = now;
	if (movement.works)
		stall->worked = now;
	stall->around &= !stall->heard || polls;
	stall->heard = false;
	stall->lost = one_is_lost(stall, world);
	stall->looked = now;
	quiet = (now - stall->quiet_since) * stall->haste;
	still = (now - stall->idle_since) * stall->haste;
	if (world_has_windows(world))
		stall->around |= quiet > SILENT_US || (movement.spinning && quiet > AROUND_US);
	stall->hopeless = still > HOPELESS_US || (movement.spinning && quiet > HOPELESS_AROUND_US);
	if (MIN(still, (now - stall->worked) * stall->haste) > STALL_OVER_SECONDS * G_USEC_PER_SEC)
		return STALL_OVER;
	if (one_is_stuck(stall))
		return STALL_OVER;
	if (quiet > STALL_SPIN_SECONDS * G_USEC_PER_SEC && world_has_windows(world)
	    && all_spin(stall, world, now))
		return STALL_SPIN;
	return stall->around || (now - stall->idle_since > INSIDE_US && !movement.met)
	               ? STALL_DECIDE
	               : STALL_NONE;
}

bool stall_hopeless(const struct stall *stall)
{
	return stall->hopeless;
}

const struct wire_blocking_call *stall_blocking_call(const struct stall *stall, int rank)
{
	const struct seat *seat = &stall->seats[rank];

	if (seat->note.driven && !is_stuck(stall, seat))
		return NULL;
	return seat->note.function != 0 ? &seat->note : NULL;
}

const struct wire_blocking_call *stall_spin(const struct stall *stall, int rank)
{
	const struct seat *seat = &stall->seats[rank];

	return seat->spin.most.function != 0 ? &seat->spin.most : NULL;
}
