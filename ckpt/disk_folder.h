/* Checkpoints on disk: a folder has one folder for each, by its name.
 *
 *   DIR/NAME/manifest        what it is, and the checksums of the others; written last
 *   DIR/NAME/rank.R.img      each rank (agent_disk_format.h)
 *   DIR/NAME/world/          files that ranks share
 *   DIR/NAME/files/          files that the program has changed (agent_journal.h)
 *   DIR/NAME/history         what the scheduler heard and did since MPI_Init
 *
 * One whose ranks cannot be saved has the position and the program only (`why` in the manifest): a
 * restart runs the program again, up to there.
 *
 * A checkpoint is written as DIR/.NAME.PID.tmp, and gets its name when all of it is on the disk. So
 * what has a name is whole. It belongs to its user, and nobody else can read it. */
#ifndef MATCHPOINT_CKPT_DISK_FOLDER_H
#define MATCHPOINT_CKPT_DISK_FOLDER_H

#include <glib.h>
#include <stdbool.h>

#define DISK_GROUP "checkpoint" /* of the manifest, for all that is told of the ranks */

#define DISK_FOLDER_ERROR (disk_folder_error_quark())
GQuark disk_folder_error_quark(void);

/* --- reading ---------------------------------------------------------------------------------- */

typedef struct disk_checkpoint {
	char *path, *name;
	int ranks;
	GStrv program;   /* argv */
	char *directory; /* where it was started */
	char *position;  /* explorer/position.h */
	char *made;      /* when: ISO 8601 */
	char *why;       /* why it has the position only, without the ranks; NULL: it has them */
	guint64 bytes;   /* that its folder takes */
	GKeyFile *manifest;
} DiskCheckpoint;

/* `path`: a checkpoint, or a folder of checkpoints: then its newest one. Reads the manifest and
 * checks it, and the owner. Returns NULL with `error` set. */
struct disk_checkpoint *disk_checkpoint_open(const char *path, GError **error);
void disk_checkpoint_free(struct disk_checkpoint *checkpoint); /* NULL is legal */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DiskCheckpoint, disk_checkpoint_free)

/* Whether a path is a checkpoint, or a folder with some, as far as names show. */
bool disk_folder_is_there(const char *path);
/* Whether `path` is a checkpoint itself. */
bool disk_checkpoint_is_at(const char *path);

/* Checks all that it consists of: everything but pages is compared in any case, pages only if
 * `pages`. And whether the files that ranks have mapped are still those. Returns false with `error`
 * set. */
bool disk_checkpoint_check(const struct disk_checkpoint *checkpoint, bool pages, GError **error);

/* Path of the checkpoint of that name in the same folder that it builds on directly; NULL: none.
 * Free with g_free. */
char *disk_checkpoint_base(const struct disk_checkpoint *checkpoint);

/* All in a folder (struct disk_checkpoint), the oldest first. What is not whole is not among them;
 * *ret_wrong gets a sentence each (char *). NULL with `error` set: the folder cannot be read. */
GPtrArray *disk_folder_list(const char *folder, GPtrArray **ret_wrong, GError **error);

/* Removes a checkpoint, or all of a folder and the folder. Refuses if others build on it. Returns
 * false with `error` set. */
bool disk_folder_remove(const char *path, GError **error);

/* --- writing ---------------------------------------------------------------------------------- */

struct disk_draft;

/* Begins one. Makes the folder if it is not there. `name`: not taken yet. */
struct disk_draft *disk_draft_new(const char *folder, const char *name, GError **error);
/* Removes what is there of it. NULL is legal. */
void disk_draft_free(struct disk_draft *draft);

/* Where ranks write. And the name of the newest checkpoint of the same ranks and program there, to
 * build on; "": none. */
const char *disk_draft_path(const struct disk_draft *draft);
const char *disk_draft_base(const struct disk_draft *draft, int ranks, char **program);

/* Bytes that ranks have written so far. And why a rank of the world in `directory` could not be
 * written, as its process has left it; NULL: it has not. Free with g_free. */
guint64 disk_draft_written(const struct disk_draft *draft, int ranks);
char *disk_draft_trouble(const char *directory, int rank);

/* Adds to the manifest. */
GKeyFile *disk_draft_manifest(struct disk_draft *draft);
/* Copies what is in a world's directory. false with `error` set. */
bool disk_draft_add_world(struct disk_draft *draft, const char *directory, GError **error);
/* Writes the history. false with `error` set. */
bool disk_draft_add_history(struct disk_draft *draft, const GString *history, GError **error);
/* Copies the present state of paths (char *) that the program has changed. */
bool disk_draft_add_files(struct disk_draft *draft, const GPtrArray *paths, GError **error);

/* There will be no ranks in it, because of `why`. Notes what their programs are: files (char *). */
bool disk_draft_leave_ranks_out(struct disk_draft *draft, const char *why,
                                const GPtrArray *programs, GError **error);

/* All is there: writes the manifest, and gives it its name. It can be opened by *ret_path (g_free)
 * then. Returns false with `error` set. */
bool disk_draft_finish(struct disk_draft *draft, int ranks, char **ret_path, GError **error);

/* --- putting back ----------------------------------------------------------------------------- */

/* Copies the files that ranks share into the directory of a new world. */
bool disk_checkpoint_put_world(const struct disk_checkpoint *checkpoint, const char *directory,
                               GError **error);
/* Restores the files that the program has changed. `changes` is called before each. */
bool disk_checkpoint_put_files(const struct disk_checkpoint *checkpoint,
                               void (*changes)(const char *path), GError **error);
/* Free with g_free; NULL with `error` set. */
char *disk_checkpoint_history(const struct disk_checkpoint *checkpoint, GError **error);

#endif
