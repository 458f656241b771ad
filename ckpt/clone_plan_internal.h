/* What the files of a clone plan share. */
#ifndef MATCHPOINT_CKPT_CLONE_PLAN_INTERNAL_H
#define MATCHPOINT_CKPT_CLONE_PLAN_INTERNAL_H

#include "clone_plan.h"
#include "world_files.h"

#define PAGE WORLD_FILE_PAGE
#define REMEMBERED_MAX ((guint64)64 << 20) /* bytes of contents kept by one plan */

struct range { /* of an object, as one keeper maps it */
	guint64 offset, length, address;
	pid_t keeper;
};

struct extent { /* pages that are not zero; their bytes follow each other in `contents` */
	guint64 offset, length;
};

struct object {
	guint64 device, inode;
	guint64 size;     /* whole pages */
	GArray *ranges;   /* struct range, in ascending order once sorted */
	GPtrArray *names; /* in the old world's directory, but for clone.N */
	char *readable;   /* a name there, or NULL */
	bool remembered;
	GArray *extents;
	GByteArray *contents;
};

struct rank_clones {
	GArray *clones; /* struct agent_clone */
};

struct clone_plan {
	char *directory;
	guint ranks;
	struct rank_clones *of_rank;
	GPtrArray *objects; /* clone.N is the Nth */
	bool scanned;
	guint64 remembered;
};

/* Sets the error by errno; false. */
bool clone_failed(GError **error, const char *what, const char *on);

/* Once for a plan: what the old world's directory holds. */
bool clone_scan_directory(struct clone_plan *plan, GError **error);
/* Reads what an object holds from the keepers; and lets go of it. */
bool clone_read_object(struct clone_plan *plan, struct object *object, GError **error);
void clone_forget(struct clone_plan *plan, struct object *object);

/* A file up to this size is compared page by page, which is cheaper than writing it, or than
 * looking for its holes; of a larger one these are left out. */
#define CLONE_COMPARED_MOST WORLD_FILE_MOST

/* Shows what a file holds up to `end`, one stretch between holes after the other, in ascending
 * order, until one is refused. False: one was, or the file cannot be walked (errno). */
typedef bool (*clone_data_visitor)(int fd, guint64 from, guint64 to, void *user);
bool clone_each_data(int fd, off_t end, clone_data_visitor visit, void *user);

/* False with errno. */
bool clone_write_at(int fd, const guint8 *bytes, guint64 offset, guint64 length);
bool clone_write_extents(const struct object *object, int fd);
/* Makes the names from `first` on lead to the file that has `name` in the directory, and that
 * number on that device. */
bool clone_put_names_back(int directory, dev_t device, ino_t inode, const char *name,
                          const GPtrArray *names, guint first);
/* Makes its file, with all its names. */
bool clone_write_object(const struct object *object, guint index, int directory);

#endif
