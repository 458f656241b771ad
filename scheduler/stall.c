#define _GNU_SOURCE /* process_vm_readv */
#include "stall.h"

#include <string.h>
#include <sys/uio.h>

#define INSIDE_US (G_USEC_PER_SEC / 5) /* a call that lasts so long waits for somebody */
#define AROUND_US (2 * G_USEC_PER_SEC) /* a loop around such calls, if there are windows */

struct seat {
	pid_t pid;
	guint64 address;
	struct wire_inside note; /* as last read */
};

struct stall {
	int ranks;
	struct seat *seats;
	gboolean heard;
	gboolean around; /* it has been quiet for so long that some rank waits in a loop */
	gint64 quiet_since, still_since; /* nothing heard; no rank moved or said more than a poll */
};

struct stall *stall_new(int ranks)
{
	struct stall *stall = g_new0(struct stall, 1);

	stall->ranks = ranks;
	stall->seats = g_new0(struct seat, ranks);
	stall->heard = TRUE;
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
	stall->heard = TRUE;
}

void stall_heard(struct stall *stall)
{
	stall->heard = TRUE;
}

static struct wire_inside read_note(const struct seat *seat)
{
	struct wire_inside note = {0};
	struct iovec local = {.iov_base = &note, .iov_len = sizeof(note)};
	struct iovec remote = {.iov_base = GSIZE_TO_POINTER(seat->address),
	                       .iov_len = sizeof(note)};

	if (seat->address == 0 || seat->pid <= 0
	    || process_vm_readv(seat->pid, &local, 1, &remote, 1, 0) != (ssize_t)sizeof(note))
		return (struct wire_inside){0};
	return note;
}

/* Whether every running rank still is inside the call that it was inside before. */
static gboolean all_inside(struct stall *stall, const struct world *world)
{
	gboolean same = TRUE;

	for (int rank = 0; rank < stall->ranks; rank++) {
		struct seat *seat = &stall->seats[rank];
		enum world_phase phase = world_phase(world, rank);
		struct wire_inside note;

		if (phase != PHASE_RUNNING && phase != PHASE_ABSENT)
			continue;
		note = read_note(seat);
		same &= note.function != 0 && note.function == seat->note.function
		        && note.times == seat->note.times;
		seat->note = note;
	}
	return same;
}

void stall_rest(struct stall *stall)
{
	stall->quiet_since = stall->still_since = 0;
	stall->around = FALSE;
}

enum stall_step stall_look(struct stall *stall, const struct world *world, gint64 now)
{
	gboolean polls = world_idle_polls(world) > 0;
	gboolean inside = all_inside(stall, world);

	if (stall->heard || stall->quiet_since == 0)
		stall->quiet_since = now;
	if (!inside || stall->still_since == 0 || (stall->heard && !polls))
		stall->still_since = now;
	stall->around &= !stall->heard || polls;
	stall->around |= world_has_windows(world) && now - stall->quiet_since > AROUND_US;
	stall->heard = FALSE;
	if (now - stall->still_since > STALL_OVER_SECONDS * G_USEC_PER_SEC)
		return STALL_OVER;
	return stall->around || now - stall->still_since > INSIDE_US ? STALL_DECIDE : STALL_NONE;
}

const struct wire_inside *stall_inside(const struct stall *stall, int rank)
{
	const struct seat *seat = &stall->seats[rank];

	return seat->note.function != 0 ? &seat->note : NULL;
}
