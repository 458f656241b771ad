/* Shared files in worlds' directories, kept mapped from one use to the next, so that their contents
 * can be compared and written without opening, reading and copying them. */
#ifndef MATCHPOINT_CKPT_WORLD_FILES_H
#define MATCHPOINT_CKPT_WORLD_FILES_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

#define WORLD_FILE_PAGE ((guint64)4096)
/* Files up to this size are mapped. */
#define WORLD_FILE_MOST ((guint64)1 << 20)

struct world_files;

struct world_file {
	dev_t device;
	ino_t inode;
	guint64 size;  /* bytes */
	guint8 *bytes; /* whole pages; writing to a hole fills it, or raises SIGBUS */
	/* one byte for each page: even for a hole; valid until the next file is found */
	const guint8 *holds;
};

struct world_files *world_files_new(void);
void world_files_free(struct world_files *files); /* NULL is allowed */

/* Unmaps all files. Files without a name take memory as long as they are mapped. */
void world_files_clear(struct world_files *files);

/* The file that has this name in the directory now. Processes that map it must not run. False: the
 * caller must open it (it is empty, large, not regular or missing, cannot be mapped, or its holes
 * cannot be found, as when the directory is not on tmpfs). */
bool world_files_find(struct world_files *files, int directory, const char *name,
                      struct world_file *ret);

/* Makes page `page` (from 0) contain these bytes, in place; NULL: zeros. False: it is a hole, which
 * must be filled by a system call, because that can fail. */
bool world_file_put(const struct world_file *file, guint64 page, const guint8 *then);

#endif
