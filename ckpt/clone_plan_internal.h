/* Shared by the files of the clone plan. */
#ifndef MATCHPOINT_CKPT_CLONE_PLAN_INTERNAL_H
#define MATCHPOINT_CKPT_CLONE_PLAN_INTERNAL_H

#include "clone_plan.h"
#include "world_files.h"

#define PAGE WORLD_FILE_PAGE
#define REMEMBERED_MAX ((guint64)64 << 20) /* bytes of contents remembered by one plan */

struct range { /* a part of an object as one keeper maps it */
	guint64 offset, length, address;
	pid_t keeper;
};

struct extent { /* pages that are not zero; their bytes are consecutive in `contents` */
	guint64 offset, length;
};

struct object {
	guint64 device, inode;
	guint64 size;     /* bytes, whole pages */
	GArray *ranges;   /* struct range, in ascending order once sorted */
	GPtrArray *names; /* in the old world's directory, except clone.N */
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

/* Sets the error from errno. Returns false. */
bool clone_failed(GError **error, const char *what, const char *on);

/* Call once for a plan: finds out what the old world's directory contains. */
bool clone_scan_directory(struct clone_plan *plan, GError **error);
/* clone_read_object reads an object's contents from the keepers; clone_forget frees them. */
bool clone_read_object(struct clone_plan *plan, struct object *object, GError **error);
void clone_forget(struct clone_plan *plan, struct object *object);

/* A file up to this size is compared page by page, which is cheaper than writing it, or than
 * finding its holes. Holes of larger files are skipped. */
#define CLONE_COMPARED_MOST WORLD_FILE_MOST

/* Calls `visit` for the data of a file up to `end`, one range between holes after the other, in
 * ascending order, until it returns false. Returns false if it did, or if the file cannot be walked
 * (errno). */
typedef bool (*clone_data_visitor)(int fd, guint64 from, guint64 to, void *user);
bool clone_each_data(int fd, off_t end, clone_data_visitor visit, void *user);

/* Return false with errno on failure. */
bool clone_write_at(int fd, const guint8 *bytes, guint64 offset, guint64 length);
bool clone_write_extents(const struct object *object, int fd);
/* Makes the names from index `first` on links to the file `name` of the directory, which has this
 * device and inode. */
bool clone_put_names_back(int directory, dev_t device, ino_t inode, const char *name,
                          const GPtrArray *names, guint first);
/* Creates the object's file with all its names. */
bool clone_write_object(const struct object *object, guint index, int directory);

#endif
