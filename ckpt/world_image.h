/* The contents of the files in a world's directory (shared memory, and what ranks have written), to
 * be restored in the same directory while the ranks that map them do not run. Successive images
 * share unchanged pages.
 *
 * Functions that can fail return NULL or false and set `error`. */
#ifndef MATCHPOINT_CKPT_WORLD_IMAGE_H
#define MATCHPOINT_CKPT_WORLD_IMAGE_H

#include <glib.h>
#include <stdbool.h>

struct world_image;
struct world_files; /* world_files.h */

/* Bytes that it takes besides what it shares with the previous image. */
guint64 world_image_bytes(const struct world_image *image);

/* `before` (NULL: none): an image of the same directory, with which unchanged pages are shared. */
struct world_image *world_image_take(const char *directory, const struct world_image *before,
                                     struct world_files *files, GError **error);
void world_image_free(struct world_image *image); /* NULL is allowed */

/* Removes files that are not in the image. Fails if a file of the image is missing. */
bool world_image_put(const struct world_image *image, const char *directory,
                     struct world_files *files, GError **error);

#endif
