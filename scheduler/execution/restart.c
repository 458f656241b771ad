#include "restart.h"

#include <string.h>

#include "common/wire.h"
#include "execution_internal.h"
#include "playback.h"
#include "runs_internal.h"
#include "scheduler/snapshot/snapshot.h"
#include "scheduler/world/matcher.h"

G_DEFINE_QUARK(matchpoint_restart_error, restart_error)

static gint64 number_of(const struct disk_checkpoint *checkpoint, const char *key)
{
	return g_key_file_get_int64(checkpoint->manifest, DISK_GROUP, key, NULL);
}

struct restart *restart_new(const struct disk_checkpoint *checkpoint, GError **error)
{
	struct restart *restart;

	if (number_of(checkpoint, "wire") != WIRE_VERSION) {
		g_set_error(error, RESTART_ERROR, 0,
		            "%s: it was written by another version of matchpoint (protocol %d, not "
		            "%u)",
		            checkpoint->path, (int)number_of(checkpoint, "wire"), WIRE_VERSION);
		return NULL;
	}
	if (!disk_checkpoint_check(checkpoint, false, error))
		return NULL;
	restart = g_new0(struct restart, 1);
	restart->checkpoint = checkpoint;
	restart->position = position_parse(checkpoint->position, error);
	restart->history = restart->position ? disk_checkpoint_history(checkpoint, error) : NULL;
	restart->behind = (double)number_of(checkpoint, "ran-us") / G_USEC_PER_SEC;
	restart->idle_time = number_of(checkpoint, "idle-us");
	restart->saved_at = number_of(checkpoint, "saved-us");
	if (restart->history)
		return restart;
	restart_free(restart);
	return NULL;
}

void restart_free(struct restart *restart)
{
	if (!restart)
		return;
	position_free(restart->position);
	g_free(restart->history);
	g_free(restart);
}

char *restart_place(const struct world *world)
{
	struct position *position = snapshot_position(world);
	char *text = position_print(position);

	position_free(position);
	return text;
}

void restart_describe(GKeyFile *manifest, const struct snapshot *snapshot)
{
	g_autofree char *text = restart_place(snapshot->world);

	g_key_file_set_string(manifest, DISK_GROUP, "position", text);
	g_key_file_set_int64(manifest, DISK_GROUP, "wire", WIRE_VERSION);
	g_key_file_set_int64(manifest, DISK_GROUP, "ran-us",
	                     (gint64)(snapshot->behind * G_USEC_PER_SEC));
	g_key_file_set_int64(manifest, DISK_GROUP, "idle-us", snapshot->idle_time);
	g_key_file_set_int64(manifest, DISK_GROUP, "saved-us", snapshot->parked_at);
}

bool restart_serves(const struct restart *restart, const struct run_request *request)
{
	return restart && !request->from_start
	       && position_leads_to(restart->position, request->position);
}

/* The same as it was: a checkpoint whose history leads elsewhere would be another program's. */
static bool is_there(const struct world *world, const struct restart *restart)
{
	struct position *position = snapshot_position(world);
	bool same = position_equal(position, restart->position);

	position_free(position);
	return same;
}

bool restart_rebuild(struct execution *execution)
{
	struct runs *runs = execution->runs;
	const struct restart *restart = runs->options.restart;
	const struct playback playback = {
		.history = restart->history,
		.comms = runs->options.comms,
		.watch = events_want_steps(runs->options.events) ? execution_on_step : NULL,
		.user = execution};
	g_autoptr(GError) error = NULL;
	struct world *before = execution->world, *played;
	const struct world_options options = *world_options(before);
	bool rebuilt = playback_world(&playback, &execution->world, &error);

	played = execution->world;
	execution->world = before;
	if (rebuilt) { /* the history has not all options */
		execution->world = world_copy(played, &options, execution);
		world_give_orders(execution->world, &execution_orders);
		world_free(before);
		rebuilt = is_there(execution->world, restart);
	}
	world_free(played);
	if (!rebuilt) {
		runs_fail(runs, "%s: its world cannot be rebuilt: %s", restart->checkpoint->path,
		          error ? error->message : "its history leads elsewhere");
		return false;
	}
	execution_watch_steps(execution);
	execution->before = restart->behind;
	/* Since then, its clocks have stood still; after a reboot they begin anew. */
	execution->idle_time = restart->idle_time + execution_now(execution) - restart->saved_at;
	execution_hold_all(execution);
	execution_forget_made(execution);
	return true;
}
