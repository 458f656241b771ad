/* Reads the file of a rank in a checkpoint on disk (agent_disk_format.h), to check it. */
#ifndef MATCHPOINT_CKPT_DISK_IMAGE_H
#define MATCHPOINT_CKPT_DISK_IMAGE_H

#include <glib.h>
#include <stdbool.h>

typedef struct disk_image {
	char *program;            /* path of its program */
	char *kernel;             /* release of the kernel */
	GStrv builds_on;          /* names of checkpoints whose files it needs as well */
	guint64 bytes;            /* of the file */
	guint64 pages, own_pages; /* all, and those that are stored in this file */
	GPtrArray *files;         /* char *, sorted: paths of files that it maps for itself */
} DiskImage;

#define DISK_IMAGE_ERROR (disk_image_error_quark())
GQuark disk_image_error_quark(void);

/* Reads header and tables, and checks both. NULL with `error` set: it is no image, or damaged, or
 * cannot be read. */
struct disk_image *disk_image_open(const char *path, GError **error);
void disk_image_free(struct disk_image *image); /* NULL is legal */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DiskImage, disk_image_free)

/* Checks each page, also those in files that it builds on; and whether this machine's processor can
 * go on from it. Returns false with `error` set. */
bool disk_image_check(const char *path, GError **error);

#endif
