/* The files in worlds' directories that ranks share, mapped here from one use to the next: what
 * they hold is compared and written without being opened, read and copied each time. */
#ifndef MATCHPOINT_CKPT_WORLD_FILES_H
#define MATCHPOINT_CKPT_WORLD_FILES_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

#define WORLD_FILE_PAGE ((guint64)4096)
/* One up to this size is mapped. */
#define WORLD_FILE_MOST ((guint64)1 << 20)

struct world_files;

struct world_file {
	dev_t device;
	ino_t inode;
	guint64 size;  /* bytes */
	guint8 *bytes; /* whole pages; what is written into a hole fills it, or SIGBUS comes */
	const guint8 *holds; /* odd for each page that is none; until the next one is found */
};

struct world_files *world_files_new(void);
void world_files_free(struct world_files *files); /* NULL is legal */

/* Lets go of all of them: files whose names are gone take memory for as long as they are mapped. */
void world_files_clear(struct world_files *files);

/* The one that this name in the directory leads to now, while those who map it stand still. False:
 * it is to be opened (it is empty, large, no regular file, not there, or cannot be mapped, or where
 * its holes are cannot be told, as where the directory is not on tmpfs). */
bool world_files_find(struct world_files *files, int directory, const char *name,
                      struct world_file *ret);

/* Makes that page (from 0) hold these bytes, in place; NULL: zeros. False: it is a hole, which is
 * to be filled by a call, for that can fail. */
bool world_file_put(const struct world_file *file, guint64 page, const guint8 *then);

#endif
